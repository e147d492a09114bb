import random

from hypothesis import given, settings
from hypothesis import strategies as st

from worker.distance import nearest_references
from worker.distance.assignment import KnownNearest, nearest_of_changed
from worker.pages import Tree


def trees(chance: random.Random, count: int) -> list[Tree]:
    return [
        Tree.from_preorder(
            [("a", 0)] + [(chance.choice("bc"), 1) for _ in range(chance.randrange(1, 9))]
        )
        for _ in range(count)
    ]


@settings(deadline=None)
@given(st.randoms(), st.integers(0, 5), st.integers(1, 6), st.integers(0, 3))
def test_earlier_searches_do_not_change_what_is_nearest(
    chance: random.Random, pages: int, count: int, searches: int
) -> None:
    some, references = trees(chance, pages), trees(chance, count)
    expected = nearest_references(some, references)
    known: list[list[KnownNearest]] = [[] for _ in some]
    for _ in range(searches):
        searched = sorted(chance.sample(range(count), chance.randint(1, count)))
        found = nearest_references(some, [references[i] for i in searched])
        for facts, nearest, distance in zip(known, found.reference, found.distance, strict=True):
            facts.append(KnownNearest(searched[nearest], float(distance), frozenset(searched)))
    result = nearest_of_changed(some, references, known)
    assert result.reference.tolist() == expected.reference.tolist()
    assert result.distance.tolist() == expected.distance.tolist()

import random
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from stories.fingerprint import Shingles
from stories.grouping import StoryText, group_texts
from stories.overlap import Overlap, overlap_of

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def part(*stretches: tuple[int, int]) -> Shingles:
    """Return the shingles in the given ranges."""
    return np.concatenate([np.arange(*each, dtype=np.uint32) for each in stretches])


def groups_of(texts: dict[str, tuple[Shingles, str]]) -> set[frozenset[str]]:
    """Return the stories of texts, received in the given order, with the initials of their sites.

    Check that nothing else depends on the order of the texts.
    """
    found = set()
    for seed in range(4):
        names = list(texts)
        random.Random(seed).shuffle(names)
        numbers = dict(enumerate(names))
        places = {name: place for place, name in enumerate(texts)}
        known = {
            number: StoryText(
                name.encode(),
                len(texts[name][0]),
                texts[name][1],
                NOON + timedelta(minutes=places[name]),
            )
            for number, name in numbers.items()
        }

        def common(one: int, other: int, numbers: dict[int, str] = numbers) -> int:
            return overlap_of(texts[numbers[one]][0], texts[numbers[other]][0]).common

        groups = group_texts(known, common)
        assert all(group[0] == leader for leader, group in groups.items())
        found.add(
            frozenset(frozenset(numbers[each] for each in group) for group in groups.values())
        )
    (same,) = found
    return set(same)


def on_sites(**texts: Shingles) -> dict[str, tuple[Shingles, str]]:
    """Return texts, each with a site of its own."""
    return {name: (text, chr(65 + place)) for place, (name, text) in enumerate(texts.items())}


@pytest.mark.parametrize(
    ("own", "other", "relation"),
    [
        (part((0, 100)), part((2, 101)), "same"),
        (part((0, 40)), part((0, 100)), "excerpt"),
        (part((0, 100)), part((50, 100)), "contains"),
        (part((0, 100)), part((50, 150)), "update"),
    ],
)
def test_the_relation_between_two_texts(own: Shingles, other: Shingles, relation: str) -> None:
    assert overlap_of(own, other).relation == relation


def test_empty_texts_have_nothing_in_common() -> None:
    assert overlap_of(part((0, 0)), part((0, 9))) == Overlap(0, 0, 9)


def test_versions_of_a_text_are_one_story() -> None:
    texts = on_sites(a=part((0, 100)), b=part((30, 130)), c=part((50, 100)), d=part((500, 600)))
    assert groups_of(texts) == {frozenset("abc"), frozenset("d")}


def test_a_quotation_does_not_make_a_story() -> None:
    texts = on_sites(a=part((0, 100)), b=part((85, 185)))
    assert groups_of(texts) == {frozenset("a"), frozenset("b")}


def test_pages_of_one_site_must_have_more_in_common() -> None:
    one, other = part((0, 100)), part((40, 140))
    assert groups_of(on_sites(a=one, b=other)) == {frozenset("ab")}
    assert groups_of({"a": (one, "A"), "b": (other, "A")}) == {frozenset("a"), frozenset("b")}


ONE, OTHER = part((0, 60)), part((200, 260))


@pytest.mark.parametrize("number", [1, 2, 9])
def test_a_digest_joins_the_story_with_which_it_shares_most(number: int) -> None:
    texts = on_sites(
        a=part((0, 100)),
        b=OTHER,
        **{f"digest {each}": part((0, 100), (200, 260)) for each in range(number)},
        c=part((0, 98)),
        d=part((200, 258)),
    )
    digests = {each for each in texts if each.startswith("digest")}
    assert groups_of(texts) == {frozenset({"a", "c", *digests}), frozenset("bd")}


def test_texts_that_change_step_by_step_connect_no_stories() -> None:
    drift = {f"text {at}": part((20 * at, 20 * at + 100)) for at in range(1, 15)}
    groups = groups_of(on_sites(a=part((0, 100)), b=part((300, 400)), **drift, c=part((305, 400))))
    assert not any({"a", "b"} <= each for each in groups)
    assert any({"b", "c"} <= each for each in groups)


def test_later_texts_change_nothing_about_earlier_ones() -> None:
    chance = random.Random(1)
    texts = {
        f"{number}": (
            part(*((at, at + 60) for at in sorted(chance.sample(range(0, 600, 60), 2)))),
            "ABC"[number % 3],
        )
        for number in range(30)
    }
    whole = groups_of(texts)
    for number in range(1, 30):
        first = dict([*texts.items()][:number])
        assert groups_of(first) == {each & {*first} for each in whole} - {frozenset()}


def test_standing_text_of_a_site_connects_none_of_its_articles() -> None:
    standing = (900, 930)
    articles = {
        f"{number}": (part((100 * number, 100 * number + 60), standing), "A") for number in range(5)
    }
    texts = {"evil": (part(standing), "E"), **articles}
    assert all(len(each & articles.keys()) < 2 for each in groups_of(texts))
    longer = {
        name: (part((0, 60), (100 + 200 * int(name), 200 + 200 * int(name))), "A") for name in "012"
    }
    assert all(len(each & longer.keys()) < 2 for each in groups_of({"evil": (ONE, "E"), **longer}))

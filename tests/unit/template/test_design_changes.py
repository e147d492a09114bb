import pytest
from hypothesis import given
from hypothesis import strategies as st

from detourage.template.design_changes import design_change, match_groups

A, B, C, D = 1, 2, 3, 4  # IDs of groups


def pages(first: int, last: int) -> set[int]:
    return set(range(first, last))


@pytest.mark.parametrize(
    ("former", "groups", "identities"),
    [
        ({4: pages(0, 5), 7: pages(5, 15)}, [pages(5, 15), pages(0, 5)], [7, 4]),
        ({3: pages(0, 10)}, [pages(0, 40)], [3]),
        ({3: pages(0, 10)}, [pages(8, 30)], [3]),
        ({3: pages(0, 10)}, [pages(0, 4), pages(4, 10)], [4, 3]),
        ({3: pages(0, 8), 5: pages(8, 20)}, [pages(0, 20)], [5]),
        ({5: pages(0, 10), 3: pages(10, 20)}, [pages(0, 20)], [3]),
        ({1: pages(0, 10), 2: pages(10, 16)}, [pages(0, 6) | pages(10, 16), pages(6, 10)], [2, 1]),
        ({2: pages(0, 5)}, [pages(5, 9), pages(0, 5), pages(9, 12)], [3, 2, 4]),
        (
            {1: pages(0, 20), 2: pages(20, 40)},
            [pages(1, 20), {0} | pages(50, 60) | pages(20, 40)],
            [1, 2],
        ),
        ({1: pages(0, 20), 2: pages(20, 23)}, [{0} | pages(20, 23)], [2]),
        ({}, [pages(0, 3), pages(3, 6)], [1, 2]),
        ({1: pages(0, 3)}, [], []),
    ],
    ids=[
        *("unchanged", "grown", "shrunk", "split: the larger part"),
        *("merged: the larger one", "merged: the older one", "most pages", "never reused"),
        *("one page moved to a large group", "one page moved to a small group", "first", "last"),
    ],
)
def test_groups_keep_their_ids(
    former: dict[int, set[int]], groups: list[set[int]], identities: list[int]
) -> None:
    assert match_groups(former, groups) == identities


def test_the_id_of_a_group_that_is_gone_is_never_reused() -> None:
    assert match_groups({2: pages(0, 5)}, [pages(5, 9)], last_identity=6) == [7]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=40), st.data())
def test_group_ids_are_unique_and_kept_only_with_pages(
    old_and_new_groups: list[tuple[int, int]], data: st.DataObject
) -> None:
    former: dict[int, set[int]] = {}
    following: dict[int, set[int]] = {}
    for page, (old, new) in enumerate(old_and_new_groups):
        former.setdefault(old + 1, set()).add(page)
        following.setdefault(new, set()).add(page)
    groups = list(following.values())
    identities = match_groups(former, groups)
    assert len(set(identities)) == len(groups)
    kept = [i for i, identity in enumerate(identities) if identity in former]
    assert all(groups[i] & former[identities[i]] for i in kept)
    assert all(identity > max(former) for identity in identities if identity not in former)


GRADUAL = [A] * 20 + [design for new in range(11) for design in [A] * (10 - new) + [B] * new]


@pytest.mark.parametrize(
    ("groups", "first", "new_groups", "gone_groups"),
    [
        ([A, B, A, A, B] * 4 + [C, D, C, C, D] * 4, 20, (C, D), (A, B)),
        *(([A] * 30 + [B] * following, 30, (B,), None) for following in (5, 60, 400)),
        ([A, A, None, A, A, A, A, A] * 3 + [None] * 8, 24, (), None),
        (GRADUAL, 39, (B,), (A,)),
    ],
    ids=[
        *("in the middle", "after 5 pages", "after 60 pages", "after 400 pages"),
        *("pages that fit no group", "gradual"),
    ],
)
def test_a_redesign_is_reported_and_the_report_remains(
    groups: list[int | None],
    first: int,
    new_groups: tuple[int, ...],
    gone_groups: tuple[int, ...] | None,
) -> None:
    change = design_change(groups)
    assert change is not None
    assert (change.first, change.new_groups) == (first, new_groups)
    assert gone_groups is None or change.gone_groups == gone_groups


@pytest.mark.parametrize("stray_group", [None, B])
@pytest.mark.parametrize(("strays", "following"), [(1, 20), (1, 0), (4, 6)])
def test_stray_pages_are_not_a_change(stray_group: int | None, strays: int, following: int) -> None:
    assert design_change([A] * 30 + [stray_group] * strays + [A] * following) is None


@pytest.mark.parametrize(
    "groups",
    [
        pytest.param([A, B, A, A, C, A, B] * 20, id="unchanged"),
        pytest.param([A] * 30 + [B] * 4, id="uncertain"),
        pytest.param(GRADUAL[:60], id="gradual"),
        pytest.param([A, None] * 30, id="many stray pages"),
        pytest.param([B] * 10 + [A] * 200 + [B] * 20, id="pages of a known kind"),
        pytest.param([A, B, A] * 10 + [A, B] * 10, id="a former design returns"),
        *([], [A], [A, B], [A] * 4 + [B] * 4, [None] * 9, [A] * 9),
    ],
)
def test_strays_returning_designs_and_few_new_pages_are_no_change(groups: list[int | None]) -> None:
    assert design_change(groups) is None

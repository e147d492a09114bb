import random

import numpy as np
import pytest

from detourage.duplicates.fingerprint import Shingles
from detourage.duplicates.grouping import StoryText, group_texts
from detourage.duplicates.overlap import Overlap, overlap_of


def part(*stretches: tuple[int, int]) -> Shingles:
    """Return the shingles in the given ranges."""
    return np.concatenate([np.arange(*each, dtype=np.uint32) for each in stretches])


def groups_of(texts: dict[str, Shingles], *, one_site: bool = False) -> set[frozenset[str]]:
    """Return the stories of the given texts, checking that the order of the texts is irrelevant."""
    found = set()
    for seed in range(4):
        names = sorted(texts)
        random.Random(seed).shuffle(names)
        numbers = dict(enumerate(names))
        common = {
            (one, other): overlap_of(texts[numbers[one]], texts[numbers[other]]).common
            for one in numbers
            for other in numbers
            if one < other
        }
        known = {
            number: StoryText(
                name.encode(), len(texts[name]), frozenset({0 if one_site else number})
            )
            for number, name in numbers.items()
        }
        groups = group_texts(known, common, known)
        found.add(frozenset(frozenset(numbers[each] for each in group) for group in groups))
    (same,) = found
    return set(same)


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
    texts = {"a": part((0, 100)), "b": part((30, 130)), "c": part((60, 160)), "d": part((500, 600))}
    assert groups_of(texts) == {frozenset("abc"), frozenset("d")}


def test_a_quotation_does_not_make_a_story() -> None:
    assert groups_of({"a": part((0, 100)), "b": part((85, 185))}) == {
        frozenset("a"),
        frozenset("b"),
    }


def test_a_digest_belongs_to_the_story_with_which_it_shares_most() -> None:
    texts = {
        "a": part((0, 100)),
        "b": part((0, 95)),
        "c": part((200, 260)),
        "d": part((200, 265)),
        "digest": part((0, 100), (200, 260)),
    }
    assert groups_of(texts) == {frozenset({"a", "b", "digest"}), frozenset({"c", "d"})}


def test_parts_of_an_article_are_one_story_if_two_texts_contain_both() -> None:
    texts = {
        "begin": part((0, 60)),
        "end": part((60, 100)),
        "whole": part((0, 100)),
        "again": part((0, 99)),
    }
    assert groups_of(texts) == {frozenset(texts)}


def test_pages_of_one_site_must_have_more_in_common() -> None:
    texts = {"a": part((0, 100)), "b": part((40, 140))}
    assert groups_of(texts) == {frozenset("ab")}
    assert groups_of(texts, one_site=True) == {frozenset("a"), frozenset("b")}


def grouped_with_sites(texts: dict[str, tuple[Shingles, str]]) -> set[frozenset[str]]:
    """Return the stories of texts; each text comes with the initials of the sites that have it."""
    names = dict(enumerate(sorted(texts)))
    common = {
        (one, other): number
        for one in names
        for other in names
        if one < other
        and (number := overlap_of(texts[names[one]][0], texts[names[other]][0]).common)
    }
    known = {
        number: StoryText(name.encode(), len(texts[name][0]), frozenset(map(ord, texts[name][1])))
        for number, name in names.items()
    }
    groups = group_texts(known, common, known)
    return {frozenset(names[each] for each in group) for group in groups}


def test_pages_of_one_site_do_not_confirm_each_other() -> None:
    one, other = part((0, 100)), part((200, 300))
    both = [part((0, 100), (200, 300 - each)) for each in range(3)]
    victims = {"a": (one, "a"), "b": (other, "b")}
    steered = {f"h{number}": (each, "h") for number, each in enumerate(both)}
    groups = grouped_with_sites(victims | steered)
    assert not any({"a", "b"} <= each for each in groups)
    # If two sites each have both texts, they confirm each other.
    witnessed = {"h": (both[0], "h"), "i": (both[1], "i")}
    assert grouped_with_sites(victims | witnessed) == {frozenset({"a", "b", "h", "i"})}


def test_texts_of_one_site_do_not_connect_stories() -> None:
    # Each text shares four fifths of its shingles with the one before it.
    drift = {f"h{at}": (part((20 * at, 20 * at + 100)), "h") for at in range(1, 10)}
    victims = {"a": (part((0, 100)), "a"), "b": (part((200, 300)), "b")}
    groups = grouped_with_sites(victims | drift)
    assert not any({"a", "b"} <= each for each in groups)
    assert sum(len(each) for each in groups) == 11
    # Without the other texts, the drifting texts would form one story.
    assert len(grouped_with_sites(drift)) == 1

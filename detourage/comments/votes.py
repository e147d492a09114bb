"""Votes for comments, such as "+12 likes"."""

import re
from collections.abc import Sequence

from detourage.comments.layout import Column, Layout
from detourage.comments.part_words import DOWNVOTE, VOTE
from detourage.text.lazy_patterns import lazy_pattern

MAX_VOTES = 10**12  # maximum votes for a comment; a larger number has another meaning
_UNIT = (
    r"(?:likes?|votes?|points?|people like(?:d)? this|gefällt(?: mir)?|punkte|stimmen|j[’']aime"
    r"|me gusta|mi piace|голос\w*|лайк\w*|recommend\w*|thanks)"
)
_VOTES = lazy_pattern(  # "+12 likes", "1,234 points", "1.2k"
    r"^[^\w+−–-]*+(?P<sign>[-−–+]?)(?P<number>\d{1,3}(?:[.,\s]\d{3})++|\d+(?:[.,]\d)?)(?P<thousands>\s?k\b)?"
    rf"\s*+(?P<unit>{_UNIT})?\W*+$",
    re.IGNORECASE,
)


def find_votes(layouts: Sequence[Layout], columns: Sequence[Column]) -> list[int | None]:
    """Return each comment's votes, or None; the votes are at the same place in all comments."""
    best: dict[int, int] = {}
    best_share = 0.0
    for column in columns:
        found: dict[int, int] = {}
        labelled = 0
        for number, element, text in column.values:
            votes = _parse_votes(text)
            if votes is not None:
                found[number] = votes
                labelled += _is_labelled_as_votes(layouts[number], element, text)
        if found and 2 * labelled > len(found):
            share = len(found) / len(layouts) * len(found) / len(column.texts)
            if share > best_share:
                best, best_share = found, share
    return [best.get(number) for number in range(len(layouts))]


def _parse_votes(text: str) -> int | None:
    """Return the votes that make up a text (negative after a minus sign), or None."""
    match = _VOTES.match(text)
    if match is None:
        return None
    digits = match["number"]
    if match["thousands"]:
        number = round(float(digits.replace(",", ".").replace(" ", "")) * 1_000)
    else:
        number = int(re.sub(r"\D", "", digits))
    if number > MAX_VOTES:
        return None
    return -number if match["sign"] in ("-", "−", "–") else number


def _is_labelled_as_votes(layout: Layout, index: int, text: str) -> bool:
    """Return whether a number has a unit or a nearby class of votes, but no class of downvotes."""
    names = 0
    for _ in range(3):
        if index < 0:
            break
        names |= layout.names[index]
        index = layout.parents[index]
    if names & DOWNVOTE:
        return False
    match = _VOTES.match(text)
    return bool(names & VOTE or (match and match["unit"]))

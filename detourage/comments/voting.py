"""Recognition of the votes on comments."""

import re
from collections.abc import Sequence

from detourage.comments.columns import Column
from detourage.comments.layout import Layout
from detourage.text.words import listed

MAX_VOTES = 10**12
"""Maximum number of votes; larger numbers have another meaning."""

_NAMES = listed(
    "vote votes voting like likes liked score points karma upvotes upvote rating ratings"
    " recommend recommendations recommended thumbs reaction reactions useful helpful plus kudos"
    " dank oceny"
)
_AGAINST = listed("dislike dislikes downvote downvotes minus negative down")
_UNIT = (
    r"(?:likes?|votes?|points?|people like(?:d)? this|gefällt(?: mir)?|punkte|stimmen|j[’']aime"
    r"|me gusta|mi piace|голос\w*|лайк\w*|recommend\w*|thanks)"
)
_VOTES = re.compile(
    r"^[^\w+−–-]*+(?P<sign>[-−–+]?)(?P<number>\d{1,3}(?:[.,\s]\d{3})++|\d+(?:[.,]\d)?)(?P<thousands>\s?k\b)?"
    rf"\s*+(?P<unit>{_UNIT})?\W*+$",
    re.IGNORECASE,
)


def votes_of(layouts: Sequence[Layout], columns: Sequence[Column]) -> list[int | None]:
    """Return the votes displayed with each comment, or None.

    Votes are at the same place in all comments. They are a number, with or without a unit, that the
    page calls votes, likes or points.
    """
    best: tuple[float, dict[int, int]] = (0.0, {})
    for column in columns:
        found: dict[int, int] = {}
        marks = 0
        for number, value in column.values.items():
            votes = _read(value.text)
            if votes is not None:
                found[number] = votes
                marks += _is_of_votes(layouts[number], value.element, value.text)
        if found and 2 * marks > len(found):
            share = len(found) / len(layouts) * len(found) / len(column.values)
            if share > best[0]:
                best = share, found
    return [best[1].get(number) for number in range(len(layouts))]


def _read(text: str) -> int | None:
    found = _VOTES.match(text)
    if found is None:
        return None
    written = found["number"]
    if found["thousands"]:
        number = round(float(written.replace(",", ".").replace(" ", "")) * 1_000)
    else:
        number = int(re.sub(r"\D", "", written))
    if number > MAX_VOTES:
        return None
    return -number if found["sign"] in ("-", "−", "–") else number


def _is_of_votes(layout: Layout, index: int, text: str) -> bool:
    names: frozenset[str] = frozenset()
    for _ in range(3):
        if index < 0:
            break
        names |= layout.names[index]
        index = layout.parents[index]
    if names & _AGAINST:
        return False
    shown = _VOTES.match(text)
    return bool(names & _NAMES or (shown and shown["unit"]))

"""Recognition of the dates of comments."""

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import NamedTuple

from detourage.comments.layout import Column, Layout, merge_ranked
from detourage.comments.part_words import DATE, OTHER_DATE, OTHER_DATE_WORDS
from detourage.text.caches import cached_if_short
from detourage.text.calendars import is_weekday
from detourage.text.dates import Moment, find_dates, in_one_order, parse_moment
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.relative_dates import find_relative

MIN_DATED = 0.5  # minimum share of dated texts in a column that may have the comments' dates
# Attributes that contain a machine-readable date, or the full form of an abbreviated one.
_DATE_ATTRIBUTES = (
    *("datetime", "content", "data-time", "data-timestamp", "data-utime", "data-date", "title"),
)
_LAST_WORD = lazy_pattern(r"(?<![^\W\d_])([^\W\d_]++)[\s.,|]*+$")
_LETTERS = lazy_pattern(r"[^\W\d_]+")
_DATE_ELEMENTS = frozenset(["time", "abbr"])
"""Elements that may have a date in their attributes, whatever their text."""


class FoundDate(NamedTuple):
    """A comment's date: element, displayed text (may be empty), and moment (None if relative)."""

    element: int
    written: str
    moment: Moment | None


def find_comment_dates(
    layouts: Sequence[Layout], columns: Sequence[Column], language: str | None
) -> dict[int, FoundDate]:
    """Find the date of each comment of a page, by comment number.

    Dates are at the same place in all comments, preferably in ascending or descending order. Dates
    with another meaning, such as when the author joined, are excluded.
    """
    scored: list[tuple[float, dict[int, FoundDate]]] = []
    for column in columns:
        found = _read_column(layouts, column, language)
        if len(found) >= MIN_DATED * len(column.texts):
            score = _score(layouts, column, found)
            if score > 0:
                scored.append((score, found))
    return merge_ranked(scored)


def _read_column(
    layouts: Sequence[Layout], column: Column, language: str | None
) -> dict[int, FoundDate]:
    """Return the dates in a column's texts, by comment number; stop if too few texts have one."""
    found: dict[int, FoundDate] = {}
    max_undated = (1 - MIN_DATED) * len(column.texts)
    for place, (number, element, text) in enumerate(column.values):
        if place - len(found) > max_undated:
            break
        moment, start, end = _find_date(text, language)
        layout = layouts[number]
        if moment is None and (end or layout.tags[element] in _DATE_ELEMENTS):
            moment = _declared_date(layout, element, language)
        if end or moment is not None:
            word_before = _LAST_WORD.search(text[:start])
            if word_before and is_weekday(word_before[1]):
                start = word_before.start()
            written = text[start:end].strip()
            found[number] = FoundDate(element, written, moment)
    moments = in_one_order(date.moment for date in found.values())
    return {
        number: date._replace(moment=moment)
        for (number, date), moment in zip(found.items(), moments, strict=True)
    }


@cached_if_short(4096)
def _find_date(text: str, language: str | None) -> tuple[Moment | None, int, int]:
    """Return the first date (None if relative) and its offsets; 0 and 0 if there is no date."""
    date = next(find_dates(text, language), None)
    if date is not None:
        return date.moment, date.start, date.end
    span = find_relative(text)
    return (None, *(span or (0, 0)))


def _declared_date(layout: Layout, index: int, language: str | None) -> Moment | None:
    """Return the date given by the attributes of an element, its parent or its descendants."""
    first_descendants = range(index, min(layout.ends[index], index + 4))
    elements = (*first_descendants, layout.parents[index])
    places = [layout.places[element] for element in elements if element >= 0]
    attributes = [*filter(None, map(layout.attributes.by_element, _DATE_ATTRIBUTES))]
    values = (each.get(place, "").strip() for place in places for each in attributes)
    moments = (parse_moment(value, language) for value in values if 6 <= len(value) <= 60)
    return next((moment for moment in moments if moment is not None), None)


def _score(layouts: Sequence[Layout], column: Column, found: Mapping[int, FoundDate]) -> float:
    """Return a score that is high if a column's dates are those at which comments were posted."""
    score = len(found) / len(layouts)
    layout, element = layouts[column.comments[0]], column.elements[0]
    ancestors = layout.small_ancestors(element, 2)
    names = reduce(or_, map(layout.names.__getitem__, ancestors), layout.names[element])
    labels = _LETTERS.findall(column.texts[0].lower())
    if names & OTHER_DATE or not OTHER_DATE_WORDS.isdisjoint(labels):
        score -= 0.5
    if layout.tags[element] == "time" or names & DATE:
        score += 0.2
    mean_length = sum(map(len, column.texts)) / len(column.texts)
    mean_date_length = sum(len(date.written) for date in found.values()) / len(found)
    # Prefer elements with little other text and, among nested elements, the innermost.
    score += 0.3 * mean_date_length / max(mean_length, 1)
    score += 0.1 * sum(date.moment is not None for date in found.values()) / len(found)
    if column.is_constant and len(layouts) > 2 and not any(date.moment for date in found.values()):
        score -= 0.5
    return score + 0.3 * _order(found)


def _order(found: Mapping[int, FoundDate]) -> float:
    """Return how consistently dates ascend or descend: 0 if random, 1 if sorted or equal."""
    moments = [date.moment.instant for _, date in sorted(found.items()) if date.moment]
    steps = [(before < after) - (before > after) for before, after in pairwise(moments)]
    return 1 - 2 * min(steps.count(1), steps.count(-1)) / len(steps) if steps else 0.0

"""The final heuristic of Deturck (2015, section 4.4.2): the body differs from the other page.

The thesis describes it in prose. This implementation reads it as follows, in the same order:

- *Proportion*: elements with a small share of the page's tokens are pruned.
- *Comparable nodes*: the counterpart of an element has the same positional XPath in the other page
  and the same attributes. Text that equals the counterpart's belongs to the template.
- *Filters*: the candidates are all elements except divisions of text (paragraphs, list items, parts
  of tables, inline elements), elements in a comment section or gallery, and elements without a
  class or an id.
- *Wrappers*: a candidate that has more than a fifth of its text in a single candidate inside it is
  dropped. The remaining candidates are the *zones*.
- *Position*: the first zone in document order contains the title; the body is the next zone that is
  outside it and contains more text. If there is none, the first zone is the body, because headlines
  are often too short to survive the pruning.
- Comment sections and galleries within the body are left out.

Where the thesis leaves a parameter open or asks for a better value, `CHOSEN` has the value that
scores best on development sites (measured in ``benchmarks/extraction/papers.md``).
"""

from collections.abc import Callable
from string import ascii_lowercase
from typing import NamedTuple

from detourage.html.visible_text import DIVISIONS, TABLE_PARTS, WITHIN_SENTENCES
from detourage.papers.conversion import extract_body, outline_of, pivot_of
from detourage.papers.interface import Extracted, Neighbours, Source
from detourage.reader import NoTextError
from detourage.reader.class_words import OTHER_TEXT
from detourage.reader.found_body import FoundBody
from detourage.reader.outline import Outline
from detourage.text import words

METHOD = "deturck_2015"

MAX_INNER_SHARE = 0.2
"""Maximum share of a zone's tokens in one candidate inside it (measured on development sites)."""

MAX_FILTERED_SHARE = 0.7
"""Maximum share of the page's tokens in a comment section or gallery to leave out."""

Similarity = Callable[[Outline, int, Outline, int], float]
"""Function that compares an element of a page with one of another page; 1 for identical texts."""


def word_similarity(page: Outline, index: int, other: Outline, counterpart: int) -> float:
    """Return the cosine of the word counts of two elements."""
    return words.cosine(page.tokens_of(index), other.tokens_of(counterpart))


def letter_similarity(page: Outline, index: int, other: Outline, counterpart: int) -> float:
    """Return the `character_similarity` of two elements, which the thesis tests first."""
    return character_similarity(page.text_of(index), other.text_of(counterpart))


def character_similarity(first: str, second: str) -> float:
    """Compare the frequencies of the letters from a to z in two texts (algorithm 6).

    The similarity of a letter is 1 minus the difference between its two counts, relative to the
    larger count. The result is the mean over the lower-case letters that occur in either text, or 0
    if there are none, as in non-Latin scripts.

    As printed, the algorithm resets the sum to 0 at each letter absent from both texts. This must
    be an error, so such letters add nothing here.
    """
    counts = [(first.count(letter), second.count(letter)) for letter in ascii_lowercase]
    similarities = [1 - abs(a - b) / max(a, b) for a, b in counts if a or b]
    return sum(similarities) / len(similarities) if similarities else 0.0


class Reading(NamedTuple):
    """Interpretation of the thesis: parameters that it leaves open or illustrates by an example.

    `min_proportion` is the minimum share of the page's tokens in a candidate. An element belongs to
    the template if its similarity to its counterpart is at least `same_text`; with 1, boxes that
    change slightly (a date, a counter) are mistaken for zones. With `needs_counterpart`, every
    candidate must have a counterpart in the other page; then nothing is found in pages on which an
    advertisement shifts the XPaths.
    """

    min_proportion: float
    same_text: float
    similarity: Similarity = word_similarity
    needs_counterpart: bool = False


CHOSEN = Reading(min_proportion=0.05, same_text=0.9)  # values that score best on development sites

THESIS = Reading(min_proportion=0.02, same_text=1.0)
"""Values from the thesis: "less than 2 %", and a text is kept "if it is not identical"."""

READINGS = {
    "chosen": CHOSEN,
    "thesis": THESIS,
    "comparable": THESIS._replace(needs_counterpart=True),
    "characters": THESIS._replace(similarity=letter_similarity),
}
"""Readings by name; ``comparable`` considers only elements that both pages have."""

_FILTERED_TAGS = WITHIN_SENTENCES | DIVISIONS | TABLE_PARTS | {"br", "hr", "img"}


def extract(source: Source, neighbours: Neighbours, *, reading: str) -> Extracted:
    """Apply the heuristic with one of the `READINGS`, without any fallback.

    Raise NoPivotError if there is no page to compare with, and NoTextError if no zone survives.
    """
    pivot = outline_of(pivot_of(neighbours))
    page = outline_of(source)
    finding = find_body(page, pivot, READINGS[reading])
    if finding is None:
        raise NoTextError("no part of the page differs enough from the other page")
    return extract_body(source, page, finding, pivot)


def find_body(page: Outline, other: Outline, reading: Reading = CHOSEN) -> FoundBody | None:
    """Find the text that differs from another page of the template; None if no zone survives."""
    filtered = filtered_parts(page)
    page, other = page.without(filtered), other.without(filtered_parts(other))
    zones = _without_wrappers(page, _candidates(page, other, reading))
    if not zones:
        return None
    title = zones[0]
    body = next(
        (zone for zone in zones if zone >= page.ends[title] and page.size(zone) > page.size(title)),
        title,
    )
    return FoundBody(METHOD, body, frozenset(filtered))


def _candidates(page: Outline, other: Outline, reading: Reading) -> list[int]:
    """Return the large, unfiltered elements that have a class or id and are new on this page."""
    min_tokens = max(1.0, reading.min_proportion * len(page.tokens))
    counterparts = page.counterparts(other)
    candidates: list[int] = []
    index = 0
    while index < len(page.tags):
        if page.size(index) < min_tokens:
            index = page.ends[index]
            continue
        if (
            page.tags[index] not in _FILTERED_TAGS
            and len(page.names[index]) > 1
            and _differs(page, index, other, counterparts[index], reading)
        ):
            candidates.append(index)
        index += 1
    return candidates


def _differs(page: Outline, index: int, other: Outline, counterpart: int, reading: Reading) -> bool:
    """Return whether an element has other text than its counterpart (-1 for none)."""
    is_comparable = counterpart >= 0 and (
        dict(page.elements[index].attrib) == dict(other.elements[counterpart].attrib)
    )
    if not is_comparable:
        return not reading.needs_counterpart
    return reading.similarity(page, index, other, counterpart) < reading.same_text


def _without_wrappers(page: Outline, candidates: list[int]) -> list[int]:
    """Drop the candidates that have much of their text in a single candidate inside them."""
    largest_inside = dict.fromkeys(candidates, 0)
    enclosing: list[int] = []
    for candidate in candidates:
        while enclosing and page.ends[enclosing[-1]] <= candidate:
            enclosing.pop()
        if enclosing:
            outer = enclosing[-1]
            largest_inside[outer] = max(largest_inside[outer], page.size(candidate))
        enclosing.append(candidate)
    return [
        candidate
        for candidate in candidates
        if largest_inside[candidate] <= MAX_INNER_SHARE * page.size(candidate)
    ]


def filtered_parts(page: Outline) -> list[int]:
    """Return the comment sections and galleries of a page, which are not part of its body."""
    max_tokens = MAX_FILTERED_SHARE * len(page.tokens)
    return [
        index
        for index in range(len(page.tags))
        if page.size(index) <= max_tokens and not OTHER_TEXT.isdisjoint(page.name_words(index))
    ]

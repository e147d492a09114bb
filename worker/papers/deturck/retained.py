"""The heuristic that Deturck (2015) retained: the body as the text that differs (4.4.2).

It is described in prose. This is the reading, in its order:

- *Proportion*: every element's share of the page's tokens, propagated back to its ancestors.
  Elements with a small share are pruned.
- *Comparable nodes*: the counterpart of an element is the one of the same positional XPath in the
  other page, with the same attributes. Text that is the counterpart's is the template's.
- *Filters*: no text division (paragraphs, list items, cells' tables, inline elements), nothing in a
  comment or gallery zone, nothing without a class or an id. What is left are the candidates.
- *Not too enclosing*: a candidate with a smaller candidate beneath it that holds more than a fifth
  of its text is a wrapper. The candidates left are the *zones*.
- *Position*: in document order the first zone is the title's; the body is the next one that is not
  inside it and holds more text. Where no zone does, the first one is the body: headlines are often
  too short to survive the pruning.
- Comment and gallery zones within the body are left out of it.

Where the thesis leaves a figure open, or asks for a better one, `CHOSEN` has the figures with which
this reading does best: the share of pages with a word-count cosine of at least 0.9 with the gold
text, on the pages of DAnIEL and MSV that have another page of their site, each paired with the
structurally nearest one, was 82 % and 91 % on the half of the sites that they were chosen on, 77 %
and 82 % on the other half. The thesis reports 88 % on its own 500 pages. The figures of the thesis
itself are `THESIS`; what each of them costs is in ``benchmarks/extraction/papers.md``.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from worker.article import NoTextError
from worker.article.finding import Finding
from worker.article.outline import Outline
from worker.article.vocabulary import OTHER_TEXT
from worker.html.elements import DIVISIONS, TABLE_PARTS, WITHIN_SENTENCES
from worker.papers.deturck.characters import character_similarity
from worker.papers.giving import cut
from worker.papers.interface import Extracted, Neighbours, Source
from worker.papers.reading import outline_of, pivot_of
from worker.text import words

METHOD = "deturck_2015"

MAX_HELD_BENEATH = 0.2
"""Largest share of a zone's tokens in one candidate beneath it.

Exactitude: 0.1 81.5 %, 0.15 82.5 %, 0.2 82.7 %, 0.3 82.7 %, 0.5 73 %.
"""

MAX_FILTERED = 0.7
"""A zone with a larger share of the page's tokens is the page, whatever its name."""

Similarity = Callable[[Outline, int, Outline, int], float]
"""Called with two elements, each after its page; 1 for the same text."""


def word_similarity(page: Outline, index: int, other: Outline, counterpart: int) -> float:
    """Cosine of the word counts of two elements."""
    return words.cosine(page.tokens_of(index), other.tokens_of(counterpart))


def letter_similarity(page: Outline, index: int, other: Outline, counterpart: int) -> float:
    """Compare the letters of two elements (algorithm 6), which the thesis tried before words."""
    return character_similarity(page.text_of(index), other.text_of(counterpart))


@dataclass(frozen=True)
class Reading:
    """What the thesis leaves open, or gives as an example.

    Attributes
    ----------
    min_proportion
        Smallest share of the page's tokens of a candidate. Exactitude of `CHOSEN` with each,
        development sites: 0.02 80.2 %, 0.03 82.7 %, 0.04 82.5 %, 0.05 82.7 %, 0.06 82.9 %,
        0.1 77 %.
    same_text
        Similarity from which two texts are the template's. With 1, boxes that change a little (a
        date, a counter, one headline of ten) pass for zones: 1.0 77.8 %, 0.95 80.5 %, 0.9 81.5 %,
        0.8 82.7 %, 0.7 81.3 %. Long texts of one language come close to 0.8 by their function
        words alone: 0.8 loses five points of MSV's other half, whose articles are long. 0.9 is
        what the thesis calls equal when it scores a text.
    similarity
        How two texts are compared.
    needs_counterpart
        Whether an element that the other page has not is no candidate. Where it is one, it is new
        on this page; else pages are lost wherever an advertisement shifts a path.
    """

    min_proportion: float
    same_text: float
    similarity: Similarity = word_similarity
    needs_counterpart: bool = False


CHOSEN = Reading(min_proportion=0.05, same_text=0.9)
"""The figures that do best."""

THESIS = Reading(min_proportion=0.02, same_text=1.0)
"""The figures of the thesis: "less than 2 %", and a text is kept "if it is not identical"."""

READINGS = {
    "chosen": CHOSEN,
    "thesis": THESIS,
    "comparable": replace(THESIS, needs_counterpart=True),
    "characters": replace(THESIS, similarity=letter_similarity),
}
"""By name; ``comparable`` looks only at elements that both pages have."""

_NO_ZONE = WITHIN_SENTENCES | DIVISIONS | TABLE_PARTS | {"br", "hr", "img"}


def extract(source: Source, neighbours: Neighbours, *, reading: str) -> Extracted:
    """Apply the heuristic, without any fallback.

    Parameters
    ----------
    source
        The page.
    neighbours
        With the page that it is compared with.
    reading
        A key of `READINGS`.

    Raises
    ------
    NoPivotError
        If there is no page to compare with.
    NoTextError
        If no zone survives.
    """
    pivot = outline_of(pivot_of(neighbours))
    page = outline_of(source)
    finding = find_body(page, pivot, READINGS[reading])
    if finding is None:
        raise NoTextError("no part of the page differs from the other page")
    return cut(source, page, finding, pivot)


def find_body(page: Outline, other: Outline, reading: Reading = CHOSEN) -> Finding | None:
    """Find the body by the text that differs from another page of the same template.

    Parameters
    ----------
    page
        The page.
    other
        Another page of its template group.
    reading
        How the thesis is read.

    Returns
    -------
    Finding or None
        None where no zone survives: pages with the same text, or without any class and id.
    """
    filtered = filtered_parts(page)
    page, other = page.without(filtered), other.without(filtered_parts(other))
    zones = _minimal(page, _candidates(page, other, reading))
    if not zones:
        return None
    title = zones[0]
    body = next(
        (zone for zone in zones if zone >= page.ends[title] and page.size(zone) > page.size(title)),
        title,
    )
    return Finding(METHOD, body, frozenset(filtered))


def _candidates(page: Outline, other: Outline, reading: Reading) -> list[int]:
    """List the elements whose text is large, named, no filtered part, and new on this page."""
    least = max(1.0, reading.min_proportion * len(page.tokens))
    counterparts = page.counterparts(other)
    candidates: list[int] = []
    index = 0
    while index < len(page.elements):
        if page.size(index) < least:
            index = page.ends[index]
            continue
        if (
            page.tags[index] not in _NO_ZONE
            and len(page.names[index]) > 1
            and _differs(page, index, other, counterparts[index], reading)
        ):
            candidates.append(index)
        index += 1
    return candidates


def _differs(page: Outline, index: int, other: Outline, counterpart: int, reading: Reading) -> bool:
    comparable = counterpart >= 0 and (
        dict(page.elements[index].attrib) == dict(other.elements[counterpart].attrib)
    )
    if not comparable:
        return not reading.needs_counterpart
    return reading.similarity(page, index, other, counterpart) < reading.same_text


def _minimal(page: Outline, candidates: list[int]) -> list[int]:
    """Leave out the candidates with much of their text in one candidate beneath them."""
    largest_beneath = dict.fromkeys(candidates, 0)
    enclosing: list[int] = []
    for candidate in candidates:
        while enclosing and page.ends[enclosing[-1]] <= candidate:
            enclosing.pop()
        if enclosing:
            around = enclosing[-1]
            largest_beneath[around] = max(largest_beneath[around], page.size(candidate))
        enclosing.append(candidate)
    return [
        candidate
        for candidate in candidates
        if largest_beneath[candidate] <= MAX_HELD_BENEATH * page.size(candidate)
    ]


def filtered_parts(page: Outline) -> list[int]:
    """List the comment and gallery zones of a page, which are no part of its body."""
    largest = MAX_FILTERED * len(page.tokens)
    return [
        index
        for index in range(len(page.elements))
        if page.size(index) <= largest and not OTHER_TEXT.isdisjoint(page.name_words(index))
    ]

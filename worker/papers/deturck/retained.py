"""The heuristic that Deturck (2015) retained: the body as the text that differs (4.4.2).

The thesis describes it in prose. It is read as follows, in the same order:

- *Proportion*: the share of the page's tokens in every element, propagated back to its ancestors.
  Elements with a small share are pruned.
- *Comparable nodes*: the counterpart of an element has the same positional XPath in the other page
  and the same attributes. Text that equals the counterpart's belongs to the template.
- *Filters*: no text divisions (paragraphs, list items, parts of tables, inline elements), nothing
  in a comment or gallery zone, nothing without a class or an id. The rest are the candidates.
- *Not too enclosing*: a candidate with more than a fifth of its text in a smaller candidate inside
  it is a wrapper. The remaining candidates are the *zones*.
- *Position*: the first zone in document order is the title's; the body is the next one that is not
  inside it and holds more text. If there is none, the first one is the body: headlines are often
  too short to survive the pruning.
- Comment and gallery zones within the body are left out.

Where the thesis leaves a figure open, or asks for a better one, `CHOSEN` has the figures with which
this reading scores best: the share of pages with a word-count cosine of at least 0.9 with the gold
text, on the pages of DAnIEL and MSV that have another page of their site, each paired with the
structurally nearest one, was 82 % and 91 % on the half of the sites used for the choice, and 77 %
and 82 % on the other half. The thesis reports 88 % on its own 500 pages. The figures of the thesis
itself are `THESIS`; the cost of each is in ``benchmarks/extraction/papers.md``.
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
"""Maximum share of a zone's tokens in one candidate inside it.

Exactitude: 0.1 81.5 %, 0.15 82.5 %, 0.2 82.7 %, 0.3 82.7 %, 0.5 73 %.
"""

MAX_FILTERED = 0.7
"""Maximum share of the page's tokens in a filtered part; beyond it, it is the page itself."""

Similarity = Callable[[Outline, int, Outline, int], float]
"""Similarity of two elements, each given after its page; 1 for the same text."""


def word_similarity(page: Outline, index: int, other: Outline, counterpart: int) -> float:
    """Return the cosine of the word counts of two elements."""
    return words.cosine(page.tokens_of(index), other.tokens_of(counterpart))


def letter_similarity(page: Outline, index: int, other: Outline, counterpart: int) -> float:
    """Compare the letters of two elements (algorithm 6), as the thesis tried before words."""
    return character_similarity(page.text_of(index), other.text_of(counterpart))


@dataclass(frozen=True)
class Reading:
    """A reading of what the thesis leaves open or gives as an example.

    Attributes
    ----------
    min_proportion
        Minimum share of the page's tokens in a candidate. Exactitude of `CHOSEN` with each,
        development sites: 0.02 80.2 %, 0.03 82.7 %, 0.04 82.5 %, 0.05 82.7 %, 0.06 82.9 %,
        0.1 77 %.
    same_text
        Minimum similarity of two texts that belong to the template. With 1, boxes that change a
        little (a date, a counter, one headline of ten) are mistaken for zones: 1.0 77.8 %, 0.95
        80.5 %, 0.9 81.5 %, 0.8 82.7 %, 0.7 81.3 %. Long texts in one language come close to 0.8
        through their function words alone: 0.8 loses five points on MSV's other half, whose
        articles are long. 0.9 is what the thesis considers equal when it scores a text.
    similarity
        How to compare two texts.
    needs_counterpart
        Whether a candidate must have a counterpart in the other page. Otherwise, an element
        without one is new on this page; requiring one loses pages wherever an advertisement
        shifts a path.
    """

    min_proportion: float
    same_text: float
    similarity: Similarity = word_similarity
    needs_counterpart: bool = False


CHOSEN = Reading(min_proportion=0.05, same_text=0.9)
"""The figures that score best."""

THESIS = Reading(min_proportion=0.02, same_text=1.0)
"""The figures of the thesis: "less than 2 %", and a text is kept "if it is not identical"."""

READINGS = {
    "chosen": CHOSEN,
    "thesis": THESIS,
    "comparable": replace(THESIS, needs_counterpart=True),
    "characters": replace(THESIS, similarity=letter_similarity),
}
"""Readings by name; ``comparable`` considers only elements that both pages have."""

_NO_ZONE = WITHIN_SENTENCES | DIVISIONS | TABLE_PARTS | {"br", "hr", "img"}


def extract(source: Source, neighbours: Neighbours, *, reading: str) -> Extracted:
    """Apply the heuristic in one of the `READINGS`, without any fallback.

    Raises NoPivotError without a page to compare with, and NoTextError if no zone survives.
    """
    pivot = outline_of(pivot_of(neighbours))
    page = outline_of(source)
    finding = find_body(page, pivot, READINGS[reading])
    if finding is None:
        raise NoTextError("no part of the page differs from the other page")
    return cut(source, page, finding, pivot)


def find_body(page: Outline, other: Outline, reading: Reading = CHOSEN) -> Finding | None:
    """Find the body by the text that differs from another page of the same template.

    Returns None if no zone survives: the pages have the same text, or no classes and ids.
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
    """Return the elements that are large, named, not filtered, and new on this page."""
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
    """Drop the candidates with much of their text in one candidate inside them."""
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
    """Return the comment and gallery zones of a page, which are not part of its body."""
    largest = MAX_FILTERED * len(page.tokens)
    return [
        index
        for index in range(len(page.elements))
        if page.size(index) <= largest and not OTHER_TEXT.isdisjoint(page.name_words(index))
    ]

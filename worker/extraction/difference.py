"""The body as the text that differs between two pages of a template (paper 000, 4.4.2).

The paper describes its retained heuristic in prose. This is the reading, in its order:

- *Proportion*: every element's share of the page's tokens, propagated back to its ancestors.
  Elements with a small share are pruned.
- *Comparable nodes*: the counterpart of an element is the one of the same positional XPath in the
  other page, with the same attributes. Text whose word counts are nearly the counterpart's is the
  template's. An element without a counterpart is new on this page and stays: requiring one costs
  pages wherever an advertisement shifts a path.
- *Filters*: no text division (paragraphs, list items, cells' tables, inline elements), nothing in a
  comment or gallery zone, nothing without a class or an id. What is left are the candidates.
- *Not too enclosing*: a candidate with a smaller candidate beneath it that holds more than a fifth
  of its text is a wrapper. The candidates left are the *zones*.
- *Position*: in document order the first zone is the title's; the body is the next one that is not
  inside it and holds more text. Where no zone does, the first one is the body: headlines are often
  too short to survive the pruning.
- Comment and gallery zones within the body are left out of it.

Share of pages with a word-count cosine of at least 0.9 with the gold text, on the pages of DAnIEL
and MSV that have another page of their site, each paired with the structurally nearest one
(the readings were chosen on half of the sites): 82 % and 91 % there, 77 % and 82 % on the
other half. The paper reports 88 % on its own 500 pages.
"""

from worker.extraction.finding import Finding
from worker.extraction.outline import Outline
from worker.extraction.vocabulary import OTHER_TEXT
from worker.language import words
from worker.pages.elements import DIVISIONS, TABLE_PARTS, WITHIN_SENTENCES

METHOD = "paper000"

MIN_PROPORTION = 0.05
"""Smallest share of the page's tokens of a candidate.

The paper proposes 2 % and asks for the figure that is best. Exactitude of the best reading with
each, development sites: 0.02 80.2 %, 0.03 82.7 %, 0.04 82.5 %, 0.05 82.7 %, 0.06 82.9 %, 0.1 77 %.
"""

MAX_HELD_BENEATH = 0.2
"""Largest share of a zone's tokens in one candidate beneath it.

Exactitude: 0.1 81.5 %, 0.15 82.5 %, 0.2 82.7 %, 0.3 82.7 %, 0.5 73 %.
"""

SAME_TEXT = 0.9
"""Cosine of word counts from which two texts are the template's.

The paper keeps any text that is not identical. Boxes that change a little (a date, a counter, one
headline of ten) then pass for zones. Exactitude: 1.0 77.8 %, 0.95 80.5 %, 0.9 81.5 %, 0.8 82.7 %,
0.7 81.3 %. Long texts of one language come close to 0.8 by their function words alone: 0.8 loses
five points of MSV's other half, whose articles are long. 0.9 is what the paper calls equal when
it scores a text.
"""

MAX_FILTERED = 0.7
"""A zone with a larger share of the page's tokens is the page, whatever its name."""

_NO_ZONE = WITHIN_SENTENCES | DIVISIONS | TABLE_PARTS | {"br", "hr", "img"}


def find_body(page: Outline, other: Outline) -> Finding | None:
    """Find the body by the text that differs from another page of the same template.

    Parameters
    ----------
    page
        The page.
    other
        Another page of its template group.

    Returns
    -------
    Finding or None
        None where no zone survives: pages with the same text, or without any class and id.
    """
    filtered = _filtered(page)
    page, other = page.without(filtered), other.without(_filtered(other))
    zones = _minimal(page, _candidates(page, other))
    if not zones:
        return None
    title = zones[0]
    body = next(
        (zone for zone in zones if zone >= page.ends[title] and page.size(zone) > page.size(title)),
        title,
    )
    return Finding(METHOD, body, frozenset(filtered))


def _candidates(page: Outline, other: Outline) -> list[int]:
    """List the elements whose text is large, named, no filtered part, and new on this page."""
    least = max(1.0, MIN_PROPORTION * len(page.tokens))
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
            and _differs(page, index, other, counterparts[index])
        ):
            candidates.append(index)
        index += 1
    return candidates


def _differs(page: Outline, index: int, other: Outline, counterpart: int) -> bool:
    if counterpart < 0:
        return True
    if dict(page.elements[index].attrib) != dict(other.elements[counterpart].attrib):
        return True
    return words.cosine(page.tokens_of(index), other.tokens_of(counterpart)) < SAME_TEXT


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


def _filtered(page: Outline) -> list[int]:
    largest = MAX_FILTERED * len(page.tokens)
    return [
        index
        for index, name_words in enumerate(page.name_words)
        if page.size(index) <= largest and not OTHER_TEXT.isdisjoint(name_words)
    ]

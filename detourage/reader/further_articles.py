"""Further articles that a page displays in full below its own, for readers who keep scrolling."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from detourage.reader.declared_types import declared_types
from detourage.reader.finding import Finding, kept_texts
from detourage.reader.outline import Outline
from detourage.reader.page_model import JudgedPage
from detourage.text.words import listed

MIN_OWN_WORDS: Final = 50
"""Minimum number of body words above a further article; with fewer, it is a section of the page's
own article."""

MIN_FURTHER_WORDS: Final = 100
"""Minimum number of body words in a further article, up to the next headline; teasers are shorter.
"""

MAX_ABOVE_HEADLINE: Final = 40
"""Maximum number of words of an article above its headline, such as a section, date or caption."""

MAX_LINES_BELOW: Final = 3
"""Maximum number of lines below a headline that are searched for an author and a date."""

MAX_HEAD_LINE: Final = 15
"""Maximum number of words in a line with an author or a date."""

MIN_SIGNED: Final = 0.25
"""Minimum probability that such a line is an author or a date, unless its markup says so."""

_HEADINGS: Final = ("h1", "h2", "h3", "h4")
_NAMES: Final = listed(
    "byline author authors date datetime timestamp published pubdate posted dateline meta postmeta"
)


def without_further_articles(
    page: Outline, judged: JudgedPage, finding: Finding, heading: int | None
) -> Finding:
    """Cut a body off above the first article below the page's own.

    Such an article begins with a headline, which an author or a date follows. It has the rank of
    the page's headline, or is in an element with the tag and the classes of that of the page's own
    article. Nothing is cut if `heading`, the element of the page's headline, is unknown.
    """
    if heading is None:
        return finding
    container = finding.container
    first, end = max(page.ends[heading], container + 1), page.ends[container]
    headings = np.flatnonzero(page.flat.having(_HEADINGS))
    heads = headings[(headings >= first) & (headings < end)].tolist()
    if not heads or "liveblogposting" in declared_types(page):
        return finding
    words = np.where(kept_texts(page, finding), page.text_sizes, 0)
    sums = [0, *np.cumsum(words).tolist()]
    last = page.text_ends[container]
    for head in filter(page.size, heads):
        element = _outermost(page, head, heading, sums)
        begin = page.text_starts[element]
        following = (each for each in heads if each > head and page.tags[each] == page.tags[head])
        until = next((page.text_starts[each] for each in following), last)
        if (
            sums[begin] - sums[page.text_ends[heading]] >= MIN_OWN_WORDS
            and sums[until] - sums[begin] >= MIN_FURTHER_WORDS
            and (page.tags[head] == page.tags[heading] or _is_alike(page, head, element, heading))
            and _is_signed(page, judged, head)
        ):
            dropped = finding.dropped.union(_and_following(page, element, container))
            # Remove their lines too: authors and dates are searched for at both ends of the body.
            below = {text.line for text in page.texts[begin:last]}
            lines = finding.lines - below if finding.lines is not None else None
            return replace(finding, dropped=dropped, lines=lines)
    return finding


def _around(page: Outline, index: int) -> Iterator[int]:
    while index >= 0:
        yield index
        index = page.parents[index]


def _form(page: Outline, index: int) -> tuple[str, str]:
    """Return the tag and the names of an element."""
    return page.tags[index], page.flat.distinct_names[page.name_numbers[index]][0]


def _outermost(page: Outline, head: int, heading: int, sums: list[int]) -> int:
    """Return the outermost element around a headline with little of the body above the headline."""
    element = head
    for parent in _around(page, page.parents[head]):
        above = sums[page.text_starts[head]] - sums[page.text_starts[parent]]
        if parent <= heading < page.ends[parent] or above > MAX_ABOVE_HEADLINE:
            break
        element = parent
    return element


def _is_alike(page: Outline, head: int, element: int, heading: int) -> bool:
    """Return whether an article has an element like one that holds the page's own article."""
    own = {
        _form(page, each)
        for each in _around(page, heading)
        if page.ends[each] <= head and page.size(each) >= MIN_OWN_WORDS
    }
    inside = (_form(page, each) for each in _around(page, head) if each >= element)
    return any(form in own and (form[0] == "article" or form[1]) for form in inside)


def _is_signed(page: Outline, judged: JudgedPage, head: int) -> bool:
    """Return whether an author or a date is below a headline."""
    start = page.text_ends[head]
    number = page.texts[start - 1].line
    probabilities = judged.probability_of(("byline", "dateline"))
    below = [place for place, line in enumerate(judged.lines) if line.number > number]
    signing = {
        judged.lines[place].number: float(probabilities[place])
        for place in below[:MAX_LINES_BELOW]
        if len(judged.lines[place].tokens) <= MAX_HEAD_LINE
    }
    if max(signing.values(), default=0.0) >= MIN_SIGNED:
        return True
    texts = page.texts[start : int(np.searchsorted(page.text_lines, max(signing, default=0) + 1))]
    return any(
        page.tags[text.parent] == "time" or not _NAMES.isdisjoint(page.name_words(text.parent))
        for text in texts
        if text.line in signing
    )


def _and_following(page: Outline, element: int, container: int) -> Iterator[int]:
    """Yield an element and those that follow it in a container."""
    yield element
    while element != container and (parent := page.parents[element]) >= 0:
        yield from (each for each in page.children(parent) if each > element)
        element = parent

"""Whole articles that a page shows below its own, for readers who scroll on.

Each is an ``article`` element with a headline of the first level, as the page's own is. Measured on
1,602 pages of today (wcxb, fundus_body): two have one, which was more than half of their text; of
the others none changes.
"""

from dataclasses import replace
from typing import Final

from worker.extraction.finding import Finding
from worker.extraction.outline import Outline

MIN_OWN_WORDS: Final = 50
"""Words of the body that the element around the headline holds at least: a page whose sections are
``article`` elements, with their headings, has only a beginning there."""


def shows_several_articles(page: Outline) -> bool:
    """Say whether a page has several headlines of the first level, and ``article`` elements."""
    return page.tags.count("article") > 1 and page.tags.count("h1") > 1


def without_further_articles(page: Outline, finding: Finding, heading: int | None) -> Finding:
    """Leave the articles out of a body that follow the one below the page's headline.

    Parameters
    ----------
    page, finding
        The page and the body.
    heading
        Index of the element that shows the headline, None where none does.
    """
    if heading is None or page.tags[heading] != "h1":
        return finding
    own = _article_around(page, heading)
    if own is None or _words(page, finding, own) < MIN_OWN_WORDS:
        return finding
    headline = page.text_of(heading)
    further = {
        article
        for index, text in page.headings
        if page.tags[index] == "h1" and index >= page.ends[own] and text != headline
        if (article := _article_around(page, index)) is not None and article >= page.ends[own]
    }
    return replace(finding, dropped=finding.dropped | further) if further else finding


def _article_around(page: Outline, index: int) -> int | None:
    """Return the outermost ``article`` element around an element."""
    found = None
    while index >= 0:
        if page.tags[index] == "article":
            found = index
        index = page.parents[index]
    return found


def _words(page: Outline, finding: Finding, element: int) -> int:
    """Count the words of a body within an element."""
    texts = page.texts[page.text_starts[element] : page.text_ends[element]]
    return sum(text.size for text in texts if finding.lines is None or text.line in finding.lines)

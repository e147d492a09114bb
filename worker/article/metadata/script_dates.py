"""Dates in the data that a page's scripts hold: the state of a framework, a shop, a counter."""

import re
from collections.abc import Iterable, Iterator

from worker.html.nodes import AnyElement

MAX_CHARACTERS = 2_000_000
"""Characters of scripts looked at in a page."""

# It begins with what may not be left out and is no letter, small or capital: the engine then passes
# over all that is no quotation mark.
_PUBLISHED = re.compile(
    r"[\"'](?=[cdfp])"
    r"(?:date_?published|published(?:_?(?:at|on|date|time))?|publish_?(?:date|time|ed_?at)"
    r"|publication_?date|pub_?date|first_?published?(?:_?(?:at|date))?|created_?(?:at|date|on))\\?[\"']"
    r"\s*:\s*\\?[\"'](?P<date>[^\"'\\]{8,40})",
    re.IGNORECASE,
)


def dates_in_scripts(elements: Iterable[AnyElement]) -> Iterator[str]:
    """Yield what scripts give for a date of publication, in the order of the page.

    Parameters
    ----------
    elements
        The ``script`` elements of the page, perhaps among others.
    """
    left = MAX_CHARACTERS
    for element in elements:
        text = element.text if element.tag == "script" else None
        if not text:
            continue
        left -= len(text)
        if left < 0:
            return
        for match in _PUBLISHED.finditer(text):
            yield match["date"]

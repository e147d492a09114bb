"""Dates in the data of a page's scripts: state of frameworks, shops and analytics."""

import re
from collections.abc import Iterable, Iterator

from worker.html.nodes import AnyElement

MAX_CHARACTERS = 2_000_000
"""Maximum characters of scripts examined per page."""

# It begins with a mandatory character that is not a letter: the engine then skips everything that
# is not a quotation mark, even though case is ignored.
_PUBLISHED = re.compile(
    r"[\"'](?=[cdfp])"
    r"(?:date_?published|published(?:_?(?:at|on|date|time))?|publish_?(?:date|time|ed_?at)"
    r"|publication_?date|pub_?date|first_?published?(?:_?(?:at|date))?|created_?(?:at|date|on))\\?[\"']"
    r"\s*:\s*\\?[\"'](?P<date>[^\"'\\]{8,40})",
    re.IGNORECASE,
)


def dates_in_scripts(elements: Iterable[AnyElement]) -> Iterator[str]:
    """Yield the dates of publication in ``script`` elements, in page order."""
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

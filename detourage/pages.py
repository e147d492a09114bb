"""Pages as fetched, given as HTML, lxml trees or files."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from lxml.etree import _Element, _ElementTree

    AnyHtml = bytes | str | _Element | _ElementTree
    """HTML as fetched or as text, or an lxml tree."""


logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Page:
    """A page as fetched.

    Parameters
    ----------
    html
        The page: bytes as fetched, or text.
    url
        URL of the page, against which relative links are resolved.
    content_type
        The HTTP Content-Type header, which may declare the encoding.
    fetched_at
        Time of the fetch, with a time zone, to which dates such as "3 hours ago" refer.
    """

    html: bytes | str = field(repr=False)
    url: str = ""
    content_type: str | None = None
    fetched_at: datetime | None = None

    def __post_init__(self) -> None:
        """Check the types of HTML and URL."""
        if not isinstance(self.html, bytes | str):
            kind = type(self.html).__name__
            raise TypeError(f"html must be bytes, str, an lxml tree or a Page, not {kind}")
        if not isinstance(self.url, str):
            raise TypeError(f"url must be str, not {type(self.url).__name__}")


AnyPage = Page | tuple["AnyHtml", str]
"""A page, or a pair of HTML and URL."""


def as_page(
    html: AnyHtml | Page,
    url: str | None = None,
    content_type: str | None = None,
    fetched_at: datetime | None = None,
) -> Page:
    """Convert HTML or an lxml tree to a `Page`; if given a `Page`, replace the given values."""
    if isinstance(html, Page):
        url = html.url if url is None else url
        fetched_at = fetched_at or html.fetched_at
        return Page(html.html, url, content_type or html.content_type, fetched_at)
    if not isinstance(html, bytes | str):
        from lxml import etree

        # Anything else is rejected by `Page`.
        if isinstance(html, etree._Element | etree._ElementTree):  # noqa: SLF001  Their only names.
            html = etree.tostring(html, method="html", encoding="unicode", with_tail=False)
    return Page(html, url or "", content_type, fetched_at)


def load_pages(path: str | os.PathLike[str]) -> Iterator[Page]:
    """Load the pages in a file or folder, as ``detourage run`` does.

    Parameters
    ----------
    path
        A folder of HTML files, a file of page messages as JSON lines, or a WARC archive, optionally
        compressed with gzip. Unusable messages and, in a folder, unreadable files are skipped, with
        a warning in the log.

    Raises
    ------
    OSError
        If the file or folder cannot be read, or contains no readable page.
    """
    from pathlib import Path

    from detourage.inputs import SourceError, read_messages
    from detourage.inputs.message_validation import UnusableMessageError, read_message

    if isinstance(path, str) and path.startswith(("http://", "https://")):
        raise OSError(f"{path}: a URL is not a file or folder: give pages from detourage.fetch")
    first, usable, unusable = "", 0, 0
    try:
        for body in read_messages(Path(path)):
            try:
                message = read_message(body)
            except UnusableMessageError as error:
                first = first or f"the first: {error.reason}: {error.detail}"
                unusable += 1
                continue
            usable += 1
            yield Page(message.content, message.url, message.content_type, message.fetched_at)
    except SourceError as error:
        raise OSError(str(error)) from error
    if unusable and not usable:
        raise OSError(f"{path}: contains no usable page message; {first}")
    if unusable:
        logger.warning("%s: skipped unusable page messages: %d; %s", path, unusable, first)


def pages_of(pages: Iterable[AnyPage] | str | os.PathLike[str]) -> Iterator[Page]:
    """Yield pages from an iterable, or from a file or folder."""
    import os

    if isinstance(pages, str | os.PathLike):
        yield from load_pages(pages)
        return
    for page in pages:
        if not isinstance(page, Page | tuple | list):
            kind = type(page).__name__
            raise TypeError(f"each page must be a Page or a pair of HTML and URL, not {kind}")
        yield page if isinstance(page, Page) else as_page(*page)

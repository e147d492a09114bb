"""Pages: from bytes to an ordered labelled tree of elements."""

from worker.pages.answer import Answer
from worker.pages.errors import (
    EmptyPageError,
    FramesetError,
    NotHtmlError,
    PageError,
    TooDeepError,
    TooLargeError,
    UndecodableError,
)
from worker.pages.page import Page, parse_page
from worker.pages.site import publisher_of, site_key, site_name, site_of
from worker.pages.tree import Tree, TreeFormatError, TreeShape

__all__ = [
    "Answer",
    "EmptyPageError",
    "FramesetError",
    "NotHtmlError",
    "Page",
    "PageError",
    "TooDeepError",
    "TooLargeError",
    "Tree",
    "TreeFormatError",
    "TreeShape",
    "UndecodableError",
    "parse_page",
    "publisher_of",
    "site_key",
    "site_name",
    "site_of",
]

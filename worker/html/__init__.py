"""Decoding and parsing of pages, and their ordered labelled trees of elements."""

from worker.html.answer import Answer
from worker.html.errors import (
    EmptyPageError,
    FramesetError,
    NotHtmlError,
    PageError,
    TooDeepError,
    TooLargeError,
    UndecodableError,
)
from worker.html.page import Page, parse_page
from worker.html.site import publisher_of, site_key, site_name, site_of
from worker.html.tree import Tree, TreeFormatError, TreeShape

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

"""Decoding and parsing of pages, and their ordered labelled trees of elements."""

from detourage.html.page import Page, Response, parse_page
from detourage.html.page_errors import (
    EmptyPageError,
    FramesetError,
    NotHtmlError,
    PageError,
    TooDeepError,
    TooLargeError,
    UndecodableError,
)
from detourage.html.tree import Tree, TreeFormatError, TreeShape
from detourage.html.urls import publisher_of, site_key, site_name, site_of

__all__ = [
    "EmptyPageError",
    "FramesetError",
    "NotHtmlError",
    "Page",
    "PageError",
    "Response",
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

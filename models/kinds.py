"""Kinds of pages, as named in the article message."""

from typing import Literal

Kind = Literal[
    "article",
    "gallery",
    "live",
    "video",
    "forum",
    "product",
    "collection",
    "listing",
    "documentation",
    "service",
]
"""Kinds of pages: those that hold an article, and others whose main content is treated as one.

A forum page is a thread. A collection shows things to buy or to choose from; a listing leads to
pages, and if it consists only of links, it is a menu and has no article. A service page describes
what a firm or an office does.
"""

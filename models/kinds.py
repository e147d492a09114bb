"""Kinds of pages, as the article message names them."""

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
"""Kinds of page: those that hold an article, and others, whose main content is taken for one.

A forum's page is a thread. A collection shows things to buy or to choose from, a listing leads to
pages; one that is nothing but links is a menu and has no article. A service's page tells what a
firm or an office does.
"""

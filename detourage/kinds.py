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
"""Kinds of pages: pages with an article, and pages whose main content is treated as an article.

A forum page is a thread. A collection shows items to buy or to choose from. A listing leads to
other pages; a page that consists only of links is a menu, and has no article. A service page
describes the services of a company or an authority.
"""

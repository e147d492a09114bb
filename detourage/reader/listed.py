"""Links from a page to the items that it lists, or to the articles displayed below its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from detourage.html import Page
from detourage.links import ListKind, MissedKind
from detourage.pagination import read_pagination
from detourage.reader import Extraction, HeadlineLink, headline_links

_LIST_KINDS: Final[Mapping[str, ListKind]] = {kind: kind for kind in get_args(ListKind)}

MISSED_KINDS: Final[Mapping[str, MissedKind]] = {kind: kind for kind in get_args(MissedKind)}
"""Kinds of pages to fetch again, by outcome."""


@dataclass(frozen=True)
class ListedLinks:
    """The links that a page lists, in page order; `next` is the URL of the list's next page."""

    kind: ListKind | MissedKind
    links: Sequence[HeadlineLink]
    next: str | None


def listed_links(page: Page, kind: str, article: Extraction | None = None) -> ListedLinks | None:
    """Return the links that a page lists, or None if it lists nothing.

    `kind` is ``menu`` for a menu without an article, otherwise one of `detourage.kinds`. For an
    article, the links are those of the articles displayed below it.
    """
    list_kind = _LIST_KINDS.get(kind)
    if list_kind in (None, "article"):
        further = article.further if article is not None else ()
        return ListedLinks("article", further, None) if further else None
    links = headline_links(page)
    return ListedLinks(list_kind, links, read_pagination(page).next) if links else None

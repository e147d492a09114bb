"""Links of a page: those that it lists, and articles shown below its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from models.links import ListKind, MissedKind
from worker.article import Extraction, HeadlineLink, headline_links
from worker.html import Page
from worker.pagination import read_pagination

_LIST_KINDS: Final[Mapping[str, ListKind]] = {kind: kind for kind in get_args(ListKind)}

MISSED_KINDS: Final[Mapping[str, MissedKind]] = {kind: kind for kind in get_args(MissedKind)}
"""Kinds of page to be fetched again, by the outcome."""


@dataclass(frozen=True)
class ListedLinks:
    """What a page lists.

    Attributes
    ----------
    kind
        What the page is.
    links
        The links, in the order of the page.
    next
        Address of the page that the list goes on, None for none.
    """

    kind: ListKind | MissedKind
    links: Sequence[HeadlineLink]
    next: str | None


def listed_links(page: Page, kind: str, article: Extraction | None = None) -> ListedLinks | None:
    """Return what a page leads to, None where that is nothing.

    Parameters
    ----------
    page
        The page. It is read only.
    kind
        ``menu`` where it has no article for that, else its kind as of `models.kinds`.
    article
        Its article, where it has one: what the page shows below it is listed.
    """
    list_kind = _LIST_KINDS.get(kind)
    if list_kind in (None, "article"):
        further = article.further if article is not None else ()
        return ListedLinks("article", further, None) if further else None
    links = headline_links(page)
    return ListedLinks(list_kind, links, read_pagination(page).next) if links else None

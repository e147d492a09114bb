"""What a page that leads to others lists."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, get_args

from models.links import ListKind
from worker.extraction import HeadlineLink, headline_links
from worker.pages import Page
from worker.stories.parts import read_pagination

LIST_KINDS: Final[Sequence[ListKind]] = get_args(ListKind)


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

    kind: ListKind
    links: Sequence[HeadlineLink]
    next: str | None


def listed_links(page: Page, kind: str) -> ListedLinks | None:
    """Return what a page of some kind lists, None where it lists nothing.

    Parameters
    ----------
    page
        The page. It is read only.
    kind
        ``menu`` where it has no article for that, else its kind as of `models.kinds`.
    """
    found = next((each for each in LIST_KINDS if each == kind), None)
    links = headline_links(page) if found is not None else ()
    if found is None or not links:
        return None
    return ListedLinks(found, links, read_pagination(page).next)

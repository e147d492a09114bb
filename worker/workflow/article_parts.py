"""Articles that a site spreads across several pages."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from detourage.article import Article
from detourage.messages import Parts
from detourage.pagination import Pagination
from detourage.pagination.joining_parts import MAX_PARTS, may_be_part
from worker.store import parts


def find_parts(session: Session, contents: Mapping[int, Article]) -> dict[int, Collection[str]]:
    """Return the linked URLs whose pages are stored, by the ID of each page that is a part."""
    linked_urls = {
        page_id: urls_of_links(content.pagination)
        for page_id, content in contents.items()
        if is_part(content)
    }
    return {**dict.fromkeys(linked_urls, ()), **parts.find_pages(session, linked_urls)}


def is_part(content: Article) -> bool:
    """Return whether a page is a part of an article, and not of a thread or a list."""
    return bool(content.pagination) and may_be_part(content.metadata.kind)


def urls_of_links(links: Pagination) -> list[str]:
    """Return the URLs of a page's links to parts, including at most `MAX_PARTS` numbered ones."""
    return _distinct_urls([links.pages[number] for number in sorted(links.pages)], links)


def with_missing(declared: Parts, found: Collection[str]) -> Parts:
    """Return the parts declared by a page, with those not `found` as ``missing``."""
    urls = _distinct_urls([part.url for part in declared.pages], declared)
    return declared.model_copy(update={"missing": [url for url in urls if url not in found]})


def _distinct_urls(numbered: Sequence[str], links: Pagination | Parts) -> list[str]:
    neighbours = [url for url in (links.previous, links.next) if url is not None]
    return list(dict.fromkeys([*numbered[:MAX_PARTS], *neighbours]))


def to_json(links: Pagination) -> dict[str, Any]:
    """Serialise the links of a page as JSON values, with at most ``2 * MAX_PARTS`` parts."""
    numbered = sorted(links.pages.items())[: 2 * MAX_PARTS]
    return {**vars(links), "pages": {str(number): url for number, url in numbered}}


def from_json(links: Mapping[str, Any]) -> Pagination:
    """Return the links serialised by `to_json`."""
    pages = {int(number): url for number, url in links.get("pages", {}).items()}
    return Pagination(**{**links, "pages": pages})

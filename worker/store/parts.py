"""Multi-page articles: the links between their parts, and the articles joined from the parts."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import bindparam
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from detourage.addresses import canonical_form
from models.column_types import ArticleJson
from worker.store.pages import digest_of_url
from worker.store.queries import Statements

SQL = Statements("parts")

MESSAGE_OF = SQL.message_of.columns(message=ArticleJson)
ARTICLE_OF = SQL.article_of.columns(message=ArticleJson)

MAX_EXAMINED_PAGES = 100
"""Maximum number of pages examined for one article: twice the number of parts joined, since the
search may start from both the first and the last page."""

UrlsOfLinks = Callable[[Mapping[str, Any]], Iterable[str]]  # returns the URLs in stored links


class NewParts(NamedTuple):
    """Links to other parts (as JSON) found by the extraction of a page."""

    page_id: int
    links: Mapping[str, Any]
    message: Mapping[str, Any] | None  # the page's own article message, if it is new
    whole: str | None  # URL of the single-page version, which shows all parts


class StoredPart(NamedTuple):
    """A part of an article; `size` is the size of its own message in bytes, or None if absent."""

    page_id: int
    url: str
    revision: int  # revision of the page's latest article
    links: dict[str, Any]
    size: int | None
    first_id: int | None  # ID of the first page of the joined article that contains this part
    joined_revision: int | None  # latest revision that was made by joining parts
    version: int  # incremented by each change of the links


def _spellings_of(url: str) -> list[str]:
    """Return the URLs under which the crawler may have sent a linked page."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return [url]
    host, slash, path = rest.partition("/")
    other_host = host.removeprefix("www.") if host.startswith("www.") else f"www.{host}"
    other_path = path[:-1] if path.endswith("/") else f"{path}/" if path else ""
    paths = [path, other_path] if "?" not in path else [path]
    return [
        f"{each_scheme}://{name}{slash}{each}"
        for each_scheme in dict.fromkeys((scheme, "https", "http"))
        for name in (host, other_host)
        for each in dict.fromkeys(paths)
    ]


def _digests_of(url: str) -> list[str]:
    spellings = _spellings_of(url)
    return [*dict.fromkeys(map(digest_of_url, [*spellings, *map(canonical_form, spellings)]))]


def find_pages(
    session: Session, addresses: Mapping[int, Collection[str]]
) -> dict[int, dict[str, int]]:
    """Resolve each page's URLs to IDs of stored pages of the same site."""
    wanted = [
        (page_id, url, digest)
        for page_id, urls in addresses.items()
        for url in urls
        for digest in _digests_of(url)
    ]
    linked_ids: dict[int, dict[str, int]] = {}
    if not wanted:
        return linked_ids
    pages, urls, digests = (list(column) for column in zip(*wanted, strict=True))
    rows = session.execute(SQL.find_pages, {"pages": pages, "urls": urls, "digests": digests})
    for page_id, url, linked_id in rows:
        linked_ids.setdefault(page_id, {}).setdefault(url, linked_id)
    return linked_ids


_RECORD_LINKS = SQL.record_links.bindparams(
    bindparam("links", type_=JSONB), bindparam("message", type_=JSONB(none_as_null=True))
)


def record_parts(session: Session, parts: Sequence[NewParts]) -> None:
    """Record links to other parts of locked pages; changed pages become due for joining."""
    values = [
        {
            "page_id": each.page_id,
            "links": dict(each.links),
            "message": dict(each.message) if each.message is not None else None,
            "has_message": each.message is not None,
            "whole": _digests_of(each.whole) if each.whole is not None else [],
        }
        for each in sorted(parts)
    ]
    if values:
        session.execute(_RECORD_LINKS, values)


def reach(session: Session, page_id: int, urls_of: UrlsOfLinks) -> tuple[list[int], bool]:
    """Return the parts reachable from a page, including itself, and whether all were found."""
    reached: dict[int, None] = {}
    following = {page_id: None}
    while following and len(reached) < MAX_EXAMINED_PAGES:
        ids = list(following)[: MAX_EXAMINED_PAGES - len(reached)]
        rows = session.execute(SQL.reach, {"ids": ids}).all()
        reached.update(dict.fromkeys(row.page_id for row in rows))
        linked = find_pages(session, {row.page_id: list(urls_of(row.links)) for row in rows})
        next_ids = [row.first_id for row in rows if row.first_id is not None]
        next_ids += [linked_id for by_url in linked.values() for linked_id in by_url.values()]
        following = {part_id: None for part_id in next_ids if part_id not in reached}
    return sorted(reached), not following


def load_parts(session: Session, page_ids: Sequence[int]) -> list[StoredPart]:
    """Lock pages, and return those that are parts, without their messages, to save memory."""
    session.execute(SQL.lock, {"ids": list(page_ids)})
    return [StoredPart(*row) for row in session.execute(SQL.load_parts, {"ids": list(page_ids)})]

"""Rows of sites that move from one deployment to another, independent of either's IDs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import LargeBinary, RowMapping, func, insert, select, text
from sqlalchemy.orm import InstrumentedAttribute, Session

from models.column_types import with_block_texts
from models.tables import (
    Address,
    AddressTarget,
    Article,
    ArticleComment,
    PageLinks,
    PageParts,
    StoredPage,
)
from worker.store import events, story_arrivals, trees
from worker.store.database import rows_only, sql
from worker.store.fetched_pages import FetchedPage, ReadPage, digest_of_url
from worker.store.page_objects import PageObjects
from worker.store.pages import CONTENT_COLUMNS, is_pending
from worker.store.recording import columns_of_fetch, columns_of_reading, save_contents

PAGES_AT_ONCE = 20
"""Number of pages read, or stored, at a time."""

_MOVED = """
    pages.site_id = :site_id AND (
        outcome IS DISTINCT FROM 'joined'
        OR EXISTS (SELECT FROM addresses WHERE page_id = pages.id)
    )
"""
"""Condition: the page moves with its site. A joined page does so only if it was separated."""


def count_pages(session: Session, site_id: int) -> tuple[int, int]:
    """Return the number of pages that move with a site, and how many are pending."""
    query = select(func.count(), func.count().filter(is_pending())).where(text(_MOVED))
    total, pending = session.execute(query, {"site_id": site_id}).one()
    return total, pending


_PAGES = sql(f"""
    SELECT pages.*, {CONTENT_COLUMNS},
        (
            SELECT coalesce(jsonb_agg(to_jsonb(addresses) || jsonb_build_object('targets', (
                SELECT coalesce(jsonb_agg(to_jsonb(address_targets) ORDER BY number), '[]')
                FROM address_targets WHERE address_id = addresses.id
            )) ORDER BY id), '[]') FROM addresses WHERE page_id = pages.id
        ) AS addresses,
        (
            SELECT to_jsonb(articles) || jsonb_build_object('comments', (
                SELECT coalesce(jsonb_agg(to_jsonb(comments) ORDER BY number), '[]')
                FROM comments WHERE article_id = articles.id
            )) FROM articles WHERE page_id = pages.id ORDER BY revision DESC LIMIT 1
        ) AS article,
        (SELECT message FROM page_links WHERE page_id = pages.id) AS links,
        (
            SELECT to_jsonb(page_parts) || jsonb_build_object(
                'first', (SELECT url_digest FROM pages WHERE id = first_id)
            ) FROM page_parts WHERE page_id = pages.id
        ) AS parts
    FROM pages LEFT JOIN page_contents ON page_id = pages.id
    WHERE {_MOVED} AND pages.id > :after ORDER BY pages.id LIMIT :most
""").columns(  # noqa: S608
    compressed=LargeBinary, reference=LargeBinary, short_text=LargeBinary
)


def stored_pages(session: Session, site_id: int) -> Iterator[RowMapping]:
    """Yield the pages that move with a site, with everything that belongs to them."""
    wanted = {"site_id": site_id, "after": 0, "most": PAGES_AT_ONCE}
    while rows := session.execute(_PAGES, wanted).mappings().all():
        for row in rows:
            for stored in (row["article"], row["parts"]):
                if stored is not None and stored["message"] is not None:
                    stored["message"] = with_block_texts(stored["message"])
            yield row
        wanted["after"] = rows[-1]["id"]


class KnownPage(NamedTuple):
    """A page that is already stored in a deployment."""

    id: int
    url: str
    revision: int
    content_digest: str


def known_pages(session: Session, site_id: int, url_digests: Sequence[str]) -> dict[str, KnownPage]:
    """Return the pages of a locked site with the given URL digests, by digest."""
    page = StoredPage
    query = select(page.url_digest, page.id, page.url, page.revision, page.content_digest)
    found = query.where(page.site_id == site_id, page.url_digest.in_(url_digests))
    return {row[0]: KnownPage(*row[1:]) for row in session.execute(found)}


def save_page(
    session: Session,
    site_id: int,
    fetched: FetchedPage,
    read: ReadPage,
    moved: Mapping[str, Any],
    objects: PageObjects | None,
) -> int:
    """Store a new page of a locked site, and return its ID.

    ``moved`` contains the other columns of the page and the rows that belong to it, without IDs.
    The HTML is stored in ``objects`` if given, otherwise in the database.
    """
    own = {**moved}
    addresses, article, links, parts = (own.pop(name) for name in _BELONGING)
    tree_ids = trees.save_trees(session, [read.tree] if read.tree is not None else [])
    columns = {**columns_of_fetch(fetched, read), **columns_of_reading(read, tree_ids), **own}
    page_id: int = _add(session, StoredPage.id, {"site_id": site_id, **columns})
    if own["html_removed_at"] is None:
        save_contents(session, [(page_id, fetched)], objects)
    for address in addresses:
        row = {**address, "site_id": site_id, "digest": digest_of_url(address["address"])}
        targets = row.pop("targets")
        address_id = _add(session, Address.id, {**row, "page_id": page_id})
        for number, target in enumerate(targets):
            key = {"address_id": address_id, "number": number, "site_id": site_id}
            known = {"digest": digest_of_url(target["target"])}
            _add(session, AddressTarget.number, {**key, **known, **target})
    if article is not None:
        row = {**article, "page_id": page_id}
        comments = row.pop("comments")
        article_id = _add(session, Article.id, row)
        for comment in comments:
            _add(session, ArticleComment.number, {"article_id": article_id, **comment})
    if links is not None:
        _add(session, PageLinks.page_id, {"page_id": page_id, "message": links})
    if parts is not None:
        # The article was joined in the previous deployment.
        row = {**parts, "page_id": page_id, "site_id": site_id, "seen_version": 1}
        del row["first"]
        _add(session, PageParts.page_id, row)
    return page_id


_BELONGING = ("addresses", "article", "links", "parts")


def _add(session: Session, key: InstrumentedAttribute[Any], values: Mapping[str, Any]) -> Any:
    """Insert a row into the table of a key column, and return the key."""
    return session.scalar(rows_only(insert(key.class_).values(**values).returning(key)))


def set_first_parts(session: Session, site_id: int, firsts: Mapping[int, str]) -> None:
    """Record which page's article includes each page, as URL digests by page ID."""
    query = sql("""
        UPDATE page_parts SET first_id = pages.id
        FROM unnest(CAST(:ids AS bigint[]), CAST(:digests AS text[])) AS moved (id, digest)
        JOIN pages ON pages.site_id = :site_id AND url_digest = digest
        WHERE page_parts.page_id = moved.id
    """)
    wanted = {"site_id": site_id, "ids": list(firsts), "digests": list(firsts.values())}
    session.execute(query, wanted)


_UNGROUP = (
    # A site of version 0 is not clustered.
    "UPDATE sites SET version = 0 WHERE id = :site_id",
    "DELETE FROM outbox WHERE site_id = :site_id AND task IS NOT NULL",
    *(
        f"DELETE FROM {table} WHERE site_id = :site_id"  # noqa: S608
        for table in (
            "clustering_requests",
            "clustering_attempts",
            "site_comparisons",
            "reference_sets",
            "group_representatives",
            "template_groups",
            "design_changes",
            "memberships",
            "generations",
        )
    ),
)


def ungroup(session: Session, site_id: int) -> None:
    """Delete everything that refers to more than one page of a locked site."""
    for statement in _UNGROUP:
        session.execute(sql(statement), {"site_id": site_id})


def forget_some(session: Session, site_id: int) -> tuple[list[int], list[int]]:
    """Lock some pages of a site, and request that they leave their stories and events.

    Returns the IDs of the pages, and the IDs of those that must leave a story.
    """
    query = sql("SELECT id FROM pages WHERE site_id = :site_id ORDER BY id LIMIT :most FOR UPDATE")
    wanted = {"site_id": site_id, "most": PAGES_AT_ONCE}
    ids = session.scalars(query, wanted).all()
    story_arrivals.add_gone(session, ids)
    events.forget(session, ids)
    leaving = sql("SELECT page_id FROM story_arrivals WHERE page_id = ANY (:ids) ORDER BY page_id")
    return list(ids), list(session.scalars(leaving, {"ids": list(ids)}))


def delete_pages(session: Session, page_ids: Sequence[int]) -> None:
    """Delete pages with everything that belongs to them."""
    session.execute(sql("DELETE FROM pages WHERE id = ANY (:ids)"), {"ids": list(page_ids)})


def delete_site(session: Session, site_id: int) -> None:
    """Delete a site without pages."""
    # Its pages may have been grouped while they were deleted.
    ungroup(session, site_id)
    session.execute(sql("DELETE FROM sites WHERE id = :site_id"), {"site_id": site_id})

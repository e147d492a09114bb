"""Recording fetched pages: what becomes of one that comes, be it new, changed or known."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import ARRAY, BigInteger, Text, any_, bindparam, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session
from sqlalchemy.sql.dml import ReturningInsert

from models.tables import PageContent, StoredPage
from worker.outcomes import ReceiptResult
from worker.store import trees
from worker.store.fetched_pages import FetchedPage, ReadPage
from worker.store.statements import rows_only

CHANGES: Final = (ReceiptResult.ACCEPTED, ReceiptResult.UPDATED)
"""What a fetch is that gives its page another content."""


@dataclass(frozen=True)
class Recorded:
    """What became of a fetched page."""

    page_id: int
    site_id: int
    result: ReceiptResult
    has_tree: bool


class _Judged(NamedTuple):
    """A fetch, the page that stands at its URL, and what the fetch is to it."""

    site_id: int
    fetched: FetchedPage
    read: ReadPage
    standing: StoredPage | None
    result: ReceiptResult


def record_pages(
    session: Session, fetches: Sequence[tuple[int, FetchedPage, ReadPage]]
) -> list[Recorded]:
    """Store fetched pages, or tell why nothing is to be done; their sites must be locked.

    Of two fetches of one URL the later by ``fetched_at`` stands, whatever the
    order they came in; where a date is missing the one that came last does, and
    at equal dates the greater digest. Of equal fetches, the earliest dated and
    then the smallest crawler id is kept, so that a page sent twice gives the
    same article in any order.

    Parameters
    ----------
    session
        The transaction.
    fetches
        Id of the site, the page and what was read of it; no page twice.
    """
    judged = _judged(session, fetches)
    tree_ids = _save_changed_trees(session, judged)
    new = [each for each in judged if each.standing is None]
    with_content = [each for each in judged if _bring_up_to_date(each, tree_ids)] + new
    added = _add_pages(session, new, tree_ids)

    def page_id(each: _Judged) -> int:
        if each.standing is not None:
            return each.standing.id
        return added[each.site_id, each.fetched.url_digest]

    _save_contents(session, [(page_id(each), each.fetched) for each in with_content])
    return [
        Recorded(page_id(each), each.site_id, each.result, each.read.tree is not None)
        for each in judged
    ]


def save_reading(session: Session, page: StoredPage, read: ReadPage) -> None:
    """Write what parsing a stored page again gave: the tree, or the outcome of a refusal."""
    tree_ids = trees.save_trees(session, [read.tree] if read.tree is not None else [])
    _assign(page, _of_reading(read, tree_ids))


_KNOWN_PAGES = select(StoredPage).where(
    StoredPage.site_id == any_(bindparam("sites", type_=ARRAY(BigInteger))),
    StoredPage.url_digest == any_(bindparam("digests", type_=ARRAY(Text))),
)


def _judged(
    session: Session, fetches: Sequence[tuple[int, FetchedPage, ReadPage]]
) -> list[_Judged]:
    found = session.scalars(
        _KNOWN_PAGES,
        {
            "sites": list({site_id for site_id, _, _ in fetches}),
            "digests": [fetched.url_digest for _, fetched, _ in fetches],
        },
    )
    known = {(page.site_id, page.url_digest): page for page in found}
    judged = []
    for site_id, fetched, read in fetches:
        standing = known.get((site_id, fetched.url_digest))
        judged.append(_Judged(site_id, fetched, read, standing, _judge(standing, fetched)))
    return judged


def _save_changed_trees(session: Session, judged: Iterable[_Judged]) -> dict[str, int]:
    return trees.save_trees(
        session,
        [
            each.read.tree
            for each in judged
            if each.result in CHANGES and each.read.tree is not None
        ],
    )


def _bring_up_to_date(each: _Judged, tree_ids: Mapping[str, int]) -> bool:
    """Change the page that stands as the fetch asks; tell whether its content is to be stored."""
    page = each.standing
    if page is None:
        return False
    if each.result == ReceiptResult.UPDATED:
        _assign(page, {**_of_fetch(each.fetched), **_of_reading(each.read, tree_ids)})
        return True
    if each.result == ReceiptResult.DUPLICATE:
        _keep_first(page, each.fetched)
        if page.html_removed_at is not None:
            page.html_removed_at = None
            return True
    return False


# Raw: the mapper would make one statement of each set of columns that are not null.
_ADD_PAGES = rows_only(
    insert(StoredPage)
    .returning(StoredPage.id, StoredPage.site_id, StoredPage.url_digest)
    .execution_options(dml_strategy="raw")
)


def _add_pages(
    session: Session, new: Sequence[_Judged], tree_ids: Mapping[str, int]
) -> dict[tuple[int, str], int]:
    """Store new pages; return the id of each by its site and the digest of its URL."""
    if not new:
        return {}
    rows = session.execute(
        _ADD_PAGES,
        [
            {
                "site_id": each.site_id,
                "url": each.fetched.url,
                "url_digest": each.fetched.url_digest,
                **_of_fetch(each.fetched),
                **_of_reading(each.read, tree_ids),
            }
            for each in new
        ],
    )
    return {(site_id, digest): page_id for page_id, site_id, digest in rows}


def _judge(page: StoredPage | None, fetched: FetchedPage) -> ReceiptResult:
    if page is None:
        return ReceiptResult.ACCEPTED
    if page.content_digest == fetched.content_digest:
        return ReceiptResult.DUPLICATE
    if (
        page.fetched_at is not None
        and fetched.fetched_at is not None
        and (page.fetched_at, page.content_digest) > (fetched.fetched_at, fetched.content_digest)
    ):
        return ReceiptResult.SUPERSEDED
    return ReceiptResult.UPDATED


def _of_fetch(fetched: FetchedPage) -> dict[str, Any]:
    return {
        "crawler_id": fetched.crawler_id,
        "content_type": fetched.content_type,
        "fetched_at": fetched.fetched_at,
        "extra": fetched.extra,
        "content_digest": fetched.content_digest,
        "html_removed_at": None,
    }


def _of_reading(read: ReadPage, tree_ids: Mapping[str, int]) -> dict[str, Any]:
    return {
        "tree_id": tree_ids.get(read.tree.digest) if read.tree is not None else None,
        "encoding": read.encoding,
        "comment_pattern": read.comment_pattern,
        "outcome": read.outcome,
        "outcome_detail": read.outcome_detail,
    }


def _assign(page: StoredPage, values: Mapping[str, Any]) -> None:
    had_outcome = page.outcome is not None
    for name, value in values.items():
        setattr(page, name, value)
    if page.outcome is not None:
        # It waits for no extraction that was asked for before.
        page.forced = False
        page.extracted_generation = page.generation
    elif had_outcome:
        page.waiting_since = func.now()


def _keep_first(page: StoredPage, fetched: FetchedPage) -> None:
    def precedence(fetched_at: datetime | None, crawler_id: str | None) -> tuple[bool, float, str]:
        moment = fetched_at.timestamp() if fetched_at else 0.0
        return fetched_at is None, moment, crawler_id or ""

    if precedence(fetched.fetched_at, fetched.crawler_id) < precedence(
        page.fetched_at, page.crawler_id
    ):
        page.fetched_at = fetched.fetched_at
        page.crawler_id = fetched.crawler_id


def _saving_contents() -> ReturningInsert[int]:
    add = insert(PageContent)
    values = {
        "compressed": add.excluded.compressed,
        "is_text": add.excluded.is_text,
        "stored_at": func.now(),
    }
    # What is returned makes it one statement for all rows.
    return (
        add.on_conflict_do_update(index_elements=[PageContent.page_id], set_=values)
        .returning(PageContent.page_id)
        .execution_options(dml_strategy="raw")
    )


_SAVE_CONTENTS = rows_only(_saving_contents())


def _save_contents(session: Session, contents: Sequence[tuple[int, FetchedPage]]) -> None:
    if not contents:
        return
    session.execute(
        _SAVE_CONTENTS,
        [
            {
                "page_id": page_id,
                "compressed": fetched.compressed,
                "is_text": isinstance(fetched.content, str),
            }
            for page_id, fetched in contents
        ],
    )

"""Pages of a site that share a short text."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import ARRAY, BigInteger, LargeBinary, any_, bindparam, func, select, true
from sqlalchemy.orm import Session

from models.tables import StoredPage
from worker.outcomes import PageOutcome
from worker.store.locks import AdvisoryLock
from worker.store.statements import rows_only

MAX_COUNTED = 100
"""Maximum number of pages counted per text, since a wall may appear at every URL of a site."""

_ASKED = (
    func.unnest(bindparam("texts", type_=ARRAY(LargeBinary)))
    .table_valued("text", name="asked")
    .render_derived()
)
_PAGES = (
    select(StoredPage.id)
    .where(
        StoredPage.site_id == bindparam("site_id"),
        StoredPage.short_text == _ASKED.c.text,
        StoredPage.outcome.is_distinct_from(PageOutcome.JOINED),
    )
    .limit(MAX_COUNTED)
    .lateral("of_text")
)
_WITH = rows_only(select(_ASKED.c.text, _PAGES.c.id).select_from(_ASKED.join(_PAGES, true())))


def pages_with(session: Session, site_id: int, texts: Collection[bytes]) -> dict[bytes, set[int]]:
    """Return the IDs of a site's pages with the given short texts, by text.

    A lock serialises the counts of a site, so that the last of several concurrent transactions sees
    the pages of all others.
    """
    session.execute(
        select(func.pg_advisory_xact_lock(AdvisoryLock.SHORT_TEXTS.value, func.hashint8(site_id)))
    )
    found: defaultdict[bytes, set[int]] = defaultdict(set)
    for text, page_id in session.execute(_WITH, {"site_id": site_id, "texts": list(texts)}):
        found[bytes(text)].add(page_id)
    return found


def articles_among(session: Session, page_ids: Sequence[int]) -> Mapping[int, list[int]]:
    """Lock the given pages whose outcome is an article, and return their IDs by generation.

    Pages locked by another transaction are skipped, since that transaction handles them itself.
    """
    found: defaultdict[int, list[int]] = defaultdict(list)
    rows = session.execute(_ARTICLES, {"ids": list(page_ids)})
    for page_id, generation in rows:
        found[generation].append(page_id)
    return found


_ARTICLES = rows_only(
    select(StoredPage.id, StoredPage.generation)
    .where(
        StoredPage.id == any_(bindparam("ids", type_=ARRAY(BigInteger))),
        StoredPage.outcome == PageOutcome.ARTICLE,
    )
    .order_by(StoredPage.id)
    .with_for_update(skip_locked=True)
)

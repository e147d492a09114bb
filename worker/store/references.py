"""References: stored contents against which the contents of a site's pages are compressed.

The pages of a site share most of their HTML. A reference is a copy of one page's content; it does
not change, and is kept for as long as the content of any page depends on it. The first page of a
site becomes a reference, and so does each page that resembles none of the newest references.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import LargeBinary
from sqlalchemy.orm import Session

from worker.store.database import sql
from worker.store.pages import pack_content, unpack_content
from worker.store.schema import may_store_compactly

COMPARED_BYTES = range(2_000, 1 << 20)
"""Lengths of contents that are compressed against a reference, or become one. Shorter ones save
less than a row costs; longer ones would take too long to compress several times."""

NEWEST = 2
"""Number of references of a site with which a content is compared. More than two would save less
than 1 % on ``daniel`` and ``msv_big9``."""

RESEMBLANCE = 0.6
"""Maximum compressed share of a page that resembles a reference, relative to the compressed share
of the reference; the best on ``daniel`` and ``msv_big9``, where pages shrink from 18.8 to 9.9 kB
with their references."""

RENEWAL = timedelta(days=30)
"""Age after which a reference is no longer used for new contents, so that it can be pruned some
time after the page from which it was copied."""


@dataclass
class _Reference:
    """A reference; its ID is None until it is stored."""

    id: int | None
    packed: bytes
    content: bytes

    def pack(self, content: bytes) -> bytes:
        return pack_content(content, self.content)

    def share_of(self, content: bytes, packed: bytes) -> float:
        """Return the compressed share of a content, relative to that of the reference."""
        return len(packed) * len(self.content) / (len(content) * len(self.packed))


_NEWEST = sql("""
    SELECT asked.site_id, newest.id, newest.compressed
    FROM unnest(CAST(:site_ids AS bigint[])) AS asked (site_id) CROSS JOIN LATERAL (
        SELECT id, compressed FROM content_references
        WHERE site_id = asked.site_id AND created_at > now() - :renewal
        -- Locked against `prune` until contents refer to them.
        ORDER BY id DESC LIMIT :newest FOR KEY SHARE
    ) AS newest
""").columns(compressed=LargeBinary)
_ADD = sql("""
    INSERT INTO content_references (site_id, compressed)
    SELECT * FROM unnest(CAST(:site_ids AS bigint[]), CAST(:compressed AS bytea[]))
    RETURNING site_id, id
""")


def pack_contents(
    session: Session, contents: Sequence[tuple[int, bytes]]
) -> list[tuple[bytes, int | None]]:
    """Compress contents, given with the IDs of their sites, which must be locked.

    Returns each content in its stored form, and the ID of its reference, if it has one.
    """
    if not may_store_compactly(session):
        return [(pack_content(content), None) for _, content in contents]
    compared = {site_id for site_id, content in contents if len(content) in COMPARED_BYTES}
    known = _newest(session, sorted(compared)) if compared else {}
    new: dict[int, _Reference] = {}
    packed: list[tuple[bytes, _Reference | None]] = []
    for site_id, content in contents:
        best: bytes | None = None
        reference: _Reference | None = None
        if len(content) in COMPARED_BYTES:
            best, reference = _best(known[site_id], content)
            # Further ones of a batch are more likely to be variants of a few than all different.
            if reference is None and site_id not in new:
                reference = _Reference(None, pack_content(content), content)
                known[site_id].insert(0, reference)
                new[site_id] = reference
                best = reference.pack(content)
        packed.append((best if best is not None else pack_content(content), reference))
    if new:
        added = {
            "site_ids": list(new),
            "compressed": [reference.packed for reference in new.values()],
        }
        for site_id, reference_id in session.execute(_ADD, added):
            new[site_id].id = reference_id
    return [(each, reference.id if reference else None) for each, reference in packed]


def _newest(session: Session, site_ids: Sequence[int]) -> dict[int, list[_Reference]]:
    wanted = {"site_ids": site_ids, "newest": NEWEST, "renewal": RENEWAL}
    found: dict[int, list[_Reference]] = {site_id: [] for site_id in site_ids}
    for site_id, reference_id, packed in session.execute(_NEWEST, wanted):
        found[site_id].append(_Reference(reference_id, packed, unpack_content(packed)))
    return found


def _best(
    references: Sequence[_Reference], content: bytes
) -> tuple[bytes, _Reference] | tuple[None, None]:
    """Return the shortest compressed form, with its reference, unless it resembles none."""
    tried = [(reference.pack(content), reference) for reference in references]
    alike = [
        (packed, reference)
        for packed, reference in tried
        if reference.share_of(content, packed) <= RESEMBLANCE
    ]
    return min(alike, key=lambda each: len(each[0]), default=(None, None))

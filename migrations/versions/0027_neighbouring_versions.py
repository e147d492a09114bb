"""Let adjacent versions run side by side: every page has an address, and every URL one page.

Processes of versions before 0020 that were still running after that migration stored pages without
an address; when such a page was fetched again, it became a second page of its URL. This migration
merges these duplicates, and makes new ones impossible.
"""

import hashlib
from collections.abc import Iterator, Sequence

import sqlalchemy as sa
from alembic import op

from worker.addresses import canonical_form

revision: str = "0027"
down_revision: str | Sequence[str] | None = "0026"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_BATCH = 5_000
"""Number of pages whose addresses are written per statement."""

_GUARDED = ("pages", "articles", "outbox", "clustering_attempts", "comparison_blocks")
"""Guarded tables: every transaction of the service writes to one of them before any other table."""

_WITHOUT_ADDRESS = sa.text(
    "SELECT id, site_id, url FROM pages WHERE id > :after AND outcome IS DISTINCT FROM 'joined'"
    " AND NOT EXISTS (SELECT FROM addresses WHERE page_id = pages.id) ORDER BY id LIMIT :limit"
)

_GIVE_ADDRESS = sa.text(
    "INSERT INTO addresses (page_id, site_id, digest, address, spellings, read_at)"
    " SELECT pages.id, pages.site_id, digest, address, ARRAY[pages.url], pages.fetched_at"
    " FROM unnest(CAST(:pages AS bigint[]), CAST(:digests AS text[]), CAST(:addresses AS text[]))"
    " AS new (page_id, digest, address) JOIN pages ON pages.id = new.page_id"
    " ORDER BY pages.url <> address, pages.id ON CONFLICT DO NOTHING"
)

_JOIN = sa.text(
    """
    WITH doubled AS (
        SELECT pages.id, pages.revision, addresses.page_id AS stays, addresses.site_id
        FROM unnest(CAST(:pages AS bigint[]), CAST(:digests AS text[])) AS new (page_id, digest)
        JOIN pages ON pages.id = new.page_id
        JOIN addresses ON addresses.site_id = pages.site_id AND addresses.digest = new.digest
        WHERE addresses.page_id <> pages.id
    ), kept AS (
        UPDATE pages SET
            revision = greatest(pages.revision, doubled.revision),
            outcome = CASE WHEN tree_id IS NULL THEN outcome END,
            outcome_detail = CASE WHEN tree_id IS NULL THEN outcome_detail END,
            forced = tree_id IS NOT NULL AND greatest(pages.revision, doubled.revision) > 0,
            waiting_since = now()
        FROM (SELECT stays, max(revision) AS revision FROM doubled GROUP BY stays) AS doubled
        WHERE pages.id = doubled.stays RETURNING pages.id, pages.url
    ), joined AS (
        UPDATE pages SET
            outcome = 'joined', outcome_detail = 'it is ' || kept.url, tree_id = NULL,
            comment_pattern = NULL, forced = false, extracted_generation = generation
        FROM doubled JOIN kept ON kept.id = doubled.stays WHERE pages.id = doubled.id
    ), moved AS (
        UPDATE receipts SET page_id = doubled.stays FROM doubled WHERE page_id = doubled.id
    ), forgotten AS (
        DELETE FROM story_articles USING doubled WHERE page_id = doubled.id
    ), tried_again AS (
        DELETE FROM clustering_attempts USING doubled
        WHERE clustering_attempts.site_id = doubled.site_id
    )
    UPDATE sites SET version = version + 1, changed_at = now()
    WHERE id IN (SELECT site_id FROM doubled)
    """
)

_PART_DIGESTS = """
    UPDATE pages SET url_digest = url_digest || '-' || id
    WHERE outcome IS DISTINCT FROM 'joined' AND EXISTS (
        SELECT FROM pages AS other
        WHERE other.site_id = pages.site_id AND other.url_digest = pages.url_digest
        AND other.id < pages.id AND other.outcome IS DISTINCT FROM 'joined'
    )
"""

_ADMITTED = """
    CREATE FUNCTION admitted_schemas() RETURNS text[] LANGUAGE sql IMMUTABLE
    AS $$ SELECT ARRAY['0024', '0027'] $$
"""

_REFUSE = """
    CREATE FUNCTION refuse_other_versions() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
        mark text := nullif(current_setting('detourage.schema', true), '');
        admitted text[] := admitted_schemas();
    BEGIN
        IF coalesce(mark, '0024') BETWEEN admitted[1] AND admitted[2] THEN
            RETURN NULL;
        END IF;
        -- For the second one a version without a mark waits, with its work in hand.
        RAISE EXCEPTION 'the database admits versions % to % of it, not %',
            admitted[1], admitted[2], coalesce(mark, '0024 or before')
            USING ERRCODE = CASE WHEN mark IS NULL THEN '57P03' ELSE 'DT001' END;
    END $$
"""

_REQUIRE_ADDRESS = """
    CREATE FUNCTION require_address() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NOT EXISTS (SELECT FROM addresses WHERE page_id = NEW.id) THEN
            RAISE EXCEPTION 'page % has no address: versions before 0020 cannot store pages', NEW.id
                USING ERRCODE = '57P03';
        END IF;
        RETURN NULL;
    END $$
"""
"""Trigger function that rejects pages without an address.

Connections of versions before 0020 are recognised only by this omission, since they set no mark.
"""


def upgrade() -> None:
    # Wait for current writers to finish, and make later ones see the following changes.
    op.execute(f"LOCK TABLE {', '.join(_GUARDED)}, addresses IN ACCESS EXCLUSIVE MODE")
    connection = op.get_bind()
    for batch in _batches(connection):
        connection.execute(_GIVE_ADDRESS, batch)
    for batch in _batches(connection):
        connection.execute(_JOIN, batch)
    op.execute(_PART_DIGESTS)
    op.drop_index(op.f("ix_pages_site_id_url_digest"), "pages")
    op.create_index(
        "uq_pages_live",
        "pages",
        ["site_id", "url_digest"],
        unique=True,
        postgresql_where=sa.text("outcome IS DISTINCT FROM 'joined'"),
    )
    op.create_index(
        "ix_pages_joined",
        "pages",
        ["site_id", "url_digest"],
        postgresql_where=sa.text("outcome = 'joined'"),
    )
    op.execute(_REQUIRE_ADDRESS)
    op.execute(
        "CREATE CONSTRAINT TRIGGER require_address AFTER INSERT ON pages"
        " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
        " WHEN (NEW.outcome IS DISTINCT FROM 'joined'"
        " AND nullif(current_setting('detourage.schema', true), '') IS NULL)"
        " EXECUTE FUNCTION require_address()"
    )
    op.execute(_ADMITTED)
    op.execute(_REFUSE)
    for table in _GUARDED:
        op.execute(
            f"CREATE TRIGGER refuse_other_versions BEFORE INSERT OR UPDATE ON {table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION refuse_other_versions()"
        )


def _batches(connection: sa.Connection) -> Iterator[dict[str, Sequence[object]]]:
    after = 0
    while rows := connection.execute(_WITHOUT_ADDRESS, {"after": after, "limit": _BATCH}).all():
        addresses = [canonical_form(row.url) for row in rows]
        yield {
            "pages": [row.id for row in rows],
            "digests": [hashlib.sha256(each.encode()).hexdigest() for each in addresses],
            "addresses": addresses,
        }
        after = rows[-1].id


def downgrade() -> None:
    for table in _GUARDED:
        op.execute(f"DROP TRIGGER refuse_other_versions ON {table}")
    op.execute("DROP TRIGGER require_address ON pages")
    for function in ("refuse_other_versions", "admitted_schemas", "require_address"):
        op.execute(f"DROP FUNCTION {function}()")
    op.drop_index("ix_pages_joined", "pages")
    op.drop_index("uq_pages_live", "pages")
    op.create_index(op.f("ix_pages_site_id_url_digest"), "pages", ["site_id", "url_digest"])

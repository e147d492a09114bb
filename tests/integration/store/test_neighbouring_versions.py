"""A database admits processes of adjacent versions and repairs their data; others are rejected."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import Engine, NullPool, create_engine, func, select, text
from sqlalchemy.exc import IntegrityError, OperationalError

from models.tables import Address, StoredPage
from tests.addressed import PLAIN, five_pages
from tests.services import Services, temporary_database
from tests.versions import ADMITTED, go_to
from worker.outcomes import PageOutcome
from worker.store import outbox, pages
from worker.store.database import Database, ForeignSchemaError
from worker.store.fetched_pages import FetchedPage, digest_of_url
from worker.store.migrations import migrate
from worker.store.recording import record_pages
from worker.store.revisions import OLDEST_NEIGHBOUR, newest_revision
from worker.store.schema import UnknownSchemaError, require_current
from worker.workflow.parsing import parse_or_reject

SITE = "example.org"

ADD_PAGE = (
    "INSERT INTO pages (site_id, url, url_digest, content_digest, revision)"
    " SELECT id, :url, :digest, 'old', 1 FROM sites RETURNING id"
)
"""Statement that stores a page as versions with a schema before 0020 do."""


@pytest.fixture
def database(services: Services, migrated_url: str) -> Iterator[Database]:
    with temporary_database(services, template=migrated_url) as url:
        database = Database(url)
        with database.transaction() as session:
            session.execute(text(f"INSERT INTO sites (key) VALUES ('{SITE}')"))
        yield database
        database.dispose()


@pytest.fixture
def migrated(database: Database) -> Database:
    """A database that was migrated from an old version."""
    with database.transaction() as session:
        session.execute(text(ADMITTED.format(OLDEST_NEIGHBOUR, newest_revision())))
    return database


@contextmanager
def unmarked(database: Database) -> Iterator[Engine]:
    """Engine whose connections have no version mark, like those of old versions."""
    engine = create_engine(database.engine.url, poolclass=NullPool)
    yield engine
    engine.dispose()


def page(url: str) -> dict[str, str]:
    return {"url": url, "digest": digest_of_url(url)}


def fetch(database: Database, url: str) -> int:
    html = five_pages()[PLAIN]
    fetched = FetchedPage(SITE, url, html, None, None, None, "{}")
    with database.transaction() as session:
        site_id = pages.lock_site(session, SITE)
        (recorded,) = record_pages(session, [(site_id, fetched, parse_or_reject(html, url, None))])
    return recorded.page_id


def live_pages(database: Database) -> list[str]:
    live = select(StoredPage.url).where(StoredPage.outcome.is_distinct_from(PageOutcome.JOINED))
    with database.transaction() as session:
        return list(session.scalars(live.order_by(StoredPage.id)))


def test_an_intake_older_than_the_addresses_table_waits_and_stores_no_page(
    migrated: Database,
) -> None:
    # The old intake interprets the error as an unavailable database, and leaves the messages in the
    # queue.
    waits = pytest.raises(OperationalError, match="has no address")
    with unmarked(migrated) as engine, waits, engine.begin() as connection:
        connection.execute(text(ADD_PAGE), page(PLAIN))
    assert live_pages(migrated) == []


def test_an_intake_of_the_previous_version_keeps_working(migrated: Database) -> None:
    with unmarked(migrated) as engine, engine.begin() as connection:
        page_id = connection.scalar(text(ADD_PAGE), page(PLAIN))
        connection.execute(
            text(
                "INSERT INTO addresses (site_id, page_id, digest, address, spellings)"
                " SELECT site_id, id, url_digest, url, ARRAY[url] FROM pages"
            )
        )
    assert fetch(migrated, PLAIN) == page_id
    assert live_pages(migrated) == [PLAIN]


def test_a_page_without_an_address_row_is_found_when_its_url_is_fetched(
    database: Database,
) -> None:
    with database.transaction() as session:
        page_id = session.scalar(text(ADD_PAGE), page(PLAIN))
    assert fetch(database, PLAIN) == page_id
    assert live_pages(database) == [PLAIN]
    with database.transaction() as session:
        assert session.scalars(select(Address.page_id)).all() == [page_id]


def test_a_url_has_only_one_live_page(database: Database) -> None:
    fetch(database, PLAIN)
    with pytest.raises(IntegrityError, match="uq_pages_live"), database.transaction() as session:
        session.execute(text(ADD_PAGE), page(PLAIN))


def test_the_migration_merges_duplicate_pages_of_a_url(services: Services) -> None:
    with temporary_database(services) as url:
        database = Database(url)
        go_to(database, "0024")
        with database.transaction() as session:
            session.execute(text(f"INSERT INTO sites (key) VALUES ('{SITE}')"))
            old = session.scalar(text(ADD_PAGE), page(PLAIN))
            session.scalar(text(ADD_PAGE), page("https://example.org/alone"))
            session.execute(text("UPDATE pages SET revision = 3"))
            new = session.scalar(text(ADD_PAGE), page(PLAIN))
            session.execute(text("INSERT INTO trees (digest, size, packed) VALUES ('a', 1, '')"))
            session.execute(
                text("UPDATE pages SET tree_id = 1, outcome = 'failed' WHERE id = :id"), {"id": new}
            )
            session.execute(
                text(
                    "INSERT INTO addresses (site_id, page_id, digest, address, spellings)"
                    f" SELECT site_id, id, url_digest, url, ARRAY[url] FROM pages WHERE id = {new}"
                )
            )
            session.execute(
                text(
                    "INSERT INTO clustering_attempts (site_id, number, quarantined_at)"
                    " SELECT id, 4, now() FROM sites"
                )
            )
            session.execute(text("INSERT INTO receipts (result, page_id) SELECT 'accepted', 1"))
        migrate(database)
        assert live_pages(database) == ["https://example.org/alone", PLAIN]
        with database.transaction() as session:
            kept = session.get_one(StoredPage, new)
            assert (kept.outcome, kept.forced, kept.revision) == (None, True, 3)
            gone = session.get_one(StoredPage, old)
            assert (gone.outcome, gone.outcome_detail) == (PageOutcome.JOINED, f"it is {PLAIN}")
            assert session.scalars(text("SELECT page_id FROM receipts")).all() == [new]
            assert session.scalars(text("SELECT number FROM clustering_attempts")).all() == []
            assert session.scalars(text("SELECT version FROM sites")).all() == [1]
            assert session.scalar(select(func.count()).select_from(Address)) == 2
        database.dispose()


def test_a_version_that_is_no_longer_admitted_cannot_write(database: Database) -> None:
    with database.transaction() as session:
        session.execute(text(ADMITTED.format("9998", "9999")))
    with pytest.raises(ForeignSchemaError, match=r"^schema: .* 9998 to 9999 .* not \d+: this"):
        fetch(database, PLAIN)
    with pytest.raises(ForeignSchemaError), database.transaction() as session:
        outbox.lanes_waiting(session, [])
    # A version without a mark does not know ForeignSchemaError, so the database raises an error
    # that makes it wait.
    waits = pytest.raises(OperationalError, match="0024 or before")
    with unmarked(database) as engine, waits, engine.begin() as connection:
        connection.execute(text(ADD_PAGE), page(PLAIN))
    assert live_pages(database) == []


def test_a_version_starts_on_a_newer_schema_that_admits_it(database: Database) -> None:
    with database.transaction() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        session.execute(text(ADMITTED.format("0024", "9999")))
    require_current(database)
    fetch(database, PLAIN)
    with database.transaction() as session:
        session.execute(text(ADMITTED.format("9999", "9999")))
    with pytest.raises(UnknownSchemaError):
        require_current(database)


def admitted(database: Database) -> list[str]:
    with database.transaction() as session:
        found: list[str] = session.scalar(text("SELECT admitted_schemas()"))
    return found


def test_a_new_database_admits_only_the_version_that_created_it(database: Database) -> None:
    newest = newest_revision()
    assert admitted(database) == [newest, newest]


def test_a_migration_admits_earlier_versions_until_it_is_finished(services: Services) -> None:
    newest = newest_revision()
    with temporary_database(services) as url, Database(url) as database:
        migrate(database, "0026")
        migrate(database)
        assert admitted(database) == [OLDEST_NEIGHBOUR, newest]
        migrate(database)
        assert admitted(database) == [OLDEST_NEIGHBOUR, newest]
        migrate(database, finish=True)
        assert admitted(database) == [newest, newest]
        migrate(database, "0030")
        assert admitted(database) == [OLDEST_NEIGHBOUR, "0030"]
        migrate(database, finish=True)
        assert admitted(database) == [newest, newest]


def test_a_migration_does_not_admit_versions_that_were_excluded(services: Services) -> None:
    with temporary_database(services) as url, Database(url) as database:
        migrate(database, "0030")
        assert admitted(database) == ["0030", "0030"]
        migrate(database)
        assert admitted(database) == ["0030", newest_revision()]

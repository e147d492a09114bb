"""Migrations create the expected tables in empty and filled databases."""

import json
import zlib
from typing import Any
from uuid import UUID

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from models.tables import Base
from tests.services import Services, temporary_database
from tests.versions import ADMITTED, go_to, is_current
from worker.messaging.task_names import COMPARE
from worker.store import articles, comparisons, outbox
from worker.store.articles import NewArticle
from worker.store.database import Database
from worker.store.fetched_pages import FetchedPage, ReadPage
from worker.store.migrations import _config, migrate
from worker.store.outbox import Places
from worker.store.revisions import newest_revision
from worker.store.schema import UnknownSchemaError, require_current
from worker.workflow.parsing import store_pages


def test_models_and_migrations_agree(database_url: str) -> None:
    database = Database(database_url)
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    database.dispose()


def test_the_newest_revision_is_the_last_migration() -> None:
    assert ScriptDirectory.from_config(_config()).get_heads() == [newest_revision()]


def test_migrating_again_preserves_the_stored_data(services: Services) -> None:
    with temporary_database(services) as url:
        database = Database(url)
        assert not is_current(database)
        migrate(database)
        with database.transaction() as session:
            session.execute(text("INSERT INTO sites (key) VALUES ('news.example')"))
        migrate(database)
        assert is_current(database)
        with database.transaction() as session:
            assert session.scalar(text("SELECT key FROM sites")) == "news.example"
        database.dispose()


def test_a_newer_schema_is_reported_and_left_unchanged(services: Services) -> None:
    with temporary_database(services) as url:
        database = Database(url)
        migrate(database)
        with database.transaction() as session:
            session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
            session.execute(text(ADMITTED.format("9998", "9999")))
        for use in (require_current, migrate):
            revision = r"^schema: version 9999 is unknown .* up to \d+$"
            with pytest.raises(UnknownSchemaError, match=revision):
                use(database)
        database.dispose()


def test_an_unknown_schema_version_is_reported(services: Services) -> None:
    with temporary_database(services) as url:
        database = Database(url)
        with pytest.raises(UnknownSchemaError, match=r"^schema: version latest is unknown"):
            migrate(database, "latest")
        database.dispose()


def test_migrating_preserves_distances_and_drops_comparison_tasks_of_the_old_kind(
    services: Services,
) -> None:
    with temporary_database(services) as url:
        database = Database(url)
        go_to(database, "0001")
        with database.transaction() as session:
            session.execute(text("INSERT INTO sites (key, version) VALUES ('news.example', 2)"))
            session.execute(
                text("INSERT INTO trees (digest, size, packed) VALUES ('a', 1, ''), ('b', 2, '')")
            )
            session.execute(text("INSERT INTO distances VALUES (1, 2, 1)"))
            session.execute(
                text(
                    "INSERT INTO outbox (task, arguments) VALUES"
                    " ('detourage.compare', '{}'), ('detourage.extract', '{}')"
                )
            )
        migrate(database)
        with database.transaction() as session:
            assert session.execute(text("SELECT * FROM distances")).all() == [(1, 2, 1)]
            assert session.scalars(text("SELECT task FROM outbox")).all() == ["detourage.extract"]
            planned = session.execute(text("SELECT version, pairs_planned FROM sites")).all()
            assert planned == [(2, 0)]
        go_to(database, "0001", down=True)
        assert not is_current(database)
        migrate(database)
        assert is_current(database)
        database.dispose()


def test_migrating_turns_pivots_into_representatives(services: Services) -> None:
    with temporary_database(services) as url:
        database = Database(url)
        go_to(database, "0002")
        with database.transaction() as session:
            for statement in (
                "INSERT INTO sites (key, version) VALUES ('news.example', 2)",
                "INSERT INTO trees (digest, size, packed) VALUES ('a', 1, ''), ('b', 2, '')",
                "INSERT INTO pages (site_id, url, url_digest, content_digest, tree_id) VALUES"
                " (1, 'https://news.example/u', 'u', 'c', 2),"
                " (1, 'https://news.example/v', 'v', 'd', 1)",
                "INSERT INTO generations (site_id, number, site_version, method)"
                " VALUES (1, 1, 1, 'm'), (1, 2, 2, 'm')",
                "INSERT INTO template_groups (site_id, generation, number, size,"
                " representative_id) VALUES (1, 1, 1, 2, 2), (1, 2, 1, 2, 1)",
                "INSERT INTO memberships (page_id, generation, site_id, group_number, role,"
                " pivot_id) VALUES (1, 2, 1, 1, 'representative', 2), (2, 2, 1, 1, 'member', 1)",
            ):
                session.execute(text(statement))
        migrate(database)
        with database.transaction() as session:
            standing = session.execute(text("SELECT * FROM group_representatives")).all()
            assert standing == [(1, 2, 1, 2)]
            confidences = session.scalars(text("SELECT confidence FROM memberships")).all()
            assert confidences == [None, None]
        go_to(database, "0002", down=True)
        migrate(database)
        assert is_current(database)
        database.dispose()


def test_migrating_moves_pages_that_claim_the_site_of_another_domain(services: Services) -> None:
    with temporary_database(services) as url:
        database = Database(url)
        go_to(database, "0008")
        with database.transaction() as session:
            for statement in (
                "INSERT INTO sites (key, version) VALUES ('Label', 1), ('own.com', 1)",
                "INSERT INTO pages (site_id, url, url_digest, content_digest, revision) VALUES"
                " (1, 'https://paper.com/a', 'a', 'c', 4),"
                " (2, 'https://www.own.com/a', 'a', 'c', 1),"
                " (2, 'https://foreign.net/a', 'b', 'c', 2)",
                "INSERT INTO generations (site_id, number, site_version, method)"
                " VALUES (2, 1, 1, 'm')",
                "INSERT INTO memberships (page_id, generation, site_id, role)"
                " VALUES (2, 1, 2, 'outlier'), (3, 1, 2, 'outlier')",
            ):
                session.execute(text(statement))
        migrate(database)
        pages = text(
            "SELECT key, url, revision FROM pages JOIN sites ON sites.id = site_id ORDER BY url"
        )
        with database.transaction() as session:
            assert session.execute(pages).all() == [
                ("own.com@foreign.net", "https://foreign.net/a", 2),
                ("Label@paper.com", "https://paper.com/a", 4),
                ("own.com", "https://www.own.com/a", 1),
            ]
            assert session.scalars(text("SELECT page_id FROM memberships")).all() == [2]
        go_to(database, "0008", down=True)
        with database.transaction() as session:
            keys = session.scalars(text("SELECT key FROM sites ORDER BY id")).all()
            assert keys == ["Label", "own.com", "own.com@foreign.net"]
        database.dispose()


def test_migrating_adds_no_comments_to_existing_articles(services: Services) -> None:
    with temporary_database(services) as url:
        database = Database(url)
        go_to(database, "0010")
        with database.transaction() as session:
            for statement in (
                "INSERT INTO sites (key, version) VALUES ('news.example', 1)",
                "INSERT INTO pages (site_id, url, url_digest, content_digest)"
                " VALUES (1, 'u', 'u', 'c')",
                "INSERT INTO articles (id, page_id, revision, content_digest, message)"
                " VALUES ('00000000-0000-0000-0000-000000000001', 1, 1, 'd', '{}')",
            ):
                session.execute(text(statement))
        migrate(database)
        with database.transaction() as session:
            assert session.scalars(text("SELECT comment_pattern FROM pages")).all() == [None]
            session.execute(
                text(
                    "INSERT INTO comments (article_id, number, text)"
                    " SELECT id, 0, 't' FROM articles"
                )
            )
            session.execute(text("DELETE FROM articles"))
            assert session.scalar(text("SELECT count(*) FROM comments")) == 0
        go_to(database, "0010", down=True)
        migrate(database)
        assert is_current(database)
        database.dispose()


def test_migrated_pages_wait_since_the_arrival_of_their_content(services: Services) -> None:
    with temporary_database(services) as url:
        database = Database(url)
        go_to(database, "0014")
        with database.transaction() as session:
            for statement in (
                "INSERT INTO sites (key, version) VALUES ('news.example', 1)",
                "INSERT INTO pages (site_id, url, url_digest, content_digest, received_at, outcome,"
                " generation, extracted_generation) VALUES"
                " (1, 'new', 'a', 'c', '2024-01-01T00:00Z', NULL, 0, 0),"
                " (1, 'changed', 'b', 'c', '2024-01-01T00:00Z', NULL, 3, 3),"
                " (1, 'refused', 'c', 'c', '2024-01-01T00:00Z', 'frameset', 3, 2)",
                "INSERT INTO page_contents (page_id, compressed, is_text, stored_at)"
                " VALUES (2, '', true, '2024-05-01T00:00Z')",
            ):
                session.execute(text(statement))
        migrate(database)
        found = text(
            "SELECT url, date(waiting_since AT TIME ZONE 'UTC')::text, extracted_generation"
            " FROM pages WHERE outcome IS NULL OR url = 'refused' ORDER BY id"
        )
        with database.transaction() as session:
            rows = session.execute(found).all()
        assert [row[:2] for row in rows[:2]] == [("new", "2024-01-01"), ("changed", "2024-05-01")]
        assert rows[2][2] == 3
        go_to(database, "0014", down=True)
        migrate(database)
        assert is_current(database)
        database.dispose()


ARTICLE: dict[str, Any] = {
    "text": "Élise 🙂 spoke.\n\nShe left.",
    "blocks": [
        {"text": "Élise 🙂 spoke.", "start": 0, "end": 14, "type": "paragraph"},
        {"text": "She left.", "start": 16, "end": 25, "type": "quote"},
    ],
}
MESSAGE = json.dumps(["a message long enough to be compressed"] * 100).encode()


def test_reverting_makes_contents_readable_for_the_previous_version(services: Services) -> None:
    contents = [f"<p>{number}</p>".encode() * 500 for number in range(450)]
    with temporary_database(services) as url:
        database = Database(url)
        migrate(database)
        fetches = [
            FetchedPage(
                "news.example", f"https://news.example/{n}", content, None, None, None, "{}"
            )
            for n, content in enumerate(contents)
        ]
        with database.transaction() as session:
            stored = store_pages(session, [(each, ReadPage()) for each in fetches])
            articles.save_articles(
                session,
                [
                    NewArticle(UUID(int=number), stored[number].page_id, 1, "", ARTICLE, [])
                    for number in range(250)
                ],
            )
            outbox.add_message(session, exchange="articles", routing_key="en", body=MESSAGE)
        go_to(database, "0016", down=True)
        with database.transaction() as session:
            assert session.scalars(text("SELECT message FROM articles")).all() == [ARTICLE] * 250
            assert bytes(session.scalar(text("SELECT body FROM outbox")) or b"") == MESSAGE
            kept = session.scalars(text("SELECT compressed FROM page_contents ORDER BY page_id"))
            assert [zlib.decompress(bytes(each)) for each in kept] == contents
        database.dispose()


def test_migrated_comparisons_continue_before_later_ones(services: Services) -> None:
    with temporary_database(services) as url:
        database = Database(url)
        go_to(database, "0016")
        with database.transaction() as session:
            for statement in (
                "INSERT INTO sites (key, version) VALUES ('news.example', 1), ('other.example', 1)",
                "INSERT INTO site_comparisons (site_id, site_version, tree_ids)"
                " VALUES (1, 1, '{}')",
                "INSERT INTO outbox (task, arguments, site_id, turn)"
                " VALUES ('detourage.compare', '{\"block_id\": 1}', 1, 7)",
            ):
                session.execute(text(statement))
        migrate(database)
        with database.transaction() as session:
            comparisons.begin(session, 2, site_version=1, tree_ids=[])
            turns = [comparisons.take_turns(session, site_id, 5) for site_id in (1, 2)]
            outbox.add_tasks_in_turn(
                session,
                COMPARE,
                [(site, {}, turn) for site, turn in zip((1, 2), turns, strict=True)],
            )
            taken = outbox.take_next(session, {COMPARE: Places(9, 5)}, max_bytes=1)
            order = [each.arguments for each in taken[COMPARE]]
        assert turns == sorted(turns)
        assert order == [{"block_id": 1}, {}, {}]
        go_to(database, "0016", down=True)
        migrate(database)
        assert is_current(database)
        database.dispose()


def test_migrated_pages_keep_their_urls(services: Services) -> None:
    urls = [
        "https://www.example.org/a?utm_source=x",
        "https://www.example.org/a",
        "https://www.example.org/b?fbclid=1",
        "https://www.example.org/b?fbclid=2",
        "https://www.example.org/c",
    ]
    with temporary_database(services) as url:
        database = Database(url)
        go_to(database, "0019")
        with database.transaction() as session:
            session.execute(text("INSERT INTO sites (key) VALUES ('example.org')"))
            for each in urls:
                session.execute(
                    text(
                        "INSERT INTO pages (site_id, url, url_digest, content_digest)"
                        " VALUES (1, :url, encode(sha256(:url), 'hex'), 'c')"
                    ),
                    {"url": each},
                )
        migrate(database)
        fetches = [
            FetchedPage("example.org", each, "<p>a</p>", None, None, None, "{}")
            for each in [*urls, "https://www.example.org/b", "https://www.example.org/c#d"]
        ]
        with database.transaction() as session:
            recorded = store_pages(session, [(each, ReadPage()) for each in fetches])
        # Existing pages stay separate; a new spelling leads to the first page with the same
        # canonical form.
        assert [each.page_id for each in recorded] == [1, 2, 3, 4, 5, 3, 5]
        go_to(database, "0019", down=True)
        migrate(database)
        assert is_current(database)
        database.dispose()


def test_a_filled_database_gets_events_while_the_previous_version_runs(
    services: Services,
) -> None:
    add_page = text(
        "INSERT INTO pages (site_id, url, url_digest, content_digest, outcome)"
        " VALUES (1, :url, :url, 'c', 'article')"
    )
    with temporary_database(services) as url:
        database = Database(url)
        go_to(database, "0029")
        # Disable triggers, because pages cannot otherwise be stored without their addresses.
        without_triggers = text("SET LOCAL session_replication_role TO replica")
        with database.transaction() as session:
            session.execute(text("INSERT INTO sites (key) VALUES ('example.org')"))
            session.execute(without_triggers)
            session.execute(add_page, {"url": "https://example.org/a"})
        migrate(database)
        with database.transaction() as session:
            session.execute(text("SELECT set_config('detourage.schema', '0029', true)"))
            session.execute(text("UPDATE pages SET outcome = 'menu'"))
            session.execute(
                text(
                    "INSERT INTO story_articles (page_id, key, told)"
                    " VALUES (1, '', '{\"id\": \"s\"}')"
                )
            )
        with database.transaction() as session:
            added = "INSERT INTO event_articles (page_id, key, told) VALUES (1, '', :told)"
            session.execute(text(added), {"told": "0bca5d34-d96d-54b9-8912-2a8426c7b347"})
            assert session.scalars(text("SELECT event_id FROM event_articles")).all() == [None]
            session.execute(text("DELETE FROM pages"))
            assert session.scalars(text("SELECT count(*) FROM event_articles")).one() == 0
        go_to(database, "0029", down=True)
        migrate(database)
        assert is_current(database)
        database.dispose()

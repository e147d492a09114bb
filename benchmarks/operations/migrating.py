"""How long the service waits during each migration of a large database.

python -m benchmarks.operations.migrating [--pages N]

Fills a new database of an earlier schema with generated rows, then applies the later migrations
while one thread writes like the service does, in transactions of 50 ms.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click
from sqlalchemy import create_engine, text

from tests.services import running_services, temporary_database
from worker.store.database import Database
from worker.store.migrations import migrate
from worker.store.revisions import MARK, known_revisions

FILL = (
    "SELECT set_config('session_replication_role', 'replica', true)",
    "INSERT INTO sites (key) SELECT 'site' || n || '.example' FROM generate_series(1, 1000) AS n",
    "INSERT INTO trees (digest, size, packed) SELECT md5(n::text), 300, convert_to(repeat("
    "md5(n::text), 20), 'UTF8') FROM generate_series(1, 10000) AS n",
    "INSERT INTO pages (site_id, url, url_digest, content_digest, extraction_key, tree_id, outcome,"
    " revision) SELECT 1 + n % 1000, 'https://site' || n % 1000 || '.example/news/2026/' || n ||"
    " '-' || md5(n::text), md5(n::text) || md5(n::text), md5(n::text) || md5(n::text),"
    " md5(n::text), 1 + n % 10000, 'article', 1 FROM generate_series(1, :pages) AS n",
    "INSERT INTO addresses (site_id, page_id, digest, address, spellings, headlines, passages)"
    " SELECT site_id, id, url_digest, url, ARRAY[url], ARRAY[id], ARRAY[id, id + 1, id + 2]"
    " FROM pages",
    "INSERT INTO articles (id, page_id, revision, content_digest, message)"
    " SELECT gen_random_uuid(), id, 1, url_digest, jsonb_build_object('url', url, 'text',"
    " (SELECT string_agg(md5(pages.id::text || n::text), ' ') FROM generate_series(1, 40) AS n))"
    " FROM pages",
    "INSERT INTO story_articles (page_id, key, told) SELECT id, decode(url_digest, 'hex'),"
    " jsonb_build_object('id', url_digest, 'first_seen', now()) FROM pages",
    "INSERT INTO page_parts (page_id, site_id, links, message, whole_digests, first_id)"
    " SELECT id, site_id, jsonb_build_object('next', url), jsonb_build_object('url', url),"
    " ARRAY[url_digest], id FROM pages",
)

WORK = (
    "UPDATE pages SET attempts = 0 WHERE id = :page",
    "INSERT INTO articles (id, page_id, revision, content_digest, message)"
    " SELECT gen_random_uuid(), page_id, max(revision) + 1, '', '{}' FROM articles"
    " WHERE page_id = :page GROUP BY page_id",
    "UPDATE story_articles SET wire = NULL WHERE page_id = :page",
    "UPDATE page_parts SET version = version + 1 WHERE page_id = :page",
    "SELECT pg_sleep(0.05)",
)
"""Statements of a transaction on one page."""


@contextmanager
def _working(url: str, version: str, pages: int) -> Iterator[list[float]]:
    """Run transactions like the service; yield the durations of their statements."""
    engine = create_engine(url, connect_args={"options": f"-c {MARK}={version}"})
    waits: list[float] = []
    is_over = threading.Event()

    def work() -> None:
        page = 0
        while not is_over.is_set():
            page = (page + 7919) % pages
            with engine.begin() as connection:
                for statement in WORK:
                    began = time.perf_counter()
                    connection.execute(text(statement), {"page": page + 1})
                    waits.append(time.perf_counter() - began)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        while not waits:
            time.sleep(0.1)
        waits.clear()
        yield waits
        time.sleep(0.5)
    finally:
        is_over.set()
        thread.join()
        engine.dispose()


@click.command()
@click.option("--pages", default=1_000_000, show_default=True)
@click.option("--from", "first", default="0024", show_default=True, help="Schema to begin with.")
def main(pages: int, first: str) -> None:
    """Print the duration of each migration, and of the service's longest statement during it."""
    with (
        running_services() as services,
        temporary_database(services) as url,
        Database(url) as database,
    ):
        migrate(database, first)
        with database.transaction() as session:
            for statement in FILL:
                session.execute(text(statement), {"pages": pages} if ":pages" in statement else {})
        with database.statement_by_statement() as connection:
            connection.exec_driver_sql("VACUUM ANALYZE")
            size = connection.exec_driver_sql("SELECT pg_database_size(current_database())")
            click.echo(f"{pages} pages, {size.scalar_one() / 1e9:.1f} GB")
        with _working(url, first, pages) as waits:
            time.sleep(10)
        click.echo(f"none\t10.0 s\tlongest statement {max(waits):.2f} s")
        for version in (each for each in known_revisions() if each > first):
            with _working(url, first, pages) as waits:
                began = time.perf_counter()
                migrate(database, version)
                seconds = time.perf_counter() - began
            click.echo(f"{version}\t{seconds:.1f} s\tlongest statement {max(waits):.2f} s")


if __name__ == "__main__":
    main()

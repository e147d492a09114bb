"""Time and space of events: ``python -m benchmarks.stories.events_cost DATABASE_URL``.

The database must be empty; the service's user must own it. The articles are generated: their words
follow Zipf's law, and some report the same event.
"""

import argparse
import hashlib
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from sqlalchemy import insert, text

from models.tables import Event, EventArticle, Site, StoredPage
from worker.events.clustering import leading_terms, no_counts
from worker.events.terms import terms_of
from worker.settings import psycopg2_url
from worker.store import events
from worker.store.database import Database
from worker.store.events import Arrival
from worker.store.migrations import migrate
from worker.workflow.events import decide, provisional_events

SITES = 500
WINDOW = timedelta(days=3)
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
WORDS = 60_000
TEXT_WORDS = 300
PER_EVENT = 3
"""Mean number of articles per event."""

CHUNK = 2_000
PAGES_PER_TASK = 8
"""Number of pages that an extraction task of the service stores in one transaction."""


def generated(chance: np.random.Generator, number: int, first: int) -> Iterator[Arrival]:
    """Generate articles; those of one event share thirty rare words."""
    for each in range(first, first + number):
        common = chance.zipf(1.3, TEXT_WORDS) % WORDS
        own = (each // PER_EVENT * 7919 + np.arange(30) * 104_729) % WORDS
        body = " ".join(f"w{word}" for word in [*own, *own[:15], *common])
        site = 1 + each % SITES
        yield Arrival(
            page_id=each,
            site_id=site,
            site=f"site{site}.example",
            url=f"https://site{site}.example/{each}",
            language="en",
            key=hashlib.blake2b(str(each).encode(), digest_size=16).digest(),
            terms=terms_of(body[:60], None, body),
            fetched_at=NOON,
            seen_at=NOON,
        )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="URL of an empty database")
    parser.add_argument("--articles", type=int, default=100_000)
    parser.add_argument("--timed", type=int, default=600)
    options = parser.parse_args()
    database, chance = Database(psycopg2_url(options.url)), np.random.default_rng(1)
    migrate(database)
    with database.transaction() as session:
        session.execute(insert(Site), [{"key": f"site{each}.example"} for each in range(1, 501)])
    counts = no_counts()
    for each in generated(chance, 1000, 0):
        counts = counts.with_document(each.terms, each.site_id)
    database.run(lambda session: events.save_term_counts(session, "en", counts))
    for first in range(1, options.articles + options.timed, CHUNK):
        fill(database, list(generated(chance, CHUNK, first)), options.articles)
    with database.transaction() as session:
        session.execute(text("ANALYZE"))
    arrivals = list(generated(chance, options.timed, options.articles + 1))
    # ID of the server process behind the pool's only connection.
    backend = database.run(lambda session: session.scalar(text("SELECT pg_backend_pid()")))
    began = time.process_time(), _cpu_seconds(backend)
    for first in range(0, len(arrivals), PAGES_PER_TASK):
        batch = arrivals[first : first + PAGES_PER_TASK]
        stories = {each.page_id: each.url for each in batch}
        database.run(lambda session: provisional_events(session, batch, stories, WINDOW))  # noqa: B023
        for each in batch:
            database.run(lambda session: decide(session, each.page_id, WINDOW))  # noqa: B023
    own, served = time.process_time() - began[0], _cpu_seconds(backend) - began[1]
    per_article = 1000 / len(arrivals)
    print(f"CPU time: {own * per_article:.1f} ms, of PostgreSQL {served * per_article:.1f} ms")
    with database.transaction() as session:
        for table in ("events", "event_articles", "event_term_counts"):
            size = session.scalar(text(f"SELECT pg_total_relation_size('{table}')"))
            rows = session.scalar(text(f"SELECT count(*) FROM {table}"))
            print(f"{table}: {rows} rows, {size / 2**20:.1f} MiB")
    database.dispose()


def _cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def fill(database: Database, arrivals: list[Arrival], most: int) -> None:
    """Store pages; for all articles except those to be timed, also store their events."""
    counts = database.run(lambda session: events.term_counts(session, "en"))
    with database.transaction() as session:
        session.execute(text("SET LOCAL session_replication_role TO replica"))
        session.execute(
            insert(StoredPage),
            [
                {
                    "id": each.page_id,
                    "site_id": each.site_id,
                    "url": each.url,
                    "url_digest": each.url,
                    "content_digest": "-",
                }
                for each in arrivals
            ],
        )
        known = [each for each in arrivals if each.page_id <= most]
        firsts = [each for each in known if each.page_id % PER_EVENT == 0 or each is known[0]]
        for each in firsts:
            weights = counts.weights_of(each.terms)
            values = {
                "identity": f"{each.page_id:032x}",
                "language": "en",
                "first_seen": each.fetched_at,
                "seen_from": each.seen_at,
                "seen_to": each.seen_at,
                "sites": [each.site_id, each.site_id % SITES + 1][: 1 + each.page_id % 2],
                "terms": leading_terms(weights),
                "centroid": weights.tobytes(),
            }
            session.execute(insert(Event), {"id": each.page_id, **values})
        if known:
            session.execute(
                insert(EventArticle),
                [
                    {
                        "page_id": each.page_id,
                        "event_id": max(known[0].page_id, each.page_id - each.page_id % PER_EVENT),
                        "key": each.key,
                        "told": f"{each.page_id:032x}",
                    }
                    for each in known
                ],
            )
            session.execute(text("SELECT setval('events_id_seq', (SELECT max(id) FROM events))"))


if __name__ == "__main__":
    main()

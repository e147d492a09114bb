"""What it costs to find an article's story: ``python -m benchmarks.stories.window [--texts N…]``.

The window is filled with generated texts of random shingles, which no article repeats; then
articles come, one in a transaction, half of them versions of those before them.
"""

import argparse
import io
import random
import struct
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt
from sqlalchemy import text

from models.tables import Site, StoredPage
from tests.services import running_services, temporary_database
from worker.store.database import Database
from worker.store.migrations import migrate
from worker.stories.fingerprint import BANDS, fingerprint_of
from worker.tasks.story_index import Arrival, tell_stories

SIZES = (10_000, 100_000, 1_000_000)
ARTICLES = 400
"""Articles that come to each size."""

WORDS = 450
"""Words of an article, the mean of those of daniel and fundus_body."""

BATCH = 20_000
WINDOW = timedelta(days=7)
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)

COPY = (
    "COPY {table} ({columns}) FROM STDIN WITH (FORMAT binary)",
    "stories (id)",
    "story_texts (id, story_id, key, shingles, bands, sites, seen_from, seen_to)",
)

_HEADER = b"PGCOPY\n\xff\r\n\x00" + struct.pack(">ii", 0, 0)
_TRAILER = struct.pack(">h", -1)


def _field(value: bytes) -> bytes:
    return struct.pack(">i", len(value)) + value


def _array(values: npt.NDArray[np.int32] | npt.NDArray[np.int64]) -> bytes:
    size = values.dtype.itemsize
    oid = {4: 23, 8: 20}[size]
    body = np.empty(len(values), dtype=[("size", ">i4"), ("value", f">i{size}")])
    body["size"], body["value"] = size, values
    return struct.pack(">iiiii", 1, 0, oid, len(values), 1) + body.tobytes()


def _row(*fields: bytes) -> bytes:
    return struct.pack(">h", len(fields)) + b"".join(_field(each) for each in fields)


def _instant(moment: datetime) -> bytes:
    since = moment - datetime(2000, 1, 1, tzinfo=UTC)
    return struct.pack(">q", round(since.total_seconds() * 1_000_000))


def fill(database: Database, first: int, last: int, chance: np.random.Generator) -> None:
    """Store generated texts, each a story."""
    seen, sites = _instant(NOON), _array(np.array([1], dtype=np.int64))
    with database.engine.begin() as connection:
        connection.execute(text("DROP INDEX ix_story_texts_bands"))
        cursor = connection.connection.cursor()
        for begin in range(first, last, BATCH):
            numbers = range(begin + 1, min(begin + BATCH, last) + 1)
            stories, texts = io.BytesIO(_HEADER), io.BytesIO(_HEADER)
            for file in (stories, texts):
                file.seek(0, io.SEEK_END)
            for number in numbers:
                identity = struct.pack(">q", number)
                size = int(chance.lognormal(np.log(WORDS), 0.6)) + 30
                # As those of texts that have nothing in common are, and not in their order.
                shingles = chance.bytes(4 * size)
                bands = _array(chance.integers(-(2**31), 2**31, BANDS, dtype=np.int32))
                stories.write(_row(identity))
                key = chance.bytes(16)
                texts.write(_row(identity, identity, key, shingles, bands, sites, seen, seen))
            for file, target in ((stories, COPY[1]), (texts, COPY[2])):
                file.write(_TRAILER)
                file.seek(0)
                table, _, columns = target.partition(" ")
                cursor.copy_expert(COPY[0].format(table=table, columns=columns[1:-1]), file)
        for table in ("stories", "story_texts"):
            connection.execute(text(f"SELECT setval('{table}_id_seq', {last})"))
        connection.execute(
            text(
                "CREATE INDEX ix_story_texts_bands ON story_texts USING gin (bands)"
                " WITH (fastupdate = off)"
            )
        )
    with database.statement_by_statement() as connection:
        connection.execute(text("VACUUM ANALYZE story_texts"))


def arrivals(database: Database, number: int, chance: random.Random) -> Iterator[Arrival]:
    """Yield articles of stored pages, every other one a version of one before it."""
    letters = "bcdfghklmnprstv", "aeiou"
    words = [
        "".join(chance.choice(letters[at % 2]) for at in range(chance.randint(3, 9)))
        for _ in range(20_000)
    ]
    with database.transaction() as session:
        site = Site(key=f"s{chance.random()}.example")
        session.add(site)
        session.flush()
        pages = [
            StoredPage(
                site_id=site.id,
                url=f"https://{site.key}/{each}",
                url_digest=str(each),
                content_digest="-",
            )
            for each in range(number)
        ]
        session.add_all(pages)
        session.flush()
        found = [(page.id, page.url, site.id, site.key) for page in pages]
    said: list[list[str]] = []
    for place, (page_id, url, site_id, key) in enumerate(found):
        if place % 2:
            own = chance.choice(said)
            cut = chance.randrange(len(own) // 4)
            own = own[cut:] if chance.random() < 0.5 else own[: len(own) - cut]
        else:
            own = chance.choices(words, k=WORDS)
            said.append(own)
        yield Arrival(page_id, site_id, key, url, " ".join(own), NOON, NOON, None)


def measure(database: Database, chance: random.Random) -> npt.NDArray[np.float64]:
    """Return how long each article took, in ms."""
    taken = []
    for arrival in arrivals(database, ARTICLES, chance):
        began = time.perf_counter()
        database.run(lambda session: tell_stories(session, [arrival], WINDOW))  # noqa: B023
        taken.append(1000 * (time.perf_counter() - began))
    return np.array(taken)


def signatures(chance: random.Random) -> float:
    """Return how many articles a second of processor time gives fingerprint and bands of."""
    words = ["".join(chance.choices("abcdefghijklmnop", k=6)) for _ in range(20_000)]
    texts = [" ".join(chance.choices(words, k=WORDS)) for _ in range(2_000)]
    began = time.process_time()
    for each in texts:
        _ = fingerprint_of(each).bands
    return len(texts) / (time.process_time() - began)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, nargs="+", default=list(SIZES))
    options = parser.parse_args()
    chance = random.Random(1)
    print(f"{signatures(chance):,.0f} signatures a second of processor time\n")
    print("| texts in the window | median | mean | 95th percentile | table and indexes |")
    print("|---:|---:|---:|---:|---:|")
    with running_services() as services, temporary_database(services) as url:
        database = Database(url)
        migrate(database)
        before = 0
        for size in options.texts:
            fill(database, before, size, np.random.default_rng(size))
            before = size + 10 * ARTICLES
            measure(database, random.Random(size))
            taken = measure(database, chance)
            with database.transaction() as session:
                held = session.scalar(text("SELECT pg_total_relation_size('story_texts')"))
            print(
                f"| {size:,} | {np.median(taken):.2f} ms | {taken.mean():.2f} ms"
                f" | {np.percentile(taken, 95):.2f} ms | {held / 1e6:,.0f} MB |",
                flush=True,
            )
        database.dispose()


if __name__ == "__main__":
    main()

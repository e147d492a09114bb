"""Time needed to find an article's story: ``python -m benchmarks.stories.window [--texts N…]``.

The window is filled with generated texts of random shingles, which no article repeats. Articles
then arrive one by one; half of them are versions of earlier articles. Finally, a thousand
near-copies of a text arrive. The last of them was received before the others, so the story gets a
new first article, which affects all other copies. The script prints how long it takes to look up an
article's provisional story and to group the article, and for how long the grouping holds the story
lock.
"""

import argparse
import io
import random
import struct
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import event, text
from sqlalchemy.orm import Session

from detourage.duplicates.fingerprint import BANDS, fingerprint_of
from models.tables import Site, StoredPage
from tests.services import running_services, temporary_database
from worker.store.database import Database
from worker.store.schema import migrate
from worker.store.story_arrivals import Arrival
from worker.workflow.story_index import (
    await_grouping,
    group_page,
    provisional_stories,
    retell_some,
)

SIZES = (10_000, 100_000, 1_000_000)
ARTICLES = 400
"""Number of articles that arrive at each window size."""

COPIES = 1000
"""Number of near-copies of a text that arrive at the end."""

WORDS = 450
"""Number of words per article (the mean in daniel and fundus_body)."""

BATCH = 20_000
WINDOW = timedelta(days=7)
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)

COPY = (
    "COPY {table} ({columns}) FROM STDIN WITH (FORMAT binary)",
    "stories (id)",
    "story_texts (id, story_id, key, shingles, bands, sites, seen_from, seen_to, received_at)",
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
    """Store generated texts, one per story."""
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
                # Random like the shingles of unrelated texts, but unsorted.
                shingles = chance.bytes(4 * size)
                bands = _array(chance.integers(-(2**31), 2**31, BANDS, dtype=np.int32))
                stories.write(_row(identity))
                key = chance.bytes(16)
                texts.write(_row(identity, identity, key, shingles, bands, sites, seen, seen, seen))
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


def arrivals(
    database: Database, number: int, chance: random.Random, sites: int = 1
) -> Iterator[Arrival]:
    """Store pages and yield an article for each; every other one is a version of an earlier one."""
    letters = "bcdfghklmnprstv", "aeiou"
    words = [
        "".join(chance.choice(letters[at % 2]) for at in range(chance.randint(3, 9)))
        for _ in range(20_000)
    ]
    with database.transaction() as session:
        of_pages = [Site(key=f"s{chance.random()}.example") for _ in range(sites)]
        session.add_all(of_pages)
        session.flush()
        pages = [
            StoredPage(
                site_id=of_pages[each % sites].id,
                url=f"https://{of_pages[each % sites].key}/{each}",
                url_digest=str(each),
                content_digest="-",
            )
            for each in range(number)
        ]
        session.add_all(pages)
        session.flush()
        key_of = {site.id: site.key for site in of_pages}
        found = [(page.id, page.url, page.site_id, key_of[page.site_id]) for page in pages]
    said: list[list[str]] = []
    for place, (page_id, url, site_id, key) in enumerate(found):
        if place % 2:
            own = chance.choice(said)
            cut = chance.randrange(len(own) // 4)
            own = own[cut:] if chance.random() < 0.5 else own[: len(own) - cut]
        else:
            own = chance.choices(words, k=WORDS)
            said.append(own)
        text = fingerprint_of(" ".join(own))
        yield Arrival(page_id, site_id, key, url, text, NOON, NOON, NOON, None)


class LockTimes:
    """Wall-clock and CPU times, in ms, for which transactions hold the story lock."""

    def __init__(self, database: Database) -> None:
        self.times: list[float] = []
        self.worked: list[float] = []
        self._began: tuple[float, float] | None = None
        self._server = 0
        event.listen(database.engine, "before_cursor_execute", self._execute)
        # The server has released the lock before the connection returns to the pool.
        event.listen(database.engine, "checkin", self._release)

    def clear(self) -> None:
        """Reset the measurements."""
        self.times, self.worked = [], []

    def _work(self) -> float:
        """Return the CPU time of this process and its server process."""
        of_server = Path(f"/proc/{self._server}/schedstat").read_text(encoding="ascii").split()[0]
        return time.process_time() + int(of_server) / 1e9

    def _execute(self, _connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        if "pg_advisory_xact_lock" in statement:
            self._server = cursor.connection.info.backend_pid
            self._began = time.perf_counter(), self._work()

    def _release(self, *_: Any) -> None:
        if self._began is not None:
            began, work = self._began
            self.times.append(1000 * (time.perf_counter() - began))
            self.worked.append(1000 * (self._work() - work))
            self._began = None


@dataclass(frozen=True)
class Measured:
    """Times, in ms, for finding provisional stories, grouping articles and holding the lock.

    `worked` is the CPU time spent while holding the lock; unlike the other times, it does not
    depend on other load.
    """

    said: list[float]
    told: list[float]
    held: list[float]
    worked: list[float]


def measure(database: Database, held: LockTimes, coming: Iterable[Arrival]) -> Measured:
    """Group articles into stories one by one, and return how long it took."""
    held.clear()
    found = Measured([], [], held.times, held.worked)
    for arrival in coming:
        began = time.perf_counter()
        database.run(lambda session: _arrive(session, arrival))  # noqa: B023
        said = time.perf_counter()
        group_page(database, arrival.page_id, WINDOW)
        while retell_some(database):
            pass
        found.said.append(1000 * (said - began))
        found.told.append(1000 * (time.perf_counter() - said))
    return found


def _arrive(session: Session, arrival: Arrival) -> None:
    await_grouping(session, provisional_stories(session, [arrival], WINDOW).values(), {})


def copies(database: Database, number: int, chance: random.Random) -> Iterator[Arrival]:
    """Yield near-copies of a text; the last copy was received before all other copies."""
    words = ["".join(chance.choices("bcdfghklm", k=7)) for _ in range(WORDS)]
    for place, page in enumerate(arrivals(database, number, chance, number)):
        own = list(words)
        for _ in range(5):
            own[chance.randrange(WORDS)] = "".join(chance.choices("nprstvaeiou", k=7))
        at = NOON + timedelta(minutes=place) if place < number - 1 else NOON - timedelta(hours=1)
        text = fingerprint_of(" ".join(own))
        yield replace(page, fingerprint=text, fetched_at=at, seen_at=at, received_at=at)


def row(name: str, measured: Measured) -> str:
    """Return a row of the table."""
    columns = []
    for times in (measured.said, measured.told, measured.held, measured.worked):
        columns += [f"{np.median(times):.1f}", f"{np.percentile(times, 99):.1f}"]
    return f"| {name} | {' | '.join(columns)} | {max(measured.worked):.1f} |"


def signatures(chance: random.Random) -> float:
    """Return for how many articles per CPU second fingerprints and bands can be computed."""
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
    print(f"{signatures(chance):,.0f} signatures per second of CPU time\n")
    of_lock = "lock held | 99 % | CPU time while held | 99 % | maximum"
    print(f"| texts in the window | lookup | 99 % | grouping | 99 % | {of_lock} |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    with running_services() as services, temporary_database(services) as url:
        database = Database(url)
        migrate(database)
        held = LockTimes(database)
        before = 0
        for size in options.texts:
            fill(database, before, size, np.random.default_rng(size))
            before = size + 10 * ARTICLES
            measure(database, held, arrivals(database, ARTICLES, random.Random(size)))
            taken = measure(database, held, arrivals(database, ARTICLES, chance))
            print(row(f"{size:,}", taken), flush=True)
        taken = measure(database, held, copies(database, COPIES, chance))
        print(row(f"{size:,}, and a story of {COPIES:,} near-copies", taken), flush=True)
        database.dispose()


if __name__ == "__main__":
    main()

"""Size and time per page, with its HTML in PostgreSQL, in a folder, or on a local S3 server.

python -m benchmarks.operations.page_objects CORPUS [PAGES]

Pages are stored by the intake's transaction, eight at a time, and their HTML is read one by one, as
by a task that extracts a single page; times are medians. The script has its own PostgreSQL server,
so the write-ahead log contains nothing else.
"""

import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from sqlalchemy import Engine, create_engine, select, text

from benchmarks.documents import table
from benchmarks.operations.throughput import page_messages
from detourage.messages import PageMessage
from models.tables import PageContent
from tests.object_stores import Folder, S3Server, StoreOfTest
from worker.local.embedded import embedded_services
from worker.store import pages
from worker.store.database import Database
from worker.store.pages import FetchedPage, ParsedPage
from worker.store.schema import migrate
from worker.workflow.parsing import parse_or_reject, store_pages

BATCH = 8
"""Number of pages per transaction, as in `worker.service.intake.PREFETCH`."""

Pages = list[tuple[FetchedPage, ParsedPage]]


def main(corpus: Path, number: int) -> None:
    """Store and read the pages in each kind of storage, and print sizes and times per page."""
    fetched = [
        FetchedPage.of(PageMessage.model_validate_json(body))
        for body in page_messages(corpus)[:number]
    ]
    read = [(each, parse_or_reject(each.content, each.url, each.content_type)) for each in fetched]
    rows = []
    for name, kind in [("PostgreSQL", None), ("folder", Folder), ("S3 server", S3Server)]:
        with tempfile.TemporaryDirectory() as home, embedded_services() as services:
            if kind is None:
                rows.append([name, *_measured(services.database_url, read, "")])
                continue
            with kind(Path(home)) as store:
                os.environ.update(store.environment)
                rows.append([name, *_measured(services.database_url, read, store.url, store)])
    columns = ["HTML in", "database, kB:", "WAL, kB:", "objects, kB:", "store, ms:", "read, ms:"]
    print("\n".join(table(columns, rows)))


def _measured(url: str, read: Pages, store_url: str, store: StoreOfTest | None = None) -> list[str]:
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with Database(url) as database:
        migrate(database)
        before = _sizes(engine)
        stored, loaded = [], []
        for start in range(0, len(read), BATCH):
            began = time.perf_counter()
            with database.transaction() as session:
                store_pages(session, read[start : start + BATCH], store_url)
            stored.append((time.perf_counter() - began) / BATCH)
        after = _sizes(engine)
        with database.transaction() as session:
            ids = session.scalars(select(PageContent.page_id)).all()
        for page_id in ids:
            began = time.perf_counter()
            with database.transaction() as session:
                pages.load_contents(session, [page_id])
            loaded.append(time.perf_counter() - began)
    engine.dispose()
    written = sum(map(len, store.objects().values())) if store is not None else 0
    sizes = [after[0] - before[0], after[1] - before[1], written]
    return [
        *(f"{size / len(read) / 1000:.1f}" for size in sizes),
        *(f"{1000 * median(seconds):.1f}" for seconds in (stored, loaded)),
    ]


def _sizes(engine: Engine) -> tuple[int, int]:
    """Return the size of the database, and the position in the write-ahead log, in bytes."""
    query = "SELECT pg_database_size(current_database()), pg_current_wal_lsn() - '0/0'::pg_lsn"
    with engine.connect() as connection:
        size, position = connection.execute(text(query)).one()
    return int(size), int(position)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 250)

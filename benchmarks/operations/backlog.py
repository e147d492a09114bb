"""A long queue of pages: what waits where, and what memory the processes take.

python -m benchmarks.operations.backlog [PAGES] [MINUTES]
"""

import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from sqlalchemy import func, select

from models.tables import OutboxEntry, StoredPage
from tests.faults.documents import table
from tests.faults.memory import COLUMNS, MemoryLog
from tests.faults.proving_ground import ProvingGround, Servers
from tests.faults.scenarios import site_pages
from worker.messaging.broker import queue_depths
from worker.store.pages import is_pending

SITES = 50
LOOK_EVERY_SECONDS = 5.0


def main(pages: int, minutes: float) -> None:
    """Measure and print."""
    home = Path(tempfile.mkdtemp(prefix="detourage-backlog-"))
    most: Counter[str] = Counter()
    with Servers(home) as servers, ProvingGround(servers, home) as ground:
        memory = MemoryLog(servers)
        sent: Counter[str] = Counter()
        publisher = threading.Thread(target=_publish, args=[ground, pages, sent], daemon=True)
        publisher.start()
        began = time.monotonic()
        while time.monotonic() - began < 60 * minutes:
            waiting = {**queue_depths(ground.settings), **_stored(ground)}
            most |= Counter(
                {name.removeprefix(ground.settings.queue_prefix): n for name, n in waiting.items()}
            )
            memory.note(
                (kind, process) for kind, found in ground.processes().items() for process in found
            )
            ground.take_articles()
            if not publisher.is_alive() and not any(waiting.values()):
                break
            time.sleep(LOOK_EVERY_SECONDS)
        elapsed = time.monotonic() - began
        done = ground.count(
            select(func.count()).select_from(StoredPage).where(StoredPage.outcome.is_not(None))
        )
    print(f"After {elapsed:.0f} s {sent['pages']} of {pages} pages of {SITES} sites were sent,")
    print(f"and {done} had their outcome.\n")
    print("\n".join(table(("waiting", "at most:"), sorted(most.items()))), end="\n\n")
    print("\n".join(table(COLUMNS, memory.by_age())))


def _publish(ground: ProvingGround, pages: int, sent: Counter[str]) -> None:
    # The time may be over before all are sent.
    with suppress(OSError):
        for site in range(SITES):
            bodies = site_pages(f"backlog-{site}.example", pages // SITES)
            ground.publish(bodies.values())
            sent["pages"] += len(bodies)


def _stored(ground: ProvingGround) -> dict[str, int]:
    pending = select(func.count()).select_from(StoredPage).where(is_pending())
    outbox = select(func.count()).select_from(OutboxEntry)
    return {"pages without outcome": ground.count(pending), "outbox": ground.count(outbox)}


if __name__ == "__main__":
    numbers = sys.argv[1:]
    main(
        int(numbers[0]) if numbers else 100_000,
        float(numbers[1]) if len(numbers) > 1 else 60.0,
    )

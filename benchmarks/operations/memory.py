"""Memory of long-running processes over a few thousand real pages and small generated pages.

python -m benchmarks.operations.memory MINUTES CORPUS…
"""

import json
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from benchmarks.documents import table
from benchmarks.operations.process_memory import COLUMNS, MemoryLog
from benchmarks.operations.throughput import page_messages
from detourage.messages import PageMessage
from models.tables import StoredPage
from tests.faults.proving_ground import ProvingGround, Servers
from tests.faults.scenarios import site_pages
from worker.messaging.broker import messages_waiting

LOOK_EVERY_SECONDS = 5.0

WAITING = 50
"""Target length of the intake queue; the next page is sent when the queue is shorter."""


def main(minutes: float, corpora: list[Path]) -> None:
    """Run the service for some minutes, and print the memory of its processes by their age."""
    home = Path(tempfile.mkdtemp(prefix="detourage-memory-"))
    honest = home / "honest"
    honest.mkdir()
    outcomes = select(func.count()).select_from(StoredPage).where(StoredPage.outcome.is_not(None))
    with (
        Servers(home) as servers,
        ProvingGround(
            servers,
            home,
            customised=honest,
            settle_seconds=10,
        ) as ground,
    ):
        memory = MemoryLog(servers)
        publisher = threading.Thread(target=_publish, args=[ground, corpora], daemon=True)
        publisher.start()
        ends = time.monotonic() + 60 * minutes
        while time.monotonic() < ends:
            memory.note(
                (kind, process) for kind, found in ground.processes().items() for process in found
            )
            ground.take_articles()
            time.sleep(LOOK_EVERY_SECONDS)
        done = ground.count(outcomes)
    print(f"{done} pages had their outcome after {minutes:g} minutes.\n")
    print("\n".join(table(COLUMNS, memory.by_age())))


def _publish(ground: ProvingGround, corpora: list[Path]) -> None:
    real = [json.loads(body) for corpus in corpora for body in page_messages(corpus)]
    # The time may run out before all pages have been sent.
    with suppress(Exception):
        for body in _bodies(real):
            while messages_waiting(ground.settings, ground.topology.pages) > WAITING:
                time.sleep(1)
            ground.publish([body])


def _bodies(real: list[Mapping[str, Any]]) -> Iterator[bytes]:
    """Yield real pages and half as many small ones, repeatedly, each time as pages of new sites.

    Each repetition changes the trees, because results for known trees would not be computed again.
    """
    for turn in count(1):
        # The number of the repetition in binary, with `b` elements for 0 and `i` elements for 1.
        mark = "".join(f"<{'bi'[int(bit)]}>-</{'bi'[int(bit)]}>" for bit in f"{turn:08b}")
        for number, values in enumerate(real):
            content = PageMessage.model_validate(values).content
            html = content if isinstance(content, str) else content.decode("utf-8", "replace")
            yield json.dumps(
                {
                    "version": 1,
                    "url": f"{values['url']}#{turn}",
                    "site": f"turn-{turn}",
                    "html": html.replace("</body>", f"{mark}</body>"),
                }
            ).encode()
            if number % 2:
                host = f"small-{turn}-{number // 60}.example"
                yield from site_pages(host, 1, first=number).values()


if __name__ == "__main__":
    main(float(sys.argv[1]), [Path(argument) for argument in sys.argv[2:]])

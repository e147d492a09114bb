"""Time limits of tasks on an overloaded host."""

import json
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
from sqlalchemy import select

from models.tables import StoredPage
from tests.deployment import Deployment, own_settings, remove_queues
from tests.pages import article_html
from tests.services import Services

PAGE_SECONDS = 5.0
RUN_SECONDS, PAUSE_SECONDS = 0.01, 0.3
THROTTLED_SECONDS = 2 * PAGE_SECONDS
"""Duration of the throttling, in seconds. After it, even a busy machine soon extracts the page."""

PARAGRAPHS = 4_000


def long_page(seed: int) -> bytes:
    """Return the message of a page whose extraction takes a few tenths of a second of CPU time."""
    text = "<p>On Tuesday the council met again, to decide about the old bridge and its cost.</p>"
    html = article_html(seed).replace("</p>", "</p>" + text * PARAGRAPHS, 1)
    url = f"https://slow.example/{seed}"
    return json.dumps({"version": 1, "url": url, "html": html, "id": str(seed)}).encode()


class Throttled:
    """Context in which processes get only a fraction of a CPU, as they do on an overloaded host."""

    def __init__(self, processes: Callable[[], list[psutil.Process]]) -> None:
        self._processes = processes
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._throttle)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _throttle(self) -> None:
        ends = time.monotonic() + THROTTLED_SECONDS
        while not self._ended.is_set() and time.monotonic() < ends:
            # Continue only processes that were stopped here.
            stopped = self._processes()
            try:
                _send(stopped, signal.SIGSTOP)
                self._ended.wait(PAUSE_SECONDS)
            finally:
                _send(stopped, signal.SIGCONT)
            time.sleep(RUN_SECONDS)


def _send(processes: list[psutil.Process], number: int) -> None:
    for process in processes:
        with suppress(psutil.Error):
            process.send_signal(number)


def test_limits_count_cpu_time_so_a_slow_host_does_not_fail_good_pages(
    services: Services, database_url: str, tmp_path: Path
) -> None:
    settings = own_settings(services, database_url, tmp_path).model_copy(
        update={"page_seconds": PAGE_SECONDS}
    )
    with Deployment(settings, tmp_path) as deployment:

        def outcomes() -> list[str | None]:
            with deployment.database.transaction() as session:
                return list(session.scalars(select(StoredPage.outcome)))

        def publish_and_wait(seeds: range) -> float:
            began = time.monotonic()
            deployment.publish(map(long_page, seeds))
            deployment.wait_until(lambda: outcomes().count("article") == seeds.stop)
            return time.monotonic() - began

        # The first pages are slow, because the processes are still importing modules.
        publish_and_wait(range(8))
        with Throttled(lambda: deployment.children("worker")):
            seconds = publish_and_wait(range(8, 9))
        assert seconds > PAGE_SECONDS
        assert outcomes() == ["article"] * 9
        deployment.check()
    remove_queues(settings)

"""Time limits of tasks on an overloaded host."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
from sqlalchemy import select

from models.tables import StoredPage
from tests.deployment import Deployment, own_queues, own_settings
from tests.pages import article_html, message
from tests.services import Services

PAGE_SECONDS = 3.0  # time limit for a page
RUN_SECONDS, PAUSE_SECONDS = 0.002, 0.3
"""Times for which a throttled process alternately runs and is suspended."""
THROTTLED_SECONDS = 2 * PAGE_SECONDS
"""Duration of the throttling. After it, even a busy machine soon extracts the page."""

PARAGRAPHS = 4_000


def long_page(seed: int) -> bytes:
    """Return the message of a page whose extraction takes a few tenths of a second of CPU time."""
    text = "<p>On Tuesday the council met again, to decide about the old bridge and its cost.</p>"
    html = article_html(seed).replace("</p>", "</p>" + text * PARAGRAPHS, 1)
    return message(f"https://slow.example/{seed}", html)


@contextmanager
def throttled(processes: list[psutil.Process]) -> Iterator[None]:
    """Let processes use only a small fraction of a CPU for a while, as on an overloaded host."""

    def throttle() -> None:
        deadline = time.monotonic() + THROTTLED_SECONDS
        while not is_over.is_set() and time.monotonic() < deadline:
            for act in (psutil.Process.suspend, psutil.Process.resume):
                for process in processes:
                    with suppress(psutil.NoSuchProcess):
                        act(process)
                is_over.wait(PAUSE_SECONDS if act is psutil.Process.suspend else RUN_SECONDS)

    is_over = threading.Event()
    thread = threading.Thread(target=throttle)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def test_limits_count_cpu_time_so_a_slow_host_does_not_fail_good_pages(
    services: Services, database_url: str, tmp_path: Path
) -> None:
    settings = own_settings(services, database_url, tmp_path).model_copy(
        update={"page_seconds": PAGE_SECONDS}
    )
    with own_queues(settings), Deployment(settings, tmp_path) as deployment:

        def outcomes() -> list[str | None]:
            with deployment.database.transaction() as session:
                return list(session.scalars(select(StoredPage.outcome)))

        def publish_and_wait(seeds: range) -> float:
            began = time.monotonic()
            deployment.publish(map(long_page, seeds))
            deployment.wait_until(lambda: outcomes().count("article") == seeds.stop)
            return time.monotonic() - began

        publish_and_wait(range(3))
        with throttled(deployment.children("worker")):
            seconds = publish_and_wait(range(3, 4))
        assert seconds > PAGE_SECONDS
        assert outcomes() == ["article"] * 4
        deployment.check()

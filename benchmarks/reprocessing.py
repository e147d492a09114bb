"""Reprocess a large site while new pages arrive and all processes are stopped halfway.

    python -m benchmarks.reprocessing [PAGES] [NEW]

Like the tests, the script needs PostgreSQL and RabbitMQ. It uses its own database and queues.
"""

import secrets
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from models.tables import StoredPage
from tests.deployment import Deployment, remove_queues
from tests.pages import article_html, message
from tests.services import running_services, temporary_database
from worker.messaging.task_names import REPROCESS
from worker.service.celery_application import create_app
from worker.settings import Settings
from worker.store.database import Database
from worker.store.schema import migrate

SITE = "large.example"
DEFAULT_PAGES, DEFAULT_NEW_PAGES = 1000, 100  # to reprocess, and to send meanwhile
MAX_WAIT_SECONDS = 3600.0  # time limit of each step


def page_messages(first: int, number: int) -> list[bytes]:
    """Return messages of pages with three to six paragraphs, numbered from `first`."""
    return [
        message(f"https://{SITE}/{seed}", article_html(seed, number=3 + seed % 4))
        for seed in range(first, first + number)
    ]


def count_at_revision(deployment: Deployment, revision: int) -> int:
    """Return how many stored pages have at least this revision."""
    return deployment.count(
        select(func.count()).select_from(StoredPage).where(StoredPage.revision >= revision)
    )


def measure(settings: Settings, logs: Path, pages: int, new_pages: int) -> None:
    """Store `pages`, reprocess them while new ones arrive, restart halfway, and print counts."""
    with Deployment(settings, logs) as deployment:
        deployment.patience_seconds = MAX_WAIT_SECONDS
        deployment.publish(page_messages(0, pages))
        deployment.wait_until(lambda: count_at_revision(deployment, 1) == pages)
        deployment.wait_for_outcomes()
        articles_before = deployment.take_articles()
        began = time.monotonic()
        arguments = {"site": SITE, "stage": "parse"}
        create_app(settings).send_task(REPROCESS, kwargs=arguments)
        deployment.publish(page_messages(pages, new_pages // 2))
        deployment.wait_until(lambda: count_at_revision(deployment, 2) >= pages // 3)
        interrupted_at = count_at_revision(deployment, 2)
    with Deployment(settings, logs) as deployment:
        deployment.patience_seconds = MAX_WAIT_SECONDS
        deployment.publish(page_messages(pages + new_pages // 2, new_pages - new_pages // 2))
        deployment.wait_until(lambda: count_at_revision(deployment, 2) == pages)
        deployment.wait_until(lambda: count_at_revision(deployment, 1) == pages + new_pages)
        deployment.wait_for_outcomes()
        seconds = time.monotonic() - began
        print_counts(articles_before, deployment.take_articles(), deployment.revisions(SITE), pages)
    print(f"interrupted at {interrupted_at} pages; {seconds:.0f} s in all")


def print_counts(
    before: list[dict[str, Any]], after: list[dict[str, Any]], revisions: dict[str, int], pages: int
) -> None:
    """Print how many articles were sent, sent twice, missing or given a wrong revision."""
    urls_after = {article["url"] for article in after}
    ids_after = {article["id"] for article in after}
    ids_before = {article["id"] for article in before}
    print(f"pages {len(revisions)}, revisions {dict(Counter(revisions.values()))}")
    repeats = len(after) - len(ids_after)
    print(f"articles before {len(before)}, after {len(after)}, repeats among these {repeats}")
    print(f"pages without an article: {len(set(revisions) - urls_after)}")
    print(f"IDs already received before: {len(ids_before & ids_after)}")
    urls_before = {article["url"] for article in before}
    expected = {each["url"]: 2 if each["url"] in urls_before else 1 for each in after}
    wrong = [each for each in after if each["revision"] != expected[each["url"]]]
    print(f"old pages {len(urls_before)} of {pages}, wrong revisions {len(wrong)}")


def main() -> None:
    """Run the measurement with the numbers of pages on the command line, or the defaults."""
    numbers = [int(each) for each in sys.argv[1:]]
    pages, new_pages = (*numbers, *(DEFAULT_PAGES, DEFAULT_NEW_PAGES)[len(numbers) :])
    with (
        running_services() as services,
        temporary_database(services) as url,
        tempfile.TemporaryDirectory() as folder,
    ):
        database = Database(url)
        migrate(database)
        database.dispose()
        settings = Settings.model_validate(
            {
                "database_url": url,
                "broker_url": services.broker_url,
                "queue_prefix": f"bench-{secrets.token_hex(4)}.",
                "settle_seconds": 3,
                "heartbeat_directory": Path(folder, "heartbeats"),
            }
        )
        try:
            measure(settings, Path(folder), pages, new_pages)
        finally:
            remove_queues(settings)


if __name__ == "__main__":
    main()

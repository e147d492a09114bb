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
from worker.service.application import create_app
from worker.settings import Settings
from worker.store.database import Database
from worker.store.schema import migrate

SITE = "large.example"
PAGES, NEW = 1000, 100
PATIENCE_SECONDS = 3600.0


def bodies(first: int, number: int) -> list[bytes]:
    """Return page messages of a site whose pages have a few different structures."""
    return [
        message(f"https://{SITE}/{seed}", article_html(seed, number=3 + seed % 4))
        for seed in range(first, first + number)
    ]


def outcomes(deployment: Deployment, revision: int) -> int:
    """Return how many pages have reached a revision."""
    return deployment.count(
        select(func.count()).select_from(StoredPage).where(StoredPage.revision >= revision)
    )


def measure(settings: Settings, logs: Path, pages: int, new: int) -> None:
    """Run the measurement and print the result."""
    with Deployment(settings, logs) as deployment:
        deployment.patience_seconds = PATIENCE_SECONDS
        deployment.publish(bodies(0, pages))
        deployment.wait_until(lambda: outcomes(deployment, 1) == pages)
        deployment.wait_for_outcomes()
        first = deployment.take_articles()
        began = time.monotonic()
        arguments = {"site": SITE, "stage": "parse"}
        create_app(settings).send_task(REPROCESS, kwargs=arguments)
        deployment.publish(bodies(pages, new // 2))
        deployment.wait_until(lambda: outcomes(deployment, 2) >= pages // 3)
        interrupted_at = outcomes(deployment, 2)
    with Deployment(settings, logs) as deployment:
        deployment.patience_seconds = PATIENCE_SECONDS
        deployment.publish(bodies(pages + new // 2, new - new // 2))
        deployment.wait_until(lambda: outcomes(deployment, 2) == pages)
        deployment.wait_until(lambda: outcomes(deployment, 1) == pages + new)
        deployment.wait_for_outcomes()
        seconds = time.monotonic() - began
        report(first, deployment.take_articles(), deployment.revisions(SITE), pages)
    print(f"interrupted at {interrupted_at} pages; {seconds:.0f} s in all")


def report(
    first: list[dict[str, Any]],
    second: list[dict[str, Any]],
    revisions: dict[str, int],
    pages: int,
) -> None:
    """Print the counts."""
    sent = Counter(article["url"] for article in second)
    repeats = len(second) - len({article["id"] for article in second})
    known = {article["id"] for article in first}
    print(f"pages {len(revisions)}, revisions {dict(Counter(revisions.values()))}")
    print(f"articles before {len(first)}, after {len(second)}, repeats among these {repeats}")
    print(f"pages without an article: {len(set(revisions) - set(sent))}")
    print(f"IDs already received before: {len(known & {article['id'] for article in second})}")
    old = {article["url"] for article in first}
    wrong = [a["url"] for a in second if a["revision"] != (2 if a["url"] in old else 1)]
    print(f"old pages {len(old)} of {pages}, wrong revisions {len(wrong)}")


def main() -> None:
    """Run the measurement with the given numbers of pages."""
    given = [int(each) for each in sys.argv[1:]]
    pages, new = (*given, *(PAGES, NEW)[len(given) :])
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
            measure(settings, Path(folder), pages, new)
        finally:
            remove_queues(settings)


if __name__ == "__main__":
    main()

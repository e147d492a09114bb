"""Processes of an earlier version keep running after a migration, alongside current ones.

The earlier versions are taken from the Git history, which must be complete.
"""

import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import func, select

from models.tables import ClusteringAttempt, StoredPage
from tests.deployment import (
    PROCESSES,
    Deployment,
    own_settings,
    process_command,
    process_environment,
    remove_queues,
)
from tests.faults.scenarios import site_pages
from tests.services import Services, temporary_database
from worker.messaging.task_names import CORRECT_STORIES, JOIN_PARTS, STORE_FEEDBACK
from worker.processes.heartbeat import Heartbeat
from worker.processes.supervisor import Supervisor
from worker.settings import Settings
from worker.store.migrations import migrate

REPOSITORY = Path(__file__).parents[2]

BEFORE_ADDRESSES = ("c85fa7f", "0018")
BEFORE_THE_MARK = ("05eb5d3", "0024")
"""Commit and schema version of a release that does not mark its connections."""

PAGES = 30
"""Number of pages per site."""

SENT_BESIDE = 3
"""Number of times that each page is sent while both versions are running."""

SECONDS_BESIDE = 15.0
"""Time for which both versions continue to run together, in seconds; it covers several of beat's
intervals.
"""


@contextmanager
def earlier_processes(commit: str, settings: Settings, home: Path) -> Iterator[Path]:
    """Run the processes of an earlier commit; yield the directory of their heartbeats."""
    beats = home / "earlier-heartbeats"
    tree = home / "earlier"
    tree.mkdir()
    archive = subprocess.run(
        ["git", "-C", REPOSITORY, "archive", commit], stdout=subprocess.PIPE, check=False
    )
    assert archive.returncode == 0, f"commit {commit} not found: git fetch --unshallow"
    subprocess.run(["tar", "--extract", "--directory", tree], input=archive.stdout, check=True)
    environment = {
        **process_environment(settings),
        "PYTHONPATH": str(tree),
        "DETOURAGE_HEARTBEAT_DIRECTORY": str(beats),
    }
    with Supervisor() as supervisor:
        for kind in PROCESSES:
            supervisor.start(
                kind,
                process_command(f"{kind}-earlier", home),
                log=home / f"{kind}-earlier.log",
                env=environment,
                cwd=tree,
            )
        yield beats


@pytest.mark.parametrize(
    ("commit", "revision"), [BEFORE_ADDRESSES, BEFORE_THE_MARK], ids=["0018", "0024"]
)
def test_pages_in_progress_survive_two_versions_running_side_by_side(
    services: Services, tmp_path: Path, commit: str, revision: str
) -> None:
    sites = [site_pages(f"{name}.example", PAGES) for name in ("before", "between", "beside")]
    pages = {url: body for site in sites for url, body in site.items()}
    with temporary_database(services) as url, ExitStack() as stack:
        settings = own_settings(services, url, tmp_path / "heartbeats").model_copy(
            # Unfinished work of terminated processes is requested again after 15 s.
            update={"comparison_patience_seconds": 15, "extraction_patience_seconds": 15}
        )
        watcher = stack.enter_context(Deployment(settings, tmp_path, processes=[]))
        migrate(watcher.database, revision)
        stack.callback(remove_queues, settings)
        with ExitStack() as earlier:
            beats = earlier.enter_context(earlier_processes(commit, settings, tmp_path))
            watcher.wait_until(lambda: all(Heartbeat(beats, kind).is_alive() for kind in PROCESSES))
            watcher.publish(sites[0].values())
            watcher.wait_for_receipts(PAGES)
            watcher.wait_until(lambda: max(watcher.revisions("before.example").values()) > 0)
            watcher.publish(sites[1].values())
            migrate(watcher.database)
            stack.enter_context(Deployment(settings, tmp_path))
            # Each page is sent several times, so that both versions are likely to receive it.
            watcher.publish([*pages.values()] * SENT_BESIDE)
            watcher.wait_for_receipts(3 * PAGES)
            time.sleep(SECONDS_BESIDE)
        watcher.publish(pages.values())
        watcher.wait_for_receipts((SENT_BESIDE + 1) * len(pages) + 2 * PAGES)
        watcher.wait_for_outcomes()
        time.sleep(SECONDS_BESIDE)
        watcher.wait_for_outcomes()
        articles = watcher.take_articles()
        with watcher.database.transaction() as session:
            found = session.execute(
                select(StoredPage.url, StoredPage.outcome, StoredPage.revision)
            ).all()
            given_up = session.scalar(select(func.count()).select_from(ClusteringAttempt))
        assert Counter(row.outcome for row in found) == {"article": len(pages)}
        assert {row.url for row in found} == pages.keys()
        received = defaultdict(set)
        for each in articles:
            received[each["url"], each["revision"]].add(each["id"])
        assert set(received) == {
            (row.url, number + 1) for row in found for number in range(row.revision)
        }
        assert all(len(ids) == 1 for ids in received.values())
        assert given_up == 0
        left = {message.detail for message in watcher.quarantined()}
        # Beat sends these tasks repeatedly, but workers of the earlier version do not know them.
        unknown = {STORE_FEEDBACK} | ({JOIN_PARTS, CORRECT_STORIES} if revision < "0022" else set())
        assert left <= unknown

"""Clusterings that crash or raise an error, and sites that are no longer clustered."""

import pytest
from pydantic import SecretStr
from sqlalchemy import select

from models.tables import (
    ClusteringAttempt,
    ClusteringRequest,
    Generation,
    OutboxEntry,
    Site,
    StoredPage,
)
from tests.inline_tasks import Tasks
from tests.pages import article_html, article_pages
from tests.services import unused_ports
from worker.messaging import task_names
from worker.store import clusterings, pages
from worker.store.advisory_locks import AdvisoryLock
from worker.store.database import UnavailableError
from worker.store.progress import SiteStatus, site_statuses
from worker.tasks.base import OutOfMemoryError
from worker.tasks.cluster import cluster, cluster_due_sites
from worker.workflow import comparison_plan
from worker.workflow.process_state import process_state
from worker.workflow.retry_policy import CLUSTERING_ATTEMPTS

_BEGIN = clusterings.SQL.begin.bindparams(has_crashed=False)


@pytest.fixture
def site_id(tasks: Tasks) -> int:
    """ID of a site that was never clustered."""
    return tasks.publish("a", article_pages(range(4)))


def simulate_crashes(tasks: Tasks, site_id: int, *, times: int) -> None:
    """Record attempts to cluster a site, as if workers had been killed during them a day ago."""
    for _ in range(times):
        tasks.database.execute(_BEGIN, site_id=site_id, pauses_seconds=[])
    tasks.backdate(ClusteringAttempt.began_at, days=1)


@pytest.fixture
def quarantined_site(tasks: Tasks, site_id: int) -> int:
    """ID of a site that is no longer clustered, because too many of its clusterings crashed."""
    simulate_crashes(tasks, site_id, times=CLUSTERING_ATTEMPTS)
    cluster(site_id)
    tasks.run_all()
    return site_id


def status(tasks: Tasks) -> SiteStatus:
    (found,) = tasks.read(lambda session: site_statuses(session))
    return found


def due_sites(tasks: Tasks, settle_seconds: float | None = 0) -> list[int]:
    """Return the IDs of the sites whose clustering is requested."""
    cluster_due_sites(settle_seconds)
    return [each["site_id"] for each in tasks.take(task_names.CLUSTER)]


def test_a_killed_clustering_is_completed_by_the_next_delivery(tasks: Tasks, site_id: int) -> None:
    simulate_crashes(tasks, site_id, times=CLUSTERING_ATTEMPTS - 1)
    cluster(site_id)
    assert tasks.generations(site_id) == 1
    assert status(tasks).not_clustered_since is None
    assert tasks.query(select(ClusteringAttempt)) == []


def test_the_third_clustering_attempt_waits(tasks: Tasks, site_id: int) -> None:
    assert due_sites(tasks) == [site_id]
    for _ in range(2):
        assert tasks.database.execute(_BEGIN, site_id=site_id, pauses_seconds=[0, 60]) is not None
    assert due_sites(tasks) == []
    cluster(site_id)
    assert tasks.generations(site_id) == 0
    tasks.backdate(ClusteringAttempt.began_at, days=1)
    assert due_sites(tasks) == [site_id]
    cluster(site_id)
    assert tasks.generations(site_id) == 1


def test_a_site_with_a_queued_task_is_not_requested_again(tasks: Tasks, site_id: int) -> None:
    assert due_sites(tasks) == [site_id]
    assert due_sites(tasks) == []
    # As the request is a day old, its message counts as lost.
    tasks.backdate(ClusteringRequest.asked_at, days=1)
    assert due_sites(tasks) == [site_id]
    cluster(site_id)
    tasks.publish("a", [("7", article_html(7))])
    assert due_sites(tasks) == [site_id]
    with tasks.database.try_lock(AdvisoryLock.CLUSTERING, site_id):
        cluster(site_id)
    assert due_sites(tasks) == [site_id]


def test_a_silent_site_that_hardly_changed_is_clustered_later(tasks: Tasks) -> None:
    times = clusterings.SettleTimes(0, 0, longest=60, first_longest=60, growth=0.15)

    def is_due() -> bool:
        return bool(tasks.database.run(clusterings.due_sites, times, patience_seconds=60))

    tasks.cluster(tasks.publish("a", article_pages(range(10))))
    for seed, is_growth in ((10, False), (11, True)):
        site_id = tasks.publish("a", [(f"table/{seed}", article_html(seed, template="table"))])
        tasks.run_all()
        assert is_due() == is_growth
    tasks.cluster(site_id)
    # Pages that fit a group count less, and the site does not wait for them only.
    tasks.publish("a", article_pages(range(12, 18)))
    tasks.run_all()
    tasks.backdate(Generation.created_at, hours=1)
    assert not is_due()
    tasks.publish("a", article_pages([18]))
    assert is_due()


def test_while_the_broker_is_down_only_sites_that_have_waited_long_are_clustered(
    tasks: Tasks, site_id: int
) -> None:
    (port,) = unused_ports(1)
    tasks.restart(broker_url=SecretStr(f"amqp://guest@127.0.0.1:{port}//"), settle_seconds=60)
    assert due_sites(tasks, None) == []
    tasks.backdate(StoredPage.received_at, days=1)
    assert due_sites(tasks, None) == [site_id]


def test_a_clock_that_was_set_back_does_not_stop_clustering(tasks: Tasks, site_id: int) -> None:
    tasks.restart(settle_seconds=60)
    assert due_sites(tasks, None) == []
    tasks.backdate(Site.changed_at, hours=-1)
    tasks.backdate(StoredPage.received_at, hours=-1)
    assert due_sites(tasks, None) == [site_id]


def test_a_clustering_waits_for_neither_another_nor_the_intake(tasks: Tasks, site_id: int) -> None:
    with tasks.database.try_lock(AdvisoryLock.CLUSTERING, site_id):
        # Deliveries during a clustering do not count as attempts.
        for _ in range(2 * CLUSTERING_ATTEMPTS):
            cluster(site_id)
    cluster(site_id)
    assert tasks.generations(site_id) == 1
    tasks.publish("a", [("7", article_html(7))])
    with tasks.database.transaction() as session:
        # The intake may wait for pages that the clustering has locked.
        pages.lock_site(session, "a")
        cluster(site_id)
    assert tasks.generations(site_id) == 2


def test_a_site_whose_clustering_always_crashes_is_quarantined_and_its_pages_extracted(
    tasks: Tasks, quarantined_site: int
) -> None:
    assert [*tasks.outcomes().values()] == [("article", None)] * 4
    assert {role for _, role, _ in tasks.groups(quarantined_site).values()} == {"outlier"}
    assert due_sites(tasks) == []
    found = status(tasks)
    assert found.not_clustered_since is not None
    assert f"{CLUSTERING_ATTEMPTS} times" in (found.not_clustered_because or "")
    queue = process_state().topology.quarantines["cluster"]
    (headers,) = tasks.query(select(OutboxEntry.headers).where(OutboxEntry.routing_key == queue))
    assert headers["x-reason"] == "clustering-failed"
    assert found.not_clustered_because in headers["x-detail"]


def test_a_quarantined_site_keeps_its_groups(tasks: Tasks, site_id: int) -> None:
    tasks.process_site(site_id)
    groups = tasks.groups(site_id)
    tasks.publish("a", [("7", article_html(7))])
    simulate_crashes(tasks, site_id, times=CLUSTERING_ATTEMPTS)
    cluster(site_id)
    assert tasks.groups(site_id).items() >= groups.items()
    tasks.run_all()
    (number,) = {group for group, _, _ in groups.values()}
    assert tasks.groups(site_id)["https://news.example/7"][0] == number
    assert [*tasks.outcomes().values()] == [("article", None)] * 5


def test_the_quarantined_task_clusters_the_site_afresh(tasks: Tasks, quarantined_site: int) -> None:
    cluster(quarantined_site)
    assert tasks.generations(quarantined_site) == 1
    cluster(quarantined_site, afresh=True)
    tasks.run_all()
    roles = {role for _, role, _ in tasks.groups(quarantined_site).values()}
    assert roles == {"member", "representative"}
    assert status(tasks).not_clustered_since is None


@pytest.mark.parametrize("stage", ["parse", "compare", "cluster"])
def test_reprocessing_takes_a_site_out_of_quarantine(
    tasks: Tasks, quarantined_site: int, stage: task_names.ReprocessStage
) -> None:
    tasks.reprocess("a", stage)
    tasks.run_all()
    assert due_sites(tasks) == [quarantined_site]
    tasks.process_site(quarantined_site)
    assert tasks.query(select(Generation.method).order_by(Generation.number))[-1] != "none"
    assert status(tasks).not_clustered_since is None
    assert set(tasks.query(select(StoredPage.revision))) == {2}


@pytest.mark.parametrize(
    "error", [ValueError("two roots"), MemoryError("2 TiB"), UnavailableError("no memory")]
)
def test_a_quarantine_names_the_error_that_the_clustering_raised(
    tasks: Tasks, site_id: int, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    # The task raises another error instead of MemoryError, which would end the worker.
    raised = OutOfMemoryError if isinstance(error, MemoryError) else type(error)

    def defect(*_: object) -> None:
        raise error

    monkeypatch.setattr(comparison_plan, "ComparedSite", defect)
    monkeypatch.setattr("worker.store.database.TRANSACTION_RETRY_DELAYS", ())
    for _ in range(CLUSTERING_ATTEMPTS):
        with pytest.raises(raised, match=str(error)):
            cluster(site_id)
        tasks.backdate(ClusteringAttempt.began_at, days=1)
    cluster(site_id)
    assert f"{type(error).__name__}: {error}" in (status(tasks).not_clustered_because or "")

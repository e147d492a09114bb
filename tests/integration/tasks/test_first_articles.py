"""Pages of new sites get their first article soon, and pages of a burst get only one article."""

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from models.tables import Generation, OutboxEntry, Site, StoredPage
from tests.deployment import remove_queues
from tests.inline_tasks import Tasks
from tests.pages import article_html, message
from worker.messaging import task_names
from worker.messaging.publishing import publish_pages
from worker.store import clusterings, outbox, provisional
from worker.store.outbox import Places
from worker.tasks.cluster import cluster, cluster_due_sites
from worker.workflow import comparison_plan
from worker.workflow.attempts import CLUSTERING_ATTEMPTS
from worker.workflow.first_extractions import ALONE_SECONDS, request_first_extractions
from worker.workflow.process import process_state

PATIENCE = 300.0
LATE = PATIENCE + 1


def pages_of(*seeds: int) -> list[tuple[str, str]]:
    return [(str(seed), article_html(seed)) for seed in seeds]


def grow_older(tasks: Tasks, seconds: float = ALONE_SECONDS + 1) -> None:
    """Shift all timestamps into the past."""
    passed = timedelta(seconds=seconds)
    with tasks.database.transaction() as session:
        session.execute(
            update(StoredPage).values(
                received_at=StoredPage.received_at - passed,
                waiting_since=StoredPage.waiting_since - passed,
            )
        )
        session.execute(update(Site).values(changed_at=Site.changed_at - passed))
        session.execute(update(Generation).values(created_at=Generation.created_at - passed))


def look(tasks: Tasks) -> int:
    """Request the extraction of pages that must not wait any longer, as the intake does."""
    return tasks.read(lambda session: request_first_extractions(session, PATIENCE))


def revisions(tasks: Tasks) -> dict[str, int]:
    return dict(tasks.ask(select(StoredPage.url, StoredPage.revision).order_by(StoredPage.url)))


def due(tasks: Tasks, settle_seconds: float | None = None) -> list[int]:
    cluster_due_sites(settle_seconds=settle_seconds)
    return [each["site_id"] for each in tasks.take(task_names.CLUSTER)]


def test_the_only_page_of_a_site_is_extracted_after_some_seconds(tasks: Tasks) -> None:
    tasks.publish("a", pages_of(1))
    assert look(tasks) == 0
    grow_older(tasks)
    assert look(tasks) == 1
    assert look(tasks) == 0
    tasks.settle()
    (article,) = tasks.articles().values()
    assert article["revision"] == 1
    assert article["template"] == {"group": None, "generation": 1, "size": 1, "role": "outlier"}


def test_pages_of_a_burst_wait_for_their_clustering_and_give_one_article_each(tasks: Tasks) -> None:
    site_id = tasks.publish("a", pages_of(*range(6)))
    grow_older(tasks, 60)
    assert look(tasks) == 0
    tasks.group(site_id)
    tasks.settle()
    assert tasks.generations(site_id) == 1
    assert set(revisions(tasks).values()) == {1}


def test_pages_that_follow_the_first_page_of_a_site_wait_for_the_clustering(tasks: Tasks) -> None:
    site_id = tasks.publish("a", pages_of(0))
    grow_older(tasks)
    assert look(tasks) == 1
    tasks.settle()
    tasks.publish("a", pages_of(*range(1, 6)))
    grow_older(tasks)
    assert look(tasks) == 0
    tasks.settle()
    assert Counter(revisions(tasks).values()) == {1: 1, 0: 5}
    tasks.group(site_id)
    tasks.settle()
    assert set(revisions(tasks).values()) <= {1, 2}
    assert {role for _, role, _ in tasks.groups(site_id).values()} == {"member", "representative"}


def test_no_page_waits_longer_than_the_limit_for_its_first_article(tasks: Tasks) -> None:
    site_id = tasks.publish("a", pages_of(*range(6)))
    grow_older(tasks, LATE)
    assert look(tasks) == 6
    assert look(tasks) == 0
    tasks.settle()
    assert set(revisions(tasks).values()) == {1}
    tasks.publish("a", pages_of(6))
    grow_older(tasks, PATIENCE / 2)
    assert look(tasks) == 0
    grow_older(tasks, PATIENCE / 2)
    assert look(tasks) == 1
    tasks.settle()
    tasks.group(site_id)
    tasks.settle()
    assert len(tasks.articles()) == 7


def test_early_articles_do_not_change_the_final_state(tasks: Tasks) -> None:
    ends = []
    for site, is_early in ("a", False), ("b", True):
        site_id = tasks.publish(site, pages_of(*range(8)))
        if is_early:
            grow_older(tasks, LATE)
            assert look(tasks) == 8
            tasks.settle()
        tasks.group(site_id)
        tasks.settle()
        told = {
            url: (article["text"], article["title"], article["authors"])
            for url, article in tasks.articles().items()
        }
        ends.append((told, tasks.groups(site_id)))
    assert ends[0] == ends[1]


def test_the_extraction_after_clustering_replaces_a_pending_early_one(tasks: Tasks) -> None:
    site_id = tasks.publish("a", pages_of(*range(6)))
    grow_older(tasks, LATE)
    assert look(tasks) == 6
    tasks.group(site_id)
    assert tasks.ask(select(func.count()).where(OutboxEntry.task == task_names.EXTRACT)) == [6]
    tasks.settle()
    assert set(revisions(tasks).values()) == {1}


def test_without_a_limit_every_page_waits_for_its_clustering(tasks: Tasks) -> None:
    tasks.publish("a", pages_of(1))
    grow_older(tasks, 10 * LATE)
    assert tasks.read(lambda session: request_first_extractions(session, 0)) == 0


def test_a_page_that_is_being_stored_or_clustered_is_skipped(tasks: Tasks) -> None:
    site_id = tasks.publish("a", pages_of(1))
    grow_older(tasks)
    with tasks.database.transaction() as session:
        assert provisional.hold(session, [site_id]) == [site_id]
        assert look(tasks) == 0
    assert look(tasks) == 1


def test_a_site_with_one_page_needs_no_clustering(tasks: Tasks) -> None:
    site_id = tasks.publish("a", pages_of(1))
    assert due(tasks, settle_seconds=0) == []
    tasks.settle()
    assert set(revisions(tasks).values()) == {1}
    assert tasks.generations(site_id) == 1
    assert due(tasks, settle_seconds=0) == []
    tasks.publish("a", pages_of(2))
    tasks.settle()
    assert set(revisions(tasks).values()) == {1}
    assert due(tasks, settle_seconds=0) == [site_id]
    tasks.publish("a", pages_of(3, 4))
    tasks.group(site_id)
    tasks.settle()
    assert {role for _, role, _ in tasks.groups(site_id).values()} == {"member", "representative"}


def test_a_single_page_extracted_early_is_not_extracted_again_after_settling(tasks: Tasks) -> None:
    site_id = tasks.publish("a", pages_of(1))
    grow_older(tasks)
    assert look(tasks) == 1
    assert due(tasks, settle_seconds=0) == []
    assert tasks.run(task_names.EXTRACT) == 1
    assert due(tasks, settle_seconds=0) == []
    assert tasks.run(task_names.EXTRACT) == 0
    assert tasks.generations(site_id) == 1
    assert set(revisions(tasks).values()) == {1}


def test_a_site_whose_only_page_was_refused_is_checked_once(tasks: Tasks) -> None:
    tasks.publish("a", [("f", "<frameset><frame src='a'></frameset>")])
    assert due(tasks, settle_seconds=0) == []
    assert tasks.ask(select(Generation.site_version)) == [1]


def test_pages_that_arrive_during_the_first_clustering_are_assigned_to_its_groups(
    tasks: Tasks,
) -> None:
    site_id = tasks.publish("a", [(f"{n}", article_html(n, number=n + 3)) for n in range(12)])
    cluster(site_id)
    assert tasks.generations(site_id) == 0
    tasks.publish("a", [("late", article_html(3, number=6))])
    tasks.finish()
    tasks.settle()
    assert tasks.groups(site_id)["https://news.example/late"][0] is not None
    assert revisions(tasks)["https://news.example/late"] == 1


def test_later_pages_of_a_site_with_early_articles_are_assigned_after_clustering_is_abandoned(
    tasks: Tasks,
) -> None:
    site_id = tasks.publish("a", pages_of(*range(4)))
    grow_older(tasks, LATE)
    look(tasks)
    tasks.settle()
    tasks.publish("a", pages_of(4))
    for _ in range(CLUSTERING_ATTEMPTS):
        tasks.read(lambda session: clusterings.begin(session, site_id, []))
    cluster(site_id)
    tasks.publish("a", pages_of(5))
    tasks.settle()
    assert set(revisions(tasks).values()) == {1}


def test_while_messages_are_queued_new_sites_must_settle_and_known_sites_must_wait(
    tasks: Tasks, tmp_path: Path
) -> None:
    tasks.restart(queue_prefix=f"test-{tmp_path.name}-first.", settle_seconds=30)
    settings = process_state().settings
    known = tasks.publish("known", pages_of(1, 2, 3))
    tasks.group(known)
    tasks.settle()
    tasks.publish("known", pages_of(4))
    new = tasks.publish("new", pages_of(11, 12))
    try:
        publish_pages(settings, [("m0", message("https://waiting.example/"))])
        assert due(tasks) == []
        grow_older(tasks, 40)
        assert due(tasks) == [new]
    finally:
        remove_queues(settings)


def test_a_new_site_that_never_settles_is_clustered_after_half_the_limit(tasks: Tasks) -> None:
    site_id = tasks.publish("a", pages_of(1, 2))
    grow_older(tasks, PATIENCE / 2 + 1)
    tasks.publish("a", pages_of(3))
    assert due(tasks, settle_seconds=60) == [site_id]


def order_of(tasks: Tasks, task: str) -> list[int]:
    """Return the sites of the pending tasks, in the order in which the relay publishes them."""
    asked = select(OutboxEntry.site_id).where(OutboxEntry.lane == task)
    return list(tasks.ask(asked.order_by(OutboxEntry.turn, OutboxEntry.id)))


def test_small_new_sites_are_clustered_first(tasks: Tasks) -> None:
    known = tasks.publish("known", pages_of(1, 2, 3))
    tasks.group(known)
    tasks.settle()
    tasks.publish("known", pages_of(4))
    tasks.settle()
    large = tasks.publish("large", pages_of(*range(20, 30)))
    small = tasks.publish("small", pages_of(10, 11))
    cluster_due_sites(settle_seconds=0)
    assert order_of(tasks, task_names.CLUSTER) == [small, large, known]


def test_first_clusterings_and_later_ones_each_get_half_of_the_places(tasks: Tasks) -> None:
    known = [tasks.publish(f"known{n}", pages_of(n, 10 + n)) for n in range(3)]
    for site_id in known:
        tasks.group(site_id)
    for n in range(3):
        tasks.publish(f"known{n}", pages_of(20 + n))
    new = [tasks.publish(f"new{n}", pages_of(30 + n, 40 + n)) for n in range(6)]
    cluster_due_sites(settle_seconds=0)
    with tasks.database.transaction() as session:
        wanted = {task_names.CLUSTER: Places(4, 2)}
        taken = outbox.take_next(session, wanted, max_bytes=1)[task_names.CLUSTER]
    assert [entry.arguments and entry.arguments["site_id"] for entry in taken] == new[:2] + known[
        :2
    ]


def large_site(tasks: Tasks, name: str, *, first: int = 0) -> int:
    """Store a site that needs several rounds of comparison blocks; return its ID."""
    return tasks.publish(
        name, [(f"{name}{n}", article_html(n, number=n)) for n in range(first, first + 60)]
    )


def test_later_rounds_of_a_large_site_keep_the_turn_of_the_first(
    tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison_plan, "WHOLE_MATRIX_TREES", 12)
    large = large_site(tasks, "large")
    cluster(large)
    blocks = tasks.take(task_names.COMPARE)
    assert blocks
    others = [tasks.publish(f"s{n}", pages_of(100 + n, 200 + n)) for n in range(3)]
    cluster_due_sites(settle_seconds=0)
    for block in blocks:
        tasks.call(task_names.COMPARE, block)
    assert order_of(tasks, task_names.CLUSTER) == [large, *others]


def test_blocks_of_two_large_sites_are_interleaved(tasks: Tasks) -> None:
    sites = [large_site(tasks, "x"), large_site(tasks, "y", first=100)]
    for site_id in sites:
        cluster(site_id)
    order = order_of(tasks, task_names.COMPARE)
    assert Counter(order)[sites[0]] == Counter(order)[sites[1]] > 2
    assert order[:2] != [sites[0]] * 2 or order[2] == sites[1]
    assert order != sorted(order)

"""Pages of new sites get their first article soon; pages that arrive in a burst get only one."""

from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import func, select

from models.tables import Generation, OutboxEntry, Site, StoredPage
from tests.deployment import own_queues
from tests.inline_tasks import Tasks
from tests.pages import article_html, article_pages, message
from worker.messaging import task_names
from worker.messaging.publishing import publish_pages
from worker.tasks.cluster import cluster, cluster_due_sites
from worker.workflow import comparison_plan
from worker.workflow.first_extractions import ALONE_SECONDS, request_first_extractions, urgent_pages
from worker.workflow.process_state import process_state

PATIENCE = 300.0  # maximum time, in seconds, that a page waits for its first article
LATE = PATIENCE + 1


def make_older(tasks: Tasks, seconds: float = ALONE_SECONDS + 1) -> None:
    """Shift all timestamps into the past, as if the given time had passed."""
    tasks.backdate(StoredPage.received_at, StoredPage.waiting_since, seconds=seconds)
    tasks.backdate(Site.changed_at, seconds=seconds)
    tasks.backdate(Generation.created_at, seconds=seconds)


def request_urgent(tasks: Tasks) -> int:
    """Request the extraction of pages that must not wait any longer; return their number."""
    return tasks.read(
        lambda session: request_first_extractions(session, urgent_pages(session, PATIENCE)[0])
    )


def due_sites(tasks: Tasks, settle_seconds: float | None = None) -> list[int]:
    """Return the IDs of the sites whose clustering is requested now."""
    cluster_due_sites(settle_seconds=settle_seconds)
    return [each["site_id"] for each in tasks.take(task_names.CLUSTER)]


def test_the_only_page_of_a_site_is_extracted_after_some_seconds(tasks: Tasks) -> None:
    site_id = tasks.publish("a", article_pages([1]))
    assert request_urgent(tasks) == 0
    make_older(tasks)
    # Without a limit, every page waits for its clustering.
    assert tasks.read(lambda session: urgent_pages(session, 0)) == ({}, False)
    assert request_urgent(tasks) == 1
    assert request_urgent(tasks) == 0
    # Once its site has settled, the page is not extracted again.
    for extractions in (1, 0):
        assert due_sites(tasks, settle_seconds=0) == []
        assert tasks.run(task_names.EXTRACT) == extractions
    assert tasks.generations(site_id) == 1
    (article,) = tasks.take_articles().values()
    assert article["revision"] == 1
    assert article["template"] == {"group": None, "generation": 1, "size": 1, "role": "outlier"}


def test_pages_that_follow_the_first_page_of_a_site_wait_for_the_clustering(tasks: Tasks) -> None:
    site_id = tasks.publish("a", article_pages([0]))
    make_older(tasks)
    assert request_urgent(tasks) == 1
    tasks.run_all()
    tasks.publish("a", article_pages(range(1, 6)))
    make_older(tasks)
    assert request_urgent(tasks) == 0
    tasks.run_all()
    assert Counter(tasks.revisions().values()) == {1: 1, 0: 5}
    tasks.process_site(site_id)
    assert set(tasks.revisions().values()) <= {1, 2}
    assert {role for _, role, _ in tasks.groups(site_id).values()} == {"member", "representative"}


def test_no_page_waits_longer_than_the_limit_for_its_first_article(tasks: Tasks) -> None:
    site_id = tasks.publish("a", article_pages(range(6)))
    make_older(tasks, 60)
    assert request_urgent(tasks) == 0
    make_older(tasks, LATE - 60)
    assert request_urgent(tasks) == 6
    assert request_urgent(tasks) == 0
    tasks.run_all()
    assert set(tasks.revisions().values()) == {1}
    tasks.publish("a", article_pages([6]))
    make_older(tasks, PATIENCE / 2)
    assert request_urgent(tasks) == 0
    make_older(tasks, PATIENCE / 2)
    assert request_urgent(tasks) == 1
    tasks.run_all()
    tasks.process_site(site_id)
    assert len(tasks.take_articles()) == 7


def test_early_articles_do_not_change_the_final_state(tasks: Tasks) -> None:
    final_states = []
    for site, is_early in ("a", False), ("b", True):
        site_id = tasks.publish(site, article_pages(range(8)))
        if is_early:
            make_older(tasks, LATE)
            assert request_urgent(tasks) == 8
            tasks.run_all()
        tasks.process_site(site_id)
        contents = {
            url: (article["text"], article["title"], article["authors"])
            for url, article in tasks.take_articles().items()
        }
        final_states.append((contents, tasks.groups(site_id)))
    assert final_states[0] == final_states[1]


def test_the_extraction_after_clustering_replaces_a_pending_early_one(tasks: Tasks) -> None:
    site_id = tasks.publish("a", article_pages(range(6)))
    make_older(tasks, LATE)
    assert request_urgent(tasks) == 6
    tasks.cluster(site_id)
    assert tasks.query(select(func.count()).where(OutboxEntry.task == task_names.EXTRACT)) == [6]
    tasks.run_all()
    assert set(tasks.revisions().values()) == {1}


def test_a_site_with_one_page_needs_no_clustering(tasks: Tasks) -> None:
    site_id = tasks.publish("a", article_pages([1]))
    assert due_sites(tasks, settle_seconds=0) == []
    tasks.run_all()
    assert set(tasks.revisions().values()) == {1}
    assert tasks.generations(site_id) == 1
    assert due_sites(tasks, settle_seconds=0) == []
    tasks.publish("a", article_pages([2]))
    tasks.run_all()
    assert Counter(tasks.revisions().values()) == {1: 1, 0: 1}
    assert due_sites(tasks, settle_seconds=0) == [site_id]
    tasks.publish("a", article_pages([3, 4]))
    tasks.process_site(site_id)
    assert {role for _, role, _ in tasks.groups(site_id).values()} == {"member", "representative"}


def test_a_site_whose_only_page_was_refused_is_checked_once(tasks: Tasks) -> None:
    tasks.publish("a", [("f", "<frameset><frame src='a'></frameset>")])
    assert due_sites(tasks, settle_seconds=0) == []
    assert tasks.query(select(Generation.site_version)) == [1]


def test_pages_that_arrive_during_the_first_clustering_are_assigned(tasks: Tasks) -> None:
    site_id = tasks.publish("a", [(f"{n}", article_html(n, number=n + 3)) for n in range(24)])
    cluster(site_id)
    assert tasks.generations(site_id) == 0
    tasks.publish("a", [("late", article_html(3, number=6))])
    tasks.finish_clustering()
    tasks.run_all()
    assert tasks.groups(site_id)["https://news.example/late"][0] is not None
    assert tasks.revisions()["https://news.example/late"] == 1


def test_while_messages_are_queued_new_sites_must_settle_and_known_sites_must_wait(
    tasks: Tasks, tmp_path: Path
) -> None:
    tasks.restart(queue_prefix=f"test-{tmp_path.name}-first.", settle_seconds=30)
    settings = process_state().settings
    tasks.process_site(tasks.publish("known", article_pages([1, 2, 3])))
    tasks.publish("known", article_pages([4]))
    new = tasks.publish("new", article_pages([11, 12]))
    with own_queues(settings):
        publish_pages(settings, [("m0", message("https://waiting.example/"))])
        assert due_sites(tasks) == []
        make_older(tasks, 40)
        assert due_sites(tasks) == [new]


def test_a_new_site_that_never_settles_is_clustered_after_half_the_limit(tasks: Tasks) -> None:
    site_id = tasks.publish("a", article_pages([1, 2]))
    make_older(tasks, PATIENCE / 2 + 1)
    tasks.publish("a", article_pages([3]))
    assert due_sites(tasks, settle_seconds=60) == [site_id]


def sites_in_order(tasks: Tasks, task: str) -> list[int]:
    """Return the sites of the pending tasks, in the order in which the relay publishes them."""
    site_ids = select(OutboxEntry.site_id).where(OutboxEntry.lane == task)
    return list(tasks.query(site_ids.order_by(OutboxEntry.turn, OutboxEntry.id)))


def test_small_new_sites_are_clustered_first(tasks: Tasks) -> None:
    clustered = tasks.process_site(tasks.publish("known", article_pages([1, 2, 3])))
    tasks.publish("known", article_pages([4]))
    tasks.run_all()
    large = tasks.publish("large", article_pages(range(20, 30)))
    small = tasks.publish("small", article_pages([10, 11]))
    cluster_due_sites(settle_seconds=0)
    assert sites_in_order(tasks, task_names.CLUSTER) == [small, large, clustered]


def test_later_rounds_of_a_large_site_keep_the_turn_of_the_first(
    tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison_plan, "WHOLE_MATRIX_TREES", 12)
    # A site with 60 pages needs several rounds of comparison blocks.
    pages = [(f"large{n}", article_html(n, number=n)) for n in range(60)]
    large = tasks.publish("large", pages)
    cluster(large)
    blocks = tasks.take(task_names.COMPARE)
    assert blocks
    others = [tasks.publish(f"s{n}", article_pages([100 + n, 200 + n])) for n in range(3)]
    cluster_due_sites(settle_seconds=0)
    for block in blocks:
        tasks.call(task_names.COMPARE, block)
    assert sites_in_order(tasks, task_names.CLUSTER) == [large, *others]

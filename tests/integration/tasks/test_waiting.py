"""The time that a page waits is measured from the latest request to process it."""

from datetime import timedelta

import pytest
from sqlalchemy import BigInteger, cast, func, select, update

from models.tables import OutboxEntry, StoredPage
from tests.conditions import is_pending
from tests.inline_tasks import Tasks
from tests.pages import article_html, article_pages
from worker.messaging import task_names
from worker.messaging.task_names import ReprocessStage
from worker.store import extraction_jobs
from worker.store.progress import ServiceCounts, service_counts

AGE = timedelta(days=400)
FRAMESET = "<frameset><frame src='a'></frameset>"
"""A page that is refused without an extraction."""


@pytest.fixture
def old_site(tasks: Tasks) -> int:
    """ID of a site all of whose pages got their articles long ago."""
    site_id = tasks.process_site(tasks.publish("a", article_pages(range(6))))
    make_old(tasks)
    return site_id


def make_old(tasks: Tasks) -> None:
    """Move all timestamps of pages back by `AGE`."""
    names = ("received_at", "waiting_since", "asked_at")
    tasks.execute(update(StoredPage).values(dict.fromkeys(names, func.now() - AGE)))


def assert_nothing_waits_for_long(tasks: Tasks) -> None:
    counts = tasks.read(service_counts)
    assert counts.longest_wait_seconds < 60
    assert counts.oldest_seconds["extract"] < 60
    late = tasks.read(
        lambda session: extraction_jobs.find_late(
            session, task_names.EXTRACTIONS, patience_seconds=600, limit=100
        )
    )
    assert not late


@pytest.mark.parametrize("stage", task_names.REPROCESS_STAGES)
def test_reprocessed_pages_do_not_count_as_waiting_since_receipt(
    tasks: Tasks, old_site: int, stage: ReprocessStage
) -> None:
    tasks.reprocess("a", stage)
    assert_nothing_waits_for_long(tasks)
    tasks.run(task_names.PARSE)
    assert_nothing_waits_for_long(tasks)
    tasks.cluster(old_site)
    assert_nothing_waits_for_long(tasks)
    tasks.run_all()
    assert tasks.query(select(StoredPage.revision).distinct()) == [2]
    assert_nothing_waits_for_long(tasks)


@pytest.mark.usefixtures("old_site")
def test_a_changed_page_counts_as_waiting_since_the_change(tasks: Tasks) -> None:
    tasks.publish("a", [("2", article_html(20))])
    assert_nothing_waits_for_long(tasks)
    tasks.run_all()
    assert tasks.query(select(StoredPage.revision).where(StoredPage.url.endswith("/2"))) == [2]


def test_a_page_changed_before_its_outcome_waits_since_receipt(tasks: Tasks) -> None:
    tasks.publish("a", article_pages([0]))
    make_old(tasks)
    tasks.publish("a", [("0", article_html(20))])
    counts: ServiceCounts = tasks.read(service_counts)
    assert counts.longest_wait_seconds == pytest.approx(AGE.total_seconds(), abs=60)


def test_a_page_refused_before_its_extraction_does_not_count_as_waiting(tasks: Tasks) -> None:
    tasks.cluster(tasks.publish("a", article_pages(range(6))))
    tasks.publish("a", [("2", FRAMESET)])
    tasks.run_all()
    make_old(tasks)
    assert tasks.query(select(StoredPage.url).where(is_pending())) == []
    assert_nothing_waits_for_long(tasks)


def test_new_pages_are_extracted_before_reprocessed_pages(tasks: Tasks, old_site: int) -> None:
    tasks.reprocess("a")
    tasks.publish("a", [("fresh", article_html(40))])
    tasks.cluster(old_site)

    def waiting(task: str) -> list[str]:
        page_id = cast(OutboxEntry.arguments["page_id"].astext, BigInteger)
        pages = select(StoredPage.url).join(OutboxEntry, page_id == StoredPage.id)
        return sorted(tasks.query(pages.where(OutboxEntry.task == task)))

    assert waiting(task_names.EXTRACT) == ["https://news.example/fresh"]
    assert len(waiting(task_names.EXTRACT_AGAIN)) == 6
    # A clustering cancels pending requests and replaces them with new ones.
    tasks.publish("a", [("fresher", article_html(41))])
    tasks.cluster(old_site)
    assert waiting(task_names.EXTRACT) == [
        "https://news.example/fresh",
        "https://news.example/fresher",
    ]
    assert len(waiting(task_names.EXTRACT_AGAIN)) == 6
    tasks.run_all()
    assert tasks.query(select(StoredPage.id).where(is_pending())) == []


def test_a_page_keeps_its_place_when_its_site_is_clustered_again(tasks: Tasks) -> None:
    site_id = tasks.cluster(tasks.publish("a", article_pages(range(6))))
    turns = select(
        cast(OutboxEntry.arguments["page_id"].astext, BigInteger), OutboxEntry.turn
    ).where(OutboxEntry.task == task_names.EXTRACT)
    first = dict(tasks.query(turns))
    tasks.publish("a", article_pages(range(6, 20)))
    tasks.cluster(site_id)
    before = dict(tasks.query(turns))
    assert sorted(before, key=before.__getitem__)[:6] == sorted(first)
    tasks.publish("a", article_pages(range(20, 22)))
    tasks.cluster(site_id)
    after = dict(tasks.query(turns))
    assert len(before) == 20
    assert len(after) == 22
    assert {page_id: after[page_id] for page_id in before} == before
    assert tasks.generations(site_id) == 3

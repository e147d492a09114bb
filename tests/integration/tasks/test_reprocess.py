"""Reprocessing large sites or all sites loses no page and adds one revision to each page."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from models.tables import Article, Reprocessing, Site, StoredPage
from tests.commands import invoke
from tests.conditions import is_pending
from tests.inline_tasks import Tasks
from tests.pages import article_html
from worker.messaging import task_names
from worker.store import extraction_jobs, reprocessings
from worker.tasks import reprocess
from worker.workflow.extraction_requests import request_late_extractions

PAGES = 50
NEW_PAGES = 10


def pages_of(template: str, seeds: range) -> list[tuple[str, str]]:
    """Return pages with only three distinct structures, so that comparing them is fast."""
    return [
        (f"{template}/{seed}", article_html(seed, number=2 + seed % 3, template=template))
        for seed in seeds
    ]


def request_late(tasks: Tasks) -> None:
    """Request again the extractions that were requested a day ago."""
    tasks.execute(update(StoredPage).values(asked_at=func.now() - timedelta(days=1)))
    with tasks.database.transaction() as session:
        late = extraction_jobs.find_late(
            session, task_names.EXTRACTIONS, patience_seconds=600, limit=2 * PAGES
        )
        request_late_extractions(session, dict(late), patience_seconds=600)


def test_a_site_is_reprocessed_while_pages_arrive_and_messages_are_lost(tasks: Tasks) -> None:
    site_id = tasks.process_site(tasks.publish("a", pages_of("plain", range(PAGES))))
    first = tasks.take_articles()
    assert len(first) == PAGES

    tasks.reprocess("a", "parse")
    tasks.run(task_names.PARSE, times=2)
    tasks.publish("a", pages_of("plain", range(PAGES, PAGES + NEW_PAGES // 2)))
    tasks.cluster(site_id)
    extractions = tasks.take(task_names.EXTRACT)
    # The messages of the remaining tasks are lost.
    for each in extractions[: int(len(extractions) * 0.4)] * 2:
        tasks.call(task_names.EXTRACT, each)
    tasks.publish("a", pages_of("plain", range(PAGES + NEW_PAGES // 2, PAGES + NEW_PAGES)))
    tasks.run_all()
    assert tasks.query(select(StoredPage.url).where(is_pending())) != []
    request_late(tasks)
    tasks.run_all()
    tasks.process_site(site_id)

    old = dict.fromkeys(first, 2)
    assert tasks.revisions() == old | {
        f"https://news.example/plain/{seed}": 1 for seed in range(PAGES, PAGES + NEW_PAGES)
    }
    assert tasks.query(select(StoredPage.url).where(is_pending())) == []
    sent = tasks.take_articles()
    assert {url: article["revision"] for url, article in sent.items()} == tasks.revisions()
    new_ids = {url: sent[url]["id"] for url in first}
    assert not {article["id"] for article in first.values()} & set(new_ids.values())
    assert len(tasks.query(select(Article.id))) == 2 * PAGES + NEW_PAGES


def test_a_redelivered_request_has_no_further_effect(tasks: Tasks) -> None:
    tasks.process_site(tasks.publish("a", pages_of("plain", range(4))))
    for _ in range(2):
        reprocess.reprocess.apply(kwargs={"site": "a"}, task_id="one", throw=True)
        tasks.run_all()
    assert set(tasks.revisions().values()) == {2}


@pytest.fixture
def sites(tasks: Tasks) -> int:
    """Number of sites stored, each of which has three pages with published articles."""
    for number in range(5):
        tasks.cluster(tasks.publish(f"site-{number}", pages_of("plain", range(3))))
    tasks.run_all()
    tasks.take_articles()
    return 5


def get_progress(tasks: Tasks) -> reprocessings.ReprocessingProgress:
    found = tasks.read(reprocessings.progress)
    assert found is not None
    return found


def sites_started(tasks: Tasks) -> int:
    """Return how many sites the reprocessing has started."""
    return get_progress(tasks).sites_done


def test_all_sites_are_reprocessed(tasks: Tasks, sites: int) -> None:
    reprocess.reprocess_all("parse")
    tasks.run_all()
    tasks.publish("site-new", pages_of("table", range(3)))
    for site_id in tasks.query(select(StoredPage.site_id).distinct()):
        tasks.cluster(site_id)
    tasks.run_all()
    found = select(Site.key, StoredPage.revision).join(StoredPage, StoredPage.site_id == Site.id)
    expected = {(f"site-{number}", 2) for number in range(sites)} | {("site-new", 1)}
    assert set(tasks.query(found)) == expected
    assert not get_progress(tasks).is_running


@pytest.mark.usefixtures("sites")
def test_the_rate_limit_spreads_the_sites_over_time(tasks: Tasks) -> None:
    reprocess.reprocess_all(pages_per_minute=6)
    tasks.run_all()
    assert sites_started(tasks) == 1
    tasks.backdate(Reprocessing.resume_at, seconds=31)
    reprocess.reprocess_due()
    assert sites_started(tasks) == 2
    tasks.backdate(Reprocessing.resume_at, seconds=62)
    reprocess.reprocess_due()
    reprocess.reprocess_due()
    assert sites_started(tasks) == 4
    assert get_progress(tasks).is_running
    # Downtime causes no burst.
    tasks.read(reprocessings.cancel)
    reprocess.reprocess_all(pages_per_minute=3)
    tasks.run_all()
    tasks.backdate(Reprocessing.resume_at, days=7)
    reprocess.reprocess_due()
    assert sites_started(tasks) == 4


@pytest.mark.usefixtures("sites")
def test_reprocessing_pauses_during_a_backlog(tasks: Tasks) -> None:
    tasks.restart(pending_limit=7)
    reprocess.reprocess_all()
    tasks.run(task_names.REPROCESS_DUE)
    assert sites_started(tasks) == 3
    tasks.run_all()
    tasks.take_articles()
    reprocess.reprocess_due()
    assert sites_started(tasks) == 5


def test_reprocessing_resumes_after_a_crash(
    tasks: Tasks, sites: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reprocess, "SITES_PER_TASK", 2)
    reprocess.reprocess_all()
    tasks.run(task_names.REPROCESS_DUE, times=2)
    assert sites_started(tasks) == 4
    tasks.take(task_names.REPROCESS_DUE)
    reprocess.reprocess_due()
    request_late(tasks)
    tasks.run_all()
    assert sites_started(tasks) == sites
    assert set(tasks.revisions().values()) == {2}


@pytest.mark.usefixtures("sites")
def test_reprocessing_is_cancelled_from_the_command_line(tasks: Tasks) -> None:
    get_progress = "1 of 5 sites, 3 pages from extract, at most 1 a minute\n"
    invoke("reprocess", "--cancel", code=1)
    reprocess.reprocess_all(pages_per_minute=1)
    tasks.run_all()
    assert invoke("reprocess", "--progress").output == f"running: {get_progress}"
    assert "already" in invoke("reprocess", "--all", code=1).output
    assert invoke("reprocess", "--cancel").output == "cancelled\n"
    tasks.backdate(Reprocessing.resume_at, minutes=10)
    reprocess.reprocess_due()
    assert invoke("reprocess", "--progress").output == f"ended: {get_progress}"


@pytest.mark.parametrize("stage", ["extract", "parse"])
def test_only_the_requested_page_gets_a_new_revision(tasks: Tasks, stage: str) -> None:
    site_id = tasks.process_site(tasks.publish("a", pages_of("plain", range(4))))
    tasks.take_articles()
    url = "https://news.example/plain/2"
    invoke("reprocess", url, "--from", stage)
    tasks.run_all()
    tasks.process_site(site_id)
    assert {each: article["revision"] for each, article in tasks.take_articles().items()} == {
        url: 2
    }

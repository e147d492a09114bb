"""`detourage prune` deletes old data, but nothing that is still needed."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import delete, func, select, update

from models.tables import (
    Article,
    GroupRepresentative,
    Membership,
    PageContent,
    PageKnowledge,
    Receipt,
    StoredPage,
    StoredTree,
    TaskFailure,
)
from tests.commands import invoke
from tests.conditions import is_pending
from tests.inline_tasks import Tasks
from tests.pages import article_html
from worker.outcomes import ReceiptResult
from worker.store import pages, progress, retention
from worker.store.pages import NewReceipt
from worker.tasks.maintenance import prune

LONG_AGO = timedelta(days=100)


@pytest.fixture
def site_id(tasks: Tasks) -> int:
    """ID of a site that has two templates and whose articles were published long ago."""
    found = tasks.process_site(tasks.publish("a", [*pages_of("plain", 6), *pages_of("table", 5)]))
    tasks.take_articles()
    backdate_contents(tasks)
    return found


def pages_of(template: str, number: int, first: int = 2) -> list[tuple[str, str]]:
    """Return a number of pages of a template, all with different structures."""
    return [
        (f"{template}/{seed}", article_html(seed, number=seed, template=template))
        for seed in range(first, first + number)
    ]


def backdate_contents(tasks: Tasks) -> None:
    """Backdate all stored contents and articles."""
    tasks.execute(
        update(PageContent).values(stored_at=func.now() - LONG_AGO),
        update(Article).values(created_at=func.now() - LONG_AGO),
    )


def count_rows(tasks: Tasks, table: Any) -> int:
    (number,) = tasks.query(select(func.count()).select_from(table))
    return int(number)


@pytest.mark.usefixtures("site_id")
def test_old_html_is_removed_except_for_template_pages(tasks: Tasks) -> None:
    prune(older_than_days=30, kinds=["html"])
    with_html = set(tasks.query(select(PageContent.page_id)))
    compared_with = set(tasks.query(select(Membership.template_page_id).distinct()))
    assert with_html == compared_with
    assert 2 <= len(with_html) <= 4
    assert count_rows(tasks, Article) == count_rows(tasks, StoredPage) == 11
    assert set(tasks.query(select(StoredPage.outcome))) == {"article"}


@pytest.mark.usefixtures("site_id")
def test_recent_pending_and_failed_pages_keep_their_html(tasks: Tasks) -> None:
    recent = select(StoredPage.id).where(StoredPage.url.endswith("plain/3"))
    page = update(StoredPage)
    tasks.execute(
        update(PageContent).where(PageContent.page_id.in_(recent)).values(stored_at=func.now()),
        page.where(StoredPage.url.endswith("plain/4")).values(forced=True),
        page.where(StoredPage.url.endswith("plain/5")).values(outcome="failed"),
        page.where(StoredPage.url.endswith("plain/6")).values(outcome="needs-rendering"),
    )
    prune(older_than_days=30)
    with_html = tasks.query(select(StoredPage.url).where(StoredPage.html_removed_at.is_(None)))
    assert {f"https://news.example/plain/{seed}" for seed in (3, 4, 5, 6)} <= set(with_html)


def test_reprocessing_covers_only_pages_with_html(tasks: Tasks, site_id: int) -> None:
    prune(older_than_days=30)
    with_html = set(tasks.query(select(StoredPage.url).where(StoredPage.html_removed_at.is_(None))))
    expected = {url: 1 + (url in with_html) for url in tasks.revisions()}
    tasks.reprocess("a", "parse")
    tasks.run_all()
    tasks.process_site(site_id)
    assert tasks.revisions() == expected
    assert set(tasks.take_articles()) == with_html
    assert tasks.query(select(StoredPage.url).where(is_pending())) == []


def test_new_pages_are_compared_with_a_page_that_has_html(tasks: Tasks, site_id: int) -> None:
    prune(older_than_days=30)
    # The group's representative has lost its HTML, too, and no template knowledge is stored.
    lost = update(StoredPage).values(html_removed_at=func.now())
    tasks.execute(lost, delete(PageContent), delete(PageKnowledge))
    tasks.restart()
    tasks.publish("a", pages_of("plain", 2, first=20))
    tasks.run_all()
    first = tasks.take_articles()
    assert len(first) == 2
    tasks.process_site(site_id)
    groups = tasks.groups(site_id)
    for seed in (20, 21):
        _, _, compared_with = groups[f"https://news.example/plain/{seed}"]
        assert compared_with in first
    assert tasks.query(select(StoredPage.url).where(is_pending())) == []


def test_a_pruned_page_has_html_again_after_the_next_fetch(tasks: Tasks, site_id: int) -> None:
    prune(older_than_days=30)
    tasks.publish("a", pages_of("plain", 6))
    removed = select(StoredPage.url).where(StoredPage.html_removed_at.is_not(None))
    assert tasks.query(removed.where(StoredPage.url.contains("plain"))) == []
    with tasks.database.transaction() as session:
        for page_id in pages.reprocessable_page_ids(session, site_id):
            assert pages.load_contents(session, [page_id]).get(page_id) is not None


@pytest.mark.usefixtures("site_id")
def test_superseded_revisions_are_removed_and_the_latest_is_kept(tasks: Tasks) -> None:
    tasks.reprocess("a")
    tasks.run_all()
    backdate_contents(tasks)
    assert count_rows(tasks, Article) == 22
    prune(older_than_days=30, kinds=["revisions"])
    assert set(tasks.query(select(Article.revision))) == {2}
    assert count_rows(tasks, Article) == 11
    tasks.reprocess("a")
    tasks.run_all()
    assert set(tasks.revisions().values()) == {3}


def test_old_memberships_and_orphaned_trees_are_removed(tasks: Tasks, site_id: int) -> None:
    tasks.publish("a", [("plain/5", article_html(99, number=50))])
    tasks.process_site(site_id)
    before = tasks.groups(site_id)
    trees = count_rows(tasks, StoredTree)
    assert count_rows(tasks, Membership) == 22
    prune(older_than_days=30, kinds=["groups", "trees"])
    assert count_rows(tasks, Membership) == 11
    assert tasks.groups(site_id) == before
    assert set(tasks.query(select(GroupRepresentative.generation))) == {2}
    assert count_rows(tasks, StoredTree) == trees - 1
    tasks.publish("a", [("plain/5", article_html(98, number=5))])
    tasks.process_site(site_id)
    assert tasks.generations(site_id) == 3


def test_old_receipts_and_failures_are_removed(tasks: Tasks) -> None:
    with tasks.database.transaction() as session:
        for _ in range(3):
            pages.add_receipts(session, [NewReceipt(None, ReceiptResult.DUPLICATE)])
            failure = {"task_id": "t", "task": "t", "error": "", "traceback": ""}
            session.execute(progress.SQL.record_failure, failure)
        session.flush()
        session.execute(
            update(Receipt)
            .where(Receipt.id > select(func.min(Receipt.id)).scalar_subquery())
            .values(received_at=func.now() - LONG_AGO)
        )
        session.execute(update(TaskFailure).values(failed_at=func.now() - LONG_AGO))
    prune(older_than_days=30, kinds=["receipts"])
    assert (count_rows(tasks, Receipt), count_rows(tasks, TaskFailure)) == (1, 0)


@pytest.mark.usefixtures("site_id")
def test_interrupted_pruning_resumes(tasks: Tasks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "WINDOW_SIZE", 3)
    steps = retention.prune_in_steps(tasks.database, ["html"], 30)
    removed = [next(steps).removed for _ in range(3)]
    assert 0 < count_rows(tasks, StoredPage) - count_rows(tasks, PageContent) == sum(removed) <= 9
    monkeypatch.setattr("worker.tasks.maintenance.STEPS_PER_TASK", 2)
    prune(older_than_days=30, kinds=["html"])
    tasks.run_all()
    assert count_rows(tasks, PageContent) <= 4


@pytest.mark.usefixtures("site_id")
def test_a_dry_run_reports_what_would_be_removed(tasks: Tasks) -> None:
    command = ("prune", "--older-than", "30", "--only", "html")
    dry_run = invoke(*command, "--dry-run")
    assert count_rows(tasks, PageContent) == 11
    removal = invoke(*command)
    assert removal.output == dry_run.output == f"html       {11 - count_rows(tasks, PageContent)}\n"


def test_an_unknown_kind_and_a_negative_age_are_refused(tasks: Tasks) -> None:
    with pytest.raises(ValueError, match="pictures"):
        prune(older_than_days=30, kinds=["pictures"])
    with pytest.raises(ValueError, match="0 or more"):
        prune(older_than_days=-1)

"""Extractions that crash or whose messages are lost, and articles that cannot be sent."""

import json
import secrets
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import func, select

from detourage import Page, Site
from detourage.messages import ArticleMessage
from detourage.reader.article_and_comments import read_content
from models.tables import Article, PageContent, PageKnowledge, StoredPage, TemplateGroup
from tests.conditions import is_pending
from tests.deployment import own_queues
from tests.inline_tasks import Tasks
from tests.pages import article_html, article_pages, paragraphs
from worker.messaging import task_names
from worker.messaging.broker import connect
from worker.service.celery_application import create_app
from worker.store import extraction_jobs
from worker.store.extraction_jobs import ExtractionJob, PageState
from worker.tasks.extract import extract, extract_late
from worker.workflow import article_message, extraction, extraction_results
from worker.workflow.process_state import process_state
from worker.workflow.retry_policy import EXTRACTION_ATTEMPTS
from worker.workflow.shared_lines import shared_lines_on


@pytest.fixture
def page_id(tasks: Tasks) -> int:
    """ID of a page that waits for its extraction on a clustered site."""
    tasks.cluster(tasks.publish("a", article_pages(range(4))))
    (page_id,) = tasks.query(select(StoredPage.id).where(StoredPage.url.endswith("/2")))
    assert isinstance(page_id, int)
    return page_id


@pytest.fixture
def queues(tasks: Tasks) -> Iterator[None]:
    """Empty queues that only these tests use."""
    tasks.restart(queue_prefix=f"test-{secrets.token_hex(4)}.")
    state = process_state()
    with own_queues(state.settings), connect(state.settings) as connection:
        state.topology.declare(connection)
        yield


def simulate_crashes(tasks: Tasks, page_id: int, *, times: int) -> None:
    """Record attempts to extract a page, as if workers had been killed during them."""
    (generation,) = tasks.query(select(StoredPage.generation).where(StoredPage.id == page_id))
    for _ in range(times):
        with tasks.database.transaction() as session:
            extraction_jobs.begin(session, {page_id: generation})


def test_a_killed_extraction_is_completed_by_the_next_delivery(tasks: Tasks, page_id: int) -> None:
    simulate_crashes(tasks, page_id, times=EXTRACTION_ATTEMPTS - 1)
    tasks.run_all()
    assert tasks.outcomes()["2"] == ("article", None)


def test_a_page_that_kills_every_worker_fails_until_it_is_reprocessed(
    tasks: Tasks, page_id: int
) -> None:
    simulate_crashes(tasks, page_id, times=EXTRACTION_ATTEMPTS)
    tasks.run_all()
    outcome, detail = tasks.outcomes()["2"]
    assert (outcome, "process" in (detail or "")) == ("failed", True)
    tasks.reprocess("a")
    tasks.run_all()
    assert tasks.outcomes()["2"] == ("article", None)


def test_a_page_grouped_again_during_its_extraction_is_enqueued_again(
    tasks: Tasks, page_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_and_group_again(*arguments: Any, **options: Any) -> Any:
        monkeypatch.undo()
        content = read_content(*arguments, **options)
        tasks.cluster(tasks.publish("a", [("new", article_html(9))]))
        # The new request is delivered while the first extraction still holds the page.
        for each in tasks.take(task_names.EXTRACT):
            extract(**each)
        return content

    tasks.take(task_names.EXTRACT)
    monkeypatch.setattr(extraction, "read_content", read_and_group_again)
    extract(page_id=page_id, generation=1)
    assert tasks.outcomes()["2"] == (None, None)
    tasks.run_all()
    assert tasks.outcomes()["2"] == ("article", None)


def check_for_late(tasks: Tasks) -> None:
    """Run the check for late extractions, and the second check that it enqueues for suspects."""
    extract_late()
    for each in tasks.take(task_names.EXTRACT_LATE):
        extract_late(**each)


@pytest.mark.usefixtures("queues")
def test_a_lost_extraction_is_requested_again(tasks: Tasks, page_id: int) -> None:
    tasks.take(task_names.EXTRACT)
    check_for_late(tasks)
    assert tasks.take(task_names.EXTRACT) == []
    tasks.backdate(StoredPage.asked_at, days=1)
    # Queue an unrelated extraction, as there nearly always is one in practice.
    app = create_app(process_state().settings)
    app.send_task(task_names.EXTRACT, kwargs={"page_id": 0, "generation": 1})
    extract_late()
    check_for_late(tasks)
    assert tasks.run(task_names.EXTRACT) == 4
    assert tasks.outcomes()["2"] == ("article", None)
    assert tasks.query(select(StoredPage.id).where(is_pending())) == []


def test_queued_extractions_are_not_requested_again(tasks: Tasks, page_id: int) -> None:
    tasks.backdate(StoredPage.asked_at, days=1)
    check_for_late(tasks)
    in_queue = tasks.take(task_names.EXTRACT)
    assert len(in_queue) == 4
    extract_late()
    (suspects,) = tasks.take(task_names.EXTRACT_LATE)
    assert len(suspects["suspects"]) == 4
    # The queued extractions run before the second check.
    for each in in_queue:
        extract(**each)
    extract_late(**suspects)
    assert tasks.take(task_names.EXTRACT) == []
    assert tasks.outcomes()["2"] == ("article", None)


@pytest.mark.parametrize("is_redelivered", [False, True])
def test_pages_whose_worker_died_are_extracted_one_by_one(
    tasks: Tasks, page_id: int, is_redelivered: bool
) -> None:
    batch = tasks.take(task_names.EXTRACT)
    (killing_task,) = [each for each in batch if each["page_id"] == page_id]
    first, *rest = batch
    others = [(each["page_id"], each["generation"]) for each in rest]
    if is_redelivered:
        extract.push_request(delivery_info={"redelivered": True})
        extract.run(**first, others=others)
        extract.pop_request()
        assert tasks.query(select(StoredPage.attempts).distinct()) == [1]
        for each in tasks.take(task_names.EXTRACT):
            assert each[task_names.OTHERS] == []
            if each["page_id"] != page_id:
                extract(**each)
    simulate_crashes(tasks, page_id, times=1 - is_redelivered)
    extract(**first, others=others)
    assert tasks.outcomes()["2"] == (None, None)
    assert tasks.query(select(StoredPage.id).where(is_pending())) == [page_id]
    assert tasks.take(task_names.EXTRACT) == [{**killing_task, task_names.OTHERS: []}]
    simulate_crashes(tasks, page_id, times=EXTRACTION_ATTEMPTS - 1)
    extract(**killing_task, others=[])
    assert tasks.outcomes()["2"][0] == "failed"


def test_a_page_being_extracted_does_not_delay_other_pages(tasks: Tasks, page_id: int) -> None:
    generations = {each["page_id"]: each["generation"] for each in tasks.take(task_names.EXTRACT)}
    with process_state().database.transaction() as session:
        others = {each: number for each, number in generations.items() if each != page_id}
        assert {*extraction_jobs.begin(session, others)} == {*others}
        extract(page_id, generations[page_id], others=[])
    assert tasks.outcomes()["2"][0] == "article"
    # Template knowledge learned from a locked page would be dropped if storing it had to wait.
    assert tasks.query(select(PageKnowledge.page_id))


def test_a_batch_that_cannot_be_stored_is_extracted_again_page_by_page(
    tasks: Tasks, page_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = article_message.compose

    def compose_unwritable(page: PageState, job: ExtractionJob, *rest: Any) -> ArticleMessage:
        message = original(page, job, *rest)
        # PostgreSQL text cannot contain NUL.
        return message.model_copy(update={"title": "\x00"}) if job.page_id == page_id else message

    monkeypatch.setattr(article_message, "compose", compose_unwritable)
    first, *rest = tasks.take(task_names.EXTRACT)
    extract(**first, others=[(each["page_id"], each["generation"]) for each in rest])
    single_tasks = tasks.take(task_names.EXTRACT)
    assert len(single_tasks) == 4
    for each in single_tasks:
        extract(**each)
    assert tasks.query(select(StoredPage.id).where(is_pending())) == []
    # The reason is the database's error after one attempt, not the death of a process.
    reason = "it cannot be stored: DataError: unsupported Unicode escape sequence"
    assert tasks.outcomes()["2"] == ("failed", reason)


def test_an_article_too_large_for_the_broker_fails_without_blocking_others(
    tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentence = "The council met on Tuesday evening, and nobody went home before midnight came. "
    large = article_html(1).replace("</p>", f"{sentence * 9000}</p>", 1)
    tasks.cluster(tasks.publish("a", [("large", large), ("small", article_html(2))]))
    monkeypatch.setattr(extraction_results, "MAX_MESSAGE_BYTES", 1024 * 1024)
    tasks.run(task_names.EXTRACT)
    outcomes = tasks.outcomes()
    assert outcomes["small"] == ("article", None)
    assert outcomes["large"][0] == "too-large"
    assert "bytes" in (outcomes["large"][1] or "")


def test_relative_dates_of_comments_count_back_from_the_fetch_time(tasks: Tasks) -> None:
    comments = [
        {"author": name, "text": text, "@type": "Comment", "dateCreated": f"{hours} hours ago"}
        for hours, (name, text) in enumerate([("Mara", "It goes."), ("Jo", "It does not.")], 2)
    ]
    data = json.dumps({"@type": "NewsArticle", "comment": comments})
    script = f'<script type="application/ld+json">{data}</script></body>'
    page = {
        "version": 1,
        "url": "https://news.example/ferry",
        "html": article_html(1).replace("</body>", script),
        "fetched_at": "2024-05-03T12:20:00Z",
    }
    tasks.cluster(tasks.send([page]))
    tasks.run(task_names.EXTRACT)
    (message,) = tasks.query(select(Article.message))
    assert [each["published"] for each in message["comments"]] == [
        "2024-05-03T10:00:00+00:00",
        "2024-05-03T09:00:00+00:00",
    ]
    assert [each["date"] for each in message["comments"]] == ["2 hours ago", "3 hours ago"]


NOTICE = "The prices in this article include the tax, and they may change at any time."


def with_notice(seed: int) -> str:
    """Return an article page with `NOTICE` after its first paragraph."""
    first = paragraphs(seed)[0]
    return article_html(seed).replace(first, f"{first}</p><p>{NOTICE}")


def test_a_notice_within_every_article_is_omitted_once_there_are_enough_pages(tasks: Tasks) -> None:
    htmls = {f"https://news.example/{seed}": with_notice(seed) for seed in range(7)}
    for seeds in (range(3), range(3, 6)):
        tasks.process_site(tasks.publish("a", [(str(seed), with_notice(seed)) for seed in seeds]))
    texts = {url: each["text"] for url, each in tasks.take_articles().items()}
    library_site = Site([Page(htmls[url], url) for url in texts])
    assert texts == {each.url: each.article and each.article.text for each in library_site.read()}
    assert not any(NOTICE in text for text in texts.values())
    # The extraction of a page that joins the group later uses the notice found before.
    tasks.publish("a", [("6", with_notice(6))])
    tasks.run_all()
    assert tasks.take_articles()["https://news.example/6"]["text"] == "\n\n".join(paragraphs(6))
    # Only the latest generation stores the lines that the group's pages share.
    stored = tasks.query(select(func.count()).where(TemplateGroup.shared_lines.is_not(None)))
    assert stored == [1]


def test_a_shared_line_outside_the_text_causes_no_extraction(tasks: Tasks) -> None:
    def send(seeds: range) -> int:
        url, fetched = "https://news.example/{}", "2026-01-0{}T00:00:00Z"
        poll = "</div><ol><li>I read it in the morning.</ol>"
        htmls = {seed: article_html(seed).replace("</div>", poll, 1) for seed in seeds}
        return tasks.send(
            {"version": 1, "url": url.format(seed), "html": html, "fetched_at": fetched.format(day)}
            for day, (seed, html) in enumerate(htmls.items(), seeds.start + 1)
        )

    tasks.process_site(send(range(3)))
    known = tasks.query(select(StoredPage.id))
    tasks.cluster(send(range(3, 6)))
    group = tasks.query(select(TemplateGroup.shared_lines).where(TemplateGroup.generation == 2))
    lines = tasks.query(select(PageContent.lines).where(PageContent.page_id == known[0]))
    assert shared_lines_on("https://news.example/0", *group, *lines)
    awaited = {each["page_id"] for each in tasks.take(task_names.EXTRACT)}
    assert len(awaited) == 3
    assert awaited.isdisjoint(known)

"""Paginated articles, which are joined once their parts have arrived."""

import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from sqlalchemy import func, select

from detourage.messages import ArticleMessage
from models.tables import Article, PageParts
from tests.conditions import parts_are_due
from tests.inline_tasks import Tasks
from tests.pages import paragraphs, prose
from tests.parted_pages import SITE, STORY, address, page_html, part_html
from worker.messaging import task_names
from worker.tasks.extract import extract
from worker.tasks.join_parts import join_parts
from worker.workflow.part_joining import process_part


def send(tasks: Tasks, pages: Mapping[str, str]) -> None:
    """Send pages and run all tasks except joining."""
    tasks.process_site(
        tasks.send(
            {"version": 1, "url": url, "html": html, "site": SITE} for url, html in pages.items()
        )
    )


def send_and_join(tasks: Tasks, pages: Mapping[str, str]) -> None:
    """Send pages, run all tasks, and join parts."""
    send(tasks, pages)
    join_parts(settle_seconds=0)


def latest_article(tasks: Tasks, url: str = STORY) -> dict[str, Any]:
    """Return the latest article message of a page."""
    page_messages = select(Article.message).where(Article.message["url"].astext == url)
    message: dict[str, Any] = tasks.query(page_messages.order_by(Article.revision.desc()))[0]
    return message


def expected_text(numbers: Sequence[int]) -> str:
    """Return the text of an article with the given parts."""
    return "\n\n".join(text for number in numbers for text in paragraphs(100 * number))


@pytest.mark.parametrize("order", [*itertools.permutations((1, 2, 3))])
def test_the_order_of_parts_does_not_matter(tasks: Tasks, order: tuple[int, ...]) -> None:
    for number in order:
        send_and_join(tasks, {address(number): part_html(number)})
    article = latest_article(tasks)
    assert article["text"] == expected_text([1, 2, 3])
    assert article["parts"]["joined"] == [address(number) for number in (1, 2, 3)]
    assert article["parts"]["missing"] == []
    assert ArticleMessage.model_validate(article).url == STORY
    for block in article["blocks"]:
        assert block["text"] == article["text"][block["start"] : block["end"]]
    # A later part still has its own article, which names the first part.
    second = latest_article(tasks, address(2))
    assert second["text"] == expected_text([2])
    assert (second["parts"]["number"], second["parts"]["first"]) == (2, STORY)
    assert second["parts"]["joined"] == []


def test_a_missing_part_is_listed_and_joined_on_arrival(tasks: Tasks) -> None:
    send(tasks, {address(1): part_html(1), address(3): part_html(3)})
    assert latest_article(tasks)["parts"]["missing"] == [address(2)]
    join_parts(settle_seconds=0)
    assert latest_article(tasks)["text"] == expected_text([1])
    assert latest_article(tasks)["revision"] == 1
    send_and_join(tasks, {address(2): part_html(2)})
    assert latest_article(tasks)["text"] == expected_text([1, 2, 3])


def test_a_task_that_reaches_its_time_limit_leaves_the_remaining_articles_to_the_next(
    tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    def waiting() -> int:
        return int(tasks.query(select(func.count()).where(parts_are_due()))[0])

    stories = [f"https://{SITE}/news/{name}" for name in ("ferry", "mill", "tower")]
    send(tasks, {each: part_html(1, title=each, story=each) for each in stories})
    monkeypatch.setattr("worker.tasks.join_parts.WORK_SECONDS", 0)
    join_parts(settle_seconds=0)
    assert waiting() == len(stories) - 1
    assert tasks.take(task_names.JOIN_PARTS) == [{"settle_seconds": 0}]


def test_a_part_gives_a_revision_only_if_its_text_changes(tasks: Tasks) -> None:
    send_and_join(tasks, {address(number): part_html(number) for number in (1, 2, 3)})
    revision = latest_article(tasks)["revision"]
    send_and_join(tasks, {address(number): part_html(number) for number in (1, 2, 3)})
    join_parts(settle_seconds=0)
    assert latest_article(tasks)["revision"] == revision
    send_and_join(tasks, {address(2): part_html(2, seed=900)})
    article = latest_article(tasks)
    assert article["revision"] == revision + 1
    assert article["text"] == expected_text([1, 9, 3])


def test_a_reprocessed_article_is_joined_again(tasks: Tasks) -> None:
    send_and_join(tasks, {address(number): part_html(number) for number in (1, 2, 3)})
    tasks.reprocess(SITE)
    tasks.run_all()
    join_parts(settle_seconds=0)
    assert latest_article(tasks)["text"] == expected_text([1, 2, 3])


def test_a_page_that_is_no_longer_a_part_is_dropped_from_the_article(tasks: Tasks) -> None:
    send_and_join(tasks, {address(number): part_html(number) for number in (1, 2)})
    assert latest_article(tasks)["text"] == expected_text([1, 2])
    send_and_join(tasks, {address(2): page_html("", prose(500), "Another story")})
    assert latest_article(tasks)["text"] == expected_text([1])
    assert latest_article(tasks)["parts"]["joined"] == []


def test_a_page_that_claims_the_article_of_another_page_is_not_joined(tasks: Tasks) -> None:
    impostor = f"https://{SITE}/advert/buy-now"
    pager = f"<div class='pagination'><a rel='prev' href='{address(1)}'>Previous page</a></div>"
    thief = f"https://{SITE}/advert/story"
    next_pager = f"<div class='pagination'><a rel='next' href='{address(2)}'>Next page</a></div>"
    send_and_join(
        tasks,
        {
            address(1): part_html(1, total=2),
            address(2): part_html(2, total=2),
            impostor: page_html(pager, prose(700)),
            thief: page_html(next_pager, prose(800)),
        },
    )
    assert latest_article(tasks)["text"] == expected_text([1, 2])
    assert latest_article(tasks, thief)["text"] == "\n\n".join(paragraphs(800))


def test_pages_that_link_in_a_ring_are_each_joined_once(tasks: Tasks) -> None:
    def ring(number: int) -> str:
        following = address(number % 3 + 1)
        pager = f"<div class='pagination'><a rel='next' href='{following}'>Next page</a></div>"
        return page_html(pager, prose(100 * number))

    send_and_join(tasks, {address(number): ring(number) for number in (1, 2, 3)})
    assert latest_article(tasks)["text"] == expected_text([1, 2, 3])


def test_a_single_page_version_is_the_article(tasks: Tasks) -> None:
    single_page_url = f"{STORY}?page=all"
    send_and_join(
        tasks, {address(number): part_html(number, whole=single_page_url) for number in (1, 2, 3)}
    )
    assert latest_article(tasks)["text"] == expected_text([1, 2, 3])
    send_and_join(tasks, {single_page_url: page_html("", prose(100) + prose(200) + prose(300))})
    first = latest_article(tasks)
    assert first["text"] == expected_text([1])
    assert (first["parts"]["whole"], first["parts"]["held_by_whole"]) == (single_page_url, True)
    assert latest_article(tasks, single_page_url)["text"] == expected_text([1, 2, 3])


def kill(*_: object) -> None:
    """End the current work abruptly."""
    raise KeyboardInterrupt


def test_joining_that_is_killed_before_the_end_changes_nothing(
    tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(tasks, {address(number): part_html(number) for number in (1, 2, 3)})

    def die_at_the_end(*arguments: Any) -> None:
        process_part(*arguments)
        kill()

    with monkeypatch.context() as patch:
        patch.setattr("worker.tasks.join_parts.process_part", die_at_the_end)
        with pytest.raises(KeyboardInterrupt):
            join_parts(settle_seconds=0)
    assert latest_article(tasks)["revision"] == 1
    join_parts(settle_seconds=0)
    assert (latest_article(tasks)["revision"], latest_article(tasks)["text"]) == (
        2,
        expected_text([1, 2, 3]),
    )


def test_joining_that_kills_its_process_repeatedly_is_abandoned(
    tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(tasks, {address(1): part_html(1, total=2)})
    with monkeypatch.context() as patch:
        patch.setattr("worker.workflow.part_joining.parts.load_parts", kill)
        for _ in range(3):
            with pytest.raises(KeyboardInterrupt):
                join_parts(settle_seconds=0)
        join_parts(settle_seconds=0)
    # A change triggers another attempt.
    send_and_join(tasks, {address(2): part_html(2, total=2)})
    assert latest_article(tasks)["text"] == expected_text([1, 2])


def test_concurrent_joining_and_extraction_give_the_same_article(tasks: Tasks) -> None:
    numbers = range(1, 7)
    tasks.cluster(
        tasks.send(
            {"version": 1, "url": address(n), "html": part_html(n, total=6), "site": SITE}
            for n in numbers
        )
    )
    extractions = tasks.take(task_names.EXTRACT)
    extraction_jobs: list[Callable[[], None]] = [
        partial(extract, **each) for each in extractions * 2
    ]
    joins: list[Callable[[], None]] = [partial(join_parts, settle_seconds=0)] * 12
    random.Random(3).shuffle(jobs := [*extraction_jobs, *joins])
    with ThreadPoolExecutor(4) as threads:
        for future in [threads.submit(each) for each in jobs]:
            future.result()
    join_parts(settle_seconds=0)
    assert latest_article(tasks)["text"] == expected_text(list(numbers))
    (due,) = tasks.query(select(func.count()).select_from(PageParts).where(parts_are_due()))
    assert due == 0

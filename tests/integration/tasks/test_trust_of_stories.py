"""A hostile site has only limited influence on the stories of other sites."""

from typing import Any

import pytest
from sqlalchemy import event, select

from models.tables import Article, StoredPage, StoryArticle
from tests.inline_tasks import Tasks
from tests.integration.tasks.test_stories import page, process, sent_articles, sentences
from tests.story_campaigns import Campaign, Damage, run
from worker.tasks.stories import correct_stories

ONE, OTHER, PILLS = sentences(71), sentences(72), sentences(73)
VICTIMS = (page("one.example", ONE, 0), page("other.example", OTHER, 1))
URLS = tuple(each["url"] for each in VICTIMS)


def stories(tasks: Tasks) -> dict[str, Any]:
    """Return the story ID of each page, by URL."""
    query = select(StoredPage.url, StoryArticle.told["id"].astext).join(StoryArticle)
    return dict(tasks.ask(query))


def texts(tasks: Tasks) -> dict[str, str]:
    query = select(StoredPage.url, Article.message["text"].astext).join(
        Article, Article.page_id == StoredPage.id
    )
    return dict(tasks.ask(query.order_by(Article.revision)))


def test_a_digest_that_quotes_two_stories_and_then_changes_leaves_both_unchanged(
    tasks: Tasks,
) -> None:
    for each in VICTIMS:
        process(tasks, each)
    before, wording = stories(tasks), texts(tasks)
    process(tasks, page("evil.example", ONE + OTHER, 2))
    merged = stories(tasks)
    assert merged[URLS[0]] != merged[URLS[1]]
    assert {url: texts(tasks)[url] for url in URLS} == wording
    process(tasks, page("evil.example", PILLS, 3))
    after = stories(tasks)
    assert {url: after[url] for url in URLS} == before
    assert after["https://evil.example/news/1"] not in before.values()
    assert {url: texts(tasks)[url] for url in URLS} == wording


def test_a_page_that_switches_stories_holds_the_lock_for_one_text_at_a_time(
    tasks: Tasks,
) -> None:
    for each in VICTIMS:
        process(tasks, each)
    process(tasks, page("evil.example", ONE + OTHER, 2))
    statements: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    engine = tasks.database.engine
    event.listen(engine, "before_cursor_execute", note)
    event.listen(engine, "commit", lambda _connection: statements.append("COMMIT"))
    process(tasks, page("evil.example", OTHER + PILLS, 3))
    transactions = "\n".join(statements).split("COMMIT")
    held = [
        after
        for before, found, after in (
            each.partition("pg_advisory_xact_lock") for each in transactions
        )
        if found and "story_arrivals" in before
    ]
    assert any("INSERT INTO story_texts" in under for under in held)
    assert any("SET text_id = NULL" in under for under in held)
    for under in held:
        assert "bands @>" not in under
        assert not ("INSERT INTO story_texts" in under and "SET text_id = NULL" in under)


@pytest.mark.parametrize("seed", range(900, 903))
def test_hostile_campaigns_leave_honest_stories_alone(tasks: Tasks, seed: int) -> None:
    """The whole evaluation is ``python -m benchmarks.stories.campaigns``."""
    assert run(tasks.database, Campaign(seed, stories=25).versions) == Damage()


def test_a_backdated_copy_is_not_the_first_article_of_a_story(tasks: Tasks) -> None:
    process(tasks, page("first.example", ONE, 60))
    process(tasks, page("evil.example", ONE, -60))
    process(tasks, page("evil.example", PILLS, 90))
    correct_stories()
    sent = [each[1:] for each in sent_articles(tasks)]
    assert sent[:2] == [
        (1, "https://first.example/news/1", None),
        (1, "https://evil.example/news/1", "same"),
    ]
    assert all("evil" in url for _, url, _ in sent[2:])


def test_an_article_whose_earlier_copy_changes_keeps_its_story(tasks: Tasks) -> None:
    process(tasks, page("evil.example", ONE, 0))
    process(tasks, page("late.example", ONE, 1))
    before = stories(tasks)["https://late.example/news/1"]
    process(tasks, page("evil.example", PILLS, 2))
    correct_stories()
    process(tasks, page("later.example", [*ONE, *PILLS[:2]], 3))
    assert [each[1:] for each in sent_articles(tasks) if "/late." in each[2]] == [
        (1, "https://late.example/news/1", "same")
    ]
    after = stories(tasks)
    assert after["https://late.example/news/1"] == after["https://later.example/news/1"] == before

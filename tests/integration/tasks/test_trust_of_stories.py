"""A hostile site has only limited influence on the stories of other sites."""

from typing import Any

from sqlalchemy import event, select

from models.tables import Article, StoredPage, StoryArticle
from tests.inline_tasks import Tasks
from tests.integration.tasks.test_stories import page, process, sentences

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
    assert any("DELETE FROM story_texts" in under for under in held)
    for under in held:
        assert "FROM story_overlaps" not in under
        assert not ("INSERT INTO story_texts" in under and "DELETE FROM story_texts" in under)

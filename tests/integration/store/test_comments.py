"""Comments are published with articles, stored, and found by the pattern of the page's group."""

from typing import Any

from sqlalchemy import func, select

from models.tables import Article, ArticleComment, StoredPage, TemplateGroup
from tests.inline_tasks import Tasks
from tests.pages import paragraphs, prose
from tests.unit.comments.comment_pages import NAMES, REMARKS


def commented_page(seed: int, comments: int, more: str = "") -> tuple[str, str]:
    """Return the path and HTML of an article with the given number of comments.

    The text `more` is inserted into each comment.
    """
    items = "".join(
        f'<li class="remark" id="r{seed}-{number}"><b class="author">{NAMES[number % 5]}</b>'
        f"<i>May {number + 1}, 2024</i>"
        f"<p>{REMARKS[number % 5]} {more}{REMARKS[(number + seed) % 5]}</p>"
        "<a href='#answer'>Reply</a></li>"
        for number in range(comments)
    )
    return f"a/{seed}", (
        f"<html lang='en'><head><title>Bridge {seed}</title></head><body><ul id='menu'>"
        "<li><a href='/a'>News</a></li><li><a href='/b'>Sport</a></li></ul>"
        f"<div id='main'><h1>Bridge {seed}</h1><div class='story'>{prose(seed)}</div>"
        f"<ol class='remarks'>{items}</ol></div></body></html>"
    )


def process(tasks: Tasks, *pages: tuple[str, str]) -> int:
    """Store pages, cluster their site and run all tasks; return the ID of the site."""
    return tasks.process_site(tasks.publish("a", pages))


def test_comments_are_published_with_the_article_and_stored(tasks: Tasks) -> None:
    process(tasks, *(commented_page(seed, 5) for seed in range(4)))
    article = tasks.take_articles()["https://news.example/a/1"]
    assert article["text"] == "\n\n".join(paragraphs(1))
    assert [comment["author"] for comment in article["comments"]] == list(NAMES)
    comment = article["comments"][1]
    assert comment.pop("location")["xpath"] == "/html/body/div/ol/li[2]"
    assert comment == {
        "author": NAMES[1],
        "date": "May 2, 2024",
        "published": "2024-05-02",
        "text": f"{REMARKS[1]} {REMARKS[2]}",
        "parent": None,
        "permalink": "https://news.example/a/1#r1-1",
        "votes": None,
    }
    stored = select(ArticleComment.author, ArticleComment.published_at, ArticleComment.text)
    rows = tasks.query(
        stored.join(Article, Article.id == ArticleComment.article_id)
        .where(Article.id == article["id"])
        .order_by(ArticleComment.number)
    )
    assert [(author, day.date().isoformat()) for author, day, _ in rows] == [
        (name, f"2024-05-0{number + 1}") for number, name in enumerate(NAMES)
    ]
    assert [text for *_, text in rows] == [comment["text"] for comment in article["comments"]]


def test_a_single_comment_is_found_by_the_group_pattern_in_any_order(tasks: Tasks) -> None:
    pages = [commented_page(0, 1), *(commented_page(seed, 5) for seed in range(1, 5))]
    for site, order in (("a", pages), ("b", pages[::-1])):
        tasks.cluster(tasks.publish(site, order))
    tasks.run_all()
    articles = tasks.take_articles()
    (comment,) = articles["https://news.example/a/0"]["comments"]
    assert comment["text"] == f"{REMARKS[0]} {REMARKS[0]}"
    assert len(set(tasks.query(select(TemplateGroup.comment_pattern)))) == 1
    # A page that is assigned later has the same pattern.
    tasks.publish("a", [commented_page(9, 1)])
    tasks.run_all()
    assert len(tasks.take_articles()["https://news.example/a/9"]["comments"]) == 1


def test_a_new_comment_gives_a_revision_with_separate_rows(tasks: Tasks) -> None:
    process(tasks, *(commented_page(seed, 4) for seed in range(4)))
    assert tasks.take_articles()["https://news.example/a/2"]["revision"] == 1
    process(tasks, commented_page(2, 5))
    ((url, article),) = tasks.take_articles().items()
    assert (url, article["revision"]) == ("https://news.example/a/2", 2)
    numbers = (
        select(Article.revision, func.count())
        .join(ArticleComment, ArticleComment.article_id == Article.id)
        .join(StoredPage, StoredPage.id == Article.page_id)
        .where(StoredPage.url == url)
    )
    assert sorted(tasks.query(numbers.group_by(Article.revision))) == [(1, 4), (2, 5)]


def test_a_withdrawn_article_keeps_its_comments(tasks: Tasks) -> None:
    tasks.cluster(tasks.publish("news.example", [commented_page(seed, 4) for seed in range(4)]))
    url, html = "https://news.example/a/9", commented_page(9, 4)[1]
    gone_page = {"html": "", "status": 410}
    fetches: list[dict[str, Any]] = [{"html": html}, gone_page, gone_page]
    for hour, fetch in enumerate(fetches):
        fetched_at = f"2026-03-01T0{hour}:00:00Z"
        tasks.send([{"version": 1, "url": url, "fetched_at": fetched_at, **fetch}])
        tasks.run_all()
    columns = [each for each in ArticleComment.__table__.columns if each.name != "article_id"]
    rows = (
        select(Article.revision, *columns)
        .join(Article, Article.id == ArticleComment.article_id)
        .join(StoredPage, StoredPage.id == Article.page_id)
        .where(StoredPage.url == url)
        .order_by(Article.revision, ArticleComment.number)
    )
    found = [tuple(row) for row in tasks.query(rows)]
    assert [row[0] for row in found] == [1] * 4 + [2] * 4
    assert [row[1:] for row in found[:4]] == [row[1:] for row in found[4:]]

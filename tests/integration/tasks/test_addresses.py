"""An article that is served at several URLs is sent once."""

from typing import Any

from sqlalchemy import select

from detourage.outcomes import PageOutcome
from models.tables import StoredPage
from tests.addressed import AMP, FIVE_URLS, MOBILE, PLAIN, PRINT, TRACKED, article_under_five_urls
from tests.inline_tasks import Tasks
from tests.pages import article_html
from worker.workflow.article_message import article_id

OTHERS = [
    {"version": 1, "url": f"https://www.example.org/b-{seed}", "html": article_html(seed)}
    for seed in range(3, 7)
]


def messages(*urls: str) -> list[dict[str, Any]]:
    """Return the pages of one article at the given URLs, fetched in the order of ``FIVE_URLS``."""
    return [
        {
            "version": 1,
            "url": url,
            "html": article_under_five_urls()[url],
            "id": f"of {url}",
            "fetched_at": f"2024-05-0{1 + FIVE_URLS.index(url)}T00:00:00Z",
        }
        for url in urls
    ]


def of_article(sent: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [each for url, each in sent.items() if url in FIVE_URLS]


def test_urls_that_arrive_after_the_article_count_as_fetches_of_it(tasks: Tasks) -> None:
    tasks.process_site(tasks.send([*OTHERS, *messages(PLAIN)]))
    (first,) = of_article(tasks.take_articles())
    assert (first["revision"], first["canonical"], first["variants"]) == (1, PLAIN, [])
    assert first["id"] == str(article_id("example.org", PLAIN, 1))
    tasks.send(messages(TRACKED))
    tasks.run_all()
    # The article would read the same, so no new revision is sent.
    assert tasks.take_articles() == {}
    tasks.send(messages(AMP, MOBILE, PRINT))
    tasks.run_all()
    for article in of_article(tasks.take_articles()):
        assert article["revision"] > 1
        assert article["canonical"] == PLAIN
        assert article["text"].startswith(first["text"])


def test_articles_of_variants_are_merged_by_the_next_revision(tasks: Tasks) -> None:
    site_id = tasks.process_site(tasks.send([*OTHERS, *messages(PRINT, MOBILE)]))
    apart = of_article(tasks.take_articles())
    assert sorted(each["url"] for each in apart) == sorted([PRINT, MOBILE])
    tasks.send(messages(PLAIN))
    tasks.run_all()
    (one,) = of_article(tasks.take_articles())
    assert (one["revision"], one["canonical"], one["url"]) == (2, PLAIN, PLAIN)
    assert one["variants"] == sorted([MOBILE, PRINT])
    joined = tasks.query(select(StoredPage.id).where(StoredPage.outcome == PageOutcome.JOINED))
    assert len(joined) == 1
    for stage in ("extract", "parse", "cluster"):
        tasks.reprocess("example.org", stage)
        tasks.run_all()
        tasks.process_site(site_id)
        assert len(of_article(tasks.take_articles())) == 1

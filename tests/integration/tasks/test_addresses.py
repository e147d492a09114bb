"""An article that is served at several URLs is sent once."""

from typing import Any

from sqlalchemy import select

from detourage.outcomes import PageOutcome
from models.tables import StoredPage
from tests.addressed import AMP, FIVE_URLS, MOBILE, PLAIN, PRINT, TRACKED, article_under_five_urls
from tests.inline_tasks import Tasks
from tests.pages import article_html
from worker.workflow.article_message import article_id

OTHER_PAGES = [
    {"version": 1, "url": f"https://www.example.org/b-{seed}", "html": article_html(seed)}
    for seed in range(3, 7)
]


def messages(*urls: str) -> list[dict[str, Any]]:
    """Return page messages for an article at some of `FIVE_URLS`, fetched in their order."""
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


def revisions_of_article(sent: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the published articles that are at one of `FIVE_URLS`."""
    return [each for url, each in sent.items() if url in FIVE_URLS]


def test_urls_that_arrive_after_the_article_count_as_fetches_of_it(tasks: Tasks) -> None:
    tasks.process_site(tasks.send([*OTHER_PAGES, *messages(PLAIN)]))
    (first,) = revisions_of_article(tasks.take_articles())
    assert (first["revision"], first["canonical"], first["variants"]) == (1, PLAIN, [])
    assert first["id"] == str(article_id("example.org", PLAIN, 1))
    tasks.send(messages(TRACKED))
    tasks.run_all()
    # The article would read the same, so no new revision is sent.
    assert tasks.take_articles() == {}
    tasks.send(messages(AMP, MOBILE, PRINT))
    tasks.run_all()
    for article in revisions_of_article(tasks.take_articles()):
        assert article["revision"] > 1
        assert article["canonical"] == PLAIN
        assert article["text"].startswith(first["text"])


def test_articles_of_variants_are_merged_by_the_next_revision(tasks: Tasks) -> None:
    site_id = tasks.process_site(tasks.send([*OTHER_PAGES, *messages(PRINT, MOBILE)]))
    separate = revisions_of_article(tasks.take_articles())
    assert sorted(each["url"] for each in separate) == sorted([PRINT, MOBILE])
    tasks.send(messages(PLAIN))
    tasks.run_all()
    (merged,) = revisions_of_article(tasks.take_articles())
    assert (merged["revision"], merged["canonical"], merged["url"]) == (2, PLAIN, PLAIN)
    assert merged["variants"] == sorted([MOBILE, PRINT])
    joined = tasks.query(select(StoredPage.id).where(StoredPage.outcome == PageOutcome.JOINED))
    assert len(joined) == 1
    for stage in ("extract", "parse", "cluster"):
        tasks.reprocess("example.org", stage)
        tasks.run_all()
        tasks.process_site(site_id)
        assert len(revisions_of_article(tasks.take_articles())) == 1

"""Repeated fetches of a page that return something other than its article.

For example, the site returns a login form ("wall"), an error page, or another page.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from models.tables import Article, StoredPage
from tests.inline_tasks import Tasks
from tests.pages import article_html, article_pages
from worker.store.progress import service_counts

URL = "https://news.example/story"
START = datetime(2026, 3, 1, tzinfo=UTC)
ARTICLE_PAGE = article_html(7)
EDITED_PAGE = ARTICLE_PAGE.replace("Note 7-0.", "Note 7-0, corrected.")
ERROR_PAGE = (
    "<html><body><h1>Not here</h1><p>Perhaps you would like our home page.</p></body></html>"
)


def fetch(hour: int, html: str = ARTICLE_PAGE, **keys: object) -> dict[str, Any]:
    """Return a page message for `URL`, fetched the given hours after `START`."""
    moment = (START + timedelta(hours=hour)).isoformat()
    return {"version": 1, "url": URL, "html": html, "fetched_at": moment, **keys}


@pytest.fixture
def site(tasks: Tasks) -> Tasks:
    """Tasks on a database with a clustered site."""
    tasks.process_site(tasks.publish("news.example", article_pages(range(4))))
    tasks.take_articles()
    return tasks


def send_fetches(tasks: Tasks, *fetches: Mapping[str, Any], at_once: bool = False) -> None:
    """Send fetches, and run all tasks after each or, with `at_once`, after the last."""
    for each in fetches:
        tasks.send([each])
        if not at_once:
            tasks.run_all()
    tasks.run_all()


def revisions(tasks: Tasks) -> list[dict[str, Any]]:
    """Return the revisions of the page's article, in order."""
    found: list[dict[str, Any]] = tasks.query(
        select(Article.message)
        .join(StoredPage, StoredPage.id == Article.page_id)
        .where(StoredPage.url == URL)
        .order_by(Article.revision)
    )
    return found


def revision_states(tasks: Tasks) -> list[tuple[str, bool]]:
    """Return for each revision a name of its text, and whether it is withdrawn."""
    names = {"Note 7-0.": "good", "Note 7-0, corrected.": "edited"}
    return [
        (
            next((name for mark, name in names.items() if mark in each["text"]), "other"),
            each["withdrawn"] is not None,
        )
        for each in revisions(tasks)
    ]


@pytest.mark.parametrize(
    ("html", "keys", "result"),
    [
        (ERROR_PAGE, {"status": 403}, "wall"),
        ("", {"status": 451}, "wall"),
        (ARTICLE_PAGE, {"status": 503}, "wall"),
        (ERROR_PAGE, {"status": 404}, "gone"),
        ("", {"status": 410}, "gone"),
        (ERROR_PAGE, {"final_url": "https://news.example/"}, "gone"),
        (ARTICLE_PAGE, {"final_url": "https://parked.example/landing"}, "gone"),
        (ERROR_PAGE, {"final_url": "https://news.example/login?to=/story"}, "wall"),
        ("", {"final_url": "https://consent.news.example/collect"}, "wall"),
    ],
)
def test_a_refusal_leaves_the_article_unchanged(
    site: Tasks, html: str, keys: dict[str, Any], result: str
) -> None:
    send_fetches(site, fetch(0), fetch(1, html, **keys))
    assert site.outcomes()["story"][0] == result
    assert revision_states(site) == [("good", False)]
    send_fetches(site, fetch(2, EDITED_PAGE))
    assert site.outcomes()["story"] == ("article", None)
    assert revision_states(site) == [("good", False), ("edited", False)]


def test_a_page_that_was_never_served_has_the_outcome_wall(site: Tasks) -> None:
    send_fetches(site, fetch(0, "", status=403))
    assert site.outcomes()["story"] == ("wall", "the site responded with status 403")
    assert revisions(site) == []
    send_fetches(site, fetch(1))
    assert revision_states(site) == [("good", False)]


@pytest.mark.parametrize("html", [ERROR_PAGE, ""])
def test_an_article_missing_twice_is_withdrawn_until_it_returns(site: Tasks, html: str) -> None:
    send_fetches(site, fetch(0), fetch(1, html, status=404))
    assert revision_states(site) == [("good", False)]
    send_fetches(site, fetch(2, html, status=404), fetch(3, html, status=410))
    assert revision_states(site) == [("good", False), ("good", True)]
    first, last = revisions(site)
    assert last["withdrawn"] == "2026-03-01T02:00:00Z"
    changed = {key for key in last if last[key] != first[key]}
    assert changed == {"id", "revision", "extracted_at", "withdrawn"}
    site.reprocess("news.example")
    site.run_all()
    assert len(revisions(site)) == 2
    send_fetches(site, fetch(4))
    assert revision_states(site) == [("good", False), ("good", True), ("good", False)]


@pytest.mark.parametrize(
    "fetches",
    [
        [fetch(1, ERROR_PAGE, status=404), fetch(1, ERROR_PAGE, status=404)],
        [fetch(1, ERROR_PAGE, status=403), fetch(2, ERROR_PAGE, status=403)],
        [fetch(1, ERROR_PAGE, status=404), fetch(2), fetch(3, ERROR_PAGE, status=404)],
        [fetch(1, ERROR_PAGE, status=404), fetch(2, ERROR_PAGE, status=503)],
        [fetch(h, ERROR_PAGE, final_url="https://parked.example/") for h in (1, 2)],
    ],
    ids=["sent twice", "walls", "back in between", "one of two", "parked"],
)
def test_an_article_is_withdrawn_only_after_two_successive_fetches_without_it(
    site: Tasks, fetches: list[dict[str, Any]]
) -> None:
    send_fetches(site, fetch(0), *fetches)
    assert revision_states(site) == [("good", False)]


def short_page(text: str) -> str:
    """Return `ARTICLE_PAGE` with a short text instead of its article."""
    start, end = ARTICLE_PAGE.index("<p>A ferry"), ARTICLE_PAGE.index("</div></div>")
    return f"{ARTICLE_PAGE[:start]}<p>{text}</p>{ARTICLE_PAGE[end:]}"


WAITING_NOTICE = "We are preparing your page. Please stay with us for a few seconds."
"""A text that may be a wall, but is not certain to be one."""
LOGIN_PAGE = "<html><body><form><input><input></form><p>Log in to read on.</p></body></html>"
SHORT_NEWS = (
    "The mayor resigned on Monday after the vote on the old bridge, her office said. A successor"
    " is to be elected in June."
)


@pytest.mark.parametrize("html", [LOGIN_PAGE, short_page(WAITING_NOTICE)])
def test_a_doubtful_text_that_shares_nothing_with_the_article_is_a_wall(
    site: Tasks, html: str
) -> None:
    send_fetches(site, fetch(0), fetch(1, html))
    assert site.outcomes()["story"][0] == "wall"
    assert revision_states(site) == [("good", False)]
    site.reprocess("news.example")
    site.run_all()
    assert site.outcomes()["story"][0] == "wall"
    assert revision_states(site) == [("good", False)]
    send_fetches(site, fetch(2, EDITED_PAGE))
    assert revision_states(site) == [("good", False), ("edited", False)]


def test_an_article_rewritten_as_a_short_report_is_a_revision(site: Tasks) -> None:
    send_fetches(site, fetch(0), fetch(1, short_page(SHORT_NEWS)))
    assert site.outcomes()["story"] == ("article", None)
    assert revisions(site)[-1]["text"] == SHORT_NEWS


def test_reprocessing_uses_the_last_served_version_of_a_walled_page(site: Tasks) -> None:
    send_fetches(site, fetch(0), fetch(1, ERROR_PAGE, status=403))
    (site_id,) = site.query(select(StoredPage.site_id).where(StoredPage.url == URL))
    for number, stage in enumerate(("extract", "parse", "cluster"), start=2):
        site.reprocess("news.example", stage)  # type: ignore[arg-type]
        site.run_all()
        site.process_site(site_id)
        assert site.outcomes()["story"][0] == "wall"
        assert revision_states(site) == [("good", False)] * number


def outcomes_of(tasks: Tasks, name: str) -> list[str | None]:
    """Return the outcomes of the pages whose URLs contain a name, such as ``same-1``."""
    has_name = StoredPage.url.contains(f"/{name}-")
    outcomes: list[str | None] = tasks.query(select(StoredPage.outcome).where(has_name))
    return outcomes


@pytest.mark.parametrize("at_once", [False, True])
def test_a_doubtful_text_at_three_urls_is_a_wall_at_each_of_them(
    site: Tasks, *, at_once: bool
) -> None:
    for number in range(4):
        urls = {name: f"https://news.example/{name}-{number}" for name in ("same", "other")}
        site.send([{"version": 1, "url": urls["same"], "html": short_page(WAITING_NOTICE)}])
        if number < 2:
            site.send([{"version": 1, "url": urls["other"], "html": short_page(SHORT_NEWS[:60])}])
        if not at_once:
            site.run_all()
    site.run_all()
    assert outcomes_of(site, "same") == ["wall"] * 4
    assert outcomes_of(site, "other") == ["article"] * 2
    site.reprocess("news.example")
    site.run_all()
    assert outcomes_of(site, "same") == ["wall"] * 4


@pytest.mark.parametrize("is_copied_first", [False, True])
@pytest.mark.parametrize(
    ("host", "text"), [("stranger.example.com", WAITING_NOTICE), ("own.example.com", SHORT_NEWS)]
)
def test_an_article_that_other_pages_copy_is_not_mistaken_for_a_wall(
    site: Tasks, host: str, text: str, *, is_copied_first: bool
) -> None:
    urls = [f"https://{host}/copy-{number}" for number in range(4)]
    urls.insert(4 if is_copied_first else 0, "https://own.example.com/own-0")
    for url in urls:
        site.process_site(site.send([{"version": 1, "url": url, "html": short_page(text)}]))
    assert outcomes_of(site, "own") == ["article"]


def test_a_site_that_mostly_serves_walls_is_counted(site: Tasks) -> None:
    for number in range(5):
        url = f"https://walled.example/{number}"
        site_id = site.send([{"version": 1, "url": url, "html": "", "status": 403}])
    site.process_site(site_id)
    counts = site.read(service_counts)
    assert counts.walls == {"walled.example": 5}
    assert counts.outcomes["wall"] == 5


def test_a_page_whose_url_changes_just_before_a_clustering_is_extracted_again(site: Tasks) -> None:
    first, second, third = (f"https://news.example/moved/{name}" for name in ("a", "b", "c"))
    moved = {"version": 1, "html": ARTICLE_PAGE, "status": 200}
    site.send([{**moved, "url": first, "final_url": second}])
    site.run_all()
    # The clustering runs before the page is assigned. Only its URL changes, not its content.
    site.process_site(site.send([{**moved, "url": second, "final_url": third}]))
    assert site.query(select(StoredPage.outcome).where(StoredPage.url == second)) == ["article"]

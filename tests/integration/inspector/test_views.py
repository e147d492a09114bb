"""Contents, searches and JSON versions of the views, with a real database."""

import json
import re
from datetime import timedelta

import pytest
from sqlalchemy import func, insert, select

from inspector.reads.overview import overview as read_overview
from models.tables import Article, Receipt, StoredPage
from tests.crawled import SITES, Client, page_ids
from worker.settings import Settings
from worker.store.database import Database

VIEWS = ("/overview", "/sites", "/articles")


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_links_to_its_data_in_json(client: Client, view: str) -> None:
    page = client.get(view)
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    assert f'href="{view}.json"' in page.text
    json_response = client.get(f"{view}.json")
    assert json_response.headers["content-type"] == "application/json"
    assert isinstance(json_response.json(), dict)


def test_the_overview_counts_every_page_once(client: Client, crawled: Settings) -> None:
    values = client.values("/overview.json")
    arrivals = values["overview"]["arrivals"]
    slots = [sum(slot["outcomes"].values()) for slot in arrivals["slots"]]
    assert sum(slots) == sum(arrivals["outcomes"].values())
    assert arrivals["outcomes"]["article"] == len(page_ids(crawled))
    assert [change["site"] for change in values["overview"]["changes"]] == ["harbour-post.example"]
    waiting = {stage["name"]: stage["messages"] for stage in values["stages"]}
    assert waiting["intake"] == waiting["articles"] == 0


def test_sites_are_listed_with_the_outcomes_of_their_pages(client: Client) -> None:
    found = client.values("/sites.json")["sites"]
    assert {each["status"]["key"] for each in found} == set(SITES)
    for each in found:
        assert sum(part["pages"] for part in each["trend"]) == each["status"]["pages"]


def test_a_site_is_found_by_a_part_of_its_name(client: Client) -> None:
    found = client.values("/sites.json?name=HARBOUR&order=name")["sites"]
    assert [each["status"]["key"] for each in found] == ["harbour-post.example"]
    assert "No site has a name" in client.get("/sites?name=%25").text


@pytest.mark.parametrize("order", ["name", "pages", "waiting", "doubtful", "changed"])
def test_sites_are_paginated(client: Client, monkeypatch: pytest.MonkeyPatch, order: str) -> None:
    monkeypatch.setattr("inspector.views.sites.SITES_PER_PAGE", 1)
    first = client.values(f"/sites.json?order={order}")
    second = client.values(f"/sites.json?order={order}&after={first['after']}")
    assert second["after"] is None
    keys = [each["status"]["key"] for each in first["sites"] + second["sites"]]
    assert sorted(keys) == sorted(SITES)


def found_urls(client: Client, query: str) -> set[str]:
    """Return the URLs of the pages that a search finds, given its query string."""
    return {page["url"] for page in client.values(f"/articles.json?{query}")["found"]["pages"]}


def test_articles_are_found_by_their_properties(client: Client, crawled: Settings) -> None:
    lines = client.get("/articles.jsonl").text.splitlines()
    articles = {each["url"]: each for each in map(json.loads, lines)}
    assert len(articles) == len(page_ids(crawled))
    arabic = {url for url, article in articles.items() if article["language"] == "ar"}
    assert found_urls(client, "language=ar") == arabic != set()
    confident = {url for url, article in articles.items() if article["confidence"] >= 0.9}
    assert found_urls(client, "outcome=article&above=0.9") == confident
    assert found_urls(client, "outcome=article&below=0.9") == articles.keys() - confident
    word = next(iter(articles.values()))["text"].split()[3]
    with_word = {
        url
        for url, article in articles.items()
        if word.lower() in f"{article['title']}\n{article['text']}".lower()
    }
    assert found_urls(client, f"words={word.upper()}") == with_word
    assert found_urls(client, "words=%25") <= articles.keys()
    assert found_urls(client, "until=2001-01-01") == set()
    assert len(found_urls(client, "since=2001-01-01&outcome=menu")) == len(
        page_ids(crawled, "menu")
    )
    lines_of_site = client.get("/articles.jsonl?site=sada").text.splitlines()
    assert {json.loads(line)["site"] for line in lines_of_site} == {"sada-almina.example"}


def test_searches_are_paginated(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = found_urls(client, "language=e")
    monkeypatch.setattr("inspector.reads.articles.MAX_SCANNED_PAGES", 5)
    monkeypatch.setattr("inspector.reads.articles.BATCH_PAGES", 3)
    found: set[str] = set()
    after = ""
    while True:
        values = client.values(f"/articles.json?language=e&after={after}")["found"]
        found |= {page["url"] for page in values["pages"]}
        after = values["before"]
        if after is None:
            break
    assert found == everything


def test_only_articles_are_listed_by_default(client: Client, crawled: Settings) -> None:
    usual = client.values("/articles.json?site=sada")["found"]["pages"]
    assert {page["outcome"] for page in usual} == {"article"}
    everything = client.values("/articles.json?site=sada&outcome=any")["found"]["pages"]
    assert {page["outcome"] for page in everything} == {"article", "menu"}
    assert len(everything) > len(usual)


def test_a_search_shows_excerpts_with_its_words(client: Client, crawled: Settings) -> None:
    article = client.values(f"/pages/{page_ids(crawled)[0]}.json")["article"]
    word = max(article["text"].split()[-40:], key=len).strip(".,;:“”\"'")
    values = client.values(f"/articles.json?words={word.upper()}")
    excerpts = values["excerpts"]
    assert excerpts.keys() == {str(page["id"]) for page in values["found"]["pages"]}
    [page_id] = [str(p["id"]) for p in values["found"]["pages"] if p["url"] == article["url"]]
    assert any(word in excerpt for excerpt in excerpts[page_id])
    assert f"<mark>{word}</mark>" in client.get(f"/articles?words={word.upper()}").text
    assert client.values("/articles.json")["excerpts"] == {}


def test_the_overview_shows_rates_and_a_scaled_chart(client: Client, crawled: Settings) -> None:
    articles = page_ids(crawled)
    with Database(crawled.require_database_url()) as database, database.transaction() as session:
        session.execute(insert(Receipt), [{"result": "accepted", "page_id": p} for p in articles])
        session.execute(
            insert(Receipt).values(
                result="accepted", page_id=articles[0], received_at=func.now() - timedelta(hours=1)
            )
        )
        overview = read_overview(session)
        revisions = session.scalar(
            select(func.count()).select_from(Article).where(Article.page_id.in_(articles))
        )
        session.rollback()
    rates = overview.rates
    assert rates.seconds == 900
    assert rates.pages_per_minute == pytest.approx(len(articles) / 15)
    assert rates.articles_per_minute == pytest.approx((revisions or 0) / 15)
    assert rates.first_received_at is not None
    assert rates.last_received_at == rates.first_received_at + timedelta(hours=1)
    view = client.get("/overview").text
    assert "pages per minute" in view
    highest = max(sum(slot.outcomes.values()) for slot in overview.arrivals.slots)
    [top, *_] = map(int, re.findall(r"<li>(\d+)</li>", view))
    assert highest <= top < 2 * highest + 1


def test_rates_cover_only_the_latest_messages(
    crawled: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.reads.overview.MAX_RECEIPTS", 10)
    [page_id, *_] = page_ids(crawled)
    with Database(crawled.require_database_url()) as database, database.transaction() as session:
        for number in range(30):
            moment = func.now() - timedelta(seconds=10 * (29 - number))
            session.execute(
                insert(Receipt).values(result="accepted", page_id=page_id, received_at=moment)
            )
        rates = read_overview(session).rates
        session.rollback()
    assert rates.seconds == pytest.approx(90)
    assert rates.pages_per_minute == pytest.approx(6, rel=0.2)


def test_page_content_is_escaped(client: Client, crawled: Settings) -> None:
    [page_id, *_] = page_ids(crawled, "menu")
    hostile = 'javascript:alert(1)//"><script>alert(2)</script>'
    with Database(crawled.require_database_url()) as database, database.transaction() as session:
        session.get_one(StoredPage, page_id).url = hostile
    page = client.get("/articles?outcome=menu").text
    assert hostile.partition(":")[0] in page
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(2)" in page
    assert 'href="javascript' not in page


def test_the_text_is_found_again_in_the_stored_page(client: Client, crawled: Settings) -> None:
    page_id = page_ids(crawled)[0]
    article = client.values(f"/pages/{page_id}.json")["article"]
    block = article["blocks"][0]
    assert f'href="/pages/{page_id}/locations"' in client.get(f"/pages/{page_id}").text
    list_view = client.get(f"/pages/{page_id}/locations").text
    assert f"start={block['start']}&amp;end={block['end']}" in list_view
    character_range = f"start={block['start']}&end={block['end']}"
    found = client.values(f"/pages/{page_id}/locations.json?{character_range}")
    assert "".join(each["text"] for each in found["passages"]).split() == block["text"].split()
    assert "<mark>" in client.get(f"/pages/{page_id}/locations?{character_range}").text
    assert "#:~:text=" in found["fragment"]


def test_a_range_outside_of_the_text_is_refused(client: Client, crawled: Settings) -> None:
    page_id = page_ids(crawled)[0]
    for character_range in ("start=5&end=5", "start=0&end=9999999"):
        assert client.get(f"/pages/{page_id}/locations?{character_range}").status_code == 400

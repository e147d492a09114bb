"""Views of a site, a group, a pair of pages and a page."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from lxml import html
from sqlalchemy import select

from models.tables import Article, PageContent
from tests.commands import invoke
from tests.crawled import SITES, Client, page_ids
from tests.deployment import configured
from tests.inline_tasks import Tasks
from worker.settings import Settings
from worker.store.database import Database
from worker.store.page_objects import PageObjects
from worker.workflow.process_state import configure, process_state


def site_ids(client: Client) -> dict[str, int]:
    """Return the IDs of all sites, by key."""
    return {each["status"]["key"]: each["id"] for each in client.values("/sites.json")["sites"]}


@pytest.fixture(scope="module")
def site(client: Client) -> dict[str, Any]:
    """Values of the JSON view of the first site."""
    return client.values(f"/sites/{site_ids(client)[SITES[0]]}.json")


def parse_html(content: str | bytes) -> html.HtmlElement:
    return html.document_fromstring(content)


def test_a_site_view_shows_groups_and_generations(client: Client, site: dict[str, Any]) -> None:
    assert site["site"]["key"] == SITES[0]
    assert site["pictured_pages"] == sum(tree["pages"] for tree in site["trees"])
    representatives = {group["representative_id"] for group in site["groups"]}
    marked = {tree["page"] for tree in site["trees"] if tree["role"] == "representative"}
    assert marked == representatives
    assert [each["number"] for each in site["generations"]] == [1, 2]
    linked = parse_html(client.get(f"/sites/{site['site']['id']}").text).xpath("//@href | //@src")
    assert {f"/pages/{tree['page']}" for tree in site["trees"]} <= set(linked)


def test_two_chosen_pages_are_shown_as_a_pair(client: Client, site: dict[str, Any]) -> None:
    first, second = site["trees"][0]["page"], site["trees"][3]["page"]
    path = f"/sites/{site['site']['id']}/pair"
    assert client.get(f"{path}?page={first}&other={second}").url.endswith(
        f"/pairs/{first}/{second}"
    )
    assert client.get(f"{path}?page=&other=2").status_code == 404


def test_a_pair_view_shows_distance_and_differences(client: Client, site: dict[str, Any]) -> None:
    first, second = site["groups"][0]["representative_id"], site["groups"][1]["representative_id"]
    pair = client.values(f"/pairs/{first}/{second}.json")
    assert pair["distance"] == pair["removed"] + pair["added"] + pair["renamed"] > 0
    sizes = [page["elements"] for page in pair["pages"]]
    assert pair["normalised"] == pytest.approx(
        2 * pair["distance"] / (sum(sizes) + pair["distance"])
    )
    signs = {line["sign"] for line in pair["lines"]}
    assert "same" in signs
    assert signs & {"removed", "added", "renamed"}
    same = client.values(f"/pairs/{first}/{first}.json")
    assert same["distance"] == 0
    assert "Their trees are equal" in client.get(f"/pairs/{first}/{first}").text


def test_a_group_view_shows_its_template_and_pages(client: Client, site: dict[str, Any]) -> None:
    for summary in site["groups"]:
        path = f"/sites/{site['site']['id']}/groups/{summary['number']}"
        group = client.values(f"{path}.json")
        assert group["group"]["size"] == summary["size"]
        assert sum(each["pages"] for each in group["outcomes"]) == summary["size"]
        assert len(group["pages"]) == summary["size"]
        assert group["fixed"]
        assert group["fixed"][0] in client.get(path).text
    assert client.get(f"/sites/{site['site']['id']}/groups/99").status_code == 404


def test_pages_in_no_group_are_listed(client: Client, site: dict[str, Any]) -> None:
    outliers = client.values(f"/sites/{site['site']['id']}/outliers.json")
    assert len(outliers["pages"]) == site["in_no_group"]
    assert all(page["role"] == "outlier" for page in outliers["pages"])


def test_a_page_view_shows_article_history_and_lines(client: Client, crawled: Settings) -> None:
    page_id = page_ids(crawled)[0]
    page = client.values(f"/pages/{page_id}.json")
    steps = [step["name"] for step in page["way"]]
    assert steps == [
        *("fetched", "received", "stored", "clustered", "assigned", "extracted", "published")
    ]
    assert all(step["at"] for step in page["way"])
    article = page["article"]
    assert article["url"] == page["page"]["url"]
    assert page["read_again"]["differs"] is False
    kept_text = "\n".join(line["text"] for line in page["lines"] if line["verdict"] == "kept")
    assert set(article["text"].split()) <= set(kept_text.split())
    assert all(line["role"] for line in page["lines"])
    view = parse_html(client.get(f"/pages/{page_id}").text)
    assert view.xpath("string(//article//*[@class='headline'])") == article["title"]
    assert len(view.xpath("//ol[@class='why']/li/details")) == len(page["lines"])
    assert len(view.xpath("//ul[@class='comments']/li")) == len(article["comments"])


def test_kept_lines_are_shown_and_all_others_folded(client: Client, crawled: Settings) -> None:
    for page_id in page_ids(crawled)[:4]:
        lines = client.values(f"/pages/{page_id}.json")["lines"]
        view = parse_html(client.get(f"/pages/{page_id}").text)
        visible = view.xpath("//section/ol[@class='why']/li")
        [other_lines] = view.xpath("//section/details[@class='rest' and not(@open)]")
        folded = other_lines.xpath("./ol[@class='why']/li")
        notable = [
            line
            for line in lines
            if line["verdict"] in ("kept", "title")
            or (line["verdict"] == "dropped" and line["probability"] >= 0.1)
        ]
        assert len(visible) == len(notable)
        assert len(folded) == len(lines) - len(notable) > 0
        assert f"The other {len(folded)} lines" in other_lines.text_content()


@contextmanager
def changed_article(settings: Settings, index: int, **values: Any) -> Iterator[int]:
    """Temporarily change values in a stored article's message; yield the ID of its page."""
    page_id = page_ids(settings)[index]
    database = Database(settings.require_database_url())
    with database.transaction() as session:
        newest = select(Article).where(Article.page_id == page_id).order_by(Article.id.desc())
        article = session.scalars(newest.limit(1)).one()
        before, article.message = article.message, article.message | values
    try:
        yield page_id
    finally:
        with database.transaction() as session:
            session.get_one(Article, article.id).message = before
        database.dispose()


@pytest.fixture
def page_with_image(crawled: Settings) -> Iterator[int]:
    """ID of a page whose article has two images, one with a URL on the user's local network."""
    found = "https://cdn.example/a.jpg?b=1&c=2"
    images = [
        {"url": found, "alt": "A bridge", "caption": "It", "block": 1},
        {"url": "http://192.168.0.1/reboot", "alt": None, "caption": None, "block": 2},
    ]
    with changed_article(crawled, 2, images=images) as page_id:
        yield page_id


def test_the_reader_loads_images_only_on_request(client: Client, page_with_image: int) -> None:
    path = f"/pages/{page_with_image}/read"
    without_images = client.get(path)
    assert "img-src 'self';" in without_images.headers["content-security-policy"]
    view = parse_html(without_images.text)
    assert not view.xpath("//img")
    assert "cdn.example would see your IP address" in view.text_content()
    [ask] = [link for link in view.xpath("//a") if link.text_content() == "Show images"]
    with_images = client.get(ask.get("href"))
    policy = with_images.headers["content-security-policy"]
    assert "img-src 'self' https://cdn.example;" in policy
    assert "192.168" not in policy
    [image] = parse_html(with_images.text).xpath("//img")
    assert image.get("src") == "https://cdn.example/a.jpg?b=1&c=2"
    assert image.get("alt") == "A bridge"
    assert image.get("referrerpolicy") == "no-referrer"


def test_the_reader_shows_only_the_article(client: Client, crawled: Settings) -> None:
    page_id = page_ids(crawled)[0]
    values = client.values(f"/pages/{page_id}/read.json")
    view = parse_html(client.get(f"/pages/{page_id}/read").text)
    assert view.xpath("string(//h1)") == values["article"]["title"]
    body = " ".join(view.xpath("string(//article)").split())
    for block in values["article"]["blocks"]:
        assert " ".join(block["text"].split()) in body
    assert not view.xpath("//form | //iframe | //table[@role]")
    assert [link.get("href") for link in view.xpath("//nav//a")] == [
        f"/pages/{page_id}",
        f"/pages/{page_id}/read?size=2",
        f"/pages/{page_id}/read?size=4",
    ]
    [menu, *_] = page_ids(crawled, "menu")
    assert client.get(f"/pages/{menu}/read").status_code == 404


def test_an_impossible_date_is_shown_as_written(client: Client, crawled: Settings) -> None:
    last = "9999-12-31T23:59:59-12:00"
    with changed_article(crawled, 3, published_at=last) as page_id:
        for path in (f"/pages/{page_id}", f"/pages/{page_id}/read"):
            response = client.get(path)
            assert response.status_code == 200
            assert last in response.text
            assert client.get(f"{path}.json").status_code == 200


def test_an_arabic_article_is_shown_from_right_to_left(client: Client) -> None:
    site = client.values(f"/sites/{site_ids(client)[SITES[1]]}.json")
    pages = [client.get(f"/pages/{tree['page']}").text for tree in site["trees"]]
    assert any(
        '<article class="reader" tabindex="0" dir="rtl" lang="ar">' in page for page in pages
    )


def test_a_stored_page_is_shown_in_a_sandboxed_frame(client: Client, crawled: Settings) -> None:
    page_id = page_ids(crawled)[0]
    frame = parse_html(client.get(f"/pages/{page_id}").text).find(".//iframe")
    assert frame is not None
    assert (frame.get("sandbox"), frame.get("src")) == ("", f"/pages/{page_id}/stored")
    stored = client.get(f"/pages/{page_id}/stored")
    policy = stored.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'")
    document = parse_html(stored.content)
    assert not document.xpath("//script | //link | //img | //iframe | //@href | //@src | //@style")
    article = client.values(f"/pages/{page_id}.json")["article"]
    marked_text = " ".join(document.xpath("//*[@class='detourage-kept']//text()"))
    assert article["text"].split("\n\n")[1][:40] in " ".join(marked_text.split())


def test_a_page_is_compared_with_its_earlier_revision(client: Client, crawled: Settings) -> None:
    page_id = page_ids(crawled)[1]
    url = client.values(f"/pages/{page_id}.json")["page"]["url"]
    with configured(crawled):
        invoke("reprocess", f"{url}-unknown", code=1)
        invoke("reprocess", url)
    configure(crawled)
    tasks = Tasks(process_state().database)
    tasks.run_all()
    tasks.take_articles()
    tasks.database.dispose()
    page = client.values(f"/pages/{page_id}.json")
    assert [each["revision"] for each in page["revisions"]] == [2, 1]
    # The revisions may differ only in the generation, which is part of the template information.
    assert {field["name"] for field in page["changes"]} <= {"template"}
    assert client.values(f"/pages/{page_id}.json?revision=1")["article"]["revision"] == 1


def test_views_of_a_page_whose_html_is_lost_show_the_rest(
    client: Client, site: dict[str, Any], crawled: Settings, tmp_path: Path
) -> None:
    group = site["groups"][0]
    page_id = group["representative_id"]
    PageObjects(tmp_path.as_uri()).mark()
    lost_url = f"{tmp_path.as_uri()}/ab/ab{'0' * 62}"
    with Database(crawled.require_database_url()) as database:
        with database.transaction() as session:
            content = session.get_one(PageContent, page_id)
            compressed, content.compressed, content.object_url = content.compressed, None, lost_url
        try:
            for view in (
                f"/pages/{page_id}",
                f"/sites/{site['site']['id']}/groups/{group['number']}",
            ):
                assert client.get(view).status_code == 200, view
        finally:
            with database.transaction() as session:
                content = session.get_one(PageContent, page_id)
                content.compressed, content.object_url = compressed, None

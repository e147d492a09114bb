"""The inspector in a real browser: its views, its actions and an attacker's pages."""

import os
from pathlib import Path

import pytest
from sqlalchemy import select

from models.tables import Membership, Site, StoredPage
from tests.browser.inspector.attack import OUTSIDE, SITE
from tests.browser.inspector.conftest import OpenPage
from worker.settings import Settings
from worker.store.database import Database

pytestmark = pytest.mark.browser

AXE = Path(
    os.environ.get("DETOURAGE_TEST_AXE")
    or Path(__file__).parents[3] / ".venv/node/node_modules/axe-core/axe.min.js"
)

MAX_HEIGHTS = {
    "/overview": (2000, 3200),
    "/sites": (1500, 2000),
    "/articles": (4000, 6500),
    "sites": (2600, 3200),
    "pairs": (3000, 4000),
    "pages": (3500, 6000),
}
"""Maximum heights, in pixels, of the views of the sample crawl in a wide and in a narrow window."""

HEIGHTS_SCRIPT = """() => {
    const foot = document.querySelector('body > footer').getBoundingClientRect().bottom;
    const page = document.documentElement.scrollHeight;
    return {page, end: Math.max(innerHeight, foot + scrollY)};
}"""

SERIOUS_IMPACTS = ("serious", "critical")

WIDE_ELEMENTS = """[...document.querySelectorAll('main *')]
    .filter(each => each.getBoundingClientRect().right > innerWidth)
    .map(each => each.outerHTML.slice(0, 80)).slice(0, 5)"""


@pytest.fixture(scope="module")
def views(crawled: Settings) -> dict[str, list[str]]:
    """Paths of every view, for a site of the sample crawl and for the attacker's site."""
    return {site: addresses(crawled, site) for site in ("harbour-post.example", SITE)}


def addresses(settings: Settings, key: str) -> list[str]:
    database = Database(settings.require_database_url())
    with database.transaction() as session:
        site = session.scalars(select(Site.id).where(Site.key == key)).one()
        pages = session.scalars(
            select(StoredPage.id)
            .where(StoredPage.site_id == site, StoredPage.outcome == "article")
            .order_by(StoredPage.id)
        ).all()
        group = session.scalars(
            select(Membership.group_number)
            .where(Membership.page_id == pages[-1])
            .order_by(Membership.generation.desc())
        ).first()
    database.dispose()
    return [
        *("/overview", "/sites", "/articles"),
        f"/sites/{site}",
        *([f"/sites/{site}/groups/{group}"] if group is not None else []),
        f"/pairs/{pages[-1]}/{pages[-2]}",
        f"/pages/{pages[-1]}/read",
        f"/pages/{pages[-1]}/locations?start=0&end=9",
        f"/pages/{pages[-1]}",
    ]


def test_views_cause_no_browser_messages_and_no_external_requests(
    open_page: OpenPage, views: dict[str, list[str]]
) -> None:
    with open_page() as visit:
        for address in views["harbour-post.example"]:
            visit.go(address)
        assert visit.log.events == []
        assert visit.log.foreign == []


def test_hostile_content_stays_inert(open_page: OpenPage, views: dict[str, list[str]]) -> None:
    with open_page() as visit:
        for address in views[SITE]:
            visit.go(address)
            for details in visit.page.locator("details").all():
                details.evaluate("element => element.open = true")
            visit.page.wait_for_load_state("networkidle")
            assert visit.page.evaluate("window.ran") is None
            assert not visit.page.title().startswith("ran")
            links = visit.page.locator("a[href]").evaluate_all("all => all.map(a => a.href)")
            assert links
            assert all(link.startswith(("http://", "https://")) for link in links)
            external_links = visit.page.locator("a[href^='http']:not([href*='127.0.0.1'])")
            for rel in external_links.evaluate_all("all => all.map(a => a.rel)"):
                assert {"noreferrer", "noopener"} <= set(rel.split())
        assert visit.log.foreign == []
        assert visit.log.events == []


def test_a_stored_page_is_sandboxed(open_page: OpenPage, views: dict[str, list[str]]) -> None:
    with open_page() as visit:
        visit.go(views[SITE][-1])
        frames = visit.page.locator("iframe")
        assert frames.count() > 0
        for frame in frames.all():
            assert frame.get_attribute("sandbox") == ""
        source = frames.first.get_attribute("src")
        assert source
        response = visit.page.goto(visit.log.inspector_url + source.removeprefix("/"))
        assert response is not None
        policy = response.headers["content-security-policy"]
        assert policy.startswith("sandbox;")
        assert "default-src 'none'" in policy
        visit.page.wait_for_load_state("networkidle")
        assert visit.page.url == response.url
        assert visit.log.foreign == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_accessibility_problem(
    open_page: OpenPage, views: dict[str, list[str]], scheme: str
) -> None:
    assert AXE.is_file(), "axe-core not found: make test-browser installs it"
    with open_page(color_scheme=scheme) as visit:
        serious_problems = []
        for address in views["harbour-post.example"]:
            visit.go(address)
            visit.page.evaluate(AXE.read_text())
            report = visit.page.evaluate("axe.run(document, {iframes: false})")
            serious_problems += [
                (address, each["id"], node["target"], node["failureSummary"])
                for each in report["violations"]
                if each["impact"] in SERIOUS_IMPACTS
                for node in each["nodes"]
            ]
        assert serious_problems == []


@pytest.mark.parametrize("width", [1280, 375])
def test_no_view_is_longer_than_its_content(
    open_page: OpenPage, views: dict[str, list[str]], width: int
) -> None:
    too_long = {}
    with open_page(viewport={"width": width, "height": 780}) as visit:
        for address in views["harbour-post.example"]:
            visit.go(address)
            measured = visit.page.evaluate(HEIGHTS_SCRIPT)
            limits = MAX_HEIGHTS.get(address) or MAX_HEIGHTS.get(
                address.split("/")[1], (4000, 6500)
            )
            if measured["page"] > min(measured["end"] + 1, limits[width < 1000]):
                too_long[address] = measured
    assert too_long == {}


def test_a_tree_comparison_is_not_clipped(open_page: OpenPage, views: dict[str, list[str]]) -> None:
    [pair] = [each for each in views["harbour-post.example"] if each.startswith("/pairs")]
    for width in (1280, 375):
        with open_page(viewport={"width": width, "height": 780}) as visit:
            visit.go(pair)
            changes = visit.page.locator(".changes").first
            assert changes.evaluate("each => each.scrollHeight <= each.clientHeight + 1")
            assert changes.evaluate("each => each.scrollWidth <= each.clientWidth + 1")


def test_site_names_stay_on_one_line(open_page: OpenPage) -> None:
    with open_page(viewport={"width": 375, "height": 780}) as visit:
        visit.go("/sites")
        links = visit.page.locator("tbody th a")
        links.first.evaluate("each => each.innerHTML = 'the' + 'portugalnews.' + '<wbr>example'")
        for link in links.all():
            box = link.bounding_box()
            assert box is not None
            assert box["height"] < 30


def test_the_reader_loads_images_of_the_article_on_request(
    open_page: OpenPage, views: dict[str, list[str]]
) -> None:
    with open_page() as visit:
        [read_path] = [each for each in views[SITE] if each.endswith("/read")]
        visit.go(read_path)
        visit.page.wait_for_load_state("networkidle")
        assert visit.log.foreign == []
        visit.page.get_by_role("link", name="Show images").click()
        visit.page.wait_for_load_state("networkidle")
        assert set(visit.log.foreign) <= {f"{OUTSIDE}/image.png"}
        assert visit.page.evaluate("window.ran") is None
        visit.page.get_by_role("link", name="Larger text").click()
        size = "each => parseFloat(getComputedStyle(each).fontSize)"
        larger = visit.page.locator("main").evaluate(size)
        visit.page.get_by_role("link", name="Smaller text").click()
        assert visit.page.locator("main").evaluate(size) < larger


@pytest.mark.parametrize("width", [320, 375, 640])
def test_no_view_is_wider_than_a_narrow_window(
    open_page: OpenPage, views: dict[str, list[str]], width: int
) -> None:
    """The font size is proportional to the width: 200 % in a window of 640 pixels."""
    too_wide = {}
    with open_page(viewport={"width": width, "height": 640}) as visit:
        for address in views["harbour-post.example"]:
            visit.go(address)
            visit.page.evaluate(f"document.documentElement.style.fontSize = '{width // 3.2}%'")
            page_width = visit.page.evaluate("document.documentElement.scrollWidth")
            if page_width > width:
                too_wide[address] = (page_width, visit.page.evaluate(WIDE_ELEMENTS))
    assert too_wide == {}


def test_views_work_without_scripts_and_with_the_keyboard(
    open_page: OpenPage, views: dict[str, list[str]]
) -> None:
    with open_page(java_script_enabled=False) as visit:
        visit.go("/sites")
        visit.page.keyboard.press("Tab")
        assert visit.page.locator(":focus").inner_text() == "Skip to content"
        visit.page.get_by_label("Name contains").focus()
        visit.page.keyboard.type("harbour")
        visit.page.keyboard.press("Enter")
        visit.page.wait_for_url("**/sites?name=harbour*")
        assert visit.page.locator("tbody tr").count() == 1
        visit.page.get_by_role("link", name="harbour-post.example").press("Enter")
        assert visit.page.locator("h1").inner_text() == "harbour-post.example"
        visit.go(views["harbour-post.example"][-1])
        assert "UTC" in visit.page.locator("time").first.inner_text()


def test_times_are_shown_in_the_time_zone_of_the_reader(open_page: OpenPage) -> None:
    shown_times = []
    for zone in ("America/Los_Angeles", "Asia/Tokyo"):
        with open_page(timezone_id=zone, locale="en-GB") as visit:
            visit.go("/articles")
            time_element = visit.page.locator("time").first
            shown_times.append(time_element.inner_text())
            assert time_element.get_attribute("title") == time_element.get_attribute("datetime")
            assert str(time_element.get_attribute("title")).endswith("Z")
    assert shown_times[0] != shown_times[1]
    assert "UTC" not in "".join(shown_times)


def test_right_to_left_text_is_shown_from_right_to_left(open_page: OpenPage) -> None:
    with open_page() as visit:
        visit.go("/articles?language=ar")
        heading = visit.page.locator("main h2").first
        assert heading.evaluate("element => getComputedStyle(element).direction") == "rtl"
        heading.get_by_role("link").click()
        article = visit.page.locator("article").first
        assert article.evaluate("element => getComputedStyle(element).direction") == "rtl"

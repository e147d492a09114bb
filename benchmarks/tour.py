"""Create the screenshots for the tour of the inspector from the sample crawl.

Run with ``python -m benchmarks.tour docs/how-to/inspector``. Views are rendered with Debian's
package ``chromium``. Times of receipt are set to the fetch times, shifted so that the last page is
received now.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from sqlalchemy import func, select, update

from detourage.limits import DOUBTFUL_CONFIDENCE
from models.tables import Article, Membership, Site, StoredPage
from tests.crawled import crawled_deployment, running_inspector
from tests.deployment import Deployment
from tests.services import running_services, temporary_database
from worker.settings import Settings
from worker.store.database import Database
from worker.store.schema import migrate

SITE = "harbour-post.example"
PAGES_PER_TEMPLATE = 12
WIDTH, HEIGHT = 1280, 860  # size of the window, in pixels
HEIGHT_BY_VIEW = {"site": 1500}  # views that need a taller window

UNUSABLE_MESSAGES = (  # messages shown in the quarantine view
    b'{"version": 1, "url": "https://harbour-post.example/transport/9.html", "html": "<!doct',
    b'{"version": 1, "url": "ftp://harbour-post.example/harbour.html", "html": "<p>Tides</p>"}',
    b'{"version": 1, "url": "ftp://harbour-post.example/piers.html", "html": "<p>Piers</p>"}',
    b'{"version": 1, "html": "<p>A page of no address.</p>"}',
)


def main(directory: Path) -> None:
    """Fill a deployment with the sample crawl, and write a screenshot of each inspector view."""
    directory.mkdir(parents=True, exist_ok=True)
    with (
        running_services() as services,
        temporary_database(services) as url,
        tempfile.TemporaryDirectory() as home,
    ):
        database = Database(url)
        migrate(database)
        database.dispose()
        with crawled_deployment(
            services, url, Path(home), pages_per_template=PAGES_PER_TEMPLATE
        ) as settings:
            set_receipt_times(settings)
            with (
                Deployment(settings, Path(home)) as deployment,
                running_inspector(settings) as base,
            ):
                deployment.publish(UNUSABLE_MESSAGES)
                deployment.wait_for_receipts(len(UNUSABLE_MESSAGES))
                capture_views(base, view_paths(settings), directory)


def set_receipt_times(settings: Settings) -> None:
    """Set the times of receipt to the fetch times, shifted so that the latest page arrives now."""
    database = Database(settings.require_database_url())
    latest_fetch = select(func.max(StoredPage.fetched_at)).scalar_subquery()
    with database.transaction() as session:
        received_at = func.now() - (latest_fetch - StoredPage.fetched_at)
        session.execute(update(StoredPage).values(received_at=received_at))
    database.dispose()


def view_paths(settings: Settings) -> dict[str, str]:
    """Return the path of each inspector view by the name of its screenshot."""
    database = Database(settings.require_database_url())
    with database.transaction() as session:
        site = session.scalars(select(Site.id).where(Site.key == SITE)).one()
        # Pages with an article and a template group; those with the most comments come first.
        pages = session.execute(
            select(StoredPage.id, Membership.group_number)
            .join(
                Membership,
                (Membership.page_id == StoredPage.id)
                & (Membership.generation == StoredPage.generation),
            )
            .join(Article, Article.page_id == StoredPage.id)
            .where(
                StoredPage.site_id == site,
                Membership.group_number.is_not(None),
                StoredPage.confidence >= DOUBTFUL_CONFIDENCE,
            )
            .order_by(
                func.jsonb_array_length(Article.message["comments"]).desc(), StoredPage.id.desc()
            )
        ).all()
    database.dispose()
    page, group = pages[0]
    other = next(each for each, number in pages if number != group)
    return {
        "overview": "overview",
        "sites": "sites",
        "site": f"sites/{site}",
        "group": f"sites/{site}/groups/{group}",
        "pair": f"pairs/{page}/{other}",
        "page": f"pages/{page}",
        "reader": f"pages/{page}/read",
        "articles": "articles",
    }


def capture_views(base: str, views: dict[str, str], directory: Path) -> None:
    """Write a screenshot of each view, as the browser shows it before scrolling."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), chromium_sandbox=os.geteuid() != 0
        )
        page = browser.new_page(locale="en-GB", timezone_id="UTC")
        for name, address in views.items():
            page.set_viewport_size({"width": WIDTH, "height": HEIGHT_BY_VIEW.get(name, HEIGHT)})
            page.goto(base + address, wait_until="networkidle")
            page.screenshot(path=directory / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))

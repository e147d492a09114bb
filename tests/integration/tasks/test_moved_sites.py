"""A site that moves to another deployment continues there: same IDs, next revisions, no repeats."""

import gzip
import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from detourage.messages import PageMessage
from models.tables import Site, StoredPage
from tests.addressed import FIVE, PLAIN, PRINT, five_pages
from tests.inline_tasks import Tasks
from tests.integration.waiting import wait_until
from tests.pages import article_html
from tests.parted_pages import SITE, address, part_html
from tests.services import Services, temporary_database
from worker.cli import main
from worker.settings import load_settings
from worker.store import provisional
from worker.store.fetched_pages import FetchedPage, ReadPage
from worker.tasks.join_parts import join_parts
from worker.workflow.article_message import article_id
from worker.workflow.moved_sites import SiteFileError, delete_site
from worker.workflow.parsing import store_pages
from worker.workflow.process import configure, process_state

PARTS = [{"version": 1, "url": address(n), "html": part_html(n), "site": SITE} for n in range(1, 4)]


def page(seed: int, **other: Any) -> dict[str, Any]:
    url = f"https://www.example.org/b-{seed}"
    return {"version": 1, "url": url, "html": article_html(seed), "status": 200, "x": "\0"} | other


PAGES = [
    *({"version": 1, "url": url, "html": five_pages()[url], "id": f"of {url}"} for url in FIVE),
    *(page(seed, fetched_at=f"2024-05-0{seed}T00:00:00Z") for seed in range(3, 8)),
]


def call(*arguments: str, error: str = "") -> Result:
    done = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert done.exit_code == (1 if error else 0), done.output
    assert error in done.output
    return done


def process(tasks: Tasks, sent: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Process pages, with a clustering of their site, and return the articles sent, by URL."""
    tasks.group(tasks.send(sent))
    tasks.settle()
    join_parts(settle_seconds=0)
    return tasks.articles()


@pytest.fixture
def destination(
    tasks: Tasks, services: Services, migrated_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], Tasks]]:
    """How to continue with the tasks of another deployment."""
    with temporary_database(services, template=migrated_url) as url:

        def switch() -> Tasks:
            monkeypatch.setenv("DETOURAGE_DATABASE_URL", url)
            load_settings.cache_clear()
            configure(load_settings())
            return Tasks(process_state().database)

        yield switch
        process_state().database.dispose()


@pytest.fixture
def exported(tasks: Tasks, tmp_path: Path) -> Path:
    """The file of a site that has been processed."""
    before = process(tasks, PAGES)
    assert len(before) == 6
    file = tmp_path / "example.org.jsonl.gz"
    file.write_bytes(call("site", "export", "example.org").stdout_bytes)
    return file


def test_revisions_continue_after_a_site_has_moved(
    exported: Path, destination: Callable[[], Tasks]
) -> None:
    tasks = destination()
    assert (
        "6 pages of example.org imported, 6 of them new"
        in call("site", "import", str(exported)).output
    )
    assert (
        "6 pages of example.org imported, 0 of them new"
        in call("site", "import", str(exported)).output
    )
    assert process(tasks, PAGES) == {}
    changed = page(4, html=article_html(4).replace("</p>", " It was sold.</p>", 1))
    sent = process(tasks, [changed])
    assert [(each["url"], each["revision"]) for each in sent.values()] == [(changed["url"], 2)]
    assert sent[changed["url"]]["id"] == str(article_id("example.org", changed["url"], 2))
    assert "It was sold." in sent[changed["url"]]["text"]
    merged = five_pages()[PLAIN].replace("</p>", " It was sold.</p>", 1)
    (article,) = process(tasks, [{"version": 1, "url": PLAIN, "html": merged}]).values()
    assert article["revision"] == 2
    assert article["id"] == str(article_id("example.org", PLAIN, 2))
    call("site", "import", str(exported), error="is newer here (revision 2) than")


def test_articles_in_parts_are_not_sent_again(
    tasks: Tasks, destination: Callable[[], Tasks], tmp_path: Path
) -> None:
    process(tasks, PARTS)
    file = tmp_path / "parts.jsonl.gz"
    file.write_bytes(call("site", "export", SITE).stdout_bytes)
    tasks = destination()
    call("site", "import", str(file))
    assert process(tasks, PARTS) == {}
    with tasks.database.transaction() as session:
        firsts = session.scalars(text("SELECT DISTINCT first_id FROM page_parts")).all()
    assert len([each for each in firsts if each is not None]) == 1


def test_a_separated_address_that_waits_for_its_page_stays_separated(
    tasks: Tasks, destination: Callable[[], Tasks], tmp_path: Path
) -> None:
    process(tasks, PAGES)
    assert "waits for its next fetch" in call("separate", PRINT).output
    tasks.settle()
    file = tmp_path / "example.org.jsonl.gz"
    file.write_bytes(call("site", "export", "example.org").stdout_bytes)
    tasks = destination()
    for new in (7, 0):
        assert f"{new} of them new" in call("site", "import", str(file)).output
    (article,) = process(tasks, PAGES).values()
    assert (article["url"], article["canonical"]) == (PRINT, PRINT)


def test_a_site_with_pending_pages_is_not_exported(tasks: Tasks) -> None:
    tasks.send(PAGES[-2:])
    call("site", "export", "example.org", error="2 pages of example.org pending: stop sending")
    call("site", "export", "unknown.example", error="no page of site 'unknown.example' is known")


def test_a_deleted_site_leaves_the_others_as_they_were(tasks: Tasks) -> None:
    # The first page of both sites' story is deleted.
    process(tasks, PAGES)
    other = [
        {**each, "url": each["url"].replace("example.org", "other.example")} for each in PAGES[-5:]
    ]
    process(tasks, other)
    assert "6 pages of example.org deleted" in call("site", "delete", "example.org", "--yes").output
    call("site", "delete", "example.org", "--yes", error="no page of site 'example.org' is known")
    with tasks.database.transaction() as session:
        left = session.scalars(text("SELECT url FROM pages ORDER BY id")).all()
        assert left == [each["url"] for each in other]
        firsts = text("SELECT count(*) FROM stories JOIN pages ON pages.id = first_page_id")
        assert session.scalar(firsts) == session.scalar(text("SELECT count(*) FROM stories")) == 5
    tasks.settle()
    assert process(tasks, PAGES) != {}


@pytest.fixture
def deletion(tasks: Tasks) -> Iterator[Callable[[], Future[int]]]:
    """How to delete a site whose first page is locked; the deletion then waits for this page."""

    def begin() -> Future[int]:
        done = pool.submit(delete_site, tasks.database, "example.org", timedelta(days=7))
        wait_until(lambda: tasks.read(lambda session: session.scalar(_WAITING)))
        return done

    with ThreadPoolExecutor() as pool:
        yield begin


_WAITING = text("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")


def lock_first_page(session: Session) -> StoredPage:
    query = select(StoredPage).order_by(StoredPage.id).limit(1).with_for_update()
    return session.scalars(query).one()


def test_a_site_is_deleted_while_its_pages_are_grouped(
    tasks: Tasks, deletion: Callable[[], Future[int]]
) -> None:
    site_id = tasks.send(PAGES)
    with tasks.database.transaction() as session:
        page = lock_first_page(session)
        done = deletion()
        provisional.place(session, [site_id], [page.id])
    assert done.result(timeout=60) == 6
    assert tasks.ask(select(Site.id)) == []


def test_pages_that_arrive_while_their_site_is_deleted_are_reported(
    tasks: Tasks, deletion: Callable[[], Future[int]]
) -> None:
    tasks.send(PAGES)
    with tasks.database.transaction() as arriving:
        with tasks.database.transaction() as session:
            lock_first_page(session)
            done = deletion()
            fetched = FetchedPage.of(PageMessage.model_validate(page(9)))
            store_pages(arriving, [(fetched, ReadPage())])
        # The new page is committed once the deletion of the site waits for it.
        wait_until(lambda: tasks.ask(select(func.count(StoredPage.id))) == [0])
        wait_until(lambda: tasks.read(lambda session: session.scalar(_WAITING)))
    with pytest.raises(SiteFileError, match="stop sending pages of the site, and delete it again"):
        done.result(timeout=60)
    call("site", "delete", "example.org", "--yes")
    assert tasks.ask(select(Site.id)) == []


PARTS_WRONG = dict.fromkeys(("message", "joined_revision", "size", "first")) | {
    "links": {"chapters": 3},
    "whole_digests": [],
}


def lines_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]


def test_damaged_files_are_reported_and_store_nothing_wrong(
    exported: Path, destination: Callable[[], Tasks]
) -> None:
    header, *moved = lines_of(exported)
    first, second = moved[:2]
    tasks = destination()
    for lines, error in (
        ([], "not a file of `detourage site export`"),
        ([{"a": 1}], "not a file of `detourage site export`"),
        ([{**header, "version": 2}], "version 2 of the file is not supported"),
        ([header, {**first, "revision": -1}], "line 2: revision: "),
        ([header, {**first, "refused": {"outcome": "wall"}}], "line 2: refused.detail: "),
        ([header, {**first, "parts": PARTS_WRONG}], "line 2: parts.links: "),
        ([header, {**first, "page": {**first["page"], "url": "ftp://a/"}}], "line 2: page.url: "),
        ([{**header, "site": "news.example"}, first], "is a page of another site"),
        ([header, {**first, "extraction_key": "\0"}], "lines 2 to 2 cannot be stored: "),
        ([header, first, {**second, "addresses": first["addresses"]}], "cannot be stored: "),
        ([header, *moved[:-1]], "the file has 5 pages instead of 6"),
        ([header, {**first, "revision": 9}], "is already stored here, and differs from the file"),
    ):
        exported.write_bytes(gzip.compress(b"\n".join(json.dumps(each).encode() for each in lines)))
        call("site", "import", str(exported), error=error)
    exported.write_bytes(exported.read_bytes()[:-30])
    call("site", "import", str(exported), error="is truncated")
    with tasks.database.transaction() as session:
        assert session.scalar(text("SELECT count(*) FROM pages WHERE revision > 1")) == 0

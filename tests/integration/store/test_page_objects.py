"""Page contents in an object store: a folder, or a bucket of a real S3 server."""

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from detourage.expected_errors import ExpectedError
from models.tables import PageContent, Site, StoredPage
from tests.commands import invoke
from tests.inline_tasks import Tasks
from tests.object_stores import Folder, S3Server, StoreOfTest
from tests.pages import article_html
from worker.error_reports import LostContentError
from worker.service.health_checks import Finding, examine
from worker.settings import load_settings
from worker.store import page_objects, pages
from worker.store.database import Database, UnavailableError
from worker.store.fetched_pages import copy_content
from worker.store.pages import FetchedPage, ParsedPage
from worker.tasks.maintenance import prune
from worker.workflow.parsing import store_pages
from worker.workflow.process_state import configure, process_state

SITE = [(f"plain/{seed}", article_html(seed)) for seed in range(4)]


@pytest.fixture(params=[Folder, S3Server], ids=["file", "s3"])
def store(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[StoreOfTest]:
    """A running object store, whose credentials are in the environment."""
    kind: type[Folder | S3Server] = request.param
    created = kind(tmp_path)
    for name, value in created.environment.items():
        monkeypatch.setenv(name, value)
    with created:
        yield created


@pytest.fixture
def object_tasks(tasks: Tasks, store: StoreOfTest, monkeypatch: pytest.MonkeyPatch) -> Tasks:
    """Tasks that store the contents of pages in the object store."""
    monkeypatch.setenv("DETOURAGE_PAGES", store.url)
    load_settings.cache_clear()
    configure(load_settings())
    return tasks


def load_content(tasks: Tasks, path: str) -> bytes | str | LostContentError | None:
    """Return the stored content of the page with a URL path."""
    [page_id] = tasks.query(select(StoredPage.id).where(StoredPage.url.endswith(f"/{path}")))
    return tasks.read(lambda session: pages.load_contents(session, [page_id]).get(page_id))


def object_name(tasks: Tasks, store: StoreOfTest, path: str) -> str:
    """Return the name of the object with the content of a page."""
    [url] = tasks.query(
        select(PageContent.object_url)
        .join(StoredPage, StoredPage.id == PageContent.page_id)
        .where(StoredPage.url.endswith(f"/{path}"))
    )
    return str(url.removeprefix(f"{store.url}/"))


def test_pages_are_read_wherever_they_were_stored(tasks: Tasks, store: StoreOfTest) -> None:
    tasks.cluster(tasks.publish("a", SITE[:2]))
    tasks.restart(pages=store.url)
    tasks.process_site(tasks.publish("a", SITE[2:]))
    articles = tasks.take_articles()
    assert len(articles) == len(SITE)
    assert tasks.query(select(func.count(PageContent.compressed))) == [2]
    objects = store.objects()
    assert len(objects) == 2
    for name, content in objects.items():
        assert name.endswith(f"/{hashlib.sha256(content).hexdigest()}")
    # Without the setting, the objects are still readable.
    tasks.restart(pages="")
    assert all(load_content(tasks, path) == html for path, html in SITE)
    tasks.reprocess("a")
    tasks.run_all()
    reprocessed = tasks.take_articles()
    assert {url: each["text"] for url, each in reprocessed.items()} == {
        url: each["text"] for url, each in articles.items()
    }
    changed = article_html(9)
    tasks.publish("a", [("plain/3", changed)])
    assert load_content(tasks, "plain/3") == changed
    assert tasks.query(select(func.count(PageContent.compressed))) == [3]


def test_only_the_lost_page_fails_with_the_reason(object_tasks: Tasks, store: StoreOfTest) -> None:
    object_tasks.cluster(object_tasks.publish("a", SITE))
    first_object, missing, truncated, exchanged = (
        object_name(object_tasks, store, path) for path, _ in SITE
    )
    before = store.objects()
    store.remove(missing)
    store.put(truncated, before[truncated][:-1])
    store.put(exchanged, before[first_object])
    object_tasks.run_all()
    outcomes = object_tasks.outcomes()
    assert outcomes["0"][0] == "article"
    for name, reason in [("1", "is missing"), ("2", "is damaged"), ("3", "is damaged")]:
        assert outcomes[name][0] == "failed"
        assert reason in (outcomes[name][1] or "")
        assert store.url in (outcomes[name][1] or "")
    assert "is missing" in str(load_content(object_tasks, "plain/1"))
    assert len(object_tasks.take_articles()) == 1
    # Reprocessing reports the same errors until the objects exist again.
    object_tasks.reprocess("a", "parse")
    object_tasks.run_all()
    assert object_tasks.outcomes()["1"] == outcomes["1"]
    for name, content in before.items():
        store.put(name, content)
    object_tasks.reprocess("a", "parse")
    object_tasks.run_all()
    [site_id] = object_tasks.query(select(Site.id))
    object_tasks.process_site(site_id)
    assert {outcome for outcome, _ in object_tasks.outcomes().values()} == {"article"}


def test_an_unreadable_object_fails_only_its_page(tasks: Tasks, tmp_path: Path) -> None:
    with Folder(tmp_path) as store:
        tasks.restart(pages=store.url)
        tasks.cluster(tasks.publish("a", SITE))
        folder, loop = (object_name(tasks, store, path) for path in ("plain/1", "plain/2"))
        for name in (folder, loop):
            (tmp_path / "store" / name).unlink()
        (tmp_path / "store" / folder).mkdir()
        (tmp_path / "store" / loop).symlink_to(tmp_path / "store" / loop)
        tasks.run_all()
        found = tasks.outcomes()
        assert [found[name][0] for name in "0123"] == ["article", "failed", "failed", "article"]
        assert all("detourage reprocess" in (found[name][1] or "") for name in "12")
        assert "cannot be read" in (found["2"][1] or "")


def test_a_lost_page_is_stored_by_the_next_fetch(object_tasks: Tasks, store: StoreOfTest) -> None:
    site_id = object_tasks.publish("a", SITE)
    store.remove(object_name(object_tasks, store, "plain/1"))
    store.put(object_name(object_tasks, store, "plain/2"), b"damaged")
    object_tasks.process_site(site_id)
    found = [object_tasks.outcomes()[name][0] for name in "0123"]
    assert found == ["article", "failed", "failed", "article"]
    object_tasks.publish("a", SITE)
    object_tasks.reprocess("a", "parse")
    object_tasks.run_all()
    object_tasks.process_site(site_id)
    assert {outcome for outcome, _ in object_tasks.outcomes().values()} == {"article"}


def test_extraction_waits_for_an_unavailable_store(object_tasks: Tasks, store: StoreOfTest) -> None:
    object_tasks.cluster(object_tasks.publish("a", SITE))
    store.stop()
    restart = threading.Timer(1, store.start)
    restart.start()
    object_tasks.run_all()
    restart.join()
    assert {outcome for outcome, _ in object_tasks.outcomes().values()} == {"article"}
    assert set(object_tasks.query(select(StoredPage.attempts))) == {0}


def test_nothing_is_stored_in_a_store_that_has_lost_its_objects(
    object_tasks: Tasks, store: StoreOfTest
) -> None:
    object_tasks.publish("a", SITE[:1])
    [url] = object_tasks.query(select(PageContent.object_url))
    # Without its marker, the store counts as unavailable, like a volume that is not mounted.
    for name in [*store.objects(), page_objects.MARKER]:
        store.remove(name)
    with pytest.raises(UnavailableError, match=page_objects.MARKER):
        page_objects.get([url])
    # Clear the cache, as if the processes had been restarted.
    page_objects.page_objects.cache_clear()
    with pytest.raises(UnavailableError, match=r"has no detourage\.txt, but the database has"):
        object_tasks.publish("a", SITE[1:2])
    assert not store_finding().is_healthy
    assert store.objects() == {}
    # The operator accepts the loss by creating the marker.
    store.put(page_objects.MARKER, b"")
    assert store_finding().is_healthy
    object_tasks.publish("a", SITE[1:2])
    assert len(store.objects()) == 1


def test_objects_are_removed_with_their_last_page(object_tasks: Tasks, store: StoreOfTest) -> None:
    object_tasks.publish("a", [*SITE, ("twin", SITE[0][1])])
    object_tasks.execute(update(StoredPage).values(outcome="no-text"))
    object_tasks.publish("a", [("plain/1", article_html(9))])
    assert len(store.objects()) == len(SITE) + 1
    command = ("prune", "--older-than", "0", "--only", "objects")
    assert invoke(*command, "--dry-run").output == "objects    1\n"
    assert invoke(*command).output == "objects    1\n"
    assert len(store.objects()) == len(SITE)
    with object_tasks.database.transaction() as session:
        twin = session.scalars(select(StoredPage).where(StoredPage.url.endswith("/twin"))).one()
        changed = session.scalars(select(StoredPage).where(StoredPage.url.endswith("/2"))).one()
        copy_content(session, changed, twin)
    prune(older_than_days=0, kinds=["objects"])
    object_tasks.run_all()
    assert len(store.objects()) == len(SITE)
    object_tasks.execute(update(StoredPage).values(outcome="no-text"))
    prune(older_than_days=0)
    object_tasks.run_all()
    assert store.objects() == {}
    assert object_tasks.query(select(PageContent)) == []


def test_a_crash_leaves_an_unused_object_but_no_page_without_one(
    object_tasks: Tasks, store: StoreOfTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    class CrashError(Exception):
        pass

    def crash(*_: object) -> None:
        raise CrashError

    with monkeypatch.context() as patched:
        patched.setattr("worker.store.fetched_pages.addresses.save", crash)
        with pytest.raises(CrashError):
            object_tasks.publish("a", SITE[:1])
    assert (len(store.objects()), object_tasks.query(select(PageContent))) == (1, [])
    prune(older_than_days=0, kinds=["objects"])
    object_tasks.run_all()
    assert store.objects() == {}


def test_an_object_that_is_being_stored_again_is_kept(
    object_tasks: Tasks, store: StoreOfTest
) -> None:
    object_tasks.process_site(object_tasks.publish("a", SITE[:1]))
    object_tasks.publish("a", [(SITE[0][0], article_html(9))])
    url = object_tasks.database.engine.url.render_as_string(hide_password=False)
    with Database(url) as other, other.transaction() as session:
        second_page = FetchedPage("b", "https://other.example/", SITE[0][1], None, None, None, "{}")
        store_pages(session, [(second_page, ParsedPage())], store.url)
        prune(older_than_days=0, kinds=["objects"])
        object_tasks.run_all()
        assert len(store.objects()) == 2
    prune(older_than_days=0, kinds=["objects"])
    object_tasks.run_all()
    assert len(store.objects()) == 2


def store_finding() -> Finding:
    """Return the result of the health check of the object store."""
    findings = examine(process_state().settings)
    return next(finding for finding in findings if finding.name == "object store")


def test_a_check_reports_whether_the_store_accepts_pages(
    object_tasks: Tasks, store: StoreOfTest
) -> None:
    for _ in range(2):
        found = store_finding()
        assert (found.is_healthy, found.detail) == (True, f"{store.url} accepts pages")
    # Pages can be stored although the check, not an intake, created the store's marker.
    object_tasks.publish("a", SITE[:1])
    store.stop()
    assert not store_finding().is_healthy
    store.start()


def test_a_missing_extra_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("detourage.expected_errors.find_spec", lambda _: None)
    with pytest.raises(ExpectedError, match="make objects"):
        page_objects.page_objects("file:///tmp")

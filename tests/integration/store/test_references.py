"""HTML stored against a reference is returned unchanged, whatever happens to other pages."""

import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from sqlalchemy import func, select, text, update

from models.tables import ContentReference, PageContent, StoredPage
from tests.services import Services, temporary_database
from tests.versions import ADMITTED
from worker.outcomes import PageOutcome
from worker.store import moving, pages
from worker.store.database import Database
from worker.store.fetched_pages import FetchedPage, ReadPage
from worker.store.pages import pack_content
from worker.store.recording import record_pages
from worker.store.retention import first_place, prune
from worker.store.revisions import newest_revision

SITE = "news.example"


@pytest.fixture
def database(services: Services, migrated_url: str) -> Iterator[Database]:
    with temporary_database(services, template=migrated_url) as url:
        database = Database(url)
        yield database
        database.dispose()


def words(seed: object, number: int) -> str:
    chosen = random.Random(str(seed))
    return " ".join(f"{chosen.getrandbits(40):x}" for _ in range(number))


def page_html(number: int, template: str = "plain") -> bytes:
    """Return a page of a template, most of which is the same on each page."""
    return f"<nav>{words(template, 1000)}</nav><p>{words((template, number), 100)}</p>".encode()


def store(database: Database, contents: Sequence[bytes | str], *, first: int = 1) -> list[int]:
    """Store contents as pages of a site, in one transaction, and return the IDs of the pages."""
    with database.transaction() as session:
        site_id = pages.lock_site(session, SITE)
        fetches = [
            FetchedPage(SITE, f"https://{SITE}/{number}", content, None, None, None, "{}")
            for number, content in enumerate(contents, first)
        ]
        done = record_pages(session, [(site_id, each, ReadPage()) for each in fetches])
    return [each.page_id for each in done]


def load(database: Database, page_ids: Sequence[int]) -> list[bytes | str | None]:
    with database.transaction() as session:
        return [pages.load_content(session, page_id) for page_id in page_ids]


def number_of(database: Database, table: type) -> int:
    with database.transaction() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def stored_bytes(database: Database) -> int:
    """Return the number of bytes that contents and references take."""
    with database.transaction() as session:
        return sum(
            session.scalar(select(func.coalesce(func.sum(func.octet_length(each)), 0))) or 0
            for each in (PageContent.compressed, ContentReference.compressed)
        )


def prune_html(database: Database, *, days: float = 0) -> int:
    """Delete old HTML, and return the number of pages."""
    removed, place = 0, first_place(["html"])
    while place is not None:
        with database.transaction() as session:
            step = prune(session, place, kinds=["html"], days=days)
        removed, place = removed + step.removed, step.following
    return removed


def let_prune(database: Database, page_ids: Sequence[int]) -> None:
    with database.transaction() as session:
        finished = update(StoredPage).where(StoredPage.id.in_(page_ids))
        session.execute(finished.values(outcome=PageOutcome.NO_TEXT))


def test_pages_of_a_site_take_little_space_and_are_returned_unchanged(database: Database) -> None:
    contents: list[bytes | str] = [page_html(number) for number in range(20)]
    contents[3:5] = [page_html(3).decode(), f"{page_html(4).decode()}\0\ud800"]
    stored = store(database, contents[:1])
    stored += store(database, contents[1:12], first=2)
    stored += store(database, contents[12:], first=13)
    assert load(database, stored) == contents
    alone = sum(len(pack_content(page_html(number))) for number in range(20))
    assert stored_bytes(database) < 0.3 * alone


def test_two_templates_in_turn_have_one_reference_each(database: Database) -> None:
    contents = [page_html(number, "ab"[number % 2]) for number in range(20)]
    stored = [store(database, [each], first=n)[0] for n, each in enumerate(contents)]
    assert load(database, stored) == contents
    assert number_of(database, ContentReference) == 2


def test_pages_without_resemblance_take_hardly_more_space_than_alone(database: Database) -> None:
    contents = [words(number, 600).encode() for number in range(12)]
    contents += [b"short", b"", words("long", 120_000).encode()]
    stored = [store(database, [each], first=n)[0] for n, each in enumerate(contents)]
    stored += store(database, contents, first=100)
    assert load(database, stored) == contents * 2
    assert stored_bytes(database) < 1.05 * 2 * sum(len(pack_content(each)) for each in contents)


def test_pages_outlive_the_page_that_gave_the_reference(database: Database) -> None:
    first, *others = store(database, [page_html(number) for number in range(4)])
    let_prune(database, [first])
    assert prune_html(database) == 1
    expected = [None, *(page_html(number) for number in range(1, 4))]
    assert load(database, [first, *others]) == expected
    with database.transaction() as session:
        moving.delete_pages(session, [first])
    store(database, [b"a new version that resembles nothing" * 100], first=2)
    assert load(database, others[1:]) == expected[2:]


def test_a_reference_is_deleted_after_the_last_html_that_depends_on_it(
    database: Database,
) -> None:
    stored = store(database, [page_html(number) for number in range(4)])
    let_prune(database, stored[:3])
    assert prune_html(database) == 3
    assert number_of(database, ContentReference) == 1
    let_prune(database, stored)
    assert prune_html(database) == 1
    assert (number_of(database, PageContent), number_of(database, ContentReference)) == (0, 0)
    assert load(database, store(database, [page_html(9)])) == [page_html(9)]


def test_a_reference_in_use_by_a_running_transaction_is_kept(database: Database) -> None:
    (old,) = store(database, [page_html(1)])
    let_prune(database, [old])
    with database.transaction() as session:
        site_id = pages.lock_site(session, SITE)
        new = FetchedPage(SITE, f"https://{SITE}/2", page_html(2), None, None, None, "{}")
        (done,) = record_pages(session, [(site_id, new, ReadPage())])
        assert prune_html(database) == 1
    assert load(database, [old, done.page_id]) == [None, page_html(2)]


def test_references_are_renewed(database: Database) -> None:
    store(database, [page_html(1)])
    with database.transaction() as session:
        old = func.now() - timedelta(days=31)
        session.execute(update(ContentReference).values(created_at=old))
    stored = store(database, [page_html(2), page_html(3)], first=2)
    assert load(database, stored) == [page_html(2), page_html(3)]
    assert number_of(database, ContentReference) == 2


def test_first_pages_of_a_site_stored_at_once_share_a_reference(database: Database) -> None:
    barrier = Barrier(4)

    def run(number: int) -> list[int]:
        barrier.wait()
        return store(database, [page_html(10 * number + i) for i in range(5)], first=10 * number)

    with ThreadPoolExecutor(4) as pool:
        stored = [page_id for batch in pool.map(run, range(4)) for page_id in batch]
    expected = [page_html(10 * number + i) for number in range(4) for i in range(5)]
    assert load(database, stored) == expected
    assert number_of(database, ContentReference) == 1


def test_earlier_versions_can_read_everything_while_they_are_admitted(database: Database) -> None:
    with database.transaction() as session:
        session.execute(text(ADMITTED.format("0033", newest_revision())))
    store(database, [page_html(number) for number in range(4)])
    assert number_of(database, ContentReference) == 0
    with database.transaction() as session:
        session.execute(text(ADMITTED.format(newest_revision(), newest_revision())))
        contents = session.scalars(select(PageContent.compressed).order_by(PageContent.page_id))
        assert [*contents] == [pack_content(page_html(number)) for number in range(4)]
    stored = store(database, [page_html(number) for number in range(4, 8)], first=5)
    assert load(database, stored) == [page_html(number) for number in range(4, 8)]
    assert number_of(database, ContentReference) == 1


def test_a_deleted_site_leaves_no_reference(database: Database) -> None:
    stored = store(database, [page_html(number) for number in range(4)])
    with database.transaction() as session:
        site_id = pages.lock_site(session, SITE)
        moving.delete_pages(session, stored)
        session.execute(text("DELETE FROM addresses"))
        moving.delete_site(session, site_id)
    assert number_of(database, ContentReference) == 0

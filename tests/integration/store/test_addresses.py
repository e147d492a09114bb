"""URLs that serve the same article are recorded as one page."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import permutations

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from detourage.addresses import canonical_of, identity_of, variants_of
from detourage.outcomes import PageOutcome
from models.tables import Address, Receipt, StoredPage
from tests.addressed import (
    AMP,
    FIVE_URLS,
    MOBILE,
    PLAIN,
    PRINT,
    TRACKED,
    article_under_five_urls,
    with_canonical_url,
)
from tests.pages import article_html
from worker.store import addresses, fetched_pages, pages, progress
from worker.store.fetched_pages import record_pages
from worker.store.pages import FetchedPage, ParsedPage
from worker.workflow.parsing import parse_or_reject

MOMENT = datetime(2024, 5, 1, 12, tzinfo=UTC)
SITE = "example.org"

Fetch = tuple[FetchedPage, ParsedPage]


@cache
def read(url: str, html: str) -> ParsedPage:
    """Parse a page; the result is cached, because many tests use the same pages."""
    return parse_or_reject(html, url, None)


def fetch(url: str, html: str, *, day: int | None = 1, site: str = SITE) -> Fetch:
    """Return a page fetched the given days after `MOMENT`, or at an unknown time, and parse it."""
    moment = None if day is None else MOMENT + timedelta(days=day)
    return FetchedPage(site, url, html, None, None, moment, "{}"), read(url, html)


def record_fetches(session: Session, *fetches: Fetch, batch: int = 1) -> list[int]:
    """Record fetches in batches, and return their page IDs.

    After each batch, all pages get the outcome "article", and fetches that waited for this outcome
    are recorded, too.
    """
    recorded: list[int] = []
    for first in range(0, len(fetches), batch):
        batch_fetches = fetches[first : first + batch]
        sites = pages.lock_sites(session, (fetched.site for fetched, _ in batch_fetches))
        recorded += [
            each.page_id
            for each in record_pages(
                session, [(sites[f.site], f, read) for f, read in batch_fetches]
            )
        ]
        session.flush()
        set_outcomes(session)
        while due := session.execute(fetched_pages.DUE_FETCHES, {"limit": 100}).all():
            for each in due:
                fetched_pages.remove_waiting_fetch(session, each.id)
                fetched = fetched_pages.fetched_page_of(each)
                site_id = pages.lock_site(session, fetched.site)
                parsed = parse_or_reject(fetched.content, fetched.url, None, fetched.response)
                record_pages(session, [(site_id, fetched, parsed)], have_waited=True)
            set_outcomes(session)
    return recorded


def set_outcomes(session: Session) -> None:
    session.execute(
        update(StoredPage).where(StoredPage.outcome.is_(None)).values(outcome=PageOutcome.ARTICLE)
    )


@dataclass(frozen=True)
class PageState:
    """The final state of a page, apart from its ID."""

    url: str
    html: object
    canonical: str
    variants: tuple[str, ...]
    identity: str


def page_states(session: Session, site: str = SITE) -> list[PageState]:
    """Return the states of a site's pages by URL, without pages joined with others."""
    session.expunge_all()
    (site_id,) = pages.sites_named(session, site)
    stored_pages = session.scalars(
        select(StoredPage)
        .where(StoredPage.site_id == site_id)
        .where(StoredPage.outcome.is_distinct_from(PageOutcome.JOINED))
        .order_by(StoredPage.url)
    ).all()
    addresses_by_page = addresses.addresses_by_page(session, [page.id for page in stored_pages])
    return [
        PageState(
            page.url,
            pages.load_contents(session, [page.id]).get(page.id),
            canonical_of(addresses_by_page[page.id]),
            tuple(variants_of(addresses_by_page[page.id])),
            identity_of(addresses_by_page[page.id], page.url),
        )
        for page in stored_pages
    ]


def five_fetches(days: Sequence[int], site: str = SITE) -> list[Fetch]:
    """Return fetches of the same article under its five URLs, on the given days."""
    return [
        fetch(url, html, day=day, site=site)
        for (url, html), day in zip(article_under_five_urls().items(), days, strict=True)
    ]


@pytest.mark.parametrize(
    ("days", "latest_url"),
    [((1, 2, 3, 4, 5), TRACKED), ((1, 5, 2, 3, 4), TRACKED), ((3, 3, 3, 3, 3), None)],
)
def test_five_urls_of_an_article_are_one_page_in_any_order(
    session: Session, days: Sequence[int], latest_url: str | None
) -> None:
    states = set()
    # Every fifth of the 120 orders, in which each URL still comes first and last several times.
    for number, order in enumerate([*permutations(range(5))][::5]):
        site = f"s{number}"
        fetches = five_fetches(days, site)
        record_fetches(session, *(fetches[index] for index in order), batch=1 + number % 5)
        (page,) = page_states(session, site)
        states.add(page)
    (page,) = states
    assert page.canonical == page.identity == PLAIN
    assert page.variants == tuple(sorted(set(FIVE_URLS) - {PLAIN}))
    if latest_url is not None:
        assert (page.url, page.html) == (latest_url, article_under_five_urls()[latest_url])


def test_pages_with_receipts_can_be_joined(session: Session) -> None:
    fetches = five_fetches((1, 1, 1, 1, 1))
    amp, mobile, plain = record_fetches(session, fetches[2], fetches[3], fetches[0])
    assert amp != mobile
    assert plain in {amp, mobile}
    session.add_all([Receipt(result="accepted", page_id=page) for page in (amp, plain)])
    record_fetches(session, fetches[4])
    joined = session.get_one(StoredPage, ({amp, mobile} - {plain}).pop())
    assert (joined.outcome, joined.tree_id) == (PageOutcome.JOINED, None)


def test_a_page_that_declares_another_article_stays_separate(session: Session) -> None:
    impostor = fetch("https://www.example.org/other", with_canonical_url(article_html(8), PLAIN))
    for order in permutations([five_fetches((1,) * 5)[0], impostor]):
        record_fetches(session, *order)
        assert [page.url for page in page_states(session)] == [PLAIN, impostor[0].url]


@pytest.mark.parametrize("constant", ["https://www.example.org/", "https://www.example.org/x"])
def test_a_url_declared_by_every_page_joins_no_pages(session: Session, constant: str) -> None:
    urls = [constant, *(f"https://www.example.org/{number}" for number in range(12))]
    fetches = [
        fetch(url, with_canonical_url(article_html(number), constant))
        for number, url in enumerate(urls)
    ]
    random.Random(3).shuffle(fetches)
    record_fetches(session, *fetches, batch=4)
    assert [page.url for page in page_states(session)] == sorted(urls)


def test_pages_with_equal_titles_but_different_texts_stay_separate(session: Session) -> None:
    urls = [f"https://www.example.org/{number}" for number in range(5)]
    fetches = []
    for number, url in enumerate(urls):
        html = article_html(number).replace(f"Bridge story number {number}", "The Paper of Today")
        fetches.append(fetch(url, with_canonical_url(html, urls[0])))
    record_fetches(session, *fetches, batch=2)
    assert [page.url for page in page_states(session)] == urls


def test_a_later_part_that_declares_the_url_of_the_first_stays_separate(session: Session) -> None:
    title = "Bridge story number 7"
    first = article_html(7)
    for number, url in enumerate([f"{PLAIN}?page=2", "https://www.example.org/bridge-7/2"]):
        site = f"s{number}"
        part = with_canonical_url(article_html(9).replace("Bridge story number 9", title), PLAIN)
        record_fetches(session, fetch(PLAIN, first, site=site), fetch(url, part, site=site))
        assert len(page_states(session, site)) == 2


def test_urls_that_differ_in_meaning_are_separate_pages(session: Session) -> None:
    urls = [f"https://www.example.org/read?id={number}&page=2" for number in range(3)]
    urls += ["https://www.example.org/Read?id=1&page=2", "https://www.example.org/read/?id=1"]
    record_fetches(session, *(fetch(url, article_html(7)) for url in urls), batch=5)
    assert [page.url for page in page_states(session)] == sorted(urls)


def test_a_variant_that_returns_an_error_page_stays_separate(session: Session) -> None:
    error_page = (
        "<html><head><title>Not found</title></head><body><h1>Not found</h1>Gone.</body></html>"
    )
    record_fetches(
        session, *five_fetches((1,) * 5)[:1], fetch(PRINT, error_page), fetch(MOBILE, error_page)
    )
    assert [page.url for page in page_states(session)] == [MOBILE, PLAIN, PRINT]


def test_joined_urls_are_counted_and_listed(session: Session) -> None:
    record_fetches(session, *five_fetches((1, 2, 3, 4, 5)))
    (site_id,) = pages.sites_named(session, SITE)
    kinds = {"amp": 1, "form": 1, "mobile": 1, "print": 1}
    joined = session.execute(progress.SQL.count_joined, {"site_id": site_id}).all()
    assert dict(joined) == kinds
    joined_urls = addresses.list_joined(session, SITE)
    assert {(each.address, each.kind, each.canonical) for each in joined_urls} == {
        (AMP, "amp", PLAIN),
        (PRINT, "print", PLAIN),
        (TRACKED, "form", PLAIN),
        (MOBILE, "mobile", PLAIN),
    }


def test_malformed_and_overlong_urls_are_stored(session: Session) -> None:
    urls: Iterable[str] = (
        "https://www.example.org/%",
        "https://www.example.org/" + "a/" * 5000,
        "https://www.example.org/?" + "utm_x=1&" * 1200,
        "https://www.example.org/#!/é",
    )
    record_fetches(session, *(fetch(url, article_html(n)) for n, url in enumerate(urls)))
    assert len(session.scalars(select(Address)).all()) == 4

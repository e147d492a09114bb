"""A page cannot take over another page's article, whatever it declares."""

import json
from collections.abc import Sequence
from datetime import timedelta
from itertools import permutations

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from detourage.addresses import canonical_of, variants_of
from detourage.html import site_of
from models.tables import StoredPage
from tests.addressed import with_canonical_url
from tests.integration.store.test_addresses import MOMENT, Fetch, read, record_fetches
from tests.pages import article_html
from worker.store import addresses, pages
from worker.store.pages import FetchedPage
from worker.workflow.parsing import parse_or_reject

STORY = article_html(7)
UNRELATED = article_html(8)
CORRECTED = STORY.replace("Note 7-0.", "Note 7-0, corrected.")


def fetch(url: str, html: str, hour: int) -> Fetch:
    moment = MOMENT + timedelta(hours=hour)
    return FetchedPage(site_of(url), url, html, None, None, moment, "{}"), read(url, html)


def published_state(session: Session, url: str) -> tuple[object, str, Sequence[str]]:
    """Return the content, canonical URL and variants of the page that a URL belongs to."""
    session.expunge_all()
    for site_id in pages.sites_named(session, site_of(url)):
        ids = session.scalars(select(StoredPage.id).where(StoredPage.site_id == site_id)).all()
        for page_id, page_addresses in addresses.addresses_by_page(session, ids).items():
            if any(url in each.spellings for each in page_addresses):
                content = pages.load_contents(session, [page_id]).get(page_id)
                return content, canonical_of(page_addresses), variants_of(page_addresses)
    raise AssertionError(f"no page of {url}")


SAME_HOST = ("https://www.paper.example/~victim/story", "https://www.paper.example/~e/x")
SAME_DOMAIN = ("https://victim.letters.example/p/story", "https://evil.letters.example/p/x")
OTHER_DOMAIN = ("https://www.paper.example/story", "https://www.elsewhere.example/x")
parametrize_victim_and_evil = pytest.mark.parametrize(
    ("victim", "evil"),
    [SAME_HOST, SAME_DOMAIN, OTHER_DOMAIN],
    ids=["same host", "same domain", "other domain"],
)


@parametrize_victim_and_evil
@pytest.mark.parametrize(
    "link",
    [
        "<link rel=canonical href='{victim}'>",
        "<meta property='og:url' content='{victim}'>",
        "<link rel=amphtml href='{victim}'>",
        "<link rel=alternate media='only screen and (max-width: 640px)' href='{victim}'>",
        "<link rel=alternate hreflang=fr href='{victim}'>",
        "<link rel=next href='{victim}'>",
        "<base href='{victim}'><link rel=canonical href=''>",
    ],
    ids=["canonical", "og:url", "amphtml", "mobile", "hreflang", "next", "base"],
)
def test_a_copy_that_claims_a_url_and_then_changes_affects_nothing(
    session: Session, victim: str, evil: str, link: str
) -> None:
    copy = STORY.replace("<head>", f"<head>{link.format(victim=victim)}", 1)
    for number, order in enumerate(permutations(range(3))):
        victim_url, evil_url = f"{victim}-{number}", f"{evil}-{number}"
        attack = copy.replace(victim, victim_url)
        fetches = [
            fetch(victim_url, STORY, 1),
            fetch(evil_url, attack, 2),
            fetch(evil_url, UNRELATED, 3),
        ]
        record_fetches(session, *(fetches[index] for index in order))
        record_fetches(session, *fetches)
        assert published_state(session, victim_url) == (STORY, victim_url, [])
        assert published_state(session, evil_url) == (UNRELATED, evil_url, [])


@parametrize_victim_and_evil
def test_a_url_that_redirected_and_then_shows_another_text_affects_nothing(
    session: Session, victim: str, evil: str
) -> None:
    for number, order in enumerate(permutations(range(3))):
        victim_url, evil_url = f"{victim}-{number}", f"{evil}-{number}"
        moment = MOMENT + timedelta(hours=2)
        extra = json.dumps({"status": 200, "final_url": victim_url})
        redirected = FetchedPage(site_of(evil_url), evil_url, STORY, None, None, moment, extra)
        declared = parse_or_reject(STORY, evil_url, None, redirected.response)
        fetches = [
            fetch(victim_url, STORY, 1),
            (redirected, declared),
            fetch(evil_url, UNRELATED, 3),
        ]
        record_fetches(session, *(fetches[index] for index in order))
        record_fetches(session, *fetches)
        assert published_state(session, victim_url) == (STORY, victim_url, [])
        assert published_state(session, evil_url) == (UNRELATED, evil_url, [])


def test_a_url_that_redirects_within_a_site_is_a_variant(session: Session) -> None:
    old, new = "https://www.paper.example/?p=7", "https://www.paper.example/story"
    extra = json.dumps({"final_url": new})
    redirected = FetchedPage(site_of(old), old, STORY, None, None, MOMENT, extra)
    record_fetches(session, (redirected, parse_or_reject(STORY, old, None, redirected.response)))
    assert published_state(session, old) == (STORY, old, [])
    record_fetches(session, fetch(new, CORRECTED, 1))
    assert published_state(session, old) == (CORRECTED, new, [old])


@parametrize_victim_and_evil
def test_a_page_claimed_by_a_copy_is_published_with_its_own_changes(
    session: Session, victim: str, evil: str
) -> None:
    copy = with_canonical_url(STORY, victim)
    record_fetches(
        session, fetch(victim, STORY, 1), fetch(evil, copy, 2), fetch(victim, CORRECTED, 3)
    )
    record_fetches(session, fetch(evil, copy.replace("</body>", "<p>Buy pills.</p></body>"), 4))
    assert published_state(session, victim)[:2] == (CORRECTED, victim)


def test_a_copy_on_the_same_host_is_a_variant_only_while_it_declares_so(session: Session) -> None:
    victim, evil = SAME_HOST
    copy = with_canonical_url(STORY, victim)
    record_fetches(session, fetch(victim, STORY, 1), fetch(evil, copy, 2))
    assert published_state(session, evil) == (STORY, victim, [evil])
    record_fetches(session, fetch(evil, STORY, 3))
    assert published_state(session, evil) == (STORY, evil, [])
    record_fetches(session, fetch(evil, copy, 4))
    assert published_state(session, evil) == (STORY, victim, [evil])


def test_an_old_fetch_that_arrives_late_separates_nothing(session: Session) -> None:
    victim, evil = SAME_HOST
    record_fetches(
        session, fetch(victim, STORY, 1), fetch(evil, with_canonical_url(STORY, victim), 5)
    )
    record_fetches(session, fetch(evil, UNRELATED, 4))
    assert published_state(session, evil) == (STORY, victim, [evil])


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_a_page_that_declares_the_same_url_does_not_replace_another(
    session: Session, order: Sequence[int]
) -> None:
    clean = "https://www.paper.example/story-of-the-bridge"
    victim, evil = f"{clean}?ref=start", "https://www.paper.example/x"
    declared, attack = (
        with_canonical_url(STORY, clean),
        with_canonical_url(STORY.replace("7-1", "7-x"), clean),
    )
    fetches = [fetch(victim, declared, 1), fetch(evil, attack, 2), fetch(evil, UNRELATED, 3)]
    record_fetches(session, *(fetches[index] for index in order))
    assert published_state(session, victim)[:2] == (declared, victim)


@pytest.mark.parametrize("order", [*permutations(range(4))])
def test_a_chain_of_claims_does_not_affect_its_target(
    session: Session, order: Sequence[int]
) -> None:
    victim = "https://www.paper.example/story-of-the-bridge"
    first, second = "https://www.paper.example/b", "https://www.paper.example/a"
    fetches = [
        fetch(victim, with_canonical_url(STORY, f"{victim}-as-it-was-called"), 1),
        fetch(first, with_canonical_url(STORY, victim), 2),
        fetch(second, with_canonical_url(STORY, first), 3),
        fetch(second, UNRELATED, 4),
    ]
    record_fetches(session, *(fetches[index] for index in order))
    record_fetches(session, *fetches)
    assert published_state(session, victim)[1] == victim
    assert published_state(session, victim)[0] == fetches[0][0].content
    assert published_state(session, second) == (UNRELATED, second, [])


def test_a_cycle_of_claims_does_not_affect_a_third_page(session: Session) -> None:
    victim, evil = SAME_HOST
    other = f"{evil}-2"
    record_fetches(session, fetch(victim, STORY, 1))
    record_fetches(session, fetch(evil, with_canonical_url(STORY, other), 2))
    record_fetches(session, fetch(other, with_canonical_url(STORY, evil), 3))
    assert published_state(session, victim) == (STORY, victim, [])
    assert published_state(session, evil)[1] in {evil, other}


def test_a_hundred_claims_leave_the_page_unchanged(session: Session) -> None:
    victim, evil = SAME_HOST
    copy = with_canonical_url(STORY, victim)
    record_fetches(session, fetch(victim, STORY, 1))
    claims = [fetch(f"{evil}-{number}", copy, 2) for number in range(100)]
    record_fetches(session, *claims, batch=50)
    record_fetches(session, fetch(victim, CORRECTED, 3), fetch(f"{evil}-7", UNRELATED, 4))
    content, canonical, variants = published_state(session, victim)
    assert (content, canonical, len(variants)) == (CORRECTED, victim, 50)
    assert published_state(session, f"{evil}-7") == (UNRELATED, f"{evil}-7", [])

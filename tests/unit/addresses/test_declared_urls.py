"""Redirects, and URLs that a page declares as its own, decide to which article it belongs."""

import pytest

from detourage.addresses import (
    AddressRecord,
    Joining,
    Target,
    canonical_form,
    decide_joining,
    find_joined,
    read_declared,
    refusal_of,
)
from detourage.html import Response, parse_page
from tests.addressed import AMP, MOBILE, PLAIN, article_under_five_urls
from tests.pages import article_html


def address_record(url: str, html: str) -> AddressRecord:
    return AddressRecord(canonical_form(url), read_declared(parse_page(html, url)))


def declared_targets(url: str, head: str) -> list[Target]:
    """Return the declarations accepted from a page with the given elements in its head."""
    html = article_html(7).replace("<head>", f"<head>{head}")
    return list(address_record(url, html).declared.targets)


@pytest.mark.parametrize(
    ("url", "head", "targets"),
    [
        (PLAIN, "", []),
        (PLAIN, f"<link rel=canonical href='{PLAIN}?utm_source=x#a'>", []),
        (PLAIN, "<link rel='Canonical nofollow' href='/b'>", [("b", "canonical")]),
        (PLAIN, "<base href='/x/'><link rel=canonical href='b'>", [("x/b", "canonical")]),
        (PLAIN, "<meta property='og:url' content='/b'>", [("b", "canonical")]),
        (
            PLAIN,
            "<meta property='og:url' content='/c'><link rel=canonical href='/b'>",
            [("b", "canonical")],
        ),
        *(
            (PLAIN, f"<link rel=canonical href='{href}'>", [])
            for href in (
                *("https://www.example.net/bridge-7.html", "/", "javascript:1", "https://[::1/"),
                f"/{'b' * 3000}",
            )
        ),
        (AMP, "<link rel=canonical href='/b'>", [("b", "amp")]),
        (f"{PLAIN}?print=1", "<link rel=canonical href='/b'>", [("b", "print")]),
    ],
)
def test_a_declared_url_is_accepted_only_on_the_same_site(
    url: str, head: str, targets: list[tuple[str, str]]
) -> None:
    found = declared_targets(url, head)
    assert [(each.address, each.kind) for each in found] == [
        (f"https://www.example.org/{path}", kind) for path, kind in targets
    ]


def test_a_page_cannot_declare_another_page_as_its_variant() -> None:
    head = (
        f"<link rel=amphtml href='{AMP}'>"
        f"<link rel=alternate media='only screen and (max-width: 640px)' href='{MOBILE}'>"
        "<link rel=alternate hreflang=fr href='/fr'>"
    )
    assert declared_targets(PLAIN, head) == []


@pytest.mark.parametrize(
    ("url", "seed", "title", "verdict"),
    [
        ("https://www.example.org/b", 7, 7, Joining.JOINED),
        ("https://www.example.org/b", 7, 8, Joining.OTHER_HEADLINE),
        ("https://www.example.org/b", 8, 7, Joining.OTHER_TEXT),
        (f"{PLAIN}?page=2", 7, 7, Joining.OTHER_PART),
    ],
)
def test_a_page_is_joined_to_its_declared_url_only_if_they_match(
    url: str, seed: int, title: int, verdict: Joining
) -> None:
    html = article_html(seed).replace(f"number {seed}<", f"number {title}<")
    link = f"<head><link rel=canonical href='{PLAIN}'>"
    result = decide_joining(
        address_record(url, html.replace("<head>", link)), address_record(PLAIN, article_html(7))
    )
    assert result is verdict


@pytest.mark.parametrize(
    ("title", "heading", "agrees"),
    [
        ("Bridge story number 7 - The Paper", "Bridge story number 7", True),
        ("The Paper | Bridge story number 7", "", True),
        ("The Paper of the Region and its Towns", "The Paper of the Region and its Towns", False),
    ],
)
def test_the_site_name_is_not_a_headline(title: str, heading: str, agrees: bool) -> None:
    html = article_under_five_urls()[AMP].replace("Bridge story number 7 | AMP", title)
    html = html.replace("<h1>Bridge story number 7</h1>", f"<h1>{heading}</h1>")
    verdict = decide_joining(address_record(AMP, html), address_record(PLAIN, article_html(7)))
    assert (verdict is Joining.JOINED) == agrees


def test_a_url_declared_by_unrelated_pages_is_ignored() -> None:
    link = f"<head><link rel=canonical href='{PLAIN}'>"
    page = address_record(PLAIN, article_html(7))
    copy = address_record("https://www.example.org/c", article_html(7).replace("<head>", link))
    others = [
        address_record(
            f"https://www.example.org/{seed}x", article_html(seed).replace("<head>", link)
        )
        for seed in range(3)
    ]
    assert find_joined(copy, [page, *others[:2]]) == [page]
    assert find_joined(copy, [page, *others]) == []


URL = "https://www.example.org/town/bridge"


@pytest.mark.parametrize(
    ("response", "outcome"),
    [
        *((response, None) for response in (Response(), Response(200), Response(203, URL))),
        *((Response(status), "wall") for status in (304, 401, 451, 503)),
        *((Response(status), "gone") for status in (404, 410)),
        (Response(200, "http://example.org/town/bridge/?utm_source=a"), None),
        (Response(200, "https://www.example.org/town/bridge-opens"), None),
        (Response(200, "https://news.example.org/bridge"), None),
        (Response(200, "https://www.example.org/"), "gone"),
        (Response(200, "https://www.other.example/town/bridge"), "gone"),
        (Response(200, "https://www.example.org/account/log-in?to=bridge"), "wall"),
        (Response(200, "https://consent.example.net/collect"), "wall"),
        (Response(200, "https://www.example.org/consent-of-the-council"), None),
    ],
)
def test_status_and_redirects_outweigh_the_content(response: Response, outcome: str | None) -> None:
    refusal = refusal_of(URL, response)
    assert (refusal.outcome if refusal is not None else None) == outcome
    is_removal = refusal is not None and refusal.is_removal
    assert is_removal is (response.status in (404, 410))


def test_a_redirect_of_a_front_or_login_page_is_not_a_refusal() -> None:
    assert refusal_of("https://example.org/", Response(200, "https://example.org/?a=1")) is None
    login = "https://example.org/login"
    assert refusal_of(login, Response(200, f"{login}/form")) is None


def test_invalid_stored_responses_are_ignored() -> None:
    for status, url in (('"404"', "7"), ("999", '"ftp://a.example/"'), ("true", "null")):
        assert Response.of(f'{{"status": {status}, "final_url": {url}}}') == Response()
    assert Response.of("{}") == Response()


def test_a_redirect_declares_its_target() -> None:
    page = parse_page(article_html(7), URL, response=Response(200, PLAIN))
    (target,) = read_declared(page).targets
    assert (target.address, target.is_declared) == (PLAIN, True)
    other_site = Response(200, "https://evil.example.org/bridge")
    assert read_declared(parse_page(article_html(7), URL, response=other_site)).targets == ()

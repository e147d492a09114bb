"""Canonical URLs, and URLs of variants and of other parts."""

import pytest

from detourage.addresses import are_other_parts, canonical_form
from detourage.addresses.variants import targets_by_form

SESSION = "4f9a03bc7d21e8a65c0f4b17"


@pytest.mark.parametrize(
    ("url", "form"),
    [
        ("HTTP://WWW.Example.ORG/A", "http://www.example.org/A"),
        ("https://www.example.org", "https://www.example.org/"),
        ("https://www.example.org:443/a", "https://www.example.org/a"),
        ("http://www.example.org:443/a", "http://www.example.org:443/a"),
        ("http://www.example.org.:80/a", "http://www.example.org/a"),
        ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
        ("https://[2001:DB8::1]:443/a", "https://[2001:db8::1]/a"),
        ("https://reader:secret@example.org/a", "https://example.org/a"),
        ("https://example.org/a/./b/../c", "https://example.org/a/c"),
        ("https://example.org/a/%2E%2e/../c/.", "https://example.org/c/"),
        ("https://example.org/%7eb%2fc%c3%a9", "https://example.org/~b%2Fc%C3%A9"),
        ("https://example.org/a%", "https://example.org/a%25"),
        ("https://example.org/a b", "https://example.org/a%20b"),
        ("https://example.org/a#comments", "https://example.org/a"),
        ("https://example.org/#!/a", "https://example.org/#!/a"),
        ("https://example.org/a?", "https://example.org/a"),
        ("https://example.org/a?utm_source=x&id=5&UTM_term=y", "https://example.org/a?id=5"),
        ("https://example.org/a?id=5&amp;utm_source=x", "https://example.org/a?id=5"),
        ("https://example.org/a?fbclid=1&gclid=2&mc_cid=3&mc_eid=4", "https://example.org/a"),
        ("https://example.org/a;jsessionid=0A1B?p=3", "https://example.org/a?p=3"),
        (f"https://example.org/a?PHPSESSID=1&sid={SESSION}", "https://example.org/a"),
        (f"https://example.org/(S({SESSION}))/a.aspx", "https://example.org/a.aspx"),
    ],
)
def test_irrelevant_parts_of_a_url_are_removed(url: str, form: str) -> None:
    assert canonical_form(url) == form


@pytest.mark.parametrize(
    "url",
    [
        "https://www.example.org/a/",
        "https://example.org/?p=3",
        "https://example.org/read?id=5&page=2",
        "https://example.org/read?page=2&id=5",
        "https://example.org/read?id=5&id=6",
        "https://example.org/read?id=",
        "https://example.org/read?sid=20240501",
        "https://example.org/read?s=international-elections-2024",
        "https://example.org/read?ref=front&source=wire",
        "https://example.org//a",
        "https://example.org:8080/a",
        "https://example.org:99999/a",
        "ftp://example.org/a",
        "",
    ],
)
def test_potentially_relevant_parts_of_a_url_are_kept(url: str) -> None:
    assert canonical_form(url) == url


@pytest.mark.parametrize(
    ("url", "kind", "others"),
    [
        ("https://www.example.org/amp/a", "amp", {"https://www.example.org/a"}),
        (
            "https://www.example.org/a/amp/",
            "amp",
            {"https://www.example.org/a", "https://www.example.org/a/"},
        ),
        ("https://example.org/a.amp.html", "amp", {"https://example.org/a.html"}),
        ("https://example.org/a?amp&id=5", "amp", {"https://example.org/a?id=5"}),
        ("https://example.org/a?outputType=amp", "amp", {"https://example.org/a"}),
        (
            "https://m.example.co.uk/a?id=5",
            "mobile",
            {"https://example.co.uk/a?id=5", "https://www.example.co.uk/a?id=5"},
        ),
        ("https://de.m.example.org/a", "mobile", {"https://de.example.org/a"}),
        ("https://example.org/a?m=1", "mobile", {"https://example.org/a"}),
        ("https://example.org/print/a", "print", {"https://example.org/a"}),
        ("https://example.org/a-print.html", "print", {"https://example.org/a.html"}),
        ("https://example.org/a?view=print&id=5", "print", {"https://example.org/a?id=5"}),
    ],
)
def test_a_variant_leads_to_its_original(url: str, kind: str, others: set[str]) -> None:
    targets = targets_by_form(url)
    assert {target.address for target in targets} == others
    assert {target.kind for target in targets} == {kind}


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/amp",
        "https://m.co.uk/a",
        "https://mobile.de/a",
        "https://example.org/news/print/a",
        "https://example.org/amplifier",
        "https://example.org/a?print=5",
        "https://example.org/a?m=12",
        "https://example.org/" + "amp/" * 1000,
        "https://[::1/amp/a",
    ],
)
def test_lookalikes_are_not_variants(url: str) -> None:
    assert targets_by_form(url) == []


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/a?page=2",
        "https://example.org/b?list_start=20",
        "https://example.org/a/page/3/",
        "https://example.org/b,seite-2.html",
        "https://example.org/a/2",
        "https://example.org/amp/a/2",
    ],
)
def test_a_later_part_is_recognised_by_its_url(url: str) -> None:
    assert are_other_parts(url, "https://example.org/a")
    assert are_other_parts("https://example.org/a", url)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://example.org/a?page=1", "https://example.org/a"),
        ("https://example.org/amp/a-2.html", "https://example.org/a-2.html"),
        ("https://example.org/2024/05/04", "https://example.org/2024/05/04/a"),
        ("https://example.org/bridge-7.html", "https://example.org/town/bridge"),
        ("https://example.org/a-4711.html", "https://example.org/a.html"),
        ("https://example.org/?p=5", "https://example.org/a"),
    ],
)
def test_other_numbers_do_not_distinguish_parts(one: str, other: str) -> None:
    assert not are_other_parts(one, other)

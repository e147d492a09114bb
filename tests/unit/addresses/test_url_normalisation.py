"""Canonical forms of URLs, and URLs of a page's variants and of other parts of its article."""

from urllib.parse import urljoin

import pytest

from detourage.addresses import are_other_parts, canonical_form
from detourage.addresses.variants import targets_by_form

SITE = "https://example.org"
SESSION = "4f9a03bc7d21e8a65c0f4b17"
# URLs that are their own canonical form, because all of their parts are relevant.
UNCHANGED_URLS = (
    *(f"{SITE}/{path}" for path in ("?p=3", "read?id=5&page=2", "read?page=2&id=5", "read?id=")),
    *(f"{SITE}/read?{query}" for query in ("id=5&id=6", "sid=20240501", "ref=front&source=wire")),
    *("https://www.example.org/a/", "https://example.org/read?s=international-elections-2024"),
    *("https://example.org//a", "https://example.org:8080/a", "https://example.org:99999/a"),
    *("ftp://example.org/a", ""),
)


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
        *((url, url) for url in UNCHANGED_URLS),
    ],
)
def test_only_irrelevant_parts_of_a_url_are_removed(url: str, form: str) -> None:
    assert canonical_form(url) == form


@pytest.mark.parametrize(
    ("path", "kind", "originals"),
    [
        ("/amp/a", "amp", {f"{SITE}/a"}),
        ("/a/amp/", "amp", {f"{SITE}/a", f"{SITE}/a/"}),
        ("/a.amp.html", "amp", {f"{SITE}/a.html"}),
        ("/a?amp&id=5", "amp", {f"{SITE}/a?id=5"}),
        ("/a?outputType=amp", "amp", {f"{SITE}/a"}),
        (
            "https://m.a.co.uk/a?b=5",
            "mobile",
            {"https://a.co.uk/a?b=5", "https://www.a.co.uk/a?b=5"},
        ),
        ("https://de.m.example.org/a", "mobile", {"https://de.example.org/a"}),
        ("/a?m=1", "mobile", {f"{SITE}/a"}),
        ("/print/a", "print", {f"{SITE}/a"}),
        ("/a-print.html", "print", {f"{SITE}/a.html"}),
        ("/a?view=print&id=5", "print", {f"{SITE}/a?id=5"}),
        # These only look like variants.
        *((path, "", set()) for path in ("/amp", "/news/print/a", "/amplifier", "/a?print=5")),
        *((path, "", set()) for path in ("/a?m=12", "/" + "amp/" * 1000)),
        *((url, "", set()) for url in ("https://m.co.uk/a", "https://mobile.de/a")),
        ("https://[::1/amp/a", "", set()),
    ],
)
def test_a_variant_leads_to_its_original(path: str, kind: str, originals: set[str]) -> None:
    targets = targets_by_form(urljoin(SITE, path) if path.startswith("/") else path)
    assert {target.address for target in targets} == originals
    assert {target.kind for target in targets} == ({kind} if kind else set())


@pytest.mark.parametrize(
    ("one", "other_path", "are_parts"),
    [
        *(("/a", path, True) for path in ("/a?page=2", "/b?list_start=20", "/a/page/3/", "/a/2")),
        *(("/a", path, True) for path in ("/b,seite-2.html", "/amp/a/2")),
        # Other numbers do not distinguish parts.
        ("/a?page=1", "/a", False),
        ("/amp/a-2.html", "/a-2.html", False),
        ("/2024/05/04", "/2024/05/04/a", False),
        ("/bridge-7.html", "/town/bridge", False),
        ("/a-4711.html", "/a.html", False),
        ("/?p=5", "/a", False),
    ],
)
def test_a_later_part_is_recognised_by_its_url(one: str, other_path: str, are_parts: bool) -> None:
    assert are_other_parts(f"{SITE}{one}", f"{SITE}{other_path}") is are_parts
    assert are_other_parts(f"{SITE}{other_path}", f"{SITE}{one}") is are_parts

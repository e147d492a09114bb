"""Addresses on a page, and the site of an address."""

import pytest
from lxml.html import document_fromstring

from detourage.html import site_of
from detourage.html.urls import absolute, base_of


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("http://www.example.com/a/b?c=d#e", "example.com"),
        ("https://news.example.co.uk/", "example.co.uk"),
        ("HTTP://User:Secret@WWW.Example.COM:8080/", "example.com"),
        ("http://example.com./", "example.com"),
        ("//cdn.example.com/a", "example.com"),
        ("www.example.com:8080/a", "example.com"),
        (" http://example.com/ ", "example.com"),
        ("http://a_b.example.com/", "example.com"),
        # Blogs on one hosting domain are separate sites.
        ("http://one.blogspot.com/2012/01/", "one.blogspot.com"),
        ("http://www.two.blogspot.com/", "two.blogspot.com"),
        ("https://reader.github.io/a", "reader.github.io"),
        # Internationalised host names are converted to Punycode.
        *(
            (f"http://www{name}/", "xn--bcher-kva.de")
            for name in (
                ".bücher.de",
                ".BÜCHER.DE",
                ".xn--bcher-kva.de",
                ".bu\u0308cher.de",
                "。bücher。de",
            )
        ),
        # A host without a registrable domain is the site.
        ("http://[2001:DB8::1]:80/", "2001:db8::1"),
        *(
            (f"http://{host}:8000/a", host)
            for host in ("127.0.0.1", "localhost", "news.intranet", "co.uk", "blogspot.com")
        ),
        *((url, "") for url in ("", "http://", "http:///path", "http://[::1", "http://..../")),
    ],
)
def test_the_site_is_the_registrable_domain(url: str, site: str) -> None:
    assert site_of(url) == site


PAGE = "https://news.example/a/b?c=1"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("d", "https://news.example/a/d"),
        (" /e f ", "https://news.example/e%20f"),
        ("#g", "https://news.example/a/b?c=1#g"),
        ("//cdn.example/h", "https://cdn.example/h"),
        *((each, None) for each in ("data:image/png;base64,AA", "http://", "http://[", "  ", None)),
        ("https://user:pass@cdn.example/h", "https://cdn.example/h"),
        ("https://news.example@evil.example/a@b", "https://evil.example/a@b"),
        (r"https://a.example\@evil.example/", "https://a.example/@evil.example/"),
        (r"\\cdn.example\h?c=\d#\e", r"https://cdn.example/h?c=\d#\e"),
        ("https://cdn.example:8443/h", "https://cdn.example:8443/h"),
        *((f"https://{host}/h", None) for host in ("a:99999", "a:0", "a:port", "a b.example")),
        ("/photo\u202egpj.exe", "https://news.example/photogpj.exe"),
        ("https://a\u2066.example/h", "https://a.example/h"),
    ],
)
def test_urls_are_made_absolute(address: str | None, expected: str | None) -> None:
    assert absolute(address, PAGE) == expected


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("", PAGE),
        ('<base target="_top"><base href="/x/"><base href="/y/">', "https://news.example/x/"),
        ('<base href="data:">', PAGE),
    ],
)
def test_a_page_may_declare_another_base(head: str, expected: str) -> None:
    assert base_of(document_fromstring(f"<html><head>{head}</head></html>"), PAGE) == expected

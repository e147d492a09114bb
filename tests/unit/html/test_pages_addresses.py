import pytest
from lxml.html import document_fromstring

from detourage.html.addresses import absolute, base_of

PAGE = "https://news.example/a/b?c=1"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("d", "https://news.example/a/d"),
        (" /e f ", "https://news.example/e%20f"),
        ("#g", "https://news.example/a/b?c=1#g"),
        ("//cdn.example/h", "https://cdn.example/h"),
        ("data:image/png;base64,AA", None),
        ("http://", None),
        ("http://[", None),
        ("  ", None),
        (None, None),
        ("https://user:pass@cdn.example/h", "https://cdn.example/h"),
        ("https://news.example@evil.example/a@b", "https://evil.example/a@b"),
        (r"https://a.example\@evil.example/", "https://a.example/@evil.example/"),
        (r"\\cdn.example\h?c=\d#\e", r"https://cdn.example/h?c=\d#\e"),
        ("https://cdn.example:8443/h", "https://cdn.example:8443/h"),
        ("https://cdn.example:99999/h", None),
        ("https://cdn.example:0/h", None),
        ("https://cdn.example:port/h", None),
        ("https://a b.example/h", None),
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

import pytest

from detourage.html import site_of


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
    ],
)
def test_the_site_is_the_registrable_domain(url: str, site: str) -> None:
    assert site_of(url) == site


def test_blogs_on_one_hosting_domain_are_separate_sites() -> None:
    assert site_of("http://one.blogspot.com/2012/01/") == "one.blogspot.com"
    assert site_of("http://www.two.blogspot.com/") == "two.blogspot.com"
    assert site_of("https://reader.github.io/a") == "reader.github.io"


@pytest.mark.parametrize(
    "url",
    [
        "http://www.bücher.de/",
        "http://WWW.BÜCHER.DE/",
        "http://www.xn--bcher-kva.de/",
        "http://www.bu\u0308cher.de/",
        "http://www。bücher。de/",
    ],
)
def test_international_names_are_normalised(url: str) -> None:
    assert site_of(url) == "xn--bcher-kva.de"


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://127.0.0.1:8000/a", "127.0.0.1"),
        ("http://[2001:DB8::1]:80/", "2001:db8::1"),
        ("http://localhost:8000/", "localhost"),
        ("http://news.intranet/", "news.intranet"),
        ("http://co.uk/", "co.uk"),
        ("http://blogspot.com/", "blogspot.com"),
    ],
)
def test_host_without_registrable_domain_is_the_site(url: str, host: str) -> None:
    assert site_of(url) == host


@pytest.mark.parametrize("url", ["", "http://", "http:///path", "http://[::1", "http://..../"])
def test_a_url_without_host_has_no_site(url: str) -> None:
    assert site_of(url) == ""

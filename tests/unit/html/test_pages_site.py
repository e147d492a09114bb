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
        # Blogs on one hosting domain are separate sites.
        ("http://one.blogspot.com/2012/01/", "one.blogspot.com"),
        ("http://www.two.blogspot.com/", "two.blogspot.com"),
        ("https://reader.github.io/a", "reader.github.io"),
        # International names are normalised.
        ("http://www.bücher.de/", "xn--bcher-kva.de"),
        ("http://WWW.BÜCHER.DE/", "xn--bcher-kva.de"),
        ("http://www.xn--bcher-kva.de/", "xn--bcher-kva.de"),
        ("http://www.bu\u0308cher.de/", "xn--bcher-kva.de"),
        ("http://www。bücher。de/", "xn--bcher-kva.de"),
        # A host without a registrable domain is the site.
        ("http://127.0.0.1:8000/a", "127.0.0.1"),
        ("http://[2001:DB8::1]:80/", "2001:db8::1"),
        ("http://localhost:8000/", "localhost"),
        ("http://news.intranet/", "news.intranet"),
        ("http://co.uk/", "co.uk"),
        ("http://blogspot.com/", "blogspot.com"),
        *((url, "") for url in ("", "http://", "http:///path", "http://[::1", "http://..../")),
    ],
)
def test_the_site_is_the_registrable_domain(url: str, site: str) -> None:
    assert site_of(url) == site

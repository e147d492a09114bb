"""The addresses that a page gives, made absolute."""

from urllib.parse import urljoin, urlsplit

from worker.language.words import clean
from worker.pages.nodes import AnyElement

MAX_LINKS = 20_000
"""Links of a page that are looked at, the first ones: a bound on the work for a page made to take
long. The most on a page of the corpora are 3,752."""


def base_of(document: AnyElement, url: str) -> str:
    """Return the address that the page's relative addresses start from.

    The first ``base`` element with an ``href``, itself relative to the page's address; the
    page's address where there is none.
    """
    for base in document.iter("base"):
        href = (base.get("href") or "").strip()
        if href:
            return absolute(href, url) or url
    return url


def absolute(address: str | None, base: str) -> str | None:
    """Return an address as an absolute http or https URL, None for any other (``data:``, …)."""
    candidate = clean(address or "")
    if not candidate:
        return None
    try:
        joined = urljoin(base, candidate)
        parts = urlsplit(joined)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            return None
    except ValueError:
        return None
    return joined.replace(" ", "%20")

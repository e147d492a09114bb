"""The addresses that a page gives, made absolute."""

import re
from typing import Final
from urllib.parse import urljoin, urlsplit

from worker.html.nodes import AnyElement
from worker.text.words import clean

MAX_LINKS = 20_000
"""Links of a page that are looked at, the first ones: a bound on the work for a page made to take
long. The most on a page of the corpora are 3,752."""

_NO_HOST: Final = re.compile(r"""[\s"<>\\^`{|}]""")
_BEFORE_QUERY: Final = re.compile(r"[^?#]*")


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
    """Return an address as an absolute http or https URL, None for any other (``data:``, …).

    It leads where it leads in a browser, to which a backslash before the query is a slash. What
    hides that is taken out: user names and passwords, controls of the direction of writing. An
    address is None, too, where its port or its host cannot be one.
    """
    candidate = clean(address or "")
    if not candidate:
        return None
    if "\\" in candidate:
        candidate = _BEFORE_QUERY.sub(lambda m: m[0].replace("\\", "/"), candidate, count=1)
    try:
        joined = urljoin(base, candidate)
        parts = urlsplit(joined)
        host, is_port = parts.hostname, parts.port != 0
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not host or not is_port or _NO_HOST.search(host):
        return None
    if "@" in parts.netloc:
        joined = joined.replace(parts.netloc, parts.netloc.rpartition("@")[2], 1)
    return joined.replace(" ", "%20")

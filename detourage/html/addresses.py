"""Resolution of a page's links to absolute URLs."""

import re
from typing import Final
from urllib.parse import SplitResult, urljoin, urlsplit

from detourage.html.nodes import AnyElement
from detourage.text.words import clean

MAX_LINKS = 20_000
"""Maximum number of links read from a page, to bound the work on hostile pages."""

_NO_HOST: Final = re.compile(r"""[\s"<>\\^`{|}]""")
_BEFORE_QUERY: Final = re.compile(r"[^?#]*")


def base_of(document: AnyElement, url: str) -> str:
    """Return the base URL of links: the first ``base`` with an ``href``, or the page's URL."""
    for base in document.iter("base"):
        href = (base.get("href") or "").strip()
        if href:
            return absolute(href, url) or url
    return url


def split_url(url: str) -> SplitResult:
    """Split a URL like `urlsplit`, but return empty parts if it is invalid."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def absolute(address: str | None, base: str) -> str | None:
    """Return an absolute http or https URL, or None for anything else, such as ``data:``.

    As in browsers, a backslash before the query counts as a slash. User names, passwords and
    bidirectional control characters are removed, because they could disguise the target. If the
    host or port is invalid, the result is None.
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

"""URLs: resolution of a page's links, and the site to which a URL belongs."""

import re
from contextlib import suppress
from functools import cache, lru_cache
from io import FileIO
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, urljoin, urlsplit

from detourage.html.nodes import AnyElement
from detourage.text.caches import cached_if_short
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.words import clean, word_set

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

_NOT_IN_HOST: Final = re.compile(r"""[\s"<>\\^`{|}]""")  # characters that make a host invalid
_SCHEMES: Final = frozenset({"http", "https"})
_BEFORE_QUERY: Final = lazy_pattern(r"[^?#]*")


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
        url.encode()  # fails if the URL has a lone surrogate
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def absolute(url: str | None, base: str) -> str | None:
    """Return an absolute http or https URL, or None for anything else, such as ``data:``.

    As in browsers, a backslash before the query counts as a slash. User names, passwords and
    bidirectional control characters are removed, because they could disguise the target. If the
    host or port is invalid, the result is None.
    """
    return _resolve(url or "", base)


# An http or https URL, or a path from the root, that needs no normalisation and no check: it has no
# port, no segment starts with a dot, and no part is empty.
_PLAIN_URL: Final = re.compile(
    r"(?P<origin>https?://[A-Za-z0-9.-]+(?=/))?(?:/(?![/.])[!$%&'()*+,.0-9:=@A-Z_a-z~-]*)+"
    r"(?:\?[!\"$-~]+)?(?:#[!-~]+)?"
)


@cached_if_short(4096)  # two thirds of the links of a page are resolved several times
def _resolve(url: str, base: str) -> str | None:
    if (plain := _PLAIN_URL.fullmatch(url)) and (origin := _origin_of(base)):
        return url if plain["origin"] else origin + url
    candidate = clean(url)
    if not candidate:
        return None
    if "\\" in candidate:
        candidate = _BEFORE_QUERY.sub(lambda path: path[0].replace("\\", "/"), candidate, count=1)
    try:
        joined = urljoin(base, candidate)
        parts = urlsplit(joined)
        host, has_valid_port = parts.hostname, parts.port != 0
    except ValueError:
        return None
    has_valid_host = host and has_valid_port and not _NOT_IN_HOST.search(host)
    if parts.scheme not in _SCHEMES or not has_valid_host:
        return None
    if "@" in parts.netloc:
        joined = joined.replace(parts.netloc, parts.netloc.rpartition("@")[2], 1)
    return joined.replace(" ", "%20")


@lru_cache(64)
def _origin_of(base: str) -> str | None:
    """Return the scheme and host of a base URL; None unless it is plain HTTP or HTTPS."""
    try:
        parts = urlsplit(base)
        host, has_valid_port = parts.hostname, parts.port != 0
    except ValueError:
        return None
    is_plain = host and has_valid_port and not _NOT_IN_HOST.search(host) and "@" not in parts.netloc
    return f"{parts.scheme}://{parts.netloc}" if is_plain and parts.scheme in _SCHEMES else None


_SCHEME = lazy_pattern(r"[a-zA-Z][a-zA-Z0-9+.-]*://|//")


@cached_if_short(1024)  # the site of a page is asked for several times
def site_of(url: str) -> str:
    """Return the site key of a URL: the registrable domain of its host, in lower case and ASCII.

    A host without a registrable domain (an IP address, ``localhost``, a public suffix) is returned
    unchanged; the result is empty if the URL has no host. Private suffixes count, so
    ``one.blogspot.com`` and ``two.blogspot.com`` are two sites.
    """
    from ipaddress import ip_address

    host = _ascii_host(url)
    with suppress(ValueError):
        ip_address(host)
        return host
    top = _to_unicode(host.rpartition(".")[2])
    if top not in _COMMON_DOMAINS and top not in _top_level_domains():
        return host
    return _suffixes(top).privatesuffix(host) or host


_COMMON_DOMAINS: Final = word_set("com net org de fr uk it es nl pl ru br jp cn in au ca us eu")
"""Common top-level domains, recognised without parsing the bundled list."""


@cache
def _suffixes(top: str) -> "PublicSuffixList":
    """Return the public suffixes in a top-level domain; parsing all of them is ten times slower."""
    from publicsuffixlist import PublicSuffixList

    domain = top.encode()
    pieces = _suffix_list().split(b"." + domain + b"\n")
    longer = [piece.rpartition(b"\n")[2] + b"." + domain for piece in pieces[:-1]]
    rules = [rule for rule in longer if not rule.startswith(b"//")]
    if b"\n" + domain + b"\n" in _suffix_list():
        rules.append(domain)
    # ASCII rules need no encoding, which takes most of the time.
    has_unicode = not all(map(bytes.isascii, rules))
    return PublicSuffixList(rules, accept_unknown=False, accept_encoded_idn=has_unicode)


@cache
def _top_level_domains() -> frozenset[str]:
    """Return the top-level domains of the bundled list."""
    rules = re.findall(rb"^(?!//)(?:\S*\.)?([^\s.]+)", _suffix_list(), re.MULTILINE)
    return frozenset(domain.decode() for domain in {*rules})


@cache
def _suffix_list() -> bytes:
    """Return the bundled list of public suffixes in UTF-8."""
    from publicsuffixlist import PSLFILE

    with FileIO(PSLFILE) as file:
        return b"\n" + file.readall().lower() + b"\n"


_HOST_VARIANTS = lazy_pattern(r"www\d?|m|mobile?|mobil|touch|wap|amp")
"""Subdomains that denote a variant of a site's main host, such as ``m.`` for mobile devices."""


def publisher_of(url: str) -> str:
    """Return the host of a URL's publisher, which is its host without labels such as ``www.``.

    Hosts in the same domain may have unrelated owners, even if the public suffix list does not say
    so: ``one.blogs.example`` has no authority over ``two.blogs.example``. The result is empty if
    the URL has no host.
    """
    host, site = _ascii_host(url), site_of(url)
    labels = host.removesuffix(site).rstrip(".").split(".")
    kept = [label for label in labels if label and not _HOST_VARIANTS.fullmatch(label)]
    return ".".join([*kept, site])


def site_key(claim: str | None, url: str) -> str:
    """Return the key that identifies the site of a page in the store.

    If `claim`, the sender's name for the site, is None, the key is the page's registrable domain; a
    claim within that domain is itself the key. Any other claim is qualified with the domain
    (``lemonde@lemonde.fr``), so that pages of different domains never share a site.
    """
    domain = site_of(url)
    if claim is None or claim == domain:
        return domain
    return claim if "@" not in claim and site_of(claim) == domain else f"{claim}@{domain}"


def site_name(key: str) -> str:
    """Return the sender's name for a site: ``lemonde`` for the key ``lemonde@lemonde.fr``."""
    name, _, domain = key.rpartition("@")
    return name or domain


def _ascii_host(url: str) -> str:
    url = url.strip()
    parts = split_url(url if _SCHEME.match(url) else f"//{url}")
    return _to_ascii(parts.hostname or "").rstrip(".")


def _to_ascii(host: str) -> str:
    if host.isascii():
        return host.lower()
    import idna

    with suppress(idna.IDNAError):
        return idna.encode(host, uts46=True).decode("ascii")
    return host.lower()


def _to_unicode(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    import idna

    with suppress(idna.IDNAError):
        return idna.decode(label)
    return label

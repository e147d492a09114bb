"""The site that a URL belongs to."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from publicsuffixlist import PSLFILE, PublicSuffixList

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://|//")


def site_of(url: str) -> str:
    """Return the key of the site that publishes a URL.

    Parameters
    ----------
    url
        Address of a page; the scheme may be missing.

    Returns
    -------
    str
        The registrable domain (the public suffix and one label more) in lower
        case and ASCII; the host itself where it has none: an IP address,
        ``localhost``, a public suffix, a name unknown to the list. Empty
        where the URL names no host.

    Notes
    -----
    Private suffixes of the public suffix list count, so
    ``one.blogspot.com`` and ``two.blogspot.com`` are two sites.
    """
    host = _host_of(url)
    if _is_address(host):
        return host
    top = _to_unicode(host.rpartition(".")[2])
    if top not in _rules():
        return host
    return _suffixes(top).privatesuffix(host) or host


@cache
def _suffixes(top: str) -> PublicSuffixList:
    """Return the public suffixes of a top-level domain: to parse all takes ten times as long."""
    # Private suffixes count: two blogs of one hosting service are two sites, with
    # templates of their own.
    return PublicSuffixList(_rules()[top], accept_unknown=False)


@cache
def _rules() -> Mapping[str, Sequence[str]]:
    """Return the rules of each top-level domain.

    The list is the one that comes with the installed library, so that a URL always gives the same
    site.
    """
    found: defaultdict[str, list[str]] = defaultdict(list)
    for line in Path(PSLFILE).read_text(encoding="utf-8").lower().splitlines():
        if line and not line.startswith("//"):
            rule = line.partition(" ")[0]
            found[rule.rpartition(".")[2]].append(rule)
    return dict(found)


_HOST_VARIANTS = re.compile(r"www\d?|m|mobile?|mobil|touch|wap|amp")
"""Labels of hosts that show what the host without them shows."""


def publisher_of(url: str) -> str:
    """Return the host that speaks for an address: its own, without labels of host variants.

    Hosts of one domain may belong to strangers, whether or not the public suffix list knows it:
    ``one.blogs.example`` speaks for nothing that ``two.blogs.example`` publishes. ``www.``,
    ``m.``, ``amp.`` and the like are of the same publisher. Empty where the URL names no host.
    """
    host, site = _host_of(url), site_of(url)
    own = host.removesuffix(site).rstrip(".")
    labels = [label for label in own.split(".") if label and not _HOST_VARIANTS.fullmatch(label)]
    return ".".join([*labels, site])


def site_key(claim: str | None, url: str) -> str:
    """Return the key under which the site of a page is kept, whatever its sender calls it.

    Parameters
    ----------
    claim
        What the sender calls the site; None for its registrable domain.
    url
        Address of the page.

    Returns
    -------
    str
        The claim where it is within the registrable domain of the page. Else, so that no page
        comes among those of another domain, the claim qualified by the domain:
        ``lemonde@lemonde.fr``.
    """
    own = site_of(url)
    if claim is None or claim == own:
        return own
    return claim if "@" not in claim and site_of(claim) == own else f"{claim}@{own}"


def site_name(key: str) -> str:
    """Return what the sender of its pages calls the site of a key."""
    name, _, domain = key.rpartition("@")
    return name or domain


def _host_of(url: str) -> str:
    url = url.strip()
    try:
        parts = urlsplit(url if _SCHEME.match(url) else f"//{url}")
    except ValueError:
        return ""
    return _to_ascii(parts.hostname or "").rstrip(".")


def _to_ascii(host: str) -> str:
    if host.isascii():
        return host.lower()
    import idna

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        return host.lower()


def _to_unicode(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    import idna

    try:
        return idna.decode(label)
    except idna.IDNAError:
        return label


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True

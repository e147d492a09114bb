"""Determination of the site to which a URL belongs."""

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
        URL of a page; the scheme is optional.

    Returns
    -------
    str
        The registrable domain (public suffix plus one label) in lower case and ASCII. A host
        without one (an IP address, ``localhost``, a public suffix, or a host with an unknown
        top-level domain) is returned unchanged. Empty if the URL has no host.

    Notes
    -----
    Private suffixes in the public suffix list count, so ``one.blogspot.com`` and
    ``two.blogspot.com`` are two sites.
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
    """Return the public suffixes of one top-level domain; parsing all takes ten times as long."""
    # Private suffixes count: two blogs on one hosting service are two sites with their own
    # templates.
    return PublicSuffixList(_rules()[top], accept_unknown=False)


@cache
def _rules() -> Mapping[str, Sequence[str]]:
    """Return the rules of each top-level domain.

    They are taken from the installed library, so that a URL always belongs to the same site.
    """
    found: defaultdict[str, list[str]] = defaultdict(list)
    for line in Path(PSLFILE).read_text(encoding="utf-8").lower().splitlines():
        if line and not line.startswith("//"):
            rule = line.partition(" ")[0]
            found[rule.rpartition(".")[2]].append(rule)
    return dict(found)


_HOST_VARIANTS = re.compile(r"www\d?|m|mobile?|mobil|touch|wap|amp")
"""Subdomains that denote a variant of a site's main host, such as ``m.`` for mobile devices."""


def publisher_of(url: str) -> str:
    """Return the host that identifies a URL's publisher: the URL's host without variant labels.

    Hosts in the same domain may have unrelated owners, even if the public suffix list does not say
    so: ``one.blogs.example`` has no authority over ``two.blogs.example``. ``www.``, ``m.``,
    ``amp.`` and similar labels denote the same publisher. The result is empty if the URL has no
    host.
    """
    host, site = _host_of(url), site_of(url)
    own = host.removesuffix(site).rstrip(".")
    labels = [label for label in own.split(".") if label and not _HOST_VARIANTS.fullmatch(label)]
    return ".".join([*labels, site])


def site_key(claim: str | None, url: str) -> str:
    """Return the key that identifies the site of a page in the store.

    Parameters
    ----------
    claim
        Name given to the site by the sender; None for the registrable domain.
    url
        URL of the page.

    Returns
    -------
    str
        The claim if it is within the page's registrable domain. Otherwise, the claim is
        qualified with that domain (``lemonde@lemonde.fr``) to keep pages of different domains
        apart.
    """
    own = site_of(url)
    if claim is None or claim == own:
        return own
    return claim if "@" not in claim and site_of(claim) == own else f"{claim}@{own}"


def site_name(key: str) -> str:
    """Return the name given by the sender to the site with this key."""
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

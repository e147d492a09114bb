"""The site that a URL belongs to."""

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

import idna
from publicsuffixlist import PublicSuffixList

# Private suffixes count: two blogs of one hosting service are two sites, with
# templates of their own. The list is the one that comes with the installed library, so that a URL
# always gives the same site.
_public_suffixes = PublicSuffixList(accept_unknown=False)

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
    return _public_suffixes.privatesuffix(host) or host


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
    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        return host.lower()


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True

"""URLs of a page."""

from collections.abc import Sequence
from dataclasses import dataclass

from worker.addresses.variants import Kind

MAX_SPELLINGS = 50
"""Maximum number of spellings stored per URL, because every newsletter adds one."""

MAX_VARIANTS = 50
"""Maximum number of variants in a message."""


@dataclass(frozen=True)
class PageAddress:
    """A URL, in canonical form, that leads to a page, with its sorted spellings.

    `kind` is None if the URL may be the page's canonical one; `speaks` is set if its content
    represents the page.
    """

    address: str
    kind: Kind | None
    spellings: Sequence[str]
    speaks: bool = False


def with_spelling(spellings: Sequence[str], spelling: str) -> list[str]:
    """Return the spellings of a URL with one added, up to `MAX_SPELLINGS`."""
    return sorted({*spellings, spelling})[:MAX_SPELLINGS]


def canonical_of(addresses: Sequence[PageAddress]) -> str:
    """Return the canonical URL of a page, independently of the order of its URLs.

    It is the URL that represents the page or, if an earlier release marked none, the shortest that
    is not a variant; never one that was declared but not fetched, because that may belong to
    another page.
    """
    chosen = min(
        addresses,
        key=lambda each: (not each.speaks, each.kind is not None, len(each.address), each.address),
    )
    return chosen.address


def variants_of(addresses: Sequence[PageAddress]) -> list[str]:
    """Return the other URLs of a page in their original spelling, sorted, up to `MAX_VARIANTS`."""
    given = {spelling for each in addresses for spelling in each.spellings}
    if len(given) < 2:
        return []
    return sorted(given - {canonical_of(addresses)})[:MAX_VARIANTS]


def identity_of(addresses: Sequence[PageAddress], url: str) -> str:
    """Return the URL from which the IDs of a page's articles are derived.

    It is the original spelling while the page has only one, and then the canonical URL; `url` if no
    spelling is known.
    """
    given = {spelling for each in addresses for spelling in each.spellings}
    if len(addresses) < 2 and len(given) < 2:
        return next(iter(given), url)
    return canonical_of(addresses)

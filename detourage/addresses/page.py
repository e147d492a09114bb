"""URLs of a page."""

from collections.abc import Sequence
from dataclasses import dataclass

from detourage.addresses.variants import Kind

MAX_SPELLINGS = 50
"""Maximum number of spellings stored per URL; without a limit, every newsletter would add one."""

MAX_VARIANTS = 50
"""Maximum number of variants in a message."""


@dataclass(frozen=True)
class PageAddress:
    """A URL, in canonical form, that leads to a page, with its sorted spellings.

    `kind` is None if the URL may be the page's canonical one; `speaks` is set if the content
    fetched from this URL represents the page.
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

    This is the URL whose content represents the page or, if an earlier release marked no URL as
    such, the shortest URL that is not a variant. A URL that was declared but never fetched is not
    eligible, because it may belong to another page.
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

    As long as the page has a single spelling, this is that spelling; afterwards, it is the
    canonical URL. If no spelling is known, it is `url`.
    """
    given = {spelling for each in addresses for spelling in each.spellings}
    if len(addresses) < 2 and len(given) < 2:
        return next(iter(given), url)
    return canonical_of(addresses)

"""The addresses of one page."""

from collections.abc import Sequence
from dataclasses import dataclass

from worker.addresses.variants import Kind

MAX_SPELLINGS = 50
"""Maximum number of spellings stored per address, the first in sort order: every newsletter adds
one.
"""

MAX_VARIANTS = 50
"""Maximum number of variants in a message."""


@dataclass(frozen=True)
class PageAddress:
    """An address that leads to a page.

    Attributes
    ----------
    address
        Its canonical form.
    kind
        The kind of variant it is; None if it may be canonical.
    spellings
        Its original spellings, sorted.
    speaks
        Whether the content fetched from it is the page's.
    """

    address: str
    kind: Kind | None
    spellings: Sequence[str]
    speaks: bool = False


def with_spelling(spellings: Sequence[str], spelling: str) -> list[str]:
    """Return the spellings of an address with one added, within the limit."""
    return sorted({*spellings, spelling})[:MAX_SPELLINGS]


def canonical_of(addresses: Sequence[PageAddress]) -> str:
    """Return the canonical address of a page, independently of the order of its addresses.

    It is the one that represents the page. If an earlier version marked none, it is one that is not
    a variant, and the shortest. It is never one that was declared but not fetched: it may belong to
    another page.
    """
    chosen = min(
        addresses,
        key=lambda each: (not each.speaks, each.kind is not None, len(each.address), each.address),
    )
    return chosen.address


def variants_of(addresses: Sequence[PageAddress]) -> list[str]:
    """Return the other addresses of a page as spelled, sorted, at most `MAX_VARIANTS`."""
    given = {spelling for each in addresses for spelling in each.spellings}
    if len(given) < 2:
        return []
    return sorted(given - {canonical_of(addresses)})[:MAX_VARIANTS]


def identity_of(addresses: Sequence[PageAddress], url: str) -> str:
    """Return the address from which the ids of a page's articles are derived.

    It is the original spelling while there is only one; afterwards the page's canonical address.

    Parameters
    ----------
    addresses
        All addresses of the page.
    url
        The page's current URL, used if there are no spellings.
    """
    given = {spelling for each in addresses for spelling in each.spellings}
    if len(addresses) < 2 and len(given) < 2:
        return next(iter(given), url)
    return canonical_of(addresses)

"""The addresses of one page."""

from collections.abc import Sequence
from dataclasses import dataclass

from worker.addresses.variants import Kind

MAX_SPELLINGS = 50
"""Spellings of an address that are kept, the first ones in their order: each letter to readers
gives a page another."""

MAX_VARIANTS = 50
"""Variants that a message lists."""


@dataclass(frozen=True)
class PageAddress:
    """An address that leads to a page.

    Attributes
    ----------
    address
        Its canonical form.
    kind
        What it is a variant of another as; None where it may be the one of all.
    spellings
        How it was given, sorted.
    speaks
        Whether the content fetched from it is the page's.
    """

    address: str
    kind: Kind | None
    spellings: Sequence[str]
    speaks: bool = False


def with_spelling(spellings: Sequence[str], spelling: str) -> list[str]:
    """Return the spellings of an address with one more, as far as they are kept."""
    return sorted({*spellings, spelling})[:MAX_SPELLINGS]


def canonical_of(addresses: Sequence[PageAddress]) -> str:
    """Return the one address of a page, whatever order its addresses came in.

    The one that speaks for the page. Where a deployment of an earlier version left none, the one
    that is a variant of no other, and the shortest of several. Never one that its pages declare
    and nobody fetched: it may be another page's.
    """
    chosen = min(
        addresses,
        key=lambda each: (not each.speaks, each.kind is not None, len(each.address), each.address),
    )
    return chosen.address


def variants_of(addresses: Sequence[PageAddress]) -> list[str]:
    """Return the other addresses of a page as they were given, sorted, `MAX_VARIANTS` at most."""
    given = {spelling for each in addresses for spelling in each.spellings}
    if len(given) < 2:
        return []
    return sorted(given - {canonical_of(addresses)})[:MAX_VARIANTS]


def identity_of(addresses: Sequence[PageAddress], url: str) -> str:
    """Return the address that the ids of a page's articles are made of.

    The one that was given, as long as there is one; the page's canonical address from then on,
    whichever came first and whichever stands.

    Parameters
    ----------
    addresses
        All that lead to the page.
    url
        The one that stands.
    """
    given = {spelling for each in addresses for spelling in each.spellings}
    if len(addresses) < 2 and len(given) < 2:
        return next(iter(given), url)
    return canonical_of(addresses)

"""Decision whether two URLs lead to the same page."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from detourage.addresses.reading import DeclaredUrls
from detourage.addresses.variants import are_other_parts
from detourage.addresses.wording import share_passages

MIN_STRANGERS = 3
"""Minimum number of URLs with other content that must be linked to a URL by declarations for these
declarations to be ignored as a constant of the site."""


class Joining(Enum):
    """Relation between two URLs."""

    NOTHING = "nothing"
    JOINED = "joined"
    OTHER_PART = "other part"
    OTHER_HEADLINE = "other headline"
    OTHER_TEXT = "other text"


@dataclass(frozen=True)
class AddressRecord:
    """A URL, in canonical form, with the data read from its page."""

    address: str
    declared: DeclaredUrls


def joining(one: AddressRecord, other: AddressRecord) -> Joining:
    """Decide whether two URLs of a site lead to the same page; symmetric.

    They must agree (see `agreement`) and be linked: one is a variant of the other by its
    declaration or form, or both declare the same third URL and differ only in their parameters.
    """
    # If the paths differ, one may be an unrelated page that copies another page's declaration.
    are_spellings = _share_declaration(one, other) and _path(one) == _path(other)
    if not (names(one, other) or names(other, one) or are_spellings):
        return Joining.NOTHING
    return agreement(one, other)


def agreement(one: AddressRecord, other: AddressRecord) -> Joining:
    """Compare the content of the pages at two URLs.

    Pages agree if they have the same part number, at least one headline wording in common, and
    most of their passages in common.
    """
    if are_other_parts(one.address, other.address):
        return Joining.OTHER_PART
    if not set(one.declared.headlines) & set(other.declared.headlines):
        return Joining.OTHER_HEADLINE
    if not share_passages(one.declared.passages, other.declared.passages):
        return Joining.OTHER_TEXT
    return Joining.JOINED


def joined(one: AddressRecord, others: Sequence[AddressRecord]) -> list[AddressRecord]:
    """Return the URLs that lead to the same page as `one`.

    If at least `MIN_STRANGERS` of the URLs linked to `one` by declarations have other content,
    these links are ignored.
    """
    by_declaration = [
        one.declared.own == other.address
        or other.declared.own == one.address
        or _share_declaration(one, other)
        for other in others
    ]
    strangers = sum(
        is_declared and agreement(one, other) in {Joining.OTHER_HEADLINE, Joining.OTHER_TEXT}
        for other, is_declared in zip(others, by_declaration, strict=True)
    )
    return [
        other
        for other, is_declared in zip(others, by_declaration, strict=True)
        if joining(one, other) is Joining.JOINED
        and not (is_declared and strangers >= MIN_STRANGERS)
    ]


def speaking(addresses: Sequence[AddressRecord]) -> AddressRecord:
    """Return the URL whose content represents the page.

    This URL is not a variant of any other given URL and, if possible, not a variant at all. In a
    tie, the shortest one is returned.
    """
    free = [
        each
        for each in addresses
        if not any(names(each, other) for other in addresses if other.address != each.address)
    ]
    return min(
        free or addresses,
        key=lambda each: (each.declared.kind is not None, len(each.address), each.address),
    )


def names(one: AddressRecord, other: AddressRecord) -> bool:
    """Return whether a URL is a variant of another, as its page declares or its form implies."""
    return any(target.address == other.address for target in one.declared.targets)


def _share_declaration(one: AddressRecord, other: AddressRecord) -> bool:
    """Return whether the pages at two URLs declare the same third URL."""
    return one.declared.own is not None and one.declared.own == other.declared.own


def _path(known: AddressRecord) -> str:
    return known.address.partition("?")[0]

"""Decisions about which URLs lead to the same page, and which of them represents it."""

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from detourage.addresses.declared_urls import DeclaredUrls, share_passages
from detourage.addresses.variants import Kind, are_other_parts

MAX_SPELLINGS = 50  # spellings stored per URL; without a limit, every newsletter would add one
MAX_VARIANTS = 50  # variants in a message


class PageAddress(NamedTuple):
    """A URL of a page in canonical form, with its sorted original spellings.

    `kind` is the kind of variant, or None if the URL may be the canonical one. If
    `is_authoritative` is true, the content fetched from this URL represents the page.
    """

    address: str
    kind: Kind | None
    spellings: Sequence[str]
    is_authoritative: bool = False


def with_spelling(spellings: Sequence[str], spelling: str) -> list[str]:
    """Add a spelling to those of a URL, and return at most `MAX_SPELLINGS` of them."""
    return sorted({*spellings, spelling})[:MAX_SPELLINGS]


def canonical_of(addresses: Sequence[PageAddress]) -> str:
    """Return the canonical URL of a page, independently of the order of its URLs.

    This is the authoritative URL or, if an earlier release marked no URL as authoritative, the
    shortest URL that is not a variant. A URL that was declared but never fetched is not eligible,
    because it may belong to another page.
    """

    def rank(url: PageAddress) -> tuple[bool, bool, int, str]:
        return not url.is_authoritative, url.kind is not None, len(url.address), url.address

    return min(addresses, key=rank).address


def variants_of(addresses: Sequence[PageAddress]) -> list[str]:
    """Return the other URLs of a page in their original spelling, sorted, up to `MAX_VARIANTS`."""
    spellings = {spelling for address in addresses for spelling in address.spellings}
    if len(spellings) < 2:
        return []
    return sorted(spellings - {canonical_of(addresses)})[:MAX_VARIANTS]


def identity_of(addresses: Sequence[PageAddress], url: str) -> str:
    """Return the URL from which the IDs of a page's articles are derived.

    As long as only one spelling is known, this is that spelling; afterwards, it is the canonical
    URL. If no spelling is known, it is `url`.
    """
    spellings = {spelling for address in addresses for spelling in address.spellings}
    if len(addresses) < 2 and len(spellings) < 2:
        return next(iter(spellings), url)
    return canonical_of(addresses)


MIN_STRANGERS = 3  # linked URLs with other content that make the declarations untrustworthy


class Joining(Enum):
    """Whether two URLs lead to the same page or, if not, the reason."""

    NOTHING = "nothing"
    JOINED = "joined"
    OTHER_PART = "other part"
    OTHER_HEADLINE = "other headline"
    OTHER_TEXT = "other text"


class AddressRecord(NamedTuple):
    """A URL, in canonical form, with the data read from its page."""

    address: str
    declared: DeclaredUrls


def decide_joining(one: AddressRecord, other: AddressRecord) -> Joining:
    """Decide whether two URLs of a site, given in any order, lead to the same page.

    Their content must agree (see `agreement`), and they must be linked: either one is a variant of
    the other by its declaration or form, or both declare the same third URL and differ only in
    their parameters.
    """
    # If the paths differ, one of the pages may be unrelated and declare the same URL by mistake.
    have_same_path = one.address.partition("?")[0] == other.address.partition("?")[0]
    are_spellings = _share_declaration(one, other) and have_same_path
    if not (is_variant(one, other) or is_variant(other, one) or are_spellings):
        return Joining.NOTHING
    return agreement(one, other)


def agreement(one: AddressRecord, other: AddressRecord) -> Joining:
    """Compare the content of the pages at two URLs.

    Pages agree if they have the same part number, share at least one wording of a headline, and
    share enough text (see `share_passages`).
    """
    if are_other_parts(one.address, other.address):
        return Joining.OTHER_PART
    if not set(one.declared.headlines) & set(other.declared.headlines):
        return Joining.OTHER_HEADLINE
    if not share_passages(one.declared.passages, other.declared.passages):
        return Joining.OTHER_TEXT
    return Joining.JOINED


def find_joined(one: AddressRecord, others: Sequence[AddressRecord]) -> list[AddressRecord]:
    """Return the URLs that lead to the same page as `one`.

    If at least `MIN_STRANGERS` of the URLs linked to `one` by declarations have other content,
    these links are ignored.
    """
    declared = [
        other
        for other in others
        if one.declared.own == other.address
        or other.declared.own == one.address
        or _share_declaration(one, other)
    ]
    other_content = {Joining.OTHER_HEADLINE, Joining.OTHER_TEXT}
    strangers = sum(agreement(one, other) in other_content for other in declared)
    ignored = declared if strangers >= MIN_STRANGERS else []
    return [
        other
        for other in others
        if other not in ignored and decide_joining(one, other) is Joining.JOINED
    ]


def authoritative_record(addresses: Sequence[AddressRecord]) -> AddressRecord:
    """Return the URL whose content represents the page.

    This URL is not a variant of any other given URL and, if possible, not a variant at all. In a
    tie, the shortest one is returned.
    """

    def rank(url: AddressRecord) -> tuple[bool, bool, int, str]:
        others = (other for other in addresses if other.address != url.address)
        is_variant_of_given = any(is_variant(url, other) for other in others)
        return is_variant_of_given, url.declared.kind is not None, len(url.address), url.address

    return min(addresses, key=rank)


def is_variant(one: AddressRecord, other: AddressRecord) -> bool:
    """Return whether a URL is a variant of another, as its page declares or its form implies."""
    return any(target.address == other.address for target in one.declared.targets)


def _share_declaration(one: AddressRecord, other: AddressRecord) -> bool:
    """Return whether the pages at two URLs declare the same third URL."""
    return one.declared.own is not None and one.declared.own == other.declared.own

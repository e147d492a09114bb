"""Whether two addresses lead to one page."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from worker.addresses.reading import Declared
from worker.addresses.variants import are_other_parts
from worker.addresses.wording import share_passages

STRANGERS = 3
"""Pages linked to an address by a declaration without agreeing with it, from which on no such
declaration is believed: what they declare is a constant of the site."""


class Joining(Enum):
    """What is between two addresses."""

    NOTHING = "nothing"
    JOINED = "joined"
    OTHER_PART = "other part"
    OTHER_HEADLINE = "other headline"
    OTHER_TEXT = "other text"


@dataclass(frozen=True)
class Known:
    """An address, and what was read on its page.

    Attributes
    ----------
    address
        Its canonical form.
    declared
        What its page says.
    """

    address: str
    declared: Declared


def joining(one: Known, other: Known) -> Joining:
    """Tell whether two addresses lead to one page.

    They do where one is a variant of the other, as it declares or by its form, or where both
    declare one third address and differ in parameters alone; and where their pages agree, see
    `agreement`. It does not matter which of them comes first.

    Parameters
    ----------
    one, other
        Two addresses of one site.
    """
    # With other paths one of them may be a stranger's, who declares what a page declares.
    are_spellings = _share_declaration(one, other) and _path(one) == _path(other)
    if not (names(one, other) or names(other, one) or are_spellings):
        return Joining.NOTHING
    return agreement(one, other)


def agreement(one: Known, other: Known) -> Joining:
    """Compare what two addresses show.

    They agree in the number of the part that they are of an article, in a wording of the headline,
    and in most of their passages.
    """
    if are_other_parts(one.address, other.address):
        return Joining.OTHER_PART
    if not set(one.declared.headlines) & set(other.declared.headlines):
        return Joining.OTHER_HEADLINE
    if not share_passages(one.declared.passages, other.declared.passages):
        return Joining.OTHER_TEXT
    return Joining.JOINED


def joined(one: Known, others: Sequence[Known]) -> list[Known]:
    """Return those of some addresses that lead to the page of another.

    Where `STRANGERS` of them are linked to it by a declaration, and agree with it in nothing, no
    declaration of that address is believed.
    """
    by_declaration = [_is_by_declaration(one, other) for other in others]
    strangers = sum(
        is_declared and agreement(one, other) in {Joining.OTHER_HEADLINE, Joining.OTHER_TEXT}
        for other, is_declared in zip(others, by_declaration, strict=True)
    )
    return [
        other
        for other, is_declared in zip(others, by_declaration, strict=True)
        if joining(one, other) is Joining.JOINED and not (is_declared and strangers >= STRANGERS)
    ]


def speaking(addresses: Sequence[Known]) -> Known:
    """Return the one of a page's addresses whose content is the page's.

    The one that is a variant of none of the others; of several the one that is a variant of
    nothing, and the shortest. So an address that joins by naming another one never speaks for it.
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


def names(one: Known, other: Known) -> bool:
    """Tell whether an address is a variant of another, as its page or its form says."""
    return any(target.address == other.address for target in one.declared.targets)


def _share_declaration(one: Known, other: Known) -> bool:
    """Tell whether two addresses declare one third address."""
    return one.declared.own is not None and one.declared.own == other.declared.own


def _path(known: Known) -> str:
    return known.address.partition("?")[0]


def _is_by_declaration(one: Known, other: Known) -> bool:
    """Tell whether only that one declares the other, or what the other does, links them."""
    return (
        one.declared.own == other.address
        or other.declared.own == one.address
        or _share_declaration(one, other)
    )

"""Whether two addresses lead to one page."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from worker.stories.addresses.reading import Declared
from worker.stories.addresses.variants import are_other_parts
from worker.stories.addresses.wording import share_passages

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

    They do where one names the other as its own address or as its variant, or is a variant by its
    form, or where both declare one third address as their own; and where their pages agree: in
    the number of the part that they are of an article, in a wording of the headline, and in most
    of their passages. It does not matter which of them comes first.

    Parameters
    ----------
    one, other
        Two addresses of one site.
    """
    if not (_names(one, other) or _names(other, one) or _share_declaration(one, other)):
        return Joining.NOTHING
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
    verdicts = [joining(one, other) for other in others]
    strangers = sum(
        verdict in {Joining.OTHER_HEADLINE, Joining.OTHER_TEXT} and _is_by_declaration(one, other)
        for other, verdict in zip(others, verdicts, strict=True)
    )
    return [
        other
        for other, verdict in zip(others, verdicts, strict=True)
        if verdict is Joining.JOINED
        and not (strangers >= STRANGERS and _is_by_declaration(one, other))
    ]


def _names(one: Known, other: Known) -> bool:
    return any(target.address == other.address for target in one.declared.targets)


def _share_declaration(one: Known, other: Known) -> bool:
    return one.declared.own is not None and one.declared.own == other.declared.own


def _is_by_declaration(one: Known, other: Known) -> bool:
    """Tell whether only that one declares the other, or what the other does, links them."""
    return (
        one.declared.own == other.address
        or other.declared.own == one.address
        or _share_declaration(one, other)
    )

"""Roles of the lines of a page, in the article's text or around it."""

from collections.abc import Iterable
from typing import Final, Literal, get_args

LineRole = Literal[
    "lead",
    "paragraph",
    "heading",
    "list_item",
    "quote",
    "table",
    "code",
    "qa",
    "title",
    "kicker",
    "byline",
    "dateline",
    "caption",
    "credit",
    "infobox",
    "correction",
    "bio",
    "related",
    "promo",
    "share",
    "tags",
    "comment",
    "legal",
    "navigation",
    "template",
]
"""Roles of lines, as named in the article message and the setting for text roles."""

ALL_ROLES: Final[tuple[LineRole, ...]] = get_args(LineRole)

TEXT_ROLES: Final[tuple[LineRole, ...]] = ALL_ROLES[: ALL_ROLES.index("title")]
"""Roles that make up the article's text."""

CHOOSABLE_ROLES: Final[tuple[LineRole, ...]] = tuple(
    role
    for role in ALL_ROLES
    if role not in ("title", "comment", "share", "legal", "navigation", "template")
)
"""Roles that may be selected for the text: everything that belongs to the article.

The headline and reader comments are excluded: the message has separate fields for them, ``title``
and ``comments``.
"""


def chosen_roles(names: Iterable[str]) -> tuple[LineRole, ...]:
    """Return the roles with the given names, in the order of `CHOOSABLE_ROLES`.

    Raises
    ------
    ValueError
        If a name is not among `CHOOSABLE_ROLES`.
    """
    wanted = {name.strip() for name in names} - {""}
    unknown = sorted(wanted - set(CHOOSABLE_ROLES))
    if unknown:
        known = ", ".join(CHOOSABLE_ROLES)
        raise ValueError(f"{', '.join(unknown)}: not a text role; choose from {known}")
    return tuple(role for role in CHOOSABLE_ROLES if role in wanted)

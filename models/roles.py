"""What a line of a page is to its reader: the article's text, or a part of what is around it."""

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
"""Roles of lines, as the article message and the setting of text roles name them."""

ALL_ROLES: Final[tuple[LineRole, ...]] = get_args(LineRole)

TEXT_ROLES: Final[tuple[LineRole, ...]] = ALL_ROLES[: ALL_ROLES.index("title")]
"""What a reader calls the article's text."""

OUTER_ROLES: Final[tuple[LineRole, ...]] = ALL_ROLES[ALL_ROLES.index("title") :]
"""What stands around the text."""

CHOOSABLE_ROLES: Final[tuple[LineRole, ...]] = tuple(
    role
    for role in ALL_ROLES
    if role not in ("title", "comment", "share", "legal", "navigation", "template")
)
"""Roles that the text may be made of: all that is about the article.

The headline is the message's ``title``, and what readers wrote its ``comments``.
"""


def chosen_roles(names: Iterable[str]) -> tuple[LineRole, ...]:
    """Return the roles that some names choose for the text, in the order of `CHOOSABLE_ROLES`.

    Raises
    ------
    ValueError
        If a name is none of `CHOOSABLE_ROLES`.
    """
    wanted = {name.strip() for name in names} - {""}
    unknown = sorted(wanted - set(CHOOSABLE_ROLES))
    if unknown:
        known = ", ".join(CHOOSABLE_ROLES)
        raise ValueError(f"{', '.join(unknown)}: no role of a text; known are {known}")
    return tuple(role for role in CHOOSABLE_ROLES if role in wanted)

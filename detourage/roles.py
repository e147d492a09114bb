"""Kinds of pages, and roles of the lines of a page."""

from collections.abc import Iterable
from typing import Final, Literal, get_args

_KindWithArticle = Literal["article", "gallery", "live", "video"]
_OtherKind = Literal["forum", "product", "collection", "listing", "documentation", "service"]

Kind = Literal[_KindWithArticle, _OtherKind]
"""Kinds of pages: pages with an article, and pages whose main content is treated as an article.

A forum page is a thread. A collection shows items to buy or to choose from. A listing is an
overview of other pages; a page that consists only of links is a menu, and has no article. A service
page describes the services of a company or an authority.
"""

_TextRole = Literal["lead", "paragraph", "heading", "list_item", "quote", "table", "code", "qa"]

_HeadRole = Literal["title", "kicker", "byline", "dateline"]
_SupplementRole = Literal["caption", "credit", "infobox", "correction", "bio"]
_SiteRole = Literal["related", "promo", "share", "tags", "comment", "legal"]

LineRole = Literal[_TextRole, _HeadRole, _SupplementRole, _SiteRole, "navigation", "template"]
"""Roles of lines, as named in the article message and the setting for text roles."""

ALL_ROLES: Final[tuple[LineRole, ...]] = get_args(LineRole)

TEXT_ROLES: Final[tuple[LineRole, ...]] = get_args(_TextRole)
"""Roles that make up the article's text by default."""

_NEVER_TEXT: Final = frozenset({"title", "comment", "share", "legal", "navigation", "template"})

CHOOSABLE_ROLES: Final = tuple(role for role in ALL_ROLES if role not in _NEVER_TEXT)
"""Roles that may be selected for the text; titles and comments have their own fields."""

Favor = Literal["precision", "recall"]
"""The measure to favor when the lines of a text are selected."""


def chosen_roles(names: Iterable[str]) -> tuple[LineRole, ...]:
    """Return the named roles in the order of `CHOOSABLE_ROLES`; raise ValueError for any other."""
    wanted = {name.strip() for name in names} - {""}
    unknown = sorted(wanted - set(CHOOSABLE_ROLES))
    if unknown:
        known = ", ".join(CHOOSABLE_ROLES)
        raise ValueError(f"{', '.join(unknown)}: not a text role; choose from {known}")
    return tuple(role for role in CHOOSABLE_ROLES if role in wanted)

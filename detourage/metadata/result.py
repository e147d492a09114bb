"""Result type for the metadata of an article."""

from dataclasses import dataclass

from detourage.kinds import Kind
from detourage.text.dates import Moment


@dataclass(frozen=True)
class ArticleMetadata:
    """Metadata of an article; fields that the page neither declares nor displays are None or empty.

    `lead` is the standfirst. `address` is the canonical URL (absolute, HTTP or HTTPS). `is_paid`
    states whether the full article is for subscribers only. `truncated` is True if only the
    beginning is displayed, otherwise None. `wire` is the news agency that supplied the article.
    """

    lead: str | None = None
    authors: tuple[str, ...] = ()
    published: Moment | None = None
    modified: Moment | None = None
    address: str | None = None
    section: str | None = None
    tags: tuple[str, ...] = ()
    is_paid: bool | None = None
    truncated: bool | None = None
    kind: Kind = "article"
    wire: str | None = None


NOTHING_KNOWN = ArticleMetadata()
"""Metadata of a page that neither declares nor displays any."""

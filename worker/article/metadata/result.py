"""Result type for the metadata of an article."""

from dataclasses import dataclass

from models.kinds import Kind
from worker.text.dates import Moment


@dataclass(frozen=True)
class ArticleMetadata:
    """Metadata of an article.

    Attributes
    ----------
    lead
        The standfirst, or None if the page displays none.
    authors
        Names, without byline markers, job titles or site names.
    published, modified
        Dates with the precision given on the page; None if the page gives none.
    address
        The canonical URL: absolute, HTTP or HTTPS.
    section
        Name of the article's section.
    tags
        Distinct keywords.
    is_paid
        Whether the full article is for subscribers only; None if the page does not declare this.
    truncated
        True if only the beginning is displayed, followed by an offer to subscribe; otherwise None.
    kind
        Kind of the page.
    wire
        The news agency that supplied the article (see `worker.article.metadata.wires`); None if
        nothing indicates one.
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
"""Metadata of a page that declares and displays none."""

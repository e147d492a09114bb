"""The metadata of an article."""

from dataclasses import dataclass

from models.kinds import Kind
from worker.text.dates import Moment


@dataclass(frozen=True)
class ArticleMetadata:
    """Metadata of an article.

    Attributes
    ----------
    lead
        The standfirst, or None if the page shows none.
    authors
        Names, without byline marks, job titles and names of the site.
    published, modified
        Dates, as precise as the page gives them; None if it gives none.
    address
        The canonical URL, absolute, http or https.
    section
        Name of the article's section.
    tags
        Distinct keywords.
    is_paid
        Whether the whole article is for subscribers only; None if the page does not declare it.
    truncated
        True if only the beginning is shown, before an offer to subscribe; else None.
    kind
        Kind of the page.
    wire
        The agency that the article comes from, see `worker.article.metadata.wires`; None if
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
"""Empty metadata."""

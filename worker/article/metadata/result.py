"""What is known of an article beside its text."""

from dataclasses import dataclass

from models.kinds import Kind
from worker.text.dates import Moment


@dataclass(frozen=True)
class ArticleMetadata:
    """What is known of an article beside its text.

    Attributes
    ----------
    lead
        The standfirst, None where the page shows none.
    authors
        Names, without byline marks, job titles and names of the site.
    published, modified
        As precisely as the page gives them, None where it gives none.
    address
        The canonical address, absolute, http or https.
    section
        Name of the section that the article stands in.
    tags
        Key words, each once.
    is_paid
        Whether the whole article is for subscribers only, None where the page does not say.
    truncated
        True where only the beginning of the article is shown, before an offer to subscribe; else
        None.
    kind
        What the page is.
    wire
        The agency that the article is from, see `worker.article.metadata.wires`; None where
        nothing says so.
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
"""Of an article that says nothing of itself."""

"""What an extraction gives."""

from dataclasses import dataclass
from typing import Literal

from models.roles import LineRole
from worker.article.headlines import HeadlineLink
from worker.article.metadata.result import NOTHING_KNOWN, ArticleMetadata

BlockType = Literal["heading", "paragraph", "list_item", "quote", "caption", "code", "table"]
"""Kinds of block, as the article message names them."""

EmphasisKind = Literal["bold", "italic"]
"""Kinds of emphasis, as the article message names them."""


@dataclass(frozen=True)
class ArticleLink:
    """A link within the article's text.

    Attributes
    ----------
    start, end
        Character offsets into the article's text.
    url
        Absolute address of the target, http or https.
    """

    start: int
    end: int
    url: str


@dataclass(frozen=True)
class ArticleEmphasis:
    """An emphasised stretch of the article's text.

    Attributes
    ----------
    start, end
        Character offsets into the article's text.
    kind
        ``"bold"`` or ``"italic"``.
    """

    start: int
    end: int
    kind: EmphasisKind


@dataclass(frozen=True)
class ArticleBlock:
    """A stretch of the article's text.

    Attributes
    ----------
    type
        What the page marks the stretch as.
    text
        The stretch itself; never empty, and without a blank line.
    start, end
        Character offsets into the article's text: ``text == article.text[start:end]``.
    role, role_probability
        What the stretch is to its reader, whatever the page marks it as, with the probability;
        None where the method does not tell.
    level
        Level of a heading, 1 to 6; nesting depth of a list item, 1 for the outermost list. None for
        any other block.
    marker
        What a list item begins with: ``"-"`` in a list without order, else its number (``"3."``).
        None for a block that continues an item, and for all that is no list item.
    links
        Links within the block, in order.
    emphasis
        Bold and italic stretches of the block, in order.
    language
        Programming language of a block of code, as the page names it; None where it does not.
    """

    type: BlockType
    text: str
    start: int
    end: int
    role: LineRole | None = None
    role_probability: float | None = None
    level: int | None = None
    marker: str | None = None
    links: tuple[ArticleLink, ...] = ()
    emphasis: tuple[ArticleEmphasis, ...] = ()
    language: str | None = None

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Cells of a table, row by row; empty for any other block."""
        if self.type != "table":
            return ()
        return tuple(tuple(row.split("\t")) for row in self.text.split("\n"))


@dataclass(frozen=True)
class ArticleImage:
    """An image of the article's body.

    Attributes
    ----------
    url
        Absolute address, http or https.
    alt
        Alternative text, None where the page gives none.
    caption
        Text of the caption, None where the page gives none.
    block
        Index of the block that it stands before, the number of blocks where it stands below the
        last one; None where its place is not known.
    """

    url: str
    alt: str | None = None
    caption: str | None = None
    block: int | None = None


@dataclass(frozen=True)
class ArticleEmbed:
    """A foreign object shown in the article's body: a video, a post, a frame.

    Attributes
    ----------
    url
        Absolute address, http or https.
    type
        Name of the element that embeds it: ``iframe``, ``video``, ``audio``, ``object``,
        ``embed``, or ``blockquote`` for a post of a social network.
    block
        Index of the block that it stands before, as of `ArticleImage`.
    """

    url: str
    type: str
    block: int | None = None


@dataclass(frozen=True)
class Extraction:
    """The article of a page.

    Attributes
    ----------
    title
        Headline, None where the page has none. It is not repeated in `text`.
    text
        The body alone, paragraphs parted by a blank line; ``text`` is the texts of
        `blocks` joined by ``blank lines``. Holds no character that XML forbids (so no NUL).
    blocks
        The stretches of `text`, in order.
    images, embeds
        What the body shows beside text, in document order, each address once.
    language
        BCP 47 tag of the text, None where neither the text nor the page tells it; see
        `worker.article.languages`.
    method
        What found the body: ``"lines"`` (a classifier of lines) or ``"sentences"`` (sentence
        counts); or where a body was that the page does not show: ``"articleBody"`` (structured
        data), ``"json-state"`` (of the site's programs), ``"noscript"`` or ``"template"``.
    xpath
        Positional XPath of the body's container in the parsed document; of the script that holds
        a body that is not shown.
    confidence
        Probability that it is right, 0..1, see `worker.article.confidence`.
    metadata
        What is known of it beside its text.
    further
        Other articles that the page shows in full below this one, in order, each address once.
    """

    title: str | None
    text: str
    blocks: tuple[ArticleBlock, ...]
    images: tuple[ArticleImage, ...]
    embeds: tuple[ArticleEmbed, ...]
    language: str | None
    method: str
    xpath: str
    confidence: float
    metadata: ArticleMetadata = NOTHING_KNOWN
    further: tuple[HeadlineLink, ...] = ()

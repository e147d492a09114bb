"""What an extraction gives."""

from dataclasses import dataclass
from typing import Literal

from models.roles import LineRole
from worker.extraction.metadata.result import NOTHING_KNOWN, ArticleMetadata

BlockType = Literal["heading", "paragraph", "list_item", "quote", "caption", "code", "table"]
"""Kinds of block, as the article message names them."""


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
    """

    type: BlockType
    text: str
    start: int
    end: int
    role: LineRole | None = None
    role_probability: float | None = None


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
    """

    url: str
    alt: str | None = None
    caption: str | None = None


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
    """

    url: str
    type: str


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
        `worker.extraction.languages`.
    method
        What found the body: ``"lines"`` (a classifier of lines) or ``"sentences"`` (sentence
        counts); or where a body was that the page does not show: ``"articleBody"`` (structured
        data), ``"json-state"`` (of the site's programs), ``"noscript"`` or ``"template"``.
    xpath
        Positional XPath of the body's container in the parsed document; of the script that holds
        a body that is not shown.
    confidence
        Probability that it is right, 0..1, see `worker.extraction.confidence`.
    metadata
        What is known of it beside its text.
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

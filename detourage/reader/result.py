"""Result of an extraction."""

from dataclasses import dataclass, field
from typing import Literal

from detourage.html.locations import Location, TextLocation, ValueLocations
from detourage.metadata.result import NOTHING_KNOWN, ArticleMetadata
from detourage.roles import LineRole

BlockType = Literal["heading", "paragraph", "list_item", "quote", "caption", "code", "table"]
"""Block types, with their names in the article message."""

EmphasisKind = Literal["bold", "italic"]
"""Kinds of emphasis, with their names in the article message."""


@dataclass(frozen=True)
class ArticleLink:
    """A link within the article's text.

    Attributes
    ----------
    start, end
        Character offsets into the article's text.
    url
        Absolute HTTP or HTTPS URL of the target.
    """

    start: int
    end: int
    url: str


@dataclass(frozen=True)
class ArticleEmphasis:
    """An emphasised range of the article's text.

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
    """A block of the article's text.

    Attributes
    ----------
    type
        Type according to the page's markup.
    text
        Text of the block, never empty and without blank lines.
    start, end
        Character offsets into the article's text: ``text == article.text[start:end]``.
    role, role_probability
        The block's role for the reader, regardless of its markup, and its probability; None if the
        method does not determine roles.
    level
        Level of a heading, from 1 to 6, or nesting depth of a list item, 1 for the outermost list.
        None for other blocks.
    marker
        Marker of a list item: ``"-"`` in an unordered list, and its number (``"3."``) otherwise.
        None for a block that continues an item and for blocks that are not list items.
    links
        Links within the block, in order.
    emphasis
        Bold and italic ranges of the block, in order.
    language
        Programming language of a code block, as named by the page, or None.
    xpath
        XPath of the block's element, as for `Location`; None if unknown.
    texts
        Locations of the text nodes that contain its text, in order.
    pieces
        Indices of these text nodes in the page.
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
    xpath: str | None = field(default=None, compare=False)
    texts: tuple[TextLocation, ...] = field(default=(), compare=False)
    pieces: tuple[int, ...] = field(default=(), compare=False, repr=False)

    def at(self, xpath: str, texts: tuple[TextLocation, ...]) -> "ArticleBlock":
        """Return the block with its location; `dataclasses.replace` takes twice as long."""
        return ArticleBlock(
            self.type,
            self.text,
            self.start,
            self.end,
            self.role,
            self.role_probability,
            self.level,
            self.marker,
            self.links,
            self.emphasis,
            self.language,
            xpath,
            texts,
            self.pieces,
        )

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Cells of a table, row by row; empty for other blocks."""
        if self.type != "table":
            return ()
        return tuple(tuple(row.split("\t")) for row in self.text.split("\n"))


@dataclass(frozen=True)
class ArticleImage:
    """An image of the article's body.

    Attributes
    ----------
    url
        Absolute HTTP or HTTPS URL.
    alt
        Alternative text, or None.
    caption
        Text of the caption, or None.
    block
        Index of the block that follows it, or the number of blocks if it follows the last one; None
        if its position is unknown.
    location
        Location of its element in the page; None if unknown.
    element
        Index of its element in the page.
    """

    url: str
    alt: str | None = None
    caption: str | None = None
    block: int | None = None
    location: Location | None = field(default=None, compare=False)
    element: int | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class ArticleEmbed:
    """External content in the article's body, such as a video, a post or a frame.

    Attributes
    ----------
    url
        Absolute HTTP or HTTPS URL.
    type
        Name of the element that embeds it: ``iframe``, ``video``, ``audio``, ``object``, ``embed``,
        or ``blockquote`` for a social media post.
    block, location, element
        As for `ArticleImage`.
    """

    url: str
    type: str
    block: int | None = None
    location: Location | None = field(default=None, compare=False)
    element: int | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Extraction:
    """The article of a page.

    `text` consists of the texts of `blocks`, separated by blank lines, without the `title` and
    without characters forbidden in XML (hence no NUL). `images` and `embeds` are in document order,
    each URL once. `language` is a BCP 47 tag. `confidence` is the probability that the extraction
    is correct.

    `method` states how the body was found: ``"lines"`` (roles of lines), ``"sentences"`` (sentence
    counts) or, if the page does not display the body, where it was found: ``"articleBody"``
    (structured data), ``"json-state"`` (state of the site's scripts), ``"noscript"`` or
    ``"template"``. `xpath` is the positional XPath of the body's container or of the script that
    contains a hidden body.

    `locations` are those of the article's values, None if they were not determined. `container` and
    `heading` are the indices in the page of the container and of the displayed headline.
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
    corrections: tuple[str, ...] = ()
    locations: ValueLocations | None = field(default=None, compare=False)
    container: int | None = field(default=None, compare=False, repr=False)
    heading: int | None = field(default=None, compare=False, repr=False)

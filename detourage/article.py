"""The article of a page, and the result of reading a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from detourage.pagination import Pagination

if TYPE_CHECKING:
    from datetime import datetime

    from detourage.comments import Comment
    from detourage.html.locations import Location, TextLocation, ValueLocations
    from detourage.pages import Page
    from detourage.reader.locations import Passage
    from detourage.reader.no_article_errors import GoneError, WallError
    from detourage.roles import Kind, LineRole
    from detourage.text.dates import Moment

BlockType = Literal["heading", "paragraph", "list_item", "quote", "caption", "code", "table"]
"""Block types, named as in the article message."""

TextDirection = Literal["ltr", "rtl"]
"""Direction of a text: from left to right, or from right to left."""

EmphasisKind = Literal["bold", "italic"]
"""Kinds of emphasis, named as in the article message."""


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
        The block's most probable role, regardless of its markup, and its probability; None if the
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
        Locations of the text nodes that contain the block's text, in order.
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
        Index of the block that follows the image, or the number of blocks if none follows; None if
        the position is unknown.
    location
        Location of the ``img`` element in the page; None if unknown.
    element
        Index of that element in the page.
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
        Name of the embedding element: ``iframe``, ``video``, ``audio``, ``object``, ``embed``, or
        ``blockquote`` for a social media post.
    block, location, element
        As for `ArticleImage`.
    """

    url: str
    type: str
    block: int | None = None
    location: Location | None = field(default=None, compare=False)
    element: int | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class ArticleMetadata:
    """Metadata of an article; fields that the page neither declares nor displays are None or empty.

    `lead` is the standfirst. `canonical_url` is an absolute HTTP or HTTPS URL. `is_paid` tells
    whether only subscribers can read the full article. `truncated` is True if the page displays
    only the beginning, otherwise None. `wire` is the news agency that supplied the article.
    `site_name`, `description`, `image`, `favicon` (the last two are absolute URLs) and
    `text_direction` are as declared by the page; `image` need not be one of the article's images.
    `age` is the displayed date of publication if it is relative ("3 hours ago"), otherwise empty.
    """

    lead: str | None = None
    authors: tuple[str, ...] = ()
    published: Moment | None = None
    modified: Moment | None = None
    age: str = ""
    canonical_url: str | None = None
    section: str | None = None
    tags: tuple[str, ...] = ()
    is_paid: bool | None = None
    truncated: bool | None = None
    kind: Kind = "article"
    wire: str | None = None
    site_name: str | None = None
    description: str | None = None
    image: str | None = None
    favicon: str | None = None
    text_direction: TextDirection | None = None


_Part = TypeVar(
    "_Part", bound="ArticleBlock | ArticleImage | ArticleEmbed | ArticleMetadata | Article"
)


def copy_with(part: _Part, **changes: Any) -> _Part:
    """Return a copy with some fields changed, in a tenth of the time of `dataclasses.replace`."""
    copied = object.__new__(type(part))
    copied.__dict__.update(part.__dict__, **changes)
    return copied


@dataclass(frozen=True)
class Article:
    """The article of a page, with the comments below it.

    Attributes
    ----------
    title
        The headline, or None. `text` does not repeat it.
    text
        The body: the texts of `blocks`, separated by blank lines. It contains no characters that
        XML forbids, such as NUL.
    blocks
        The blocks that `text` consists of, in order.
    images
        Images in the body, in order, without duplicate URLs.
    embeds
        Videos, posts and frames in the body, in order, without duplicate URLs.
    language
        BCP 47 tag of the language, or None if unknown.
    method
        How the body was found: by the roles of lines (``"lines"``) or by sentence counts
        (``"sentences"``). If the page does not display the body, where it was found:
        ``"articleBody"`` (structured data), ``"json-state"`` (JSON for the site's scripts),
        ``"noscript"`` or ``"template"``.
    xpath
        Positional XPath of the element that contains the body, which may be a script.
    confidence
        Probability that `text` is right, that is, that its words have an F1 of at least 0.8.
    metadata
        What the page declares or displays about the article.
    comments
        Readers' comments in page order, or the posts of a forum page.
    corrections
        Notes in which the site corrects the article.
    pagination
        Links to the other parts of the article.
    suspected
        The wall or removal notice that the page possibly, but not certainly, shows instead of the
        article; None if there is no sign of one.
    locations
        Locations of the title, lead, authors and dates in the page; None if not determined.
    container, heading
        Indices of the elements that contain the body and the displayed headline.
    url
        URL of the page as given; empty if none was given.
    page
        The page as fetched; None for an article that another process has read.
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
    metadata: ArticleMetadata = field(default_factory=ArticleMetadata)
    comments: tuple[Comment, ...] = ()
    corrections: tuple[str, ...] = ()
    pagination: Pagination = field(default_factory=Pagination)
    suspected: WallError | GoneError | None = None
    locations: ValueLocations | None = field(default=None, compare=False)
    container: int | None = field(default=None, compare=False)
    heading: int | None = field(default=None, compare=False)
    url: str = ""
    page: Page | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        """Show URL, title and length."""
        return f"<Article {self.url!r}: {self.title!r}, {len(self.text)} characters>"

    @property
    def lead(self) -> str | None:
        """The standfirst, which `text` may or may not contain."""
        return self.metadata.lead

    @property
    def authors(self) -> tuple[str, ...]:
        """Names of the authors."""
        return self.metadata.authors

    @property
    def published_at(self) -> datetime | None:
        """Time of publication, with its zone.

        If the page gives no known zone, UTC is assumed; if it gives no time, midnight.
        """
        published = self.metadata.published
        return published.instant if published is not None else None

    @property
    def modified_at(self) -> datetime | None:
        """Time of the last change, as declared by the page; same defaults as `published_at`."""
        modified = self.metadata.modified
        return modified.instant if modified is not None else None

    @property
    def kind(self) -> str:
        """Kind of page: ``article``, ``forum``, ``listing`` or ``product``, for example."""
        return self.metadata.kind

    @property
    def canonical_url(self) -> str | None:
        """The canonical URL that the page declares."""
        return self.metadata.canonical_url

    @property
    def site_name(self) -> str | None:
        """Name of the site as declared by the page."""
        return self.metadata.site_name

    @property
    def description(self) -> str | None:
        """Description of the article as declared by the page; see also `lead`."""
        return self.metadata.description

    @property
    def image(self) -> str | None:
        """URL of the image that the page declares for previews; see also `images`."""
        return self.metadata.image

    @property
    def section(self) -> str | None:
        """Section of the site that contains the article."""
        return self.metadata.section

    @property
    def tags(self) -> tuple[str, ...]:
        """Keywords declared by the page."""
        return self.metadata.tags

    @property
    def paywall(self) -> bool | None:
        """Whether the whole article is for subscribers only; None if unknown."""
        return self.metadata.is_paid

    @property
    def truncated(self) -> bool:
        """Whether the page shows only the beginning of the article and an offer to subscribe."""
        return self.metadata.truncated is True

    @cached_property
    def site(self) -> str:
        """Registrable domain of `url`; empty without a URL."""
        from detourage.html import site_of

        return site_of(self.url) if self.url else ""

    def locate(self, start: int, end: int, page: Page | None = None) -> list[Passage]:
        """Locate a range of `text` in the page, for example an entity found in it.

        Parameters
        ----------
        start, end
            Character offsets into `text`.
        page
            The page as fetched, needed only for an article that another process has read.

        Returns
        -------
        list of Passage
            The passages of the page, one per text node, in order. Each has the XPath of its parent
            in a browser, character offsets into the concatenated text nodes of the parent, and byte
            offsets into the page.

        Raises
        ------
        ValueError
            If the range is not part of a block, the page does not display the article, or no page
            is given.
        """
        from detourage.html import parse_page
        from detourage.reader.locations import locate, located_blocks

        page = page or self.page
        if page is None:
            raise ValueError("the page is needed: the article was read by another process")
        parsed = parse_page(page.html, content_type=page.content_type)
        return locate(parsed, located_blocks(self), start, end)

    def to_dict(self) -> dict[str, Any]:
        """Return the article as JSON values, with the keys of the article message.

        Keys that only a deployment can fill (``id``, ``revision``, ``template`` and others) are
        omitted.
        """
        from detourage.reader.article_values import json_values

        return json_values(self, self.url, self.site)

    def to_json(self, indent: int | None = None) -> str:
        """Return `to_dict` as JSON text.

        Parameters
        ----------
        indent
            Spaces per level; None for a single line.
        """
        import json

        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def to_markdown(self) -> str:
        """Return title and blocks as CommonMark, with links, images, nested lists and tables."""
        from detourage.export.markdown_and_html import to_markdown

        return to_markdown(self)

    def to_html(self) -> str:
        """Return title and blocks as an HTML page."""
        from detourage.export.markdown_and_html import to_html

        return to_html(self, self.url)


@dataclass(frozen=True)
class Result:
    """Result of reading a page.

    Parameters
    ----------
    url
        URL of the page as given; empty if none was given.
    article
        The article, or None.
    outcome
        ``"article"``, or the reason for having none: ``"menu"``, ``"no-text"``, ``"empty"``,
        ``"wall"``, ``"gone"``, ``"needs-rendering"``, ``"not-html"``, ``"undecodable"``,
        ``"frameset"``, ``"too-deep"``, ``"too-large"``, or ``"failed"`` because of a bug in this
        library.
    reason
        The reason in words; empty if there is an article.
    title, metadata
        What the page declares if it has no article. None if there is an article, or if the page
        could not be parsed.
    """

    url: str
    article: Article | None
    outcome: str = "article"
    reason: str = ""
    title: str | None = None
    metadata: ArticleMetadata | None = None

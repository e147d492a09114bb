"""The article of a page, and the result of reading a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from detourage.comments import Comment
    from detourage.pages import Page
    from detourage.reader import ArticleBlock, ArticleEmbed, ArticleImage
    from detourage.reader.content import Content
    from detourage.reader.locating import Passage


@dataclass(frozen=True)
class Article:
    """The article of a page.

    Parameters
    ----------
    url
        URL of the page as given; empty if none was given.
    content
        The content as returned by the worker's packages. Its attributes are not part of the public
        interface.
    page
        The page as fetched; None for an article that another process has read.
    """

    url: str
    content: Content = field(repr=False)
    page: Page | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        """Show URL, title and length."""
        return f"<Article {self.url!r}: {self.title!r}, {len(self.text)} characters>"

    @property
    def title(self) -> str | None:
        """The headline, or None. `text` does not repeat it."""
        return self.content.article.title

    @property
    def text(self) -> str:
        """The body, with blank lines between paragraphs."""
        return self.content.article.text

    @property
    def lead(self) -> str | None:
        """The standfirst, whether or not `text` begins with it."""
        return self.content.article.metadata.lead

    @property
    def authors(self) -> tuple[str, ...]:
        """Names of the authors."""
        return tuple(self.content.article.metadata.authors)

    @property
    def published_at(self) -> datetime | None:
        """Time of publication, with its zone.

        Defaults to UTC if the page gives no zone, and to midnight if it gives no time.
        """
        published = self.content.article.metadata.published
        return published.instant if published is not None else None

    @property
    def modified_at(self) -> datetime | None:
        """Time of the last change declared by the page, with the defaults of `published_at`."""
        modified = self.content.article.metadata.modified
        return modified.instant if modified is not None else None

    @property
    def language(self) -> str | None:
        """BCP 47 tag of the language, or None if unknown."""
        return self.content.article.language

    @property
    def blocks(self) -> tuple[ArticleBlock, ...]:
        """The blocks that `text` consists of, in order."""
        return self.content.article.blocks

    @property
    def images(self) -> tuple[ArticleImage, ...]:
        """Images of the body, in order."""
        return self.content.article.images

    @property
    def embeds(self) -> tuple[ArticleEmbed, ...]:
        """Videos, posts and frames of the body, in order."""
        return self.content.article.embeds

    @property
    def comments(self) -> tuple[Comment, ...]:
        """Readers' comments in page order, or the posts of a forum page."""
        return self.content.comments

    @property
    def kind(self) -> str:
        """Kind of page: ``article``, ``forum``, ``listing`` or ``product``, for example."""
        return self.content.article.metadata.kind

    @property
    def canonical_url(self) -> str | None:
        """The canonical URL that the page declares."""
        return self.content.article.metadata.address

    @property
    def section(self) -> str | None:
        """Section of the site that contains the article."""
        return self.content.article.metadata.section

    @property
    def tags(self) -> tuple[str, ...]:
        """Keywords declared by the page."""
        return tuple(self.content.article.metadata.tags)

    @property
    def paywall(self) -> bool | None:
        """Whether the whole article is for subscribers only; None if unknown."""
        return self.content.article.metadata.is_paid

    @property
    def truncated(self) -> bool:
        """Whether the page shows only the article's beginning, before an offer to subscribe."""
        return self.content.article.metadata.truncated is True

    @property
    def confidence(self) -> float:
        """Probability, 0 to 1, that `text` is right: that its words have an F1 of at least 0.8."""
        return self.content.article.confidence

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

        Returns ------- list of Passage The passages of the page, one per text node, in order. Each
        has the XPath of its parent in a browser, character offsets into the concatenated text
        nodes of the parent, and byte offsets into the page.

        Raises ------ ValueError If the range is not part of a block, the page does not display the
        article, or no page is given.
        """
        from detourage.html import parse_page
        from detourage.reader.locating import locate, located_blocks

        page = page or self.page
        if page is None:
            raise ValueError("the page is needed: the article was read by another process")
        parsed = parse_page(page.html, content_type=page.content_type)
        return locate(parsed, located_blocks(self.content.article), start, end)

    def to_dict(self) -> dict[str, Any]:
        """Return the article as JSON values, with the keys of the article message.

        Keys that only a deployment can fill (``id``, ``revision``, ``template`` and others) are
        omitted.
        """
        from detourage.reader.article_values import json_values

        return json_values(self.content, self.url, self.site)

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
        from detourage.reader.documents import to_markdown

        return to_markdown(self.content.article)

    def to_html(self) -> str:
        """Return title and blocks as an HTML page."""
        from detourage.reader.documents import to_html

        return to_html(self.content.article, self.url)


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
        ``"article"``, or the reason for its absence: ``"menu"``, ``"no-text"``, ``"empty"``,
        ``"needs-rendering"``, ``"not-html"``, ``"undecodable"``, ``"frameset"``, ``"too-deep"``,
        ``"too-large"``, or ``"failed"`` for a defect of this library.
    reason
        The reason in words; empty if there is an article.
    """

    url: str
    article: Article | None
    outcome: str = "article"
    reason: str = ""

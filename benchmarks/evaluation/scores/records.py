"""Both sides of a comparison: an extractor's output and the gold record of a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self

HEADING = "heading"
PARAGRAPH = "paragraph"
LIST_ITEM = "list_item"


class TextBlock(NamedTuple):
    """A block of text with its type, as in the article message.

    Any type other than ``heading`` and ``list_item`` denotes running text; text without a mark by
    the annotator has the empty type.
    """

    type: str
    text: str


@dataclass(frozen=True)
class Comment:
    """A reader's comment or a forum post.

    `author` and `date` are as given on the page or in its markup. `parent` is the index of the
    comment that this one replies to. `published` is the date as parsed by the method, if that is
    more precise than `date`.
    """

    text: str
    author: str | None = None
    date: str | None = None
    parent: int | None = None
    published: str | None = None


class Typed(Protocol):
    """A block from any extractor."""

    @property
    def type(self) -> str:
        """Type of the block."""

    @property
    def text(self) -> str:
        """Text of the block."""


class Article(Protocol):
    """The output of any extractor."""

    @property
    def title(self) -> str | None:
        """Headline."""

    @property
    def text(self) -> str:
        """Text."""

    @property
    def blocks(self) -> Sequence[Typed]:
        """Blocks of the text."""


@dataclass(frozen=True)
class Prediction:
    """The output of a method for a page, as opposed to the page's `Gold`.

    `text` is the body, or the whole text if the method does not separate the body from the rest. If
    the method returns only a text, `blocks` is empty, and the lines count as paragraphs.
    """

    title: str | None = None
    text: str = ""
    blocks: tuple[TextBlock, ...] = ()
    authors: tuple[str, ...] = ()
    date: str | None = None
    comments: tuple[Comment, ...] = ()

    @classmethod
    def of(cls, article: Article) -> Self:
        """Convert the output of any extractor, with authors, date and comments if it has them."""
        return cls(
            title=article.title,
            text=article.text,
            blocks=tuple(TextBlock(block.type, block.text) for block in article.blocks),
            authors=tuple(getattr(article, "authors", ())),
            date=getattr(article, "date", None),
            comments=tuple(
                Comment(each.text, each.author, each.date, each.parent, each.published)
                for each in getattr(article, "comments", ())
            ),
        )

    @property
    def paragraphs(self) -> tuple[TextBlock, ...]:
        """The blocks or, if there are none, the lines of the text as paragraphs."""
        return self.blocks or lines_as_blocks(self.text)


@dataclass(frozen=True)
class Gold:
    """The annotations of a page; fields without an annotation are None or empty.

    `language` is a BCP 47 tag. `blocks` is `text` with its marks. The extracted text must contain
    the `wanted` snippets and must not contain the `unwanted` ones. `comment_text` is the text of
    all comments if the record does not separate them, and is empty if there are no comments.
    `template_class` is the annotator's group of pages with the same template. `word_recall` is the
    share of the words of `text` in the page's HTML. `lead` is the standfirst, if it is not part of
    `text`.
    """

    id: str
    site: str
    language: str = ""
    text: str | None = None
    title_in_text: bool = True
    title: str | None = None
    blocks: tuple[TextBlock, ...] | None = None
    authors: tuple[str, ...] | None = None
    date: str | None = None
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    comments: tuple[Comment, ...] | None = None
    comment_text: str | None = None
    comment_snippets: tuple[str, ...] = ()
    template_class: str | None = None
    word_recall: float | None = None
    kind: str | None = None
    lead: str | None = None

    @property
    def paragraphs(self) -> tuple[TextBlock, ...]:
        """The blocks or, if they are unknown, the lines of the text as paragraphs."""
        return lines_as_blocks(self.text or "") if self.blocks is None else self.blocks


def lines_as_blocks(text: str) -> tuple[TextBlock, ...]:
    """Return the non-blank lines of a text as paragraphs."""
    return tuple(TextBlock(PARAGRAPH, line.strip()) for line in text.splitlines() if line.strip())

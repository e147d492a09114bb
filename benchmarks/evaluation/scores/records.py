"""What is compared: the output of an extractor, and what people said a page holds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self

HEADING = "heading"
PARAGRAPH = "paragraph"
LIST_ITEM = "list_item"


class TextBlock(NamedTuple):
    """A stretch of text with what it is.

    Attributes
    ----------
    type
        ``heading``, ``list_item``, or anything else for running text (``paragraph``,
        ``quote``, ``caption``, …), as the article message names them; empty where a
        person left a stretch without a mark.
    text
        The stretch itself.
    """

    type: str
    text: str


@dataclass(frozen=True)
class Comment:
    """A reader's comment or a forum post.

    Attributes
    ----------
    text
        What the reader wrote.
    author, date
        As the page or its markup writes them, None where it does not.
    parent
        Index, in the same sequence, of the comment that this one answers; None for one
        that answers none.
    published
        The date as a method understood it, where that is more than `date`.
    """

    text: str
    author: str | None = None
    date: str | None = None
    parent: int | None = None
    published: str | None = None


class Typed(Protocol):
    """A block of any extractor."""

    @property
    def type(self) -> str:
        """What it is."""

    @property
    def text(self) -> str:
        """Its text."""


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
        """Stretches of the text."""


@dataclass(frozen=True)
class Prediction:
    """What a method says a page holds, as opposed to its `Gold`.

    Attributes
    ----------
    title
        Headline, None where the method finds none.
    text
        The body, or all the method found where it does not tell them apart.
    blocks
        The stretches of `text` in order; empty for a method that gives a text alone,
        whose lines are then taken for paragraphs.
    authors, date
        Names of the authors, and the date of publication as written.
    comments
        Reader comments in the order of the page.
    """

    title: str | None = None
    text: str = ""
    blocks: tuple[TextBlock, ...] = ()
    authors: tuple[str, ...] = ()
    date: str | None = None
    comments: tuple[Comment, ...] = ()

    @classmethod
    def of(cls, article: Article) -> Self:
        """Take over the output of any extractor.

        Its authors, date and comments are taken where it has them.
        """
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
        """The blocks, or the lines of the text as paragraphs where there are none."""
        return self.blocks or lines_as_blocks(self.text)


@dataclass(frozen=True)
class Gold:
    """What people said a page holds. What they said nothing of is None.

    Attributes
    ----------
    id, site, language
        The page, its registrable domain, and the language of its text (BCP 47; empty
        where unknown).
    text
        The useful text.
    title_in_text
        Whether `text` begins with the headline, as a rule of its corpus.
    title
        The headline.
    blocks
        `text` with its marks, None in corpora without them.
    authors, date
        As `Prediction` has them.
    wanted, unwanted
        Snippets that must, and must not, be in the extracted text.
    comments
        Comments one by one.
    comment_text
        All comments in one string, where they are not told apart; empty where there are none.
    comment_snippets
        Snippets of comments, where no more is known of them.
    template_class
        The person's group of pages made from one template.
    word_recall
        Share of the words of `text` that the page's HTML holds, 0..1.
    kind
        What kind of page it is, as its corpus calls it; ``article`` is one of them.
    lead
        The standfirst, where it is told apart from `text`.
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
        """The blocks, or the lines of the text as paragraphs where there are none."""
        return lines_as_blocks(self.text or "") if self.blocks is None else self.blocks


def lines_as_blocks(text: str) -> tuple[TextBlock, ...]:
    """Take each line that is not blank for a paragraph."""
    return tuple(TextBlock(PARAGRAPH, line.strip()) for line in text.splitlines() if line.strip())

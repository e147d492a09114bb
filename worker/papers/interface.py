"""What goes into a method, what comes out of it, and the method itself."""

import hashlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, Flag, auto
from functools import cached_property
from typing import Any, NamedTuple, Self, cast

from worker.article import ArticleBlock, NoArticleError
from worker.article.result import BlockType
from worker.errors import ExpectedError, MissingExtraError


class UnknownExtractorError(ValueError):
    """No method has that name."""


class UnavailableError(ExpectedError):
    """The method needs something that this machine does not have; the message says what."""


class NoPivotError(NoArticleError):
    """The method compares pages, and this page has none to be compared with."""

    outcome = "no-comparable-page"


@dataclass(frozen=True)
class Source:
    """A page as it was fetched.

    Parameters
    ----------
    html
        The page: its bytes, or its text where that is all there is.
    url
        Its address.
    content_type
        The Content-Type header that came with it.
    """

    html: bytes | str
    url: str = ""
    content_type: str | None = None

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all three, in hexadecimal."""
        html = self.html.encode("utf-8", "surrogatepass") if isinstance(self.html, str) else None
        parts = (
            b"bytes" if html is None else b"text",
            self.url.encode("utf-8", "surrogatepass"),
            (self.content_type or "").encode("utf-8", "surrogatepass"),
            html if html is not None else cast(bytes, self.html),
        )
        return hashlib.sha256(b"\x00".join(parts)).hexdigest()


@dataclass(frozen=True)
class Neighbours:
    """The template group of a page, as seen from that page.

    Parameters
    ----------
    pivot
        The page it is compared with: the group's representative, or for the
        representative itself its nearest neighbour. None for an outlier.
    group
        The other pages of the group, without the page itself.
    partner
        The page of its site that it makes a pair with where pages are paired by distance alone
        (`papers.deturck.pairing`). None for the page that is left.
    """

    pivot: Source | None = None
    group: tuple[Source, ...] = ()
    partner: Source | None = None


ALONE = Neighbours()
"""A page without comparable pages."""


class Needs(Enum):
    """What a method looks at beside the page; with `PARTNER`, that is its pivot."""

    PAGE = "page"
    PIVOT = "pivot"
    GROUP = "group"
    PARTNER = "partner"

    def of(self, neighbours: Neighbours) -> Neighbours:
        """Leave out what the method does not look at."""
        match self:
            case Needs.PAGE:
                return ALONE
            case Needs.PIVOT:
                return Neighbours(neighbours.pivot)
            case Needs.PARTNER:
                return Neighbours(neighbours.partner, partner=neighbours.partner)
            case Needs.GROUP:
                return neighbours


class TrainingPair(NamedTuple):
    """A page with what a person made of it.

    Attributes
    ----------
    source
        The page.
    text
        Its cleaned text, one segment a line.
    language
        Of the text; empty where it plays no part.
    """

    source: Source
    text: str
    language: str = ""


class Gives(Flag):
    """What a method gives."""

    TEXT = auto()
    COMMENTS = auto()


@dataclass(frozen=True)
class ReaderComment:
    """A comment of a reader.

    Parameters
    ----------
    text
        What the reader wrote.
    author, date
        As the method gives them.
    parent
        Index of the comment that this one answers, None for none.
    published
        The date as the method understood it, where it tells both.
    """

    text: str
    author: str | None = None
    date: str | None = None
    parent: int | None = None
    published: str | None = None


@dataclass(frozen=True)
class Extracted:
    """What a method made of a page.

    Parameters
    ----------
    title
        Headline as the method gives it, None where it gives none.
    text
        The texts of `blocks`, parted by blank lines.
    blocks
        The stretches of the text, in order.
    authors, date
        As the method gives them; most give none.
    comments
        What readers wrote, in the order of the page; most methods give none.
    """

    title: str | None
    text: str
    blocks: tuple[ArticleBlock, ...]
    authors: tuple[str, ...] = ()
    date: str | None = None
    comments: tuple[ReaderComment, ...] = ()

    @classmethod
    def from_stretches(
        cls,
        title: str | None,
        stretches: Iterable[tuple[BlockType, str]],
        *,
        authors: Iterable[str] = (),
        date: str | None = None,
        comments: Iterable[ReaderComment] = (),
    ) -> Self:
        """Put stretches of text together.

        White space within a line is collapsed; empty lines and stretches are left out.
        """
        blocks: list[ArticleBlock] = []
        start = 0
        for kind, stretch in stretches:
            lines = (one_line(line) for line in stretch.splitlines())
            shown = "\n".join(line for line in lines if line)
            if shown:
                blocks.append(ArticleBlock(kind, shown, start, start + len(shown)))
                start += len(shown) + 2
        text = "\n\n".join(block.text for block in blocks)
        return cls(
            one_line(title or "") or None,
            text,
            tuple(blocks),
            tuple(authors),
            date,
            tuple(comments),
        )

    @classmethod
    def from_lines(cls, title: str | None, text: str, **metadata: Any) -> Self:
        """Take each line of a text for a paragraph."""
        lines = text.splitlines()
        return cls.from_stretches(title, (("paragraph", line) for line in lines), **metadata)


def one_line(text: str) -> str:
    """Collapse white space, and nothing else: stray characters are the method's own."""
    return " ".join(text.replace("\x00", "").split())


@dataclass(frozen=True)
class Extractor:
    """A method with a name and a version.

    It holds the name of its function instead of the function, so that it can be sent to
    another process and so that a library is imported where and when the method runs.

    Parameters
    ----------
    name
        As in the registry; a chain's is ``"first>second"``.
    function
        ``"module:function"``, called as ``function(source, neighbours, **options)``.
    options
        Keyword arguments of the function.
    needs
        What of the neighbours the function gets to see.
    preparation
        ``"module:function"``, called as ``preparation(**options)`` before the first page,
        so that imports and started programs are not counted as time of a page.
    description
        What it is, on one line.
    version
        The library's for a peer; for our own the release with a digest of the source.
    source
        Digest of the code around a library, where results may change and the version not.
    gives
        What can be expected of it, and is scored.
    """

    name: str
    function: str
    options: Mapping[str, Any] = field(default_factory=dict)
    needs: Needs = Needs.PAGE
    preparation: str | None = None
    description: str = ""
    version: str = ""
    source: str = ""
    gives: Gives = Gives.TEXT

    def prepare(self) -> None:
        """Import and start all that the method needs in this process.

        Nothing needs to be prepared; what is not, is at the first page.

        Raises
        ------
        UnavailableError
            If something is missing.
        """
        self._resolve(self.function)
        if self.preparation is not None:
            self._call(self.preparation)

    def extract(self, source: Source, neighbours: Neighbours = ALONE) -> Extracted:
        """Apply the method to a page.

        Raises
        ------
        UnavailableError
            If a library or program is missing.
        worker.html.PageError
            If the page cannot be read.
        worker.article.NoArticleError
            If the method says that the page holds no article.
        Exception
            Whatever a peer raises.
        """
        return cast(Extracted, self._call(self.function, source, self.needs.of(neighbours)))

    def _call(self, function: str, *arguments: object) -> object:
        try:
            return self._resolve(function)(*arguments, **self.options)
        except ImportError as error:
            raise self._unavailable(error) from error

    def _resolve(self, name: str) -> Callable[..., Any]:
        try:
            return cast(Callable[..., Any], pkgutil.resolve_name(name))
        except (ImportError, AttributeError) as error:
            raise self._unavailable(error) from error

    def _unavailable(self, error: ImportError | AttributeError) -> UnavailableError:
        if self.preparation is not None and isinstance(error, ModuleNotFoundError):
            extra = "papers" if self.function.startswith(__package__) else "benchmarks"
            return UnavailableError(str(MissingExtraError(extra, self.name)))
        return UnavailableError(f"{self.name}: {error}")

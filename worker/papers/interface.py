"""The interface of methods: input, output, and the method itself."""

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
    """No method has the requested name."""


class UnavailableError(ExpectedError):
    """The method needs something that is missing on this machine; the message names it."""


class NoPivotError(NoArticleError):
    """The method compares pages, and there is none to compare this page with."""

    outcome = "no-comparable-page"


@dataclass(frozen=True)
class Source:
    """A page as it was fetched.

    Parameters
    ----------
    html
        The page as bytes, or as text if only that is available.
    url
        URL of the page.
    content_type
        Content-Type header of the response.
    """

    html: bytes | str
    url: str = ""
    content_type: str | None = None

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all fields, in hexadecimal."""
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
    """The template group of a page, from that page's point of view.

    Parameters
    ----------
    pivot
        The page to compare it with: the group's representative, or its nearest neighbour for
        the representative itself. None for an outlier.
    group
        The other pages of the group, without the page itself.
    partner
        The page's partner if the pages of its site are paired by distance alone
        (`papers.deturck.pairing`). None for the page that is left over.
    """

    pivot: Source | None = None
    group: tuple[Source, ...] = ()
    partner: Source | None = None


ALONE = Neighbours()
"""Neighbours of a page without comparable pages."""


class Needs(Enum):
    """Inputs of a method in addition to the page; with `PARTNER`, the partner becomes the pivot."""

    PAGE = "page"
    PIVOT = "pivot"
    GROUP = "group"
    PARTNER = "partner"

    def of(self, neighbours: Neighbours) -> Neighbours:
        """Leave out what the method does not use."""
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
    """A page and its text as cleaned by a person.

    `text` has one segment per line; `language` is empty if it does not matter.
    """

    source: Source
    text: str
    language: str = ""


class Gives(Flag):
    """Kind of content that a method extracts."""

    TEXT = auto()
    COMMENTS = auto()


@dataclass(frozen=True)
class ReaderComment:
    """A reader's comment.

    Parameters
    ----------
    text
        The text.
    author, date
        As the method returns them.
    parent
        Index of the comment that this one answers, if any.
    published
        The date as the method parsed it, if it returns both forms.
    """

    text: str
    author: str | None = None
    date: str | None = None
    parent: int | None = None
    published: str | None = None


@dataclass(frozen=True)
class Extracted:
    """A method's result for a page.

    Parameters
    ----------
    title
        Headline, or None if the method gives none.
    text
        The texts of `blocks`, separated by blank lines.
    blocks
        The blocks of the text, in order.
    authors, date
        As the method returns them; most return none.
    comments
        Readers' comments in page order; most methods return none.
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
        """Build a result from blocks of text.

        White space within a line is collapsed; empty lines and blocks are left out.
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
        """Build a result with each line of a text as a paragraph."""
        lines = text.splitlines()
        return cls.from_stretches(title, (("paragraph", line) for line in lines), **metadata)


def one_line(text: str) -> str:
    """Collapse white space, but keep stray characters, which are the method's own."""
    return " ".join(text.replace("\x00", "").split())


@dataclass(frozen=True)
class Extractor:
    """A method with a name and a version.

    It refers to its function by name, so that it can be sent to another process and a library is
    imported only where and when the method runs.

    Parameters
    ----------
    name
        Name in the registry; that of a chain is ``"first>second"``.
    function
        ``"module:function"``, called as ``function(source, neighbours, **options)``.
    options
        Keyword arguments of the function.
    needs
        Which neighbours the function is given.
    preparation
        ``"module:function"``, called as ``preparation(**options)`` before the first page, so that
        imports and process starts do not count as time of a page.
    description
        What it is, on one line.
    version
        The library's version; for our own methods the release with a digest of the source.
    source
        Digest of the code around a library, which may change results without a new version.
    gives
        Kinds of content that it extracts and is scored on.
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
        """Import and start everything that the method needs in this process.

        Optional: what is not prepared is loaded with the first page.

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
            If the method finds no article in the page.
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

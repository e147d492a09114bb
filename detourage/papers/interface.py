"""Interface of the extraction methods: their input, their output, and the method itself."""

import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, Flag, auto
from typing import Any, Self, cast

from detourage.article import ArticleBlock, BlockType
from detourage.expected_errors import ExpectedError, MissingExtraError
from detourage.reader import NoArticleError


class UnknownExtractorError(ValueError):
    """No method has the requested name."""


class UnavailableError(ExpectedError):
    """A library or program needed by the method is missing; the message names it."""


class NoPivotError(NoArticleError):
    """The method compares pages, but there is no page to compare the given page with."""

    outcome = "no-comparable-page"


@dataclass(frozen=True)
class Source:
    """A page as fetched, with its Content-Type header; `html` is text if the bytes are unknown."""

    html: bytes | str
    url: str = ""
    content_type: str | None = None


@dataclass(frozen=True)
class Neighbours:
    """The other pages of a page's group that a method may use.

    `pivot` is the page to compare with: the group's representative or, for the representative
    itself, its nearest neighbour; None for an outlier. `group` has all other pages of the group.
    `partner` is the other page of the pair if all pages of a site are paired by distance (Deturck
    2015, section 4.3), or None if the page remains unpaired.
    """

    pivot: Source | None = None
    group: tuple[Source, ...] = ()
    partner: Source | None = None


ALONE = Neighbours()  # neighbours of a page that cannot be compared with any other page


class Needs(Enum):
    """Input that a method needs besides the page; with `PARTNER`, the partner is the pivot."""

    PAGE = "page"
    PIVOT = "pivot"
    GROUP = "group"
    PARTNER = "partner"

    def of(self, neighbours: Neighbours) -> Neighbours:
        """Return the neighbours that the method uses."""
        match self:
            case Needs.PAGE:
                return ALONE
            case Needs.PIVOT:
                return Neighbours(neighbours.pivot)
            case Needs.PARTNER:
                return Neighbours(neighbours.partner, partner=neighbours.partner)
            case Needs.GROUP:
                return neighbours


class Gives(Flag):
    """Kind of content that a method extracts."""

    TEXT = auto()
    COMMENTS = auto()


@dataclass(frozen=True)
class ReaderComment:
    """A reader's comment found by a method; `parent` is the index of the comment replied to."""

    text: str
    author: str | None = None
    date: str | None = None  # as written in the page, such as "3 hours ago"
    parent: int | None = None
    published: str | None = None  # the date in ISO 8601, if the method parses it


@dataclass(frozen=True)
class Extracted:
    """A method's result for a page; `text` joins the texts of `blocks` with blank lines."""

    title: str | None
    text: str
    blocks: tuple[ArticleBlock, ...]
    authors: tuple[str, ...] = ()
    date: str | None = None
    comments: tuple[ReaderComment, ...] = ()

    @classmethod
    def from_typed_texts(
        cls,
        title: str | None,
        typed_texts: Iterable[tuple[BlockType, str]],
        *,
        authors: Iterable[str] = (),
        date: str | None = None,
        comments: Iterable[ReaderComment] = (),
    ) -> Self:
        """Build a result from pairs of block type and text, without superfluous white space."""
        blocks: list[ArticleBlock] = []
        start = 0
        for kind, raw_text in typed_texts:
            lines = (one_line(line) for line in raw_text.splitlines())
            block_text = "\n".join(line for line in lines if line)
            if block_text:
                blocks.append(ArticleBlock(kind, block_text, start, start + len(block_text)))
                start += len(block_text) + len("\n\n")
        text = "\n\n".join(block.text for block in blocks)
        title = one_line(title or "") or None
        return cls(title, text, tuple(blocks), tuple(authors), date, tuple(comments))

    @classmethod
    def from_lines(cls, title: str | None, text: str, **metadata: Any) -> Self:
        """Build a result in which each line of a text is a paragraph."""
        lines = text.splitlines()
        return cls.from_typed_texts(title, (("paragraph", line) for line in lines), **metadata)


def one_line(text: str) -> str:
    """Return a text without NULs, and with white space, including line ends, collapsed.

    Unlike `words.clean`, keep other control characters, which are part of a method's output.
    """
    return " ".join(text.replace("\x00", "").split())


@dataclass(frozen=True)
class Extractor:
    """An extraction method, with a name and a version.

    `function` and `preparation` are written ``"module:function"``, so that a method can be sent to
    another process and its library is imported only when the method runs. They are called as
    ``function(source, neighbours, **options)`` and, before the first page,
    ``preparation(**options)``, so that the time of a page includes no imports or process starts.

    `version` is that of the library or, for this project's methods, the release and a digest of the
    code. `source` is a digest of the code that wraps a library, because changes of this code may
    change results without a new version.
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
        """Import and start what the method needs; raise UnavailableError if it is missing."""
        self._resolve(self.function)
        if self.preparation is not None:
            self._call(self.preparation)

    def extract(self, source: Source, neighbours: Neighbours = ALONE) -> Extracted:
        """Apply the method to a page.

        Raise UnavailableError if a library is missing, PageError if the page cannot be read,
        NoArticleError if the method finds no article, or any exception of the method's library or
        program.
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

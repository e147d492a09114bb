"""Knowledge about a template, learned from some of its pages and small enough to store."""

import json
import zlib
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterable, Sequence
from copy import copy
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from detourage.core import KNOWN
from detourage.html import Page
from detourage.html.flat import Integers
from detourage.limits import MAX_HTML_BYTES
from detourage.reader.lines import line_columns, line_digests, line_paths
from detourage.reader.outline import Outline
from detourage.reader.titles import Titles
from detourage.records import record
from detourage.text.token_counts import Digests

FORMAT = 2  # Version of the stored format; increment it with every change to the format
_MAX_BYTES = 2 * MAX_HTML_BYTES  # size of the serialised knowledge, which is smaller than the pages


class KnownLines(NamedTuple):
    """Columns of the lines of the known pages, in order.

    `digests` are the digests of their tokens, `words` their token counts, and `places` the indices
    of their paths in `paths`, the digests of all distinct paths in ascending order.
    """

    digests: Digests
    words: Integers
    places: Integers
    paths: Digests

    @classmethod
    def of(cls, pages: Sequence[Outline]) -> Self:
        """Return the columns of the lines of pages."""
        paths = _joined(map(line_paths, pages), np.uint64)
        distinct, places = np.unique(paths, return_inverse=True)
        words = _joined((line_columns(page).words for page in pages), np.int64)
        return cls(_joined(map(line_digests, pages), np.uint64), words, places, distinct)

    def sums(self, values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Return the sum of the lines' values at each path, and 0 at the end for unknown paths."""
        sums = np.bincount(self.places, weights=values, minlength=len(self.paths) + 1)
        return sums.astype(np.float64, copy=False)


def _joined(columns: Iterable[npt.NDArray[Any]], kind: npt.DTypeLike) -> npt.NDArray[Any]:
    return np.concatenate([np.empty(0, kind), *columns])


@record
class TemplateKnowledge:
    """Knowledge about a template, learned from some of its pages: titles, and lines with paths.

    It takes a few kilobytes and replaces the pages: extraction gives the same result with either.
    `titles` has the titles of each page. `shared` are the digests of the lines that the page to be
    read shares with others (see `detourage.reader.shared_lines`). If `removable` is a set, reading
    a page adds to it the digests of lines that would be removed if shared. Neither is serialised.
    """

    titles: tuple[Titles, ...]
    lines: KnownLines
    shared: frozenset[int] = frozenset()
    removable: set[int] | None = None

    @classmethod
    def from_pages(cls, pages: Iterable[Page]) -> Self:
        """Learn from pages of a template."""
        return cls.of([Outline.of(page.flat) for page in pages])

    @classmethod
    def of(cls, outlines: Sequence[Outline]) -> Self:
        """Learn from the outlines of a template's pages."""
        return cls(tuple(map(Titles.of, outlines)), KnownLines.of(outlines))

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read the output of `to_bytes`; raise ValueError if it is damaged or of another format."""
        from detourage.packed_bytes import unpack

        try:
            values: dict[str, Any] = json.loads(unpack(data, _MAX_BYTES))
            format_ = values["format"]
            if format_ == FORMAT:
                pages = ((each["title"], each["headings"]) for each in values["titles"])
                titles = tuple(Titles(title, frozenset(headings)) for title, headings in pages)
                return cls(titles, _read_lines(values))
        except (KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
            raise ValueError(f"not template knowledge: {error!r}") from error
        raise ValueError(f"expected template knowledge of format {FORMAT}, found {format_}")

    def to_bytes(self) -> bytes:
        """Serialise and compress the knowledge."""
        values = {
            "format": FORMAT,
            "titles": [
                {"title": each.declared, "headings": sorted(each.headings)} for each in self.titles
            ],
            "digests": _encoded(self.lines.digests),
            "words": self.lines.words.tolist(),
            "places": self.lines.places.tolist(),
            "paths": _encoded(self.lines.paths),
        }
        text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
        return zlib.compress(text.encode())

    def with_shared(self, lines: frozenset[int], removable: set[int] | None = None) -> Self:
        """Return the knowledge for a page that shares the given lines with other pages."""
        if lines == self.shared and removable is self.removable:
            return self
        # Cached properties are computed before copying, once for all copies.
        _ = self._counts, self.digests
        copied = copy(self)
        vars(copied).update(shared=lines, removable=removable)
        return copied

    def compare(self, page: Outline) -> npt.NDArray[np.float32] | None:
        """Compare the lines of a page with the known pages, for the network.

        Return a row per line, or None if no page is known. The columns are: whether the text of the
        line is on a known page, whether its path is on one, the average numbers of lines and of
        words at the path, each as log(1 + x), and the share of the words at the path that this page
        does not repeat (-1 if there are no words).
        """
        if not self.titles:
            return None
        known, digests = self.lines, line_digests(page)
        paths = line_paths(page)
        places = np.searchsorted(known.paths, paths)
        is_known = np.append(known.paths, np.uint64(0))[places] == paths
        places[~is_known] = len(known.paths)
        repeated = known.sums(known.words * np.isin(known.digests, digests))[places]
        lines_at, words_at = self._counts[:, places]
        rows = np.full((len(digests), KNOWN), -1.0, dtype=np.float32)
        rows[:, 0] = np.isin(digests, known.digests)
        rows[:, 1] = lines_at > 0
        rows[:, 2] = np.log1p(lines_at / len(self.titles))
        rows[:, 3] = np.log1p(words_at / len(self.titles))
        np.divide(words_at - repeated, words_at, out=rows[:, 4], where=words_at > 0)
        return rows

    @cached_property
    def _counts(self) -> npt.NDArray[np.float64]:
        """Numbers of lines and of words at each path."""
        known = self.lines
        return np.array([known.sums(np.ones_like(known.words)), known.sums(known.words)])

    @cached_property
    def digests(self) -> frozenset[int]:
        """Digests of the lines of all pages."""
        return frozenset(self.lines.digests.tolist())


UNKNOWN_TEMPLATE = TemplateKnowledge.of([])  # knowledge learned from no pages


def knowledge_of(template: Page | TemplateKnowledge | None) -> TemplateKnowledge:
    """Return a template's knowledge: as given, learned from its page, or empty for None."""
    if isinstance(template, Page):
        return TemplateKnowledge.from_pages([template])
    return template if template is not None else UNKNOWN_TEMPLATE


def _encoded(numbers: npt.NDArray[np.uint64]) -> str:
    return b2a_base64(numbers.astype("<u8").tobytes(), newline=False).decode()


def _read_lines(values: dict[str, Any]) -> KnownLines:
    digests, paths = (np.frombuffer(a2b_base64(values[key]), "<u8") for key in ("digests", "paths"))
    words, places = (np.array(values[key], np.int64).ravel() for key in ("words", "places"))
    if not len(digests) == len(words) == len(places) or np.any(
        (places < 0) | (places >= len(paths))
    ):
        raise ValueError("inconsistent columns of lines")
    return KnownLines(digests, words, places, paths)

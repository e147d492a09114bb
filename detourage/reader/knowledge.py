"""Knowledge about a template, learned from some of its pages and small enough to store."""

import json
import zlib
from base64 import b64decode, b64encode
from collections import defaultdict
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from detourage.core import KNOWN
from detourage.html import Page
from detourage.limits import MAX_HTML_BYTES
from detourage.reader.lines import Line, Paths, Step, lines_of
from detourage.reader.outline import Outline, list_of
from detourage.reader.titles import Titles

FORMAT = 1  # Version of the stored format; increment it with every change to the format
_UNKNOWN_PATH = -2  # instead of the number of a path that is on no known page
_MAX_BYTES = 2 * MAX_HTML_BYTES  # size of the serialised knowledge, which is smaller than the pages


class KnownLine(NamedTuple):
    """A line of a known page: its path number, the digest of its tokens, and its token count."""

    path: int
    digest: int
    words: int


class KnownPage(NamedTuple):
    """Titles and ordered lines of a known page, for comparison with other pages of its template."""

    titles: Titles
    lines: tuple[KnownLine, ...]


@dataclass(frozen=True)
class TemplateKnowledge:
    """Knowledge about a template, learned from some of its pages: paths, lines and titles.

    It takes a few kilobytes and replaces the pages: extraction gives the same result with either.
    `steps` are as in `Paths`. `shared` are the digests of the lines that the page to be read shares
    with others (see `detourage.reader.shared_lines`). Reading a page adds to `removable`, if it is
    not None, the digests of the lines that sharing does or would remove. Neither is serialised.
    """

    steps: tuple[Step, ...]
    pages: tuple[KnownPage, ...]
    shared: frozenset[int] = frozenset()
    removable: set[int] | None = field(default=None, compare=False)

    @classmethod
    def from_pages(cls, pages: Iterable[Page]) -> Self:
        """Learn from pages of a template."""
        return cls.of([Outline.of(page.flat) for page in pages])

    @classmethod
    def of(cls, outlines: Sequence[Outline]) -> Self:
        """Learn from the outlines of a template's pages."""
        numbers: dict[Step, int] = {}
        pages = []
        for outline in outlines:
            paths, lines = Paths.of(outline, numbers).numbers, lines_of(outline)
            known = (
                KnownLine(paths[line.block], digest, line.words)
                for line, digest in zip(lines, _digests_of(lines), strict=True)
            )
            pages.append(KnownPage(Titles.of(outline), tuple(known)))
        return cls(tuple(numbers), tuple(pages))

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read the output of `to_bytes`; raise ValueError if it is damaged or of another format."""
        from detourage.packed_bytes import unpack

        try:
            values: dict[str, Any] = json.loads(unpack(data, _MAX_BYTES))
            format_ = values["format"]
            if format_ == FORMAT:
                steps = tuple((int(parent), str(step)) for parent, step in values["steps"])
                return cls(steps, tuple(map(_read_page, values["pages"])))
        except (KeyError, RecursionError, TypeError, ValueError) as error:
            raise ValueError(f"not template knowledge: {error!r}") from error
        raise ValueError(f"template knowledge of format {format_}, not {FORMAT}")

    def to_bytes(self) -> bytes:
        """Serialise and compress the knowledge."""
        pages = [*map(_write_page, self.pages)]
        values = {"format": FORMAT, "steps": self.steps, "pages": pages}
        text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
        return zlib.compress(text.encode())

    def with_shared(self, lines: frozenset[int], removable: set[int] | None = None) -> Self:
        """Return the knowledge for a page that shares the given lines with other pages."""
        if lines == self.shared and removable is self.removable:
            return self
        # Cached properties are computed before copying, once for all copies.
        _ = self._path_by_step, self._counts, self.by_digest
        copied = copy(self)
        vars(copied).update(shared=lines, removable=removable)
        return copied

    @property
    def titles(self) -> list[Titles]:
        """Titles of the pages."""
        return [page.titles for page in self.pages]

    def compare(self, page: Outline, lines: Sequence[Line]) -> npt.NDArray[np.float32] | None:
        """Compare the lines of a page with the known pages, for the network.

        Return a row per line, or None if no page is known. The columns are: whether the text of the
        line is on a known page, whether its path is on one, the average numbers of lines and of
        words at the path, each as log(1 + x), and the share of the words at the path that this page
        does not repeat. Unknown values are -1.
        """
        if not self.pages:
            return None
        paths = Paths.of(page)
        known = {-1: -1}
        for number, (parent, step) in enumerate(paths.steps):
            known[number] = self._path_by_step.get((known[parent], step), _UNKNOWN_PATH)
        digests = _digests_of(lines)
        common = self.by_digest.keys() & digests
        repeated = self._count([line for digest in common for line in self.by_digest[digest]])
        places = [known[paths.numbers[line.block]] for line in lines]
        lines_at, words_at = self._counts[:, places]
        rows = np.full((len(lines), KNOWN), -1.0, dtype=np.float32)
        rows[:, 0] = [digest in common for digest in digests]
        rows[:, 1] = lines_at > 0
        rows[:, 2] = np.log1p(lines_at / len(self.pages))
        rows[:, 3] = np.log1p(words_at / len(self.pages))
        np.divide(words_at - repeated[1, places], words_at, out=rows[:, 4], where=words_at > 0)
        return rows

    @cached_property
    def _path_by_step(self) -> dict[Step, int]:
        return {step: number for number, step in enumerate(self.steps)}

    @cached_property
    def _counts(self) -> npt.NDArray[np.float64]:
        return self._count([line for page in self.pages for line in page.lines])

    def _count(self, lines: Sequence[KnownLine]) -> npt.NDArray[np.float64]:
        """Return the numbers of lines and of words at each path; 0 at `_UNKNOWN_PATH`."""
        counts = np.zeros((2, len(self.steps) - _UNKNOWN_PATH))
        places = [line.path for line in lines]
        np.add.at(counts[0], places, 1)
        np.add.at(counts[1], places, [line.words for line in lines])
        return counts

    @cached_property
    def by_digest(self) -> dict[int, list[KnownLine]]:
        """Lines of all pages, by digest."""
        lines: defaultdict[int, list[KnownLine]] = defaultdict(list)
        for page in self.pages:
            for line in page.lines:
                lines[line.digest].append(line)
        return dict(lines)


UNKNOWN_TEMPLATE = TemplateKnowledge((), ())
"""Knowledge learned from no pages."""


def knowledge_of(template: Page | TemplateKnowledge | None) -> TemplateKnowledge:
    """Return a template's knowledge: as given, learned from its page, or empty for None."""
    if isinstance(template, Page):
        return TemplateKnowledge.from_pages([template])
    return template if template is not None else UNKNOWN_TEMPLATE


def digest_of(tokens: Sequence[str], size: int = 8) -> int:
    """Return a line's digest of `size` bytes, which is the same in every process."""
    from hashlib import blake2b

    digest = blake2b(" ".join(tokens).encode("utf-8", "surrogatepass"), digest_size=size).digest()
    return int.from_bytes(digest, "little")


def _digests_of(lines: Iterable[Line]) -> list[int]:
    """Return the digest of each line; words, unlike other texts, have no lone surrogates."""
    from hashlib import blake2b

    digests = [blake2b(" ".join(each.tokens).encode(), digest_size=8).digest() for each in lines]
    return list_of(np.frombuffer(b"".join(digests), dtype="<u8"))


def _write_page(page: KnownPage) -> dict[str, Any]:
    digests = np.array([line.digest for line in page.lines], dtype="<u8").tobytes()
    return {
        "title": page.titles.declared,
        "headings": sorted(page.titles.headings),
        "paths": [line.path for line in page.lines],
        "words": [line.words for line in page.lines],
        "digests": b64encode(digests).decode(),
    }


def _read_page(values: dict[str, Any]) -> KnownPage:
    digests = np.frombuffer(b64decode(values["digests"]), dtype="<u8").tolist()
    lines = map(KnownLine._make, zip(values["paths"], digests, values["words"], strict=True))
    return KnownPage(Titles(values["title"], frozenset(values["headings"])), tuple(lines))

"""Knowledge about a template, learned from some of its pages and small enough to store."""

import json
import zlib
from base64 import b64decode, b64encode
from collections import Counter, defaultdict
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
from detourage.reader.outline import Outline
from detourage.reader.titles import Titles

FORMAT = 1  # Version of the stored format; increment it with every change to the format
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
            paths = Paths.of(outline, numbers).numbers
            lines = tuple(
                KnownLine(paths[line.block], digest_of(line.tokens), line.words)
                for line in lines_of(outline)
            )
            pages.append(KnownPage(Titles.of(outline), lines))
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
        _ = self._path_by_step, self.lines_at, self.words_at, self.by_digest
        copied = copy(self)
        object.__setattr__(copied, "shared", lines)
        object.__setattr__(copied, "removable", removable)
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
        known_paths: list[int] = []
        for parent, step in paths.steps:
            known_parent = known_paths[parent] if parent >= 0 else -1
            has_known_parent = parent < 0 or known_parent >= 0
            path = self._path_by_step.get((known_parent, step), -1) if has_known_parent else -1
            known_paths.append(path)
        line_paths = [known_paths[paths.numbers[line.block]] for line in lines]
        digests = [digest_of(line.tokens) for line in lines]
        repeated_words: Counter[int] = Counter()
        for digest in set(digests):
            for line in self.by_digest.get(digest, ()):
                repeated_words[line.path] += line.words
        rows = np.full((len(lines), KNOWN), -1.0, dtype=np.float32)
        rows[:, 0] = [digest in self.by_digest for digest in digests]
        rows[:, 1] = [path in self.words_at for path in line_paths]
        rows[:, 2] = np.log1p([self.lines_at[path] / len(self.pages) for path in line_paths])
        rows[:, 3] = np.log1p([self.words_at[path] / len(self.pages) for path in line_paths])
        for row, path in zip(rows, line_paths, strict=True):
            if words := self.words_at[path]:
                row[4] = (words - repeated_words[path]) / words
        return rows

    @cached_property
    def _path_by_step(self) -> dict[Step, int]:
        return {step: number for number, step in enumerate(self.steps)}

    @cached_property
    def lines_at(self) -> Counter[int]:
        """Number of lines of all pages, by path."""
        return Counter(line.path for page in self.pages for line in page.lines)

    @cached_property
    def words_at(self) -> Counter[int]:
        """Number of words of all pages, by path."""
        counts: Counter[int] = Counter()
        for page in self.pages:
            for line in page.lines:
                counts[line.path] += line.words
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


def _write_page(page: KnownPage) -> dict[str, Any]:
    digests = b"".join(line.digest.to_bytes(8, "little") for line in page.lines)
    return {
        "title": page.titles.declared,
        "headings": sorted(page.titles.headings),
        "paths": [line.path for line in page.lines],
        "words": [line.words for line in page.lines],
        "digests": b64encode(digests).decode(),
    }


def _read_page(values: dict[str, Any]) -> KnownPage:
    digests = b64decode(values["digests"])
    lines = tuple(
        KnownLine(path, int.from_bytes(digests[8 * index : 8 * index + 8], "little"), words)
        for index, (path, words) in enumerate(zip(values["paths"], values["words"], strict=True))
    )
    return KnownPage(Titles(values["title"], frozenset(values["headings"])), lines)

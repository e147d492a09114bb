"""Statistics of the size of pages and texts, as in tables 1 to 5 of Daureu et al. (2015)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Self

from benchmarks.evaluation.scores.records import HEADING, LIST_ITEM, TextBlock
from benchmarks.evaluation.scores.words import words

_PARAGRAPH_TAG = re.compile(r"<p[\s>]", re.IGNORECASE)


@dataclass(frozen=True)
class TextStatistics:
    """Sizes of one or more files of text or HTML, added up.

    `paragraphs` counts blocks of running text or, in HTML, ``<p>`` tags; as in the paper, a text
    without blocks has none. `words` follow Unicode segmentation. `tokens` are separated by
    whitespace; they are what the paper calls words, and are meaningless for Chinese. `size` is in
    bytes of UTF-8.
    """

    files: int = 0
    paragraphs: int = 0
    lines: int = 0
    words: int = 0
    tokens: int = 0
    characters: int = 0
    size: int = 0

    @classmethod
    def of_text(cls, text: str, blocks: Iterable[TextBlock] | None = None) -> Self:
        """Compute the statistics of a text with optional blocks."""
        paragraphs = sum(block.type not in ("", HEADING, LIST_ITEM) for block in blocks or ())
        return cls._of(text, paragraphs)

    @classmethod
    def of_html(cls, html: str) -> Self:
        """Compute the statistics of a page's source, including tags."""
        return cls._of(html, len(_PARAGRAPH_TAG.findall(html)))

    @classmethod
    def _of(cls, text: str, paragraphs: int) -> Self:
        return cls(
            files=1,
            paragraphs=paragraphs,
            lines=len(text.splitlines()),
            words=len(words(text)),
            tokens=len(text.split()),
            characters=len(text),
            size=len(text.encode("utf-8", "surrogatepass")),
        )

    def __add__(self, other: Self) -> Self:
        return type(self)(
            **{
                column.name: getattr(self, column.name) + getattr(other, column.name)
                for column in fields(self)
            }
        )

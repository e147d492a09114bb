"""Text of a block with its inline formatting (links, bold and italics)."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from detourage.text import words


class Setting(NamedTuple):
    """Formatting of a piece of text; `link` is the index of the enclosing link or None."""

    link: int | None = None
    is_bold: bool = False
    is_italic: bool = False


PLAIN = Setting()
"""Text without link or emphasis."""


class Span(NamedTuple):
    """A uniformly formatted range of a text; `mark` is a link index or a kind of emphasis."""

    start: int
    end: int
    mark: int | str


@dataclass
class InlineText:
    """A text that is assembled from pieces and cleaned in the process, in linear time.

    Each line is cleaned as by `words.clean`: whitespace is collapsed and blank lines are dropped.
    Offsets refer to the cleaned text.
    """

    spans: list[Span] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)
    _length: int = 0
    _gap: str = ""
    _open: dict[int | str, int] = field(default_factory=dict)

    def add(self, piece: str, setting: Setting = PLAIN) -> None:
        """Append a piece of text; a line feed ends a line."""
        for number, line in enumerate(piece.split("\n")):
            if number:
                self._gap = "\n"
            shown = words.visible(line)
            text = " ".join(shown.split())
            if not text:
                if shown:
                    self._gap = self._gap or " "
                continue
            if shown[0].isspace():
                self._gap = self._gap or " "
            self._append(text, setting)
            if shown[-1].isspace():
                self._gap = " "

    def _append(self, text: str, setting: Setting) -> None:
        marks = _marks(setting)
        for mark in [mark for mark in self._open if mark not in marks]:
            self._close(mark)
        if self._length:
            self._parts.append(self._gap)
            self._length += len(self._gap)
        self._gap = ""
        for mark in marks:
            self._open.setdefault(mark, self._length)
        self._parts.append(text)
        self._length += len(text)

    def _close(self, mark: int | str) -> None:
        self.spans.append(Span(self._open.pop(mark), self._length, mark))

    def finish(self) -> tuple[str, list[Span]]:
        """Return the text and its spans, in order."""
        for mark in [*self._open]:
            self._close(mark)
        return "".join(self._parts), sorted(self.spans, key=lambda span: span[:2])


def _marks(setting: Setting) -> tuple[int | str, ...]:
    link, is_bold, is_italic = setting
    marks: tuple[int | str, ...] = () if link is None else (link,)
    if is_bold:
        marks += ("bold",)
    return (*marks, "italic") if is_italic else marks


def inline_text(pieces: Iterable[tuple[str, Setting]]) -> tuple[str, list[Span]]:
    """Return the cleaned text of the given pieces, and its spans."""
    text = InlineText()
    for piece, setting in pieces:
        text.add(piece, setting)
    return text.finish()

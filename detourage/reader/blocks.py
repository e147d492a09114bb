"""Division of a body into blocks of text, images and embeds."""

import re
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from detourage.article import (
    ArticleBlock,
    ArticleEmbed,
    ArticleEmphasis,
    ArticleImage,
    ArticleLink,
    BlockType,
    EmphasisKind,
)
from detourage.html.addresses import absolute
from detourage.html.nodes import Node
from detourage.html.text import HEADINGS
from detourage.reader import illustrations, media
from detourage.reader.finding import FoundBody, FoundRole
from detourage.reader.outline import Outline
from detourage.roles import LineRole
from detourage.text import words

Mark = int | EmphasisKind
Marks = tuple[Mark, ...]
"""Formatting of a piece of text: the index of the link around it, and kinds of emphasis."""


class Span(NamedTuple):
    """A uniformly formatted range of a text; `mark` is a link index or a kind of emphasis."""

    start: int
    end: int
    mark: Mark


def unbroken(text: str) -> str:
    """Transform line breaks as CSS Text Level 4, section 4.1.3: none between CJK characters."""
    if "\n" not in text:
        return text
    if not text.isascii():
        text = _BREAK_IN_CJK.sub("", text)
    return text.replace("\n", " ")


def inline_text(pieces: Iterable[tuple[str, Marks]]) -> tuple[str, list[Span]]:
    """Return the text of pieces, each line as from `words.clean`, and its spans, in linear time."""
    parts: list[str] = []
    spans: list[Span] = []
    begun: dict[Mark, int] = {}
    length, gap = 0, ""
    for piece, marks in pieces:
        for number, line in enumerate(piece.split("\n")):
            if number:
                gap = "\n"
            shown = words.visible(line)
            text = " ".join(shown.split())
            if not text:
                gap = gap or (" " if shown else "")
                continue
            if shown[0].isspace():
                gap = gap or " "
            ended = [mark for mark in begun if mark not in marks]
            spans += [Span(begun.pop(mark), length, mark) for mark in ended]
            if length:
                parts.append(gap)
                length += len(gap)
            for mark in marks:
                begun.setdefault(mark, length)
            parts.append(text)
            length += len(text)
            gap = " " if shown[-1].isspace() else ""
    spans += (Span(start, length, mark) for mark, start in begun.items())
    return "".join(parts), sorted(spans, key=lambda span: span[:2])


_CJK = "\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
_BREAK_IN_CJK = re.compile(rf"(?<=[{_CJK}])[ \t\r]{{0,200}}\n[ \t\r\n]{{0,200}}(?=[{_CJK}])")

MAX_CELL_TOKENS = 40  # tokens in a cell of a data table; tables with longer cells are layout
MAX_BLOCKS_BEFORE_TITLE = 3  # leading blocks that are left out if they repeat the headline
PROBABILITY_DIGITS = 3  # Number of decimal places in the probability of a role

_TYPES: dict[str, BlockType] = {
    **dict.fromkeys(HEADINGS, "heading"),
    "li": "list_item",
    "dt": "list_item",
    "dd": "list_item",
    "blockquote": "quote",
    "figcaption": "caption",
    "caption": "caption",
    "pre": "code",
}
_LAYOUT = HEADINGS | {"table", "section", "article", "form", "iframe", "pre"}
"""Elements that a data table does not have."""

_IN_ROWS = frozenset({"td", "th"})
_EMPHASIS: Mapping[str, EmphasisKind] = {
    **dict.fromkeys(("b", "strong"), "bold"),
    **dict.fromkeys(("em", "i"), "italic"),
}
_KINDS: Sequence[EmphasisKind] = ("bold", "italic")

_CODE_LANGUAGE = re.compile(
    r"(?:^|\s)(?:(?:highlight-source|highlight|language|lang)-|brush:\s?)"
    r"(?!default\b|none\b)([a-z][\w+#.]{0,20})(?![\w+#.])",
    re.IGNORECASE,
)
_CODE_ATTRIBUTES = ("data-lang", "data-language")
MAX_CLASS_CHARACTERS = 200  # length of a class attribute that is searched for the language of code
MAX_ITEM_NUMBER = 1_000_000  # number in a list item's marker; a page may declare a larger one


@dataclass
class BodyBlocks:
    """The parts of a body, in document order; no block is empty."""

    blocks: list[ArticleBlock] = field(default_factory=list)
    media: list[ArticleImage | ArticleEmbed] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text, with a blank line between blocks."""
        return "\n\n".join(block.text for block in self.blocks)


def blocks_of(page: Outline, body: FoundBody, base: str, title: str | None = None) -> BodyBlocks:
    """Divide a body into blocks; relative URLs are resolved against `base`.

    A block ends at the border of a block element or at two line breaks; a single line break remains
    part of the block. The type of a block is that of the nearest enclosing element that has a type.
    A table of short cells is one block, with a line per row and tabs between cells; any other table
    is treated as layout. One of the first blocks that repeats the `title` is left out.
    """
    return _BlockBuilder(page, body, base, title).run()


@dataclass
class _OpenElement:
    """An element that has not ended yet, and its effect on the text inside it."""

    element: int
    type: BlockType | None = None
    caption: str | None = None
    level: int | None = None
    marker: str | None = None


class _Text(NamedTuple):
    """A text node: the last element that starts before it, its parent, its index in `Pieces`."""

    after: int
    parent: int
    piece: int


class _BlockBuilder:
    def __init__(self, page: Outline, body: FoundBody, base: str, title: str | None) -> None:
        self._page = page
        self._body = body
        self._base = base
        self._title = words.tokens(title or "")
        self._block_count = 0
        self._result = BodyBlocks()
        self._open: list[_OpenElement] = []
        self._link: int | None = None
        self._muted: int | None = None
        self._emphasis: Counter[EmphasisKind] = Counter()
        self._numbers: dict[int, int] = {}
        self._parts: list[tuple[str, Marks]] = []
        self._pieces: list[int] = []
        self._is_blank = True
        self._breaks = 0
        self._captions = illustrations.captions_of(page)
        self._posts = page.flat.values("data-href")
        self._addresses: set[str] = set()
        self._parents_with_image: set[Node | None] = set()
        self._next_text = page.text_starts[body.container]
        self._sizes: Counter[int] = Counter()

    def run(self) -> BodyBlocks:
        page, pieces = self._page, self._page.flat.pieces
        first = index = self._body.container
        end = page.ends[first]
        inside = page.flat.numbers[first:end]
        limits = page.document.ends[inside].tolist()
        numbers = [*inside.tolist(), limits[0]]
        # `index` and `walked` refer to the outline; numbers, limits and texts refer to the whole
        # document, whose whitespace between elements separates words.
        start, stop = np.searchsorted(pieces.after, (numbers[0], numbers[-1])).tolist()
        afters, parents = (each[start:stop].tolist() for each in (pieces.after, pieces.parents))
        texts = deque(map(_Text, afters, parents, range(start, stop)))
        walked: list[int] = []  # open elements, the outermost first
        while index < end:
            while walked and walked[-1] != page.parents[index]:
                self._leave(walked.pop())
            if self._enter(index):
                walked.append(index)
                index += 1
            else:
                # The element is left out, with all texts inside it.
                number, limit = numbers[index - first], limits[index - first]
                while texts and texts[0].parent >= number and texts[0].after < limit:
                    texts.popleft()
                self._next_text = page.text_ends[index]
                index = page.ends[index]
            while texts and texts[0].after < numbers[index - first]:
                text = texts.popleft()
                while walked and numbers[walked[-1] - first] != text.parent:
                    self._leave(walked.pop())
                if walked:
                    self._text(text.piece)
        while walked:
            self._leave(walked.pop())
        self._flush()
        return self._result

    def _enter(self, index: int) -> bool:
        """Open an element; return False to skip its contents."""
        tag = self._page.tags[index]
        if tag == "li":
            self._count_item(index)
        if index in self._body.dropped:
            self._flush()
            return False
        if self._page.is_silent[index] or media.is_image(tag):
            self._show(self._page.node(index))
            return False
        if tag == "br":
            self._break()
            return False
        if self._page.is_inline[index]:
            if self._link is None and self._page.links[index] == index:
                self._link = index
            if tag in _EMPHASIS:
                self._emphasis[_EMPHASIS[tag]] += 1
            self._mute(index)
            return True
        if tag == "span" and self._type() == "code":
            # A style makes each line of the code a block.
            self._end_line()
            return True
        self._flush()
        self._mute(index)
        if index == self._body.container:
            return True
        if tag == "table" and self._muted is None and self._data_table(index):
            return False
        if index in self._posts or (tag == "blockquote" and self._type() != "quote"):
            self._embed(self._page.node(index))
        self._open_block(index, tag)
        return True

    def _mute(self, index: int) -> None:
        if index in self._body.muted and self._muted is None:
            self._muted = index

    def _leave(self, index: int) -> None:
        if index == self._link:
            self._link = None
        tag = self._page.tags[index]
        if tag == "span" and self._type() == "code":
            if not self._page.is_inline[index]:
                self._end_line()
        elif not self._page.is_inline[index]:
            self._flush()
        elif tag in _EMPHASIS:
            self._emphasis[_EMPHASIS[tag]] -= 1
        if index == self._muted:
            self._muted = None
        if self._open and self._open[-1].element == index:
            self._open.pop()

    def _open_block(self, index: int, tag: str) -> None:
        page, caption = self._page, None
        is_caption = bool(self._captions[index])
        kind: BlockType | None = _TYPES.get(tag) or ("caption" if is_caption else None)
        if is_caption or tag == "figure":
            caption = illustrations.caption_within(page, index, self._captions)
            caption = caption or (None if tag == "figure" else page.text_of(index) or None)
        if kind or caption:
            opened = _OpenElement(index, kind, caption)
            if kind == "heading":
                opened.level = int(tag[1])
            elif kind == "list_item":
                items = (each for each in reversed(self._open) if each.type == "list_item")
                around, parent = next(items, None), page.parents[index]
                opened.level = 1 + (around.level or 0 if around is not None else 0)
                is_numbered = tag == "li" and parent in self._numbers
                opened.marker = f"{self._numbers[parent]}." if is_numbered else "-"
            self._open.append(opened)

    def _count_item(self, index: int) -> None:
        """Count an item of an ordered list, whether or not the item is displayed."""
        around = self._page.parents[index]
        if around < 0 or self._page.tags[around] != "ol":
            return
        number = _integer(self._page.node(index).get("value"))
        if number is None and around in self._numbers:
            number = self._numbers[around] + 1
        elif number is None:
            number = _integer(self._page.node(around).get("start"))
        self._numbers[around] = 1 if number is None else number

    def _type(self) -> BlockType | None:
        """Return the type of the nearest enclosing element that has one."""
        return next((each.type for each in reversed(self._open) if each.type), None)

    def _break(self) -> None:
        self._breaks += 1
        if self._breaks == 2:
            self._flush()
        else:
            self._parts.append(("\n", ()))

    def _end_line(self) -> None:
        if self._parts and not self._parts[-1][0].endswith("\n"):
            self._parts.append(("\n", ()))

    def _text(self, piece: int) -> None:
        text = self._page.flat.pieces.texts[piece]
        if not text.isspace():
            line = self._page.texts[self._next_text].line
            self._next_text += 1
            is_other = self._body.lines is not None and line not in self._body.lines
            if is_other or self._muted is not None:
                return
            self._breaks = 0
            self._is_blank = False
            self._pieces.append(piece)
            self._sizes[line] += len(text)
        if self._muted is None:
            text = text if self._type() == "code" else unbroken(text)
            link: Marks = () if self._link is None else (self._link,)
            marks = (*link, *(kind for kind in _KINDS if self._emphasis[kind] > 0))
            self._parts.append((text, marks))

    def _flush(self) -> None:
        self._breaks = 0
        if not self._parts:
            return
        parts, is_blank, pieces = self._parts, self._is_blank, self._pieces
        sizes = self._sizes
        self._parts, self._pieces, self._sizes = [], [], Counter()
        self._is_blank = True
        if not is_blank:
            self._add_text(parts, pieces, sizes)
        # Media may have been placed after a block that turned out to be empty.
        found, blocks = self._result.media, len(self._result.blocks)
        for place in range(len(found) - 1, -1, -1):
            if (found[place].block or 0) <= blocks:
                return
            found[place] = replace(found[place], block=blocks)

    def _add_text(
        self, parts: Sequence[tuple[str, Marks]], pieces: Sequence[int], sizes: Mapping[int, int]
    ) -> None:
        """Add a block of text, unless it would contain no letter or digit."""
        typed = next((each for each in reversed(self._open) if each.type), None)
        kind: BlockType = (typed.type if typed is not None else None) or "paragraph"
        spans: Sequence[Span] = ()
        if kind == "code":
            text = words.clean_verbatim("".join(text for text, _ in parts))
        elif any(marks for _, marks in parts):
            text, spans = inline_text(parts)
        else:
            lines = "".join(text for text, _ in parts).split("\n")
            text = "\n".join(filter(None, map(words.clean, lines)))
        if not any(character.isalnum() for character in text):
            return
        level = marker = language = None
        if kind == "code" and typed is not None:
            language = self._code_language(typed.element)
        elif typed is not None:
            level = typed.level
            # Only the first block of a list item has the marker.
            marker, typed.marker = typed.marker, None
        self._add(kind, text, spans, sizes, pieces, level, marker, language)

    def _add(
        self,
        kind: BlockType,
        text: str,
        spans: Iterable[Span],
        sizes: Mapping[int, int],
        pieces: Iterable[int],
        level: int | None = None,
        marker: str | None = None,
        language: str | None = None,
    ) -> None:
        """Add a block, unless it is one of the first and repeats the title."""
        blocks = self._result.blocks
        self._block_count += 1
        if self._block_count <= MAX_BLOCKS_BEFORE_TITLE and words.tokens(text) == self._title:
            return
        start = blocks[-1].end + 2 if blocks else 0
        links: list[ArticleLink] = []
        emphasis: list[ArticleEmphasis] = []
        for begin, end, mark in spans:
            if not isinstance(mark, int):
                emphasis.append(ArticleEmphasis(start + begin, start + end, mark))
            elif (url := absolute(self._page.node(mark).get("href"), self._base)) is not None:
                links.append(ArticleLink(start + begin, start + end, url))
        role, probability = self._role_of(sizes) or (None, None)
        blocks.append(
            ArticleBlock(
                kind,
                text,
                start,
                start + len(text),
                role,
                probability,
                level,
                marker,
                tuple(links),
                tuple(emphasis),
                language,
                pieces=tuple(pieces),
            )
        )

    def _code_language(self, index: int) -> str | None:
        """Return the language named by a code block, its first child or its enclosing elements."""
        page = self._page
        around = page.parents[index]
        below = index + 1 if index + 1 < page.ends[index] else index
        for place in (index, below, around, page.parents[around] if around >= 0 else -1):
            if place < 0:
                continue
            node = page.node(place)
            declared = next(filter(None, map(node.get, _CODE_ATTRIBUTES)), None)
            if declared and re.fullmatch(r"[\w+#.-]{1,30}", declared):
                return declared.lower()
            named = _CODE_LANGUAGE.search((node.get("class") or "")[:MAX_CLASS_CHARACTERS])
            if named:
                return named[1].lower()
        return None

    def _role_of(self, sizes: Mapping[int, int]) -> FoundRole | None:
        """Return the most probable role of the given lines, weighted by size."""
        weights: dict[LineRole, float] = {}
        for line, size in sizes.items():
            found = self._body.roles.get(line)
            if found is not None:
                weights[found.role] = weights.get(found.role, 0.0) + found.probability * size
        if not weights:
            return None
        role = max(weights, key=weights.__getitem__)
        share = weights[role] / max(1, sum(sizes.values()))
        return FoundRole(role, round(share, PROBABILITY_DIGITS))

    def _data_table(self, index: int) -> bool:
        """Add a data table as a block; return False if the table is used for layout."""
        page, body = self._page, self._body
        texts = page.texts[page.text_starts[index] : page.text_ends[index]]
        if body.lines is not None and any(text.line not in body.lines for text in texts):
            return False
        rows: list[list[int]] = []
        for below in range(index + 1, page.ends[index]):
            tag = page.tags[below]
            if tag in _LAYOUT:
                return False
            if tag in _IN_ROWS:
                if page.size(below) > MAX_CELL_TOKENS or not rows:
                    return False
                rows[-1].append(below)
            elif tag == "tr":
                rows.append([])
        if len(rows) < 2 or max(map(len, rows)) < 2:
            return False
        for below in range(index, page.ends[index]):
            if media.is_image(page.tags[below]):
                self._show(page.node(below))
        cells = [[self._cell(cell) for cell in row] for row in rows]
        shown = [row for row in cells if any(text for text, _ in row)]
        if not shown:
            return False
        text = "\n".join("\t".join(text for text, _ in row) for row in shown)
        spans: list[Span] = []
        start = 0
        for cell, cell_spans in chain.from_iterable(shown):
            spans += (Span(start + begin, start + end, mark) for begin, end, mark in cell_spans)
            start += len(cell) + 1
        sizes = Counter({text.line: text.size for text in texts})
        number = int(page.flat.numbers[index])
        within = (number, page.document.ends[number])
        first, last = np.searchsorted(page.flat.pieces.after, within).tolist()
        inside = page.flat.pieces.parents[first:last] >= number
        self._add("table", text, spans, sizes, (np.flatnonzero(inside) + first).tolist())
        return True

    def _cell(self, index: int) -> tuple[str, Sequence[Span]]:
        """Return the text of a cell, on one line, and its links."""
        page = self._page
        pieces: list[tuple[str, Marks]] = []
        line = -1
        for node in page.texts[page.text_starts[index] : page.text_ends[index]]:
            link = page.links[node.parent]
            text = unbroken(node.text)
            pieces.append((text if node.line == line else f" {text}", () if link < 0 else (link,)))
            line = node.line
        return inline_text(pieces)

    def _show(self, element: Node) -> None:
        if self._muted is not None and self._link is not None:
            # A picture linked to another page illustrates that page.
            elsewhere = not media.is_image_address(self._page.node(self._link).get("href"))
            if elsewhere:
                return
        muted = None if element.tag == "audio" else self._muted
        if muted is not None and illustrations.is_teaser(self._page, muted):
            return
        if media.is_image(str(element.tag)):
            self._image(element, element.getparent())
        elif element.tag in media.EMBEDS:
            self._embed(element)
        elif element.tag == "noscript" and element.getparent() not in self._parents_with_image:
            for image in element.iter("img"):
                self._image(image, element.getparent())

    def _image(self, element: Node, parent: Node | None) -> None:
        caption = next((open_.caption for open_ in reversed(self._open) if open_.caption), None)
        image = media.image_of(element, self._base, caption)
        if image is not None:
            self._parents_with_image.add(parent)
        self._place(image)

    def _embed(self, element: Node) -> None:
        self._place(media.embed_of(element, self._base))

    def _place(self, medium: ArticleImage | ArticleEmbed | None) -> None:
        """Add an image or embed before the next block."""
        if medium is not None and medium.url not in self._addresses:
            self._addresses.add(medium.url)
            block = len(self._result.blocks) + (0 if self._is_blank else 1)
            self._result.media.append(replace(medium, block=block))


def _integer(text: str | None) -> int | None:
    """Parse the number of a list item."""
    digits = (text or "").strip()
    if not (digits.isascii() and digits.isdigit()) or len(digits) > len(str(MAX_ITEM_NUMBER)):
        return None
    return min(int(digits), MAX_ITEM_NUMBER)

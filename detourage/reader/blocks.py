"""Division of a body into blocks of text, images and embeds."""

import re
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
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
from detourage.html.nodes import Node
from detourage.html.text import HEADINGS
from detourage.html.urls import absolute
from detourage.reader import illustrations, media
from detourage.reader.finding import FoundBody, FoundRole
from detourage.reader.outline import Outline, list_of
from detourage.roles import LineRole
from detourage.text import words

Mark = int | EmphasisKind
Marks = tuple[Mark, ...]
"""Formatting of a piece of text: the index of the link around it, and kinds of emphasis."""

_Part = tuple[str, Marks]


class Span(NamedTuple):
    """A uniformly formatted range of a text; `mark` is a link index or a kind of emphasis."""

    start: int
    end: int
    mark: Mark


def with_breaks_as_spaces(text: str) -> str:
    """Replace line breaks by spaces or, between CJK characters, remove them, as browsers do."""
    if "\n" not in text:
        return text
    if not text.isascii():
        text = _BREAK_IN_CJK.sub("", text)
    return text.replace("\n", " ")


def inline_text(pieces: Iterable[_Part]) -> tuple[str, list[Span]]:
    """Join pieces of formatted text, without superfluous whitespace, and return the spans in it."""
    parts: list[str] = []
    spans: list[Span] = []
    starts: dict[Mark, int] = {}
    length, gap = 0, ""
    for piece, marks in pieces:
        for number, line in enumerate(piece.split("\n")):
            if number:
                gap = "\n"
            visible = words.visible(line)
            text = " ".join(visible.split())
            if not text:
                gap = gap or (" " if visible else "")
                continue
            if visible[0].isspace():
                gap = gap or " "
            ended = [mark for mark in starts if mark not in marks]
            spans += [Span(starts.pop(mark), length, mark) for mark in ended]
            if length:
                parts.append(gap)
                length += len(gap)
            for mark in marks:
                starts.setdefault(mark, length)
            parts.append(text)
            length += len(text)
            gap = " " if visible[-1].isspace() else ""
    spans += (Span(start, length, mark) for mark, start in starts.items())
    return "".join(parts), sorted(spans, key=lambda span: span[:2])


_CJK = "\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
_BREAK_IN_CJK = re.compile(rf"(?<=[{_CJK}])[ \t\r]{{0,200}}\n[ \t\r\n]{{0,200}}(?=[{_CJK}])")

MAX_CELL_TOKENS = 40  # tokens in a cell of a data table; tables with longer cells are layout
MAX_BLOCKS_TO_TITLE = 3  # blocks at the start, of which one that repeats the headline is left out
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
"""Elements whose presence shows that a table is used for layout."""

_CELLS = frozenset({"td", "th"})
_EMPHASIS: Mapping[str, EmphasisKind] = {
    **dict.fromkeys(("b", "strong"), "bold"),
    **dict.fromkeys(("em", "i"), "italic"),
}
_EMPHASIS_KINDS: Sequence[EmphasisKind] = ("bold", "italic")

_CODE_LANGUAGE = re.compile(  # "language-python", "highlight-source-shell" or "brush: js"
    r"(?:^|\s)(?:(?:highlight-source|highlight|language|lang)-|brush:\s?)"
    r"(?!default\b|none\b)([a-z][\w+#.]{0,20})(?![\w+#.])",
    re.IGNORECASE,
)
_CODE_ATTRIBUTES = ("data-lang", "data-language")
MAX_CLASS_CHARACTERS = 200  # length of a class attribute that is searched for the language of code
MAX_ITEM_NUMBER = 1_000_000  # number in a list item's marker, to which larger numbers are reduced


@dataclass
class BodyBlocks:
    """The blocks of text and the images and embeds of a body, in document order."""

    blocks: list[ArticleBlock] = field(default_factory=list)
    media: list[ArticleImage | ArticleEmbed] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text, with a blank line between blocks."""
        return "\n\n".join(block.text for block in self.blocks)


def blocks_of(page: Outline, body: FoundBody, base: str, title: str | None = None) -> BodyBlocks:
    """Divide a body into blocks; relative URLs are resolved against `base`.

    A block ends at the border of a block element or at two line breaks (``br``), but not at a
    single one. Its type is that of the nearest enclosing element that has a type. A table of short
    cells is one block, with a line per row and tabs between cells; any other table is treated as
    layout. A block that repeats the `title` is left out if it is one of the first.
    """
    return _BlockBuilder(page, body, base, title).run()


@dataclass
class _OpenElement:
    """An element whose descendants are being read, and its effect on the text inside it."""

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
    """Walk through the elements and texts of a body that collects its blocks and media."""

    def __init__(self, page: Outline, body: FoundBody, base: str, title: str | None) -> None:
        self._page = page
        self._body = body
        self._base = base
        self._title = words.tokens(title or "")
        self._result = BodyBlocks()
        self._block_count = 0  # including one that repeats the title
        # Where the walk through the elements is.
        self._open: list[_OpenElement] = []
        self._link: int | None = None
        self._muted: int | None = None
        self._emphasis: Counter[EmphasisKind] = Counter()
        self._item_numbers: dict[int, int] = {}  # of the last item, by ordered list
        self._next_text = page.text_starts[body.container]
        # The block that is being read: its text, text nodes and numbers of characters by line.
        self._parts: list[_Part] = []
        self._pieces: list[int] = []
        self._line_sizes: Counter[int] = Counter()
        self._breaks = 0  # consecutive ``br`` elements at its end
        self._captions = illustrations.captions_of(page)
        self._posts = page.flat.values("data-href")
        self._media_urls: set[str] = set()
        self._parents_with_image: set[Node | None] = set()

    def run(self) -> BodyBlocks:
        """Visit the elements and texts of the body in document order, and return its parts."""
        page, pieces = self._page, self._page.flat.pieces
        first = index = self._body.container
        end = page.ends[first]
        inside = page.flat.numbers[first:end]
        # `index` and `walked` refer to the outline; `numbers`, `ends` and `texts` refer to the
        # whole document, whose whitespace between elements separates words.
        ends = page.document.ends[inside].tolist()
        numbers = [*inside.tolist(), ends[0]]
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
                left_out, left_out_end = numbers[index - first], ends[index - first]
                while texts and texts[0].parent >= left_out and texts[0].after < left_out_end:
                    texts.popleft()
                self._next_text = page.text_ends[index]
                index = page.ends[index]
            while texts and texts[0].after < numbers[index - first]:
                text = texts.popleft()
                while walked and numbers[walked[-1] - first] != text.parent:
                    self._leave(walked.pop())
                if walked:
                    self._add_piece(text.piece)
        while walked:
            self._leave(walked.pop())
        self._end_block()
        return self._result

    def _enter(self, index: int) -> bool:
        """Open an element; return False to skip its contents."""
        tag = self._page.tags[index]
        if tag == "li":
            self._count_item(index)
        if index in self._body.dropped:
            self._end_block()
            return False
        if self._page.is_silent[index] or media.is_image(tag):
            self._add_media(index)
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
        self._end_block()
        self._mute(index)
        if index == self._body.container:
            return True
        if tag == "table" and self._muted is None and self._add_data_table(index):
            return False
        if index in self._posts or (tag == "blockquote" and self._type() != "quote"):
            self._place(media.embed_of(self._page.node(index), self._base))
        self._open_block(index, tag)
        return True

    def _mute(self, index: int) -> None:
        """Leave out the text of an element until it ends, if it is a muted one."""
        if index in self._body.muted and self._muted is None:
            self._muted = index

    def _leave(self, index: int) -> None:
        """Close an element after its contents."""
        if index == self._link:
            self._link = None
        tag = self._page.tags[index]
        if tag == "span" and self._type() == "code":
            if not self._page.is_inline[index]:
                self._end_line()
        elif not self._page.is_inline[index]:
            self._end_block()
        elif tag in _EMPHASIS:
            self._emphasis[_EMPHASIS[tag]] -= 1
        if index == self._muted:
            self._muted = None
        if self._open and self._open[-1].element == index:
            self._open.pop()

    def _open_block(self, index: int, tag: str) -> None:
        """Open a block element if it has a type or a caption."""
        page, caption = self._page, None
        is_caption = bool(self._captions[index])
        kind: BlockType | None = _TYPES.get(tag) or ("caption" if is_caption else None)
        if is_caption or tag == "figure":
            caption = illustrations.caption_within(page, index, self._captions)
            if caption is None and tag != "figure":
                caption = page.text_of(index) or None
        if kind or caption:
            opened = _OpenElement(index, kind, caption)
            if kind == "heading":
                opened.level = int(tag[1])
            elif kind == "list_item":
                items = (each for each in reversed(self._open) if each.type == "list_item")
                outer_level = next((item.level for item in items), None) or 0
                opened.level, parent = outer_level + 1, page.parents[index]
                is_numbered = tag == "li" and parent in self._item_numbers
                opened.marker = f"{self._item_numbers[parent]}." if is_numbered else "-"
            self._open.append(opened)

    def _count_item(self, index: int) -> None:
        """Count an item of an ordered list, whether or not the item is displayed."""
        parent = self._page.parents[index]
        if parent < 0 or self._page.tags[parent] != "ol":
            return
        number = _integer(self._page.node(index).get("value"))
        if number is None and parent in self._item_numbers:
            number = self._item_numbers[parent] + 1
        elif number is None:
            number = _integer(self._page.node(parent).get("start"))
        self._item_numbers[parent] = 1 if number is None else number

    def _type(self) -> BlockType | None:
        """Return the type of the nearest enclosing element that has one."""
        return next((each.type for each in reversed(self._open) if each.type), None)

    def _break(self) -> None:
        """Add a line break, or end the block at the second one."""
        self._breaks += 1
        if self._breaks == 2:
            self._end_block()
        else:
            self._parts.append(("\n", ()))

    def _end_line(self) -> None:
        if self._parts and not self._parts[-1][0].endswith("\n"):
            self._parts.append(("\n", ()))

    def _add_piece(self, piece: int) -> None:
        """Add a text node to the current block if it belongs to the body."""
        text = self._page.flat.pieces.texts[piece]
        if not text.isspace():
            _, line, _, size = self._page.texts[self._next_text]
            self._next_text += 1
            is_other = self._body.lines is not None and line not in self._body.lines
            # A mark after a picture or a formula is a line without words.
            if (is_other and (size or not self._pieces)) or self._muted is not None:
                return
            self._breaks = 0
            self._pieces.append(piece)
            self._line_sizes[line] += len(text)
        if self._muted is None or text.isspace():
            text = text if self._type() == "code" else with_breaks_as_spaces(text)
            link: Marks = () if self._link is None else (self._link,)
            marks = (*link, *(kind for kind in _EMPHASIS_KINDS if self._emphasis[kind] > 0))
            self._parts.append((text, marks))

    @cached_property
    def _visual(self) -> list[int]:
        """Elements that only sighted readers perceive, such as a formula as it is drawn."""
        return [each for each in self._page.flat.values("aria-hidden") if self._page.size(each)]

    def _add_formula(self, index: int) -> None:
        """Add a formula, in TeX if the page has it, unless the page also shows it as text."""
        page, around = self._page, self._page.parents[self._page.parents[index]]
        start, end = (bisect_left(self._visual, each) for each in (around, page.ends[around]))
        is_muted = self._muted is not None and page.size(self._muted)
        if is_muted or (page.is_inline[around] and start < end):
            return
        math = page.node(index)
        notes = {each.get("encoding"): each for each in math.iter("annotation")}
        for piece in self._pieces_within(notes.get("application/x-tex", math)):
            text = page.flat.pieces.texts[piece]
            self._parts.append((with_breaks_as_spaces(text), ()))
            self._pieces += () if text.isspace() else (piece,)

    def _pieces_within(self, element: Node) -> list[int]:
        """Return the text nodes below an element."""
        pieces, number = self._page.flat.pieces, element.index
        first, last = np.searchsorted(pieces.after, (number, self._page.document.ends[number]))
        return list_of(np.flatnonzero(pieces.parents[first:last] >= number) + first)

    def _end_block(self) -> None:
        """Add the current block, if it has text, and begin the next one."""
        self._breaks = 0
        if not self._parts:
            return
        parts, pieces, line_sizes = self._parts, self._pieces, self._line_sizes
        self._parts, self._pieces, self._line_sizes = [], [], Counter()
        if pieces:
            self._add_text(parts, pieces, line_sizes)
        # Media may have been placed after a block that turned out to be empty.
        placed, blocks = self._result.media, len(self._result.blocks)
        for place in range(len(placed) - 1, -1, -1):
            if (placed[place].block or 0) <= blocks:
                return
            placed[place] = replace(placed[place], block=blocks)

    def _add_text(
        self, parts: Sequence[_Part], pieces: Sequence[int], line_sizes: Mapping[int, int]
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
        self._add(kind, text, spans, line_sizes, pieces, level, marker, language)

    def _add(
        self,
        kind: BlockType,
        text: str,
        spans: Iterable[Span],
        line_sizes: Mapping[int, int],
        pieces: Iterable[int],
        level: int | None = None,
        marker: str | None = None,
        language: str | None = None,
    ) -> None:
        """Add a block, unless it is one of the first and repeats the title."""
        blocks = self._result.blocks
        self._block_count += 1
        if self._block_count <= MAX_BLOCKS_TO_TITLE and words.tokens(text) == self._title:
            return
        start = blocks[-1].end + 2 if blocks else 0
        links: list[ArticleLink] = []
        emphasis: list[ArticleEmphasis] = []
        for begin, end, mark in spans:
            if not isinstance(mark, int):
                emphasis.append(ArticleEmphasis(start + begin, start + end, mark))
            elif (url := absolute(self._page.node(mark).get("href"), self._base)) is not None:
                links.append(ArticleLink(start + begin, start + end, url))
        role, probability = self._role_of(line_sizes) or (None, None)
        labels = role, probability, level, marker
        formatting = tuple(links), tuple(emphasis), language
        place = kind, text, start, start + len(text)
        blocks.append(ArticleBlock(*place, *labels, *formatting, pieces=tuple(pieces)))

    def _code_language(self, index: int) -> str | None:
        """Return the language named by a code block, its first child, parent or grandparent."""
        page = self._page
        parent = page.parents[index]
        child = index + 1 if index + 1 < page.ends[index] else index
        for element in (index, child, parent, page.parents[parent] if parent >= 0 else -1):
            if element < 0:
                continue
            node = page.node(element)
            declared = next(filter(None, map(node.get, _CODE_ATTRIBUTES)), None)
            if declared and re.fullmatch(r"[\w+#.-]{1,30}", declared):
                return declared.lower()
            named = _CODE_LANGUAGE.search((node.get("class") or "")[:MAX_CLASS_CHARACTERS])
            if named:
                return named[1].lower()
        return None

    def _role_of(self, line_sizes: Mapping[int, int]) -> FoundRole | None:
        """Return the most probable role of the given lines, weighted by size."""
        weights: dict[LineRole, float] = {}
        for line, size in line_sizes.items():
            found = self._body.roles.get(line)
            if found is not None:
                weights[found.role] = weights.get(found.role, 0.0) + found.probability * size
        if not weights:
            return None
        role = max(weights, key=weights.__getitem__)
        mean_probability = weights[role] / max(1, sum(line_sizes.values()))
        return FoundRole(role, round(mean_probability, PROBABILITY_DIGITS))

    def _add_data_table(self, index: int) -> bool:
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
            if tag in _CELLS:
                if page.size(below) > MAX_CELL_TOKENS or not rows:
                    return False
                rows[-1].append(below)
            elif tag == "tr":
                rows.append([])
        if len(rows) < 2 or max(map(len, rows)) < 2:
            return False
        for below in range(index, page.ends[index]):
            if media.is_image(page.tags[below]):
                self._add_media(below)
        cells = [[self._cell(cell) for cell in row] for row in rows]
        rows_with_text = [row for row in cells if any(text for text, _ in row)]
        if not rows_with_text:
            return False
        text = "\n".join("\t".join(text for text, _ in row) for row in rows_with_text)
        spans: list[Span] = []
        start = 0
        for cell, cell_spans in chain.from_iterable(rows_with_text):
            spans += (Span(start + begin, start + end, mark) for begin, end, mark in cell_spans)
            start += len(cell) + 1
        line_sizes = Counter({text.line: text.size for text in texts})
        self._add("table", text, spans, line_sizes, self._pieces_within(page.node(index)))
        return True

    def _cell(self, index: int) -> tuple[str, Sequence[Span]]:
        """Return the text of a cell, on one line, and its links."""
        page = self._page
        pieces: list[_Part] = []
        previous_line = -1
        for node in page.texts[page.text_starts[index] : page.text_ends[index]]:
            link = page.links[node.parent]
            gap = "" if node.line == previous_line else " "
            pieces.append((gap + with_breaks_as_spaces(node.text), () if link < 0 else (link,)))
            previous_line = node.line
        return inline_text(pieces)

    def _add_media(self, index: int) -> None:
        """Add a formula, or an image or embed unless it belongs to a teaser of another page."""
        element = self._page.node(index)
        if element.tag == "math":
            self._add_formula(index)
        link = self._page.node(self._link).get("href") if self._link is not None else None
        if self._muted is not None and self._link is not None and not media.is_image_url(link):
            # A picture linked to another page illustrates that page.
            return
        muted = None if element.tag == "audio" else self._muted
        if muted is not None and illustrations.is_teaser(self._page, muted):
            return
        if media.is_image(str(element.tag)):
            self._add_image(element, element.getparent())
        elif element.tag in media.EMBEDS:
            self._place(media.embed_of(element, self._base))
        elif element.tag == "noscript" and element.getparent() not in self._parents_with_image:
            for image in element.iter("img"):
                self._add_image(image, element.getparent())

    def _add_image(self, element: Node, parent: Node | None) -> None:
        caption = next((open_.caption for open_ in reversed(self._open) if open_.caption), None)
        image = media.image_of(element, self._base, caption)
        if image is not None:
            self._parents_with_image.add(parent)
        self._place(image)

    def _place(self, medium: ArticleImage | ArticleEmbed | None) -> None:
        """Add an image or embed before the next block, unless its URL is already present."""
        if medium is not None and medium.url not in self._media_urls:
            self._media_urls.add(medium.url)
            block = len(self._result.blocks) + (1 if self._pieces else 0)
            self._result.media.append(replace(medium, block=block))


def _integer(text: str | None) -> int | None:
    """Parse the ``value`` or ``start`` of a list item; None if it is not a natural number."""
    digits = (text or "").strip()
    if not (digits.isascii() and digits.isdigit()) or len(digits) > len(str(MAX_ITEM_NUMBER)):
        return None
    return min(int(digits), MAX_ITEM_NUMBER)

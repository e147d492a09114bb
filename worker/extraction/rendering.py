"""The body that a method found, as blocks of text, images and embeds."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from models.roles import LineRole
from worker.extraction import illustrations, media
from worker.extraction.finding import Finding, FoundRole
from worker.extraction.outline import Outline
from worker.extraction.result import ArticleBlock, ArticleEmbed, ArticleImage, BlockType
from worker.language import words
from worker.pages.elements import DIVISIONS, HEADINGS, NO_TEXT, WITHIN_SENTENCES
from worker.pages.nodes import Node

MAX_CELL_TOKENS = 40
"""A table with a longer cell lays out a page; it does not tabulate data."""

MAX_BLOCKS_BEFORE_TITLE = 3
"""The headline is repeated, if at all, among the first blocks: a section, a date, then it."""

PROBABILITY_DIGITS = 3
"""Digits of the probability of a role that are told."""

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
_LAYOUT = (DIVISIONS - {"center", "caption"}) | {
    "table",
    "div",
    "section",
    "article",
    "form",
    "img",
    "iframe",
}
_IN_ROWS = frozenset({"td", "th"})


@dataclass
class Stretch:
    """A block before its place in the text is known."""

    type: BlockType
    text: str
    role: FoundRole | None = None


@dataclass
class Rendering:
    """The parts of a body, in document order.

    Attributes
    ----------
    stretches
        The blocks to be, none empty.
    images, embeds
        What it shows beside text, each address once.
    """

    stretches: list[Stretch] = field(default_factory=list)
    images: list[ArticleImage] = field(default_factory=list)
    embeds: list[ArticleEmbed] = field(default_factory=list)

    def lead_with(self, images: Iterable[ArticleImage]) -> None:
        """Put images that the body does not show before those that it shows."""
        shown = {each.url for each in self.images}
        others = {each.url: each for each in images if each.url not in shown}
        self.images[:0] = others.values()

    def to_blocks(self) -> tuple[str, tuple[ArticleBlock, ...]]:
        """Return the text, paragraphs parted by a blank line, and its blocks."""
        blocks: list[ArticleBlock] = []
        start = 0
        for stretch in self.stretches:
            end = start + len(stretch.text)
            role, probability = stretch.role or (None, None)
            blocks.append(ArticleBlock(stretch.type, stretch.text, start, end, role, probability))
            start = end + 2
        return "\n\n".join(stretch.text for stretch in self.stretches), tuple(blocks)


def render(page: Outline, finding: Finding, base: str) -> Rendering:
    """Render a body.

    A block of text is what stands between two borders of block elements or two line breaks; one
    line break parts lines within it. It has the type of the nearest element around it that
    gives one. A table of short cells is one block, a line for a row and a tab between cells; any
    other table is a layout, and its cells are elements like others.

    Parameters
    ----------
    page
        The page.
    finding
        The body.
    base
        Address that relative addresses start from.
    """
    return _Renderer(page, finding, base).run()


@dataclass
class _Open:
    """An element that is being walked, with what it means for the text below it."""

    element: int
    type: BlockType | None = None
    caption: str | None = None


class _Renderer:
    def __init__(self, page: Outline, finding: Finding, base: str) -> None:
        self._page = page
        self._finding = finding
        self._base = base
        self._rendering = Rendering()
        self._open: list[_Open] = []
        self._link: int | None = None
        self._muted: int | None = None
        self._parts: list[str] = []
        self._is_blank = True
        self._breaks = 0
        self._captions = illustrations.named_captions(page)
        self._addresses: set[str] = set()
        self._with_image: set[Node | None] = set()
        self._next_text = page.text_starts[finding.container]
        self._sizes: Counter[int] = Counter()

    def run(self) -> Rendering:
        page, pieces = self._page, self._page.flat.pieces
        first = index = self._finding.container
        end = page.ends[first]
        inside = page.flat.numbers[first:end]
        limits = page.document.ends[inside].tolist()
        numbers = [*inside.tolist(), limits[0]]
        # White space between elements, which the outline does not list, parts words here.
        start, stop = np.searchsorted(pieces.after, (numbers[0], numbers[-1])).tolist()
        texts = deque(
            zip(
                pieces.after[start:stop].tolist(),
                pieces.parents[start:stop].tolist(),
                pieces.texts[start:stop],
                strict=True,
            )
        )
        walked: list[int] = []
        while index < end:
            while walked and walked[-1] != page.parents[index]:
                self._leave(walked.pop())
            if self._enter(index):
                walked.append(index)
                index += 1
            else:
                number, limit = numbers[index - first], limits[index - first]
                while texts and texts[0][1] >= number and texts[0][0] < limit:
                    texts.popleft()
                self._next_text = page.text_ends[index]
                index = page.ends[index]
            while texts and texts[0][0] < numbers[index - first]:
                _, parent, text = texts.popleft()
                while walked and numbers[walked[-1] - first] != parent:
                    self._leave(walked.pop())
                if walked:
                    self._text(text)
        while walked:
            self._leave(walked.pop())
        self._flush()
        return self._rendering

    def _enter(self, index: int) -> bool:
        """Open an element; False where what it holds is not to be walked."""
        tag = self._page.tags[index]
        if index in self._finding.dropped:
            self._flush()
            return False
        if tag in NO_TEXT or tag == "img":
            self._show(self._page.node(index))
            return False
        if tag == "br":
            self._break()
            return False
        if tag in WITHIN_SENTENCES:
            if self._link is None and self._page.links[index] == index:
                self._link = index
            self._mute(index)
            return True
        self._flush()
        self._mute(index)
        if index == self._finding.container:
            return True
        if tag == "table" and self._muted is None:
            table = self._data_table(index)
            if table:
                texts = self._page.texts[
                    self._page.text_starts[index] : self._page.text_ends[index]
                ]
                sizes = Counter({text.line: text.size for text in texts})
                self._rendering.stretches.append(Stretch("table", table, self._role_of(sizes)))
                return False
        if tag == "blockquote" and self._type() != "quote":
            self._embed(self._page.node(index))
        self._describe(index, tag)
        return True

    def _mute(self, index: int) -> None:
        if index in self._finding.muted and self._muted is None:
            self._muted = index

    def _leave(self, index: int) -> None:
        if index == self._link:
            self._link = None
        if self._page.tags[index] not in WITHIN_SENTENCES:
            self._flush()
        if index == self._muted:
            self._muted = None
        if self._open and self._open[-1].element == index:
            self._open.pop()

    def _describe(self, index: int, tag: str) -> None:
        named = bool(self._captions[index])
        kind: BlockType | None = _TYPES.get(tag) or ("caption" if named else None)
        caption = self._caption_within(index) if named or tag == "figure" else None
        if kind or caption:
            self._open.append(_Open(index, kind, caption))

    def _caption_within(self, index: int) -> str | None:
        """Return the caption that a figure, or an element named for its caption, gives."""
        page = self._page
        caption = illustrations.caption_within(page, index, self._captions)
        return caption or (None if page.tags[index] == "figure" else page.text_of(index) or None)

    def _type(self) -> BlockType | None:
        return next((open_.type for open_ in reversed(self._open) if open_.type), None)

    def _break(self) -> None:
        self._breaks += 1
        if self._breaks == 2:
            self._flush()
        else:
            self._parts.append("\n")

    def _text(self, text: str | None) -> None:
        if not text:
            return
        is_blank = text.isspace()
        if self._is_shown(is_blank=is_blank) and self._muted is None:
            if not is_blank:
                self._breaks = 0
                self._is_blank = False
                self._sizes[self._page.texts[self._next_text - 1].line] += len(text)
            self._parts.append(text if self._type() == "code" else text.replace("\n", " "))

    def _is_shown(self, *, is_blank: bool) -> bool:
        """Say whether the next text belongs to the body; the outline lists none that is blank."""
        if is_blank:
            return True
        line = self._page.texts[self._next_text].line
        self._next_text += 1
        return self._finding.lines is None or line in self._finding.lines

    def _flush(self) -> None:
        self._breaks = 0
        if not self._parts:
            return
        text = "" if self._is_blank else "".join(self._parts)
        role = self._role_of(self._sizes)
        self._parts.clear()
        self._sizes.clear()
        self._is_blank = True
        if not text:
            return
        kind = self._type() or "paragraph"
        if kind == "code":
            text = words.clean_verbatim(text)
        else:
            lines = (words.clean(line) for line in text.split("\n"))
            text = "\n".join(line for line in lines if line)
        if any(character.isalnum() for character in text):
            self._rendering.stretches.append(Stretch(kind, text, role))

    def _role_of(self, sizes: Mapping[int, int]) -> FoundRole | None:
        """Return the likeliest role of some lines together, each weighed by its size."""
        weights: dict[LineRole, float] = {}
        for line, size in sizes.items():
            found = self._finding.roles.get(line)
            if found is not None:
                weights[found.role] = weights.get(found.role, 0.0) + found.probability * size
        if not weights:
            return None
        role = max(weights, key=weights.__getitem__)
        share = weights[role] / max(1, sum(sizes.values()))
        return FoundRole(role, round(share, PROBABILITY_DIGITS))

    def _data_table(self, index: int) -> str | None:
        """Return the rows of a table of data, None for a table that only lays out the page."""
        page, finding = self._page, self._finding
        texts = page.texts[page.text_starts[index] : page.text_ends[index]]
        if finding.lines is not None and any(text.line not in finding.lines for text in texts):
            return None
        rows: list[list[str]] = []
        for below in range(index + 1, page.ends[index]):
            tag = page.tags[below]
            if tag in _LAYOUT or below in finding.dropped or below in finding.muted:
                return None
            if tag in _IN_ROWS:
                if page.size(below) > MAX_CELL_TOKENS or not rows:
                    return None
                rows[-1].append(page.text_of(below))
            elif tag == "tr":
                rows.append([])
        if len(rows) < 2 or max(map(len, rows)) < 2:
            return None
        return "\n".join("\t".join(row) for row in rows if any(row)) or None

    def _show(self, element: Node) -> None:
        if self._muted is not None and self._link is not None:
            # A picture in a link to elsewhere illustrates that page, not this one.
            elsewhere = not media.is_image_address(self._page.node(self._link).get("href"))
            if elsewhere:
                return
        if self._muted is not None and illustrations.is_teaser(self._page, self._muted):
            return
        if element.tag == "img":
            self._image(element, element.getparent())
        elif element.tag in media.EMBEDS:
            self._embed(element)
        elif element.tag == "noscript" and element.getparent() not in self._with_image:
            for image in element.iter("img"):
                self._image(image, element.getparent())

    def _image(self, element: Node, parent: Node | None) -> None:
        caption = next((open_.caption for open_ in reversed(self._open) if open_.caption), None)
        image = media.image_of(element, self._base, caption)
        if image is None:
            return
        self._with_image.add(parent)
        if image.url not in self._addresses:
            self._addresses.add(image.url)
            self._rendering.images.append(image)

    def _embed(self, element: Node) -> None:
        embed = media.embed_of(element, self._base)
        if embed and embed.url not in self._addresses:
            self._addresses.add(embed.url)
            self._rendering.embeds.append(embed)


def without_title(stretches: list[Stretch], title: str | None) -> Iterator[Stretch]:
    """Leave out the headline where the body repeats it among its first blocks.

    Yields
    ------
    Stretch
        The others, in order.
    """
    same = words.tokens(title or "")
    for place, stretch in enumerate(stretches):
        if place >= MAX_BLOCKS_BEFORE_TITLE or words.tokens(stretch.text) != same:
            yield stretch

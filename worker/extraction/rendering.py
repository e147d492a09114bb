"""A container element as blocks of text, images and embeds."""

from collections.abc import Collection
from dataclasses import dataclass, field

from lxml import etree
from lxml.html import HtmlElement

from worker.extraction import media, words
from worker.extraction.names import name_words
from worker.extraction.result import Block, BlockType, Embed, Image
from worker.extraction.vocabulary import DIVISIONS, INLINE, NO_TEXT

_TYPES: dict[str, BlockType] = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "heading"),
    "li": "list_item",
    "dt": "list_item",
    "dd": "list_item",
    "blockquote": "quote",
    "figcaption": "caption",
    "caption": "caption",
    "pre": "code",
}
MAX_CAPTION_CHARACTERS = 600
"""An element whose class says caption holds one only up to this length."""

MAX_CELL_CHARACTERS = 200
"""A table with a longer cell lays out a page; it does not tabulate data."""

_NOT_IN_CELLS = (DIVISIONS | {"table", "div", "section", "article", "form", "img", "iframe"}) - {
    "center"
}


@dataclass
class Rendering:
    """The parts of a rendered container, in document order.

    Attributes
    ----------
    stretches
        Pairs (block type, text), no text empty.
    linked
        Characters of `stretches` that stand in links.
    images, embeds
        What it shows beside text, each address once.
    """

    stretches: list[tuple[BlockType, str]] = field(default_factory=list)
    images: list[Image] = field(default_factory=list)
    embeds: list[Embed] = field(default_factory=list)

    def to_blocks(self) -> tuple[str, tuple[Block, ...]]:
        """Return the text, paragraphs parted by a blank line, and its blocks."""
        blocks: list[Block] = []
        start = 0
        for kind, text in self.stretches:
            blocks.append(Block(kind, text, start, start + len(text)))
            start += len(text) + 2
        return "\n\n".join(text for _, text in self.stretches), tuple(blocks)


def render(
    container: HtmlElement,
    base: str,
    *,
    dropped: Collection[HtmlElement] = (),
    muted: Collection[HtmlElement] = (),
) -> Rendering:
    """Render an element.

    Parameters
    ----------
    container
        The element. It is read only.
    base
        Address that relative addresses start from.
    dropped
        Elements below it to leave out.
    muted
        Elements below it to leave out, save images and embeds that are no link to elsewhere.
    """
    return _Renderer(container, base, dropped, muted).run()


class _Renderer:
    def __init__(
        self,
        container: HtmlElement,
        base: str,
        dropped: Collection[HtmlElement],
        muted: Collection[HtmlElement],
    ) -> None:
        self._container = container
        self._base = base
        self._dropped = dropped
        self._muted = muted
        self._rendering = Rendering()
        self._parts: list[str] = []
        self._breaks = 0
        self._types: list[tuple[HtmlElement, BlockType]] = []
        self._addresses: set[str] = set()

    def run(self) -> Rendering:
        walk = etree.iterwalk(self._container, events=("start", "end", "comment", "pi"))
        skipped: HtmlElement | None = None
        for event, element in walk:
            if event == "start":
                if self._enter(element):
                    self._text(element.text)
                else:
                    skipped = element
                    walk.skip_subtree()
                continue
            if event == "end":
                if element is not skipped:
                    self._leave(element)
                skipped = None
            if element is not self._container:
                self._text(element.tail)
        self._flush()
        return self._rendering

    def _enter(self, element: HtmlElement) -> bool:
        """Open an element; False where what it holds is not to be walked."""
        tag = element.tag
        if tag in NO_TEXT or tag == "img":
            if element not in self._dropped:
                self._show(element)
            return False
        if element in self._dropped:
            self._flush()
            return False
        if element in self._muted:
            self._flush()
            self._show_unlinked(element)
            return False
        if tag == "br":
            self._breaks += 1
            if self._breaks == 2:
                self._flush()
            elif self._parts:
                self._parts.append("\n")
            return False
        if tag in INLINE:
            return True
        self._flush()
        if tag == "table" and element is not self._container:
            table = _data_table(element)
            if table is not None:
                self._rendering.stretches.append(("table", table))
                return False
        if tag == "blockquote":
            self._embed(element)
        kind = _TYPES.get(tag) or ("caption" if _is_caption(element) else None)
        if kind and element is not self._container:
            self._types.append((element, kind))
        return True

    def _leave(self, element: HtmlElement) -> None:
        if element.tag in INLINE:
            return
        self._flush()
        if self._types and self._types[-1][0] is element:
            self._types.pop()

    def _text(self, text: str | None) -> None:
        if text:
            if not text.isspace():
                self._breaks = 0
            self._parts.append(text if self._in_code() else text.replace("\n", " "))

    def _in_code(self) -> bool:
        return bool(self._types) and self._types[-1][1] == "code"

    def _flush(self) -> None:
        self._breaks = 0
        text = "".join(self._parts)
        self._parts.clear()
        if self._in_code():
            text = words.clean_verbatim(text)
        else:
            lines = (words.clean(line) for line in text.split("\n"))
            text = "\n".join(line for line in lines if line)
        if any(character.isalnum() for character in text):
            kind = self._types[-1][1] if self._types else "paragraph"
            self._rendering.stretches.append((kind, text))

    def _show(self, element: HtmlElement) -> None:
        if element.tag == "img":
            self._image(element)
        elif element.tag in media.EMBEDS:
            self._embed(element)
        elif element.tag == "noscript":
            parent = element.getparent()
            siblings = parent.iter("img") if parent is not None else ()
            if not any(
                media.image_of(image, self._base, None)
                for image in siblings
                if not _is_below(image, element)
            ):
                for image in element.iter("img"):
                    self._image(image)

    def _show_unlinked(self, muted: HtmlElement) -> None:
        for element in muted.iter("img", *media.EMBEDS):
            link = next(element.iterancestors("a"), None)
            if link is None or media.is_image_address(link.get("href")):
                self._show(element)

    def _image(self, element: HtmlElement) -> None:
        image = media.image_of(element, self._base, _caption_of(element, self._container))
        if image and image.url not in self._addresses:
            self._addresses.add(image.url)
            self._rendering.images.append(image)

    def _embed(self, element: HtmlElement) -> None:
        embed = media.embed_of(element, self._base)
        if embed and embed.url not in self._addresses:
            self._addresses.add(embed.url)
            self._rendering.embeds.append(embed)


def _is_below(element: HtmlElement, above: HtmlElement) -> bool:
    return any(ancestor is above for ancestor in element.iterancestors())


def shown_text(element: HtmlElement) -> str:
    """Return the text that a reader sees in an element, on one line."""
    parts: list[str] = []
    walk = etree.iterwalk(element, events=("start", "end", "comment", "pi"))
    for event, node in walk:
        if event == "start":
            if node.tag in NO_TEXT:
                walk.skip_subtree()
            else:
                if node.tag not in INLINE:
                    parts.append(" ")
                parts.append(node.text or "")
            continue
        if event == "end" and node.tag not in INLINE:
            parts.append(" ")
        if node is not element:
            parts.append(node.tail or "")
    return words.clean("".join(parts))


def _is_caption(element: HtmlElement) -> bool:
    return (
        "caption" in name_words(element) and len(element.text_content()) <= MAX_CAPTION_CHARACTERS
    )


def _caption_of(image: HtmlElement, container: HtmlElement) -> str | None:
    """Return the caption in the nearest figure around an image."""
    if image is container:
        return None
    for ancestor in image.iterancestors():
        if ancestor.tag == "figure" or _is_caption(ancestor):
            for part in ancestor.iter():
                if part.tag == "figcaption" or (
                    part is not ancestor and isinstance(part.tag, str) and _is_caption(part)
                ):
                    return shown_text(part)
            return shown_text(ancestor) if ancestor.tag != "figure" else None
        if ancestor is container:
            break
    return None


def _data_table(table: HtmlElement) -> str | None:
    """Return the rows of a table of data, None for a table that only lays out the page."""
    for element in table.iterdescendants():
        if element.tag in _NOT_IN_CELLS:
            return None
    rows: list[list[str]] = []
    for row in table.iter("tr"):
        cells = [shown_text(cell) for cell in row if cell.tag in ("td", "th")]
        if any(len(cell) > MAX_CELL_CHARACTERS for cell in cells):
            return None
        rows.append(cells)
    if len(rows) < 2 or max(map(len, rows)) < 2:
        return None
    lines = ("\t".join(row) for row in rows if any(row))
    return "\n".join(lines) or None

"""Conversion of an article to Markdown or HTML."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from detourage.article import Article, ArticleBlock, ArticleEmbed, ArticleImage

if TYPE_CHECKING:
    from detourage.messages import Block

_MARKS = re.compile(r"([\\`*_\[\]<>])")
_LINE_MARKS = re.compile(r"(?m)^([^\S\n]*+)([-+#=~|]|\d++(?=[.)]))")

Medium = ArticleImage | ArticleEmbed
Element = etree._Element  # noqa: SLF001  lxml has no public name for the type.


class Run(NamedTuple):
    """A uniformly formatted run of a block's text, and whether it starts a line."""

    text: str
    url: str | None
    is_bold: bool
    is_italic: bool
    begins_line: bool


@dataclass(frozen=True)
class _Figure:
    """An image or embed at its position, with its caption unless a block already has it."""

    medium: Medium
    caption: str | None


_Piece = ArticleBlock | _Figure


def to_markdown(article: Article) -> str:
    """Return the headline and blocks as Markdown (CommonMark with GitHub tables)."""
    parts = [f"# {_escaped(article.title)}"] if article.title else []
    for is_list, pieces in groupby(_pieces(article), _is_item):
        if is_list:
            parts.append(
                _markdown_list([each for each in pieces if isinstance(each, ArticleBlock)])
            )
        else:
            parts += (_markdown_piece(each) for each in pieces)
    return "\n\n".join(parts) + "\n"


def to_html(article: Article, url: str) -> str:
    """Return an HTML page that contains only the headline and the blocks."""
    page: Element = etree.Element("html")
    if article.language:
        page.set("lang", article.language)
    head = _append(page, "head")
    _append(head, "meta", charset="utf-8")
    _append(head, "title", article.title or "")
    _append(head, "link", rel="canonical", href=url)
    body = _append(_append(page, "body"), "article")
    if article.title:
        _append(body, "h1", article.title)
    _write_html(_pieces(article), body)
    for each in body:
        each.tail = "\n"
    return etree.tostring(page, method="html", doctype="<!DOCTYPE html>", encoding="unicode") + "\n"


def _pieces(article: Article) -> Iterator[_Piece]:
    """Yield the blocks of an article together with its images and embeds, in reading order."""
    captions = {each.text for each in article.blocks if each.type == "caption"}
    placed: dict[int, list[_Figure]] = {}
    media: tuple[Medium, ...] = (*article.images, *article.embeds)
    for medium in media:
        caption = medium.caption if isinstance(medium, ArticleImage) else None
        figure = _Figure(medium, None if caption in captions else caption)
        placed.setdefault(medium.block or 0, []).append(figure)
    for number, block in enumerate(article.blocks):
        yield from placed.get(number, ())
        yield block
    yield from placed.get(len(article.blocks), ())


def _is_item(piece: _Piece) -> bool:
    return isinstance(piece, ArticleBlock) and piece.type == "list_item"


def runs(block: "ArticleBlock | Block") -> Iterator[Run]:
    """Yield the runs of a block's text, split wherever a link or emphasis starts or ends."""
    text, start = block.text, block.start
    links = _Spans([(each.start - start, each.end - start, each.url) for each in block.links])
    bold, italic = (
        _Spans([(e.start - start, e.end - start, kind) for e in block.emphasis if e.kind == kind])
        for kind in ("bold", "italic")
    )
    borders = {0, len(text), *links.borders(), *bold.borders(), *italic.borders()}
    for begin, end in pairwise(sorted(each for each in borders if 0 <= each <= len(text))):
        yield Run(
            text[begin:end],
            links.at(begin),
            bold.at(begin) is not None,
            italic.at(begin) is not None,
            begin == 0 or text[begin - 1] == "\n",
        )


class _Spans:
    """Ordered spans, queried at increasing offsets."""

    def __init__(self, spans: Sequence[tuple[int, int, str]]) -> None:
        self._spans = spans
        self._next = 0

    def borders(self) -> Iterator[int]:
        for start, end, _ in self._spans:
            yield start
            yield end

    def at(self, offset: int) -> str | None:
        """Return the value of the span that contains an offset, or None."""
        spans = self._spans
        while self._next < len(spans) and spans[self._next][1] <= offset:
            self._next += 1
        is_within = self._next < len(spans) and spans[self._next][0] <= offset
        return spans[self._next][2] if is_within else None


def _markdown_piece(piece: _Piece) -> str:
    if isinstance(piece, _Figure):
        return _markdown_figure(piece)
    if piece.type == "code":
        longest = max(map(len, re.findall("`+", piece.text)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"{fence}{piece.language or ''}\n{piece.text}\n{fence}"
    if piece.type == "table":
        return "\n".join(_markdown_rows(piece))
    text = _markdown_text(piece)
    if piece.type == "heading":
        return f"{'#' * max(2, piece.level or 2)} " + " ".join(text.split())
    if piece.type == "quote":
        return "\n".join(f"> {line}" for line in text.split("\n"))
    return text


def _markdown_figure(figure: _Figure) -> str:
    medium = figure.medium
    if isinstance(medium, ArticleEmbed):
        return f"<{_markdown_address(medium.url)}>"
    shown = f"![{_escaped(medium.alt or '')}]({_markdown_target(medium.url)})"
    return f"{shown}\n\n*{_escaped(figure.caption)}*" if figure.caption else shown


def _markdown_list(items: Sequence[ArticleBlock]) -> str:
    """Return items as a Markdown list, nested by level."""
    lines: list[str] = []
    widths: dict[int, int] = {}
    for item in items:
        level = item.level or 1
        text = _markdown_text(item)
        if item.marker is not None:
            widths = {each: width for each, width in widths.items() if each < level}
            indent = " " * sum(widths.values())
            widths[level] = len(item.marker) + 1
            text = f"{indent}{item.marker} {text}"
        else:
            indent = " " * sum(width for each, width in widths.items() if each < level)
            lines += [""]
            text = indent + " " * widths.get(level, 2) + text
        lines.append(text.replace("\n", "\n" + indent + " " * widths.get(level, 2)))
    return "\n".join(lines)


def _markdown_rows(block: ArticleBlock) -> Iterator[str]:
    cells = [row.split("\t") for row in _markdown_text(block).replace("|", "\\|").split("\n")]
    width = max(map(len, cells))
    for number, row in enumerate(cells):
        yield f"| {' | '.join(row + [''] * (width - len(row)))} |"
        if number == 0:
            yield "|" + " --- |" * width


def _markdown_text(block: ArticleBlock) -> str:
    parts: list[str] = []
    for url, linked in groupby(runs(block), lambda run: run.url):
        inner: list[str] = []
        for is_bold, bold in groupby(linked, lambda run: run.is_bold):
            texts = [
                _marked(_run_text(run), "*") if run.is_italic else _run_text(run) for run in bold
            ]
            text = "".join(texts)
            inner.append(_marked(text, "**") if is_bold else text)
        text = "".join(inner)
        parts.append(f"[{text}]({_markdown_target(url)})" if url else text)
    return "".join(parts)


def _marked(text: str, mark: str) -> str:
    """Put marks around a text, but inside its surrounding whitespace, as CommonMark requires."""
    core = text.strip()
    return text.replace(core, f"{mark}{core}{mark}") if core else text


def _run_text(run: Run) -> str:
    # Block markers are significant only at the start of a line.
    return _escaped(run.text) if run.begins_line else _escaped(f"x{run.text}")[1:]


def _markdown_target(url: str) -> str:
    address = _markdown_address(url)
    return f"<{address}>" if "(" in address or ")" in address else address


def _markdown_address(url: str) -> str:
    return url.replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C")


def _escaped(text: str) -> str:
    """Escape all Markdown syntax in a text."""
    return _LINE_MARKS.sub(_escaped_mark, _MARKS.sub(r"\\\1", text))


def _escaped_mark(found: re.Match[str]) -> str:
    mark = found[2]
    # Digits start a list only if a delimiter follows them.
    return f"{found[1]}{mark}\\" if mark.isdigit() else f"{found[1]}\\{mark}"


def _append(parent: Element, tag: str, text: str | None = None, **attributes: str) -> Element:
    made = etree.SubElement(parent, tag, attributes)
    made.text = text
    return made


def _write_html(pieces: Iterator[_Piece], parent: Element) -> None:
    for is_list, several in groupby(pieces, _is_item):
        if is_list:
            _write_list([each for each in several if isinstance(each, ArticleBlock)], parent)
            continue
        for piece in several:
            if isinstance(piece, _Figure):
                _write_figure(piece, parent)
            elif piece.type == "table":
                _write_table(piece, parent)
            elif piece.type == "code":
                code = _append(_append(parent, "pre"), "code", piece.text)
                if piece.language:
                    code.set("class", f"language-{piece.language}")
            else:
                _write_runs(runs(piece), _open_block(piece, parent))


def _open_block(block: ArticleBlock, parent: Element) -> Element:
    """Append the element that holds a block's text."""
    if block.type == "heading":
        return _append(parent, f"h{min(6, max(2, block.level or 2))}")
    return _append(_append(parent, "blockquote") if block.type == "quote" else parent, "p")


def _open_list(parent: Element, marker: str) -> Element:
    """Append a list element of the kind that its first item's marker indicates."""
    if marker == "-":
        return _append(parent, "ul")
    start = marker.rstrip(".")
    return _append(parent, "ol", **({} if start == "1" else {"start": start}))


def _write_figure(figure: _Figure, parent: Element) -> None:
    made = _append(parent, "figure")
    if isinstance(figure.medium, ArticleEmbed):
        _append(made, "a", figure.medium.url, href=figure.medium.url)
        return
    _append(made, "img", src=figure.medium.url, alt=figure.medium.alt or "")
    if figure.caption:
        _append(made, "figcaption", figure.caption)


def _write_list(blocks: Sequence[ArticleBlock], parent: Element) -> None:
    lists: list[tuple[int, bool, Element]] = []
    for block in blocks:
        level, is_ordered = block.level or 1, block.marker not in (None, "-")
        if block.marker is not None:
            while lists and lists[-1][0] > level:
                lists.pop()
            if lists and lists[-1][0] == level and lists[-1][1] != is_ordered:
                lists.pop()
            if not lists or lists[-1][0] < level:
                around = lists[-1][2][-1] if lists else parent
                lists.append((level, is_ordered, _open_list(around, block.marker)))
            _append(lists[-1][2], "li")
        elif not lists:
            lists.append((level, False, _open_list(parent, "-")))
            _append(lists[-1][2], "li")
        else:
            while len(lists) > 1 and lists[-1][0] > level:
                lists.pop()
        item = lists[-1][2][-1]
        is_first = item.text is None and not len(item)
        _write_runs(runs(block), item if is_first else _append(item, "p"))


def _write_table(block: ArticleBlock, parent: Element) -> None:
    table = _append(parent, "table")
    row = _append(table, "tr")
    cell = _append(row, "td")
    for run in runs(block):
        for number, line in enumerate(run.text.split("\n")):
            if number:
                row = _append(table, "tr")
                cell = _append(row, "td")
            for place, text in enumerate(line.split("\t")):
                if place:
                    cell = _append(row, "td")
                if text:
                    _write_runs(iter([run._replace(text=text)]), cell)


def _write_runs(runs: Iterator[Run], parent: Element) -> None:
    for url, linked in groupby(runs, lambda run: run.url):
        around = _append(parent, "a", href=url) if url else parent
        for is_bold, several in groupby(linked, lambda run: run.is_bold):
            strong = _append(around, "strong") if is_bold else around
            for run in several:
                _append_text(_append(strong, "em") if run.is_italic else strong, run.text)


def _append_text(parent: Element, text: str) -> None:
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text

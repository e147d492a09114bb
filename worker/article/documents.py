"""Conversion of an article to Markdown, HTML or TEI P5 (Text Encoding Initiative XML)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from worker.article import ArticleBlock, ArticleEmbed, ArticleImage, Extraction
from worker.article.reader import Content

if TYPE_CHECKING:
    from models.messages import Block

_MARKS = re.compile(r"([\\`*_\[\]<>])")
_LINE_MARKS = re.compile(r"(?m)^([^\S\n]*+)([-+#=~|]|\d++(?=[.)]))")
_TEI = "http://www.tei-c.org/ns/1.0"
_XML = "{http://www.w3.org/XML/1998/namespace}"

Medium = ArticleImage | ArticleEmbed
Element = etree._Element  # noqa: SLF001  lxml has no public name for the type.


class Run(NamedTuple):
    """A uniformly formatted run of a block's text, and whether it starts a line."""

    text: str
    url: str | None
    is_bold: bool
    is_italic: bool
    begins_line: bool


class Body(NamedTuple):
    """The parts of an article's body."""

    blocks: Sequence[ArticleBlock]
    images: Sequence[ArticleImage]
    embeds: Sequence[ArticleEmbed]


@dataclass(frozen=True)
class _Figure:
    """An image or embed at its position, with its caption unless a block already has it."""

    medium: Medium
    caption: str | None


_Piece = ArticleBlock | _Figure


def to_markdown(content: Content, _url: str, _site: str) -> str:
    """Return the headline and blocks as Markdown (CommonMark with GitHub tables)."""
    title = content.article.title
    parts = [f"# {_escaped(title)}"] if title else []
    for is_list, pieces in groupby(_pieces(content.article), _is_item):
        if is_list:
            parts.append(
                _markdown_list([each for each in pieces if isinstance(each, ArticleBlock)])
            )
        else:
            parts += (_markdown_piece(each) for each in pieces)
    return "\n\n".join(parts) + "\n"


def to_html(content: Content, url: str, _site: str) -> str:
    """Return an HTML page that contains only the headline and the blocks."""
    article = content.article
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
    _HtmlWriter().write(_pieces(article), body)
    for each in body:
        each.tail = "\n"
    return etree.tostring(page, method="html", doctype="<!DOCTYPE html>", encoding="unicode") + "\n"


def to_html_fragment(body: Body) -> str:
    """Return the blocks of an article, with its images and embeds, as HTML elements."""
    parent: Element = etree.Element("article")
    _HtmlWriter().write(_pieces(body), parent)
    return "\n".join(etree.tostring(each, method="html", encoding="unicode") for each in parent)


def to_tei(content: Content, url: str, site: str) -> str:
    """Return the article, its metadata and its comments as a TEI P5 document."""
    article = content.article
    root: Element = etree.Element(f"{{{_TEI}}}TEI", nsmap={None: _TEI})  # type: ignore[dict-item]
    _tei_header(_append(root, "teiHeader"), article, url, site)
    text = _append(root, "text")
    if article.language:
        text.set(f"{_XML}lang", article.language)
    body = _append(text, "body")
    _TeiWriter().write(_pieces(article), _append(body, "div", type="entry"))
    if content.comments:
        comments = _append(body, "div", type="comments")
        for number, comment in enumerate(content.comments):
            part = _append(comments, "div", type="comment", n=str(number))
            if comment.author:
                _append(part, "ab", comment.author, type="author")
            if comment.date or comment.written_date:
                _append(part, "ab", comment.written_date or str(comment.date), type="date")
            if comment.parent is not None:
                part.set("corresp", f"#comment-{comment.parent}")
            part.set(f"{_XML}id", f"comment-{number}")
            for paragraph in comment.text.split("\n\n"):
                _append(part, "p", paragraph)
    # Whitespace may be added only in the header.
    etree.indent(root[0])
    return etree.tostring(root, encoding="unicode") + "\n"


def _tei_header(header: Element, article: Extraction, url: str, site: str) -> None:
    metadata = article.metadata
    file = _append(header, "fileDesc")
    statement = _append(file, "titleStmt")
    _append(statement, "title", article.title or "", type="main")
    for author in metadata.authors:
        _append(statement, "author", author)
    _append(_append(file, "publicationStmt"), "p")
    source = _append(_append(file, "sourceDesc"), "bibl")
    _append(source, "title", article.title or "", level="a")
    for author in metadata.authors:
        _append(source, "author", author)
    _append(source, "publisher", site)
    if metadata.published:
        written = str(metadata.published)
        _append(source, "date", written, type="publication", when=written)
    _append(source, "ptr", type="URL", target=url)
    if metadata.lead or metadata.tags or article.language:
        profile = _append(header, "profileDesc")
        if metadata.lead:
            _append(_append(profile, "abstract"), "p", metadata.lead)
        if article.language:
            usage = _append(profile, "langUsage")
            _append(usage, "language", article.language, ident=article.language)
        if metadata.tags:
            keywords = _append(_append(profile, "textClass"), "keywords")
            for tag in metadata.tags:
                _append(keywords, "term", tag)


def _pieces(article: Extraction | Body) -> Iterator[_Piece]:
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
    """Append an element in the parent's namespace."""
    namespace = etree.QName(parent).namespace
    made = etree.SubElement(parent, etree.QName(namespace, tag), attributes)
    made.text = text
    return made


class _HtmlWriter:
    """Writer of an article's pieces as HTML elements; subclasses choose other elements."""

    item, row, cell = "li", "tr", "td"

    def write(self, pieces: Iterator[_Piece], parent: Element) -> None:
        """Append pieces to an element."""
        for is_list, several in groupby(pieces, _is_item):
            if is_list:
                blocks = [each for each in several if isinstance(each, ArticleBlock)]
                self._write_list(blocks, parent)
                continue
            for piece in several:
                if isinstance(piece, _Figure):
                    self.write_figure(piece, parent)
                elif piece.type == "table":
                    self._write_table(piece, parent)
                elif piece.type == "code":
                    self.write_code(piece, parent)
                else:
                    self._write_runs(runs(piece), self.open_block(piece, parent))

    def open_block(self, block: ArticleBlock, parent: Element) -> Element:
        """Append the element that holds a block's text."""
        if block.type == "heading":
            return _append(parent, f"h{min(6, max(2, block.level or 2))}")
        if block.type == "quote":
            return _append(_append(parent, "blockquote"), "p")
        return _append(parent, "p")

    def open_list(self, parent: Element, marker: str) -> Element:
        """Append a list element of the kind that its first item's marker indicates."""
        if marker == "-":
            return _append(parent, "ul")
        start = marker.rstrip(".")
        return _append(parent, "ol", **({} if start == "1" else {"start": start}))

    def open_link(self, parent: Element, url: str) -> Element:
        return _append(parent, "a", href=url)

    def open_emphasis(self, parent: Element, kind: str) -> Element:
        return _append(parent, "strong" if kind == "bold" else "em")

    def write_code(self, block: ArticleBlock, parent: Element) -> None:
        code = _append(_append(parent, "pre"), "code", block.text)
        if block.language:
            code.set("class", f"language-{block.language}")

    def write_figure(self, figure: _Figure, parent: Element) -> None:
        made = _append(parent, "figure")
        if isinstance(figure.medium, ArticleEmbed):
            _append(made, "a", figure.medium.url, href=figure.medium.url)
            return
        _append(made, "img", src=figure.medium.url, alt=figure.medium.alt or "")
        if figure.caption:
            _append(made, "figcaption", figure.caption)

    def _write_list(self, blocks: Sequence[ArticleBlock], parent: Element) -> None:
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
                    opened = self.open_list(around, block.marker)
                    lists.append((level, is_ordered, opened))
                _append(lists[-1][2], self.item)
            elif not lists:
                lists.append((level, False, self.open_list(parent, "-")))
                _append(lists[-1][2], self.item)
            else:
                while len(lists) > 1 and lists[-1][0] > level:
                    lists.pop()
            item = lists[-1][2][-1]
            is_first = item.text is None and not len(item)
            self._write_runs(runs(block), item if is_first else _append(item, "p"))

    def _write_table(self, block: ArticleBlock, parent: Element) -> None:
        table = _append(parent, "table")
        row = _append(table, self.row)
        cell = _append(row, self.cell)
        for run in runs(block):
            for number, line in enumerate(run.text.split("\n")):
                if number:
                    row = _append(table, self.row)
                    cell = _append(row, self.cell)
                for place, text in enumerate(line.split("\t")):
                    if place:
                        cell = _append(row, self.cell)
                    if text:
                        self._write_runs(iter([run._replace(text=text)]), cell)

    def _write_runs(self, runs: Iterator[Run], parent: Element) -> None:
        for url, linked in groupby(runs, lambda run: run.url):
            around = self.open_link(parent, url) if url else parent
            for is_bold, several in groupby(linked, lambda run: run.is_bold):
                strong = self.open_emphasis(around, "bold") if is_bold else around
                for run in several:
                    target = self.open_emphasis(strong, "italic") if run.is_italic else strong
                    _append_text(target, run.text)


class _TeiWriter(_HtmlWriter):
    item, row, cell = "item", "row", "cell"

    def open_block(self, block: ArticleBlock, parent: Element) -> Element:
        if block.type == "heading":
            return _append(parent, "ab", type="header", rend=f"h{block.level or 2}")
        return _append(parent, "quote" if block.type == "quote" else "p")

    def open_list(self, parent: Element, marker: str) -> Element:
        return _append(parent, "list", rend="bulleted" if marker == "-" else "numbered")

    def open_link(self, parent: Element, url: str) -> Element:
        return _append(parent, "ref", target=url)

    def open_emphasis(self, parent: Element, kind: str) -> Element:
        return _append(parent, "hi", rend=kind)

    def write_code(self, block: ArticleBlock, parent: Element) -> None:
        code = _append(_append(parent, "ab", type="code"), "code", block.text)
        if block.language:
            code.set("lang", block.language)

    def write_figure(self, figure: _Figure, parent: Element) -> None:
        medium = figure.medium
        if isinstance(medium, ArticleEmbed):
            _append(_append(parent, "p"), "ptr", target=medium.url, type=medium.type)
            return
        made = _append(parent, "figure")
        if figure.caption:
            _append(made, "head", figure.caption)
        if medium.alt:
            _append(made, "figDesc", medium.alt)
        _append(made, "graphic", url=medium.url)


def _append_text(parent: Element, text: str) -> None:
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text

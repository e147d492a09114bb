"""Conversion of an article to Markdown or HTML."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from detourage.article import Article, ArticleBlock, ArticleEmbed, ArticleImage

if TYPE_CHECKING:
    from detourage.messages import Block

_MARKS = re.compile(r"([\\`*_\[\]<>])")
_LINE_MARKS = re.compile(r"(?m)^([^\S\n]*+)([-+#=~|]|\d++(?=[.)]))")

_CELL_BORDERS = {"\t": "</td><td>", "\n": "</td></tr><tr><td>"}

Medium = ArticleImage | ArticleEmbed


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


@dataclass(frozen=True)
class _Form:
    """The ways in which a document writes the text of a run, emphasis and links."""

    text: Callable[[Run], str]
    italic: Callable[[str], str]
    bold: Callable[[str], str]
    link: Callable[[str, str], str]

    def inline(self, runs: Iterable[Run]) -> str:
        """Write the runs of a text."""
        parts: list[str] = []
        for url, linked in groupby(runs, lambda run: run.url):
            inner: list[str] = []
            for is_bold, bold in groupby(linked, lambda run: run.is_bold):
                text = "".join(
                    self.italic(self.text(run)) if run.is_italic else self.text(run) for run in bold
                )
                inner.append(self.bold(text) if is_bold else text)
            text = "".join(inner)
            parts.append(self.link(text, url) if url else text)
        return "".join(parts)


def to_markdown(article: Article) -> str:
    """Return the headline and blocks as Markdown (CommonMark with GitHub tables)."""
    parts = [f"# {_escaped(article.title)}"] if article.title else []
    parts += _written(article, _markdown_piece, _markdown_list)
    return "\n\n".join(parts) + "\n"


def to_html(article: Article, url: str) -> str:
    """Return an HTML page that contains only the headline and the blocks."""
    language = f' lang="{escape(article.language)}"' if article.language else ""
    title = escape(article.title or "", quote=False)
    parts = [f"<h1>{title}</h1>"] if article.title else []
    parts += _written(article, _html_piece, _html_list)
    body = "".join(f"{part}\n" for part in parts)
    return (
        f'<!DOCTYPE html>\n<html{language}><head><meta charset="utf-8"><title>{title}</title>'
        f'<link rel="canonical" href="{escape(url)}"></head>'
        f"<body><article>{body}</article></body></html>\n"
    )


def _written(
    article: Article,
    write: Callable[[_Piece], str],
    write_list: Callable[[Sequence[ArticleBlock]], str],
) -> Iterator[str]:
    """Write the pieces of an article, of which those of a list are written together."""
    for is_list, pieces in groupby(_pieces(article), _is_item):
        if is_list:
            yield write_list([each for each in pieces if isinstance(each, ArticleBlock)])
        else:
            yield from map(write, pieces)


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
    spans: list[tuple[str, int, int, str]] = [
        *(("link", each.start, each.end, each.url) for each in block.links),
        *((each.kind, each.start, each.end, each.kind) for each in block.emphasis),
    ]
    changes: defaultdict[int, dict[str, str]] = defaultdict(dict)
    for name, _, end, _ in spans:
        changes[end - block.start][name] = ""
    # A span may begin where the one before it ends.
    for name, start, _, value in spans:
        changes[start - block.start][name] = value
    text, current = block.text, dict.fromkeys(("link", "bold", "italic"), "")
    borders = {0, len(text), *(each for each in changes if 0 <= each <= len(text))}
    for begin, end in pairwise(sorted(borders)):
        current |= changes.get(begin, {})
        yield Run(
            text[begin:end],
            current["link"] or None,
            bool(current["bold"]),
            bool(current["italic"]),
            begin == 0 or text[begin - 1] == "\n",
        )


def _markdown_piece(piece: _Piece) -> str:
    if isinstance(piece, _Figure):
        return _markdown_figure(piece)
    if piece.type == "code":
        longest = max(map(len, re.findall("`+", piece.text)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"{fence}{piece.language or ''}\n{piece.text}\n{fence}"
    if piece.type == "table":
        return "\n".join(_markdown_rows(piece))
    text = _MARKDOWN.inline(runs(piece))
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
        text = _MARKDOWN.inline(runs(item))
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
    text = _MARKDOWN.inline(runs(block)).replace("|", "\\|")
    cells = [row.split("\t") for row in text.split("\n")]
    width = max(map(len, cells))
    for number, row in enumerate(cells):
        yield f"| {' | '.join(row + [''] * (width - len(row)))} |"
        if number == 0:
            yield "|" + " --- |" * width


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


_MARKDOWN = _Form(
    _run_text,
    italic=lambda text: _marked(text, "*"),
    bold=lambda text: _marked(text, "**"),
    link=lambda text, url: f"[{text}]({_markdown_target(url)})",
)
_HTML = _Form(
    lambda run: escape(run.text, quote=False),
    italic=lambda text: f"<em>{text}</em>",
    bold=lambda text: f"<strong>{text}</strong>",
    link=lambda text, url: f'<a href="{escape(url)}">{text}</a>',
)


def _html_piece(piece: _Piece) -> str:
    if isinstance(piece, _Figure):
        return _html_figure(piece)
    if piece.type == "table":
        return _html_table(piece)
    if piece.type == "code":
        language = f' class="language-{escape(piece.language)}"' if piece.language else ""
        return f"<pre><code{language}>{escape(piece.text, quote=False)}</code></pre>"
    text = _HTML.inline(runs(piece))
    if piece.type == "heading":
        level = min(6, max(2, piece.level or 2))
        return f"<h{level}>{text}</h{level}>"
    return f"<blockquote><p>{text}</p></blockquote>" if piece.type == "quote" else f"<p>{text}</p>"


def _html_figure(figure: _Figure) -> str:
    url = escape(figure.medium.url)
    if isinstance(figure.medium, ArticleEmbed):
        return f'<figure><a href="{url}">{url}</a></figure>'
    caption = figure.caption and f"<figcaption>{escape(figure.caption, quote=False)}</figcaption>"
    shown = f'<img src="{url}" alt="{escape(figure.medium.alt or "")}">'
    return f"<figure>{shown}{caption or ''}</figure>"


def _html_list(items: Sequence[ArticleBlock]) -> str:
    """Return items as HTML lists, nested by level; a block without a marker continues an item."""
    parts: list[str] = []
    lists: list[tuple[int, str]] = []
    for item in items:
        level, marker, text = item.level or 1, item.marker or "-", _HTML.inline(runs(item))
        tag, other = ("ul", "ol") if marker == "-" else ("ol", "ul")
        if item.marker is None and lists:
            while len(lists) > 1 and lists[-1][0] > level:
                parts.append(f"</li></{lists.pop()[1]}>")
            parts.append(f"<p>{text}</p>")
            continue
        while lists and (lists[-1][0] > level or lists[-1] == (level, other)):
            parts.append(f"</li></{lists.pop()[1]}>")
        if lists and lists[-1][0] == level:
            parts.append("</li>")
        else:
            start = "" if marker in ("-", "1.") else f' start="{marker[:-1]}"'
            parts.append(f"<{tag}{start}>")
            lists.append((level, tag))
        parts.append(f"<li>{text}")
    return "".join(parts) + "".join(f"</li></{tag}>" for _, tag in reversed(lists))


def _html_table(block: ArticleBlock) -> str:
    cells = "".join(
        _CELL_BORDERS.get(part) or _HTML.inline([run._replace(text=part)])
        for run in runs(block)
        for part in re.split(r"([\t\n])", run.text)
        if part
    )
    return f"<table><tr><td>{cells}</td></tr></table>"

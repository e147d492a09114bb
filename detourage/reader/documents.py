"""Conversion of an article to Markdown or HTML."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from detourage.article import Article, ArticleBlock, ArticleEmbed, ArticleImage

if TYPE_CHECKING:
    from detourage.messages import Block

_MARKS = re.compile(r"([\\`*_\[\]<>])")
_LINE_MARKS = re.compile(r"(?m)^([^\S\n]*+)([-+#=~|]|\d++(?=[.)]))")

_CELL_BORDERS = {"\t": "</td><td>", "\n": "</td></tr><tr><td>"}

_Piece = ArticleBlock | ArticleImage | ArticleEmbed


class Run(NamedTuple):
    """A uniformly formatted run of a block's text, and whether it starts a line."""

    text: str
    url: str | None
    is_bold: bool
    is_italic: bool
    begins_line: bool


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
    """Write the pieces of an article; consecutive list items are written together."""
    for kind, pieces in groupby(
        _pieces(article), lambda piece: piece.type if isinstance(piece, ArticleBlock) else None
    ):
        if kind == "list_item":
            yield write_list([each for each in pieces if isinstance(each, ArticleBlock)])
        else:
            yield from map(write, pieces)


def _pieces(article: Article) -> Iterator[_Piece]:
    """Yield the blocks, images and embeds of an article in reading order, each caption once."""
    captions = {each.text for each in article.blocks if each.type == "caption"}
    placed: defaultdict[int, list[_Piece]] = defaultdict(list)
    for image in article.images:
        has_own = image.caption not in captions
        placed[image.block or 0].append(image if has_own else replace(image, caption=None))
    for embed in article.embeds:
        placed[embed.block or 0].append(embed)
    for number, block in enumerate(article.blocks):
        yield from placed.get(number, ())
        yield block
    yield from placed.get(len(article.blocks), ())


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
    if isinstance(piece, ArticleEmbed):
        return f"<{_markdown_address(piece.url)}>"
    if isinstance(piece, ArticleImage):
        shown = f"![{_escaped(piece.alt or '')}]({_markdown_target(piece.url)})"
        return f"{shown}\n\n*{_escaped(piece.caption)}*" if piece.caption else shown
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


def _markdown_target(url: str) -> str:
    address = _markdown_address(url)
    return f"<{address}>" if "(" in address or ")" in address else address


def _markdown_address(url: str) -> str:
    return url.replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C")


def _escaped(text: str) -> str:
    """Escape all Markdown syntax in a text."""
    return _LINE_MARKS.sub(
        # Digits start a list only if a delimiter follows them.
        lambda found: f"{found[0]}\\" if found[2].isdigit() else f"{found[1]}\\{found[2]}",
        _MARKS.sub(r"\\\1", text),
    )


_MARKDOWN = _Form(
    # Block markers are significant only at the start of a line.
    lambda run: _escaped(run.text) if run.begins_line else _escaped(f"x{run.text}")[1:],
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
    if isinstance(piece, ArticleEmbed):
        url = escape(piece.url)
        return f'<figure><a href="{url}">{url}</a></figure>'
    if isinstance(piece, ArticleImage):
        shown = f'<img src="{escape(piece.url)}" alt="{escape(piece.alt or "")}">'
        if piece.caption:
            shown += f"<figcaption>{escape(piece.caption, quote=False)}</figcaption>"
        return f"<figure>{shown}</figure>"
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

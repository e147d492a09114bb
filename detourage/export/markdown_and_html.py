"""Conversion of an article to Markdown or HTML."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from detourage.article import Article, ArticleBlock, ArticleEmbed, ArticleImage

if TYPE_CHECKING:
    from detourage.messages import Block

# Match the syntax of Markdown anywhere, and at the start of a line: "- ", "# " or "1. ".
_SYNTAX = re.compile(r"([\\`*_\[\]<>])")
_LINE_SYNTAX = re.compile(r"(?m)^([^\S\n]*+)([-+#=~|]|\d++(?=[.)]))")

_CELL_BORDERS = {"\t": "</td><td>", "\n": "</td></tr><tr><td>"}

_Piece = ArticleBlock | ArticleImage | ArticleEmbed


class Run(NamedTuple):
    """A uniformly formatted run of a block's text, and whether it starts a line."""

    text: str
    url: str | None
    is_bold: bool
    is_italic: bool
    begins_line: bool


class _Format(NamedTuple):
    """Functions that write the text of a run, emphasis and links in a document format."""

    text: Callable[[Run], str]
    italic: Callable[[str], str]
    bold: Callable[[str], str]
    link: Callable[[str, str], str]

    def inline(self, runs: Iterable[Run]) -> str:
        """Write the runs of a text, with bold text inside links, and italic text inside both."""
        parts: list[str] = []
        for url, link_runs in groupby(runs, lambda run: run.url):
            inner: list[str] = []
            for is_bold, bold_runs in groupby(link_runs, lambda run: run.is_bold):
                written = [(self.text(run), run.is_italic) for run in bold_runs]
                text = "".join(self.italic(text) if italic else text for text, italic in written)
                inner.append(self.bold(text) if is_bold else text)
            text = "".join(inner)
            parts.append(self.link(text, url) if url else text)
        return "".join(parts)


def to_markdown(article: Article) -> str:
    """Return the headline and blocks as Markdown (CommonMark with GitHub tables)."""
    parts = [f"# {_escaped(article.title)}"] if article.title else []
    parts += _write_pieces(article, _markdown_piece, _markdown_list)
    return "\n\n".join(parts) + "\n"


def to_html(article: Article, url: str) -> str:
    """Return an HTML page that contains only the headline and the blocks."""
    language = f' lang="{escape(article.language)}"' if article.language else ""
    title = escape(article.title or "", quote=False)
    parts = [f"<h1>{title}</h1>"] if article.title else []
    parts += _write_pieces(article, _html_piece, _html_list)
    body = "".join(f"{part}\n" for part in parts)
    return (
        f'<!DOCTYPE html>\n<html{language}><head><meta charset="utf-8"><title>{title}</title>'
        f'<link rel="canonical" href="{escape(url)}"></head>'
        f"<body><article>{body}</article></body></html>\n"
    )


def _write_pieces(
    article: Article,
    write: Callable[[_Piece], str],
    write_list: Callable[[Sequence[ArticleBlock]], str],
) -> Iterator[str]:
    """Write the pieces of an article one by one, but consecutive list items as one list."""
    for kind, pieces in groupby(
        _pieces(article), lambda piece: piece.type if isinstance(piece, ArticleBlock) else None
    ):
        if kind == "list_item":
            yield write_list([each for each in pieces if isinstance(each, ArticleBlock)])
        else:
            yield from map(write, pieces)


def _pieces(article: Article) -> Iterator[_Piece]:
    """Yield the blocks, images and embeds of an article in reading order, each caption once."""
    captions = {block.text for block in article.blocks if block.type == "caption"}
    media_before: defaultdict[int, list[_Piece]] = defaultdict(list)
    for image in article.images:
        piece = replace(image, caption=None) if image.caption in captions else image
        media_before[image.block or 0].append(piece)
    for embed in article.embeds:
        media_before[embed.block or 0].append(embed)
    for number, block in enumerate(article.blocks):
        yield from media_before.get(number, ())
        yield block
    yield from media_before.get(len(article.blocks), ())


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
        is_bold, is_italic = bool(current["bold"]), bool(current["italic"])
        begins_line = begin == 0 or text[begin - 1] == "\n"
        yield Run(text[begin:end], current["link"] or None, is_bold, is_italic, begins_line)


def _markdown_piece(piece: _Piece) -> str:
    """Return the Markdown of an image, an embed, or a block that is not a list item."""
    if isinstance(piece, ArticleEmbed):
        return f"<{_markdown_url(piece.url)}>"
    if isinstance(piece, ArticleImage):
        image = f"![{_escaped(piece.alt or '')}]({_markdown_target(piece.url)})"
        return f"{image}\n\n*{_escaped(piece.caption)}*" if piece.caption else image
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
    marker_widths: dict[int, int] = {}  # including the space, by level
    for item in items:
        level = item.level or 1
        text = _MARKDOWN.inline(runs(item))
        outer_widths = {each: width for each, width in marker_widths.items() if each < level}
        indent = " " * sum(outer_widths.values())
        if item.marker is not None:
            marker_widths = {**outer_widths, level: len(item.marker) + 1}
            text = f"{indent}{item.marker} {text}"
        else:
            lines += [""]
            text = indent + " " * marker_widths.get(level, 2) + text
        lines.append(text.replace("\n", "\n" + indent + " " * marker_widths.get(level, 2)))
    return "\n".join(lines)


def _markdown_rows(block: ArticleBlock) -> Iterator[str]:
    """Yield the rows of a table, whose first row becomes the header that Markdown requires."""
    text = _MARKDOWN.inline(runs(block)).replace("|", "\\|")
    cells = [row.split("\t") for row in text.split("\n")]
    width = max(map(len, cells))
    for number, row in enumerate(cells):
        yield f"| {' | '.join(row + [''] * (width - len(row)))} |"
        if number == 0:
            yield "|" + " --- |" * width


def _emphasised(text: str, mark: str) -> str:
    """Put marks around a text, but inside its surrounding whitespace, as CommonMark requires."""
    core = text.strip()
    return text.replace(core, f"{mark}{core}{mark}") if core else text


def _markdown_target(url: str) -> str:
    link_url = _markdown_url(url)
    return f"<{link_url}>" if "(" in link_url or ")" in link_url else link_url


def _markdown_url(url: str) -> str:
    return url.replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C")


def _escaped(text: str) -> str:
    """Escape all Markdown syntax in a text."""
    return _LINE_SYNTAX.sub(
        # "1." becomes "1\.", and "-" becomes "\-".
        lambda match: f"{match[0]}\\" if match[2].isdigit() else f"{match[1]}\\{match[2]}",
        _SYNTAX.sub(r"\\\1", text),
    )


_MARKDOWN = _Format(
    # After another character, the syntax of a line start needs no escape.
    lambda run: _escaped(run.text) if run.begins_line else _escaped(f"x{run.text}")[1:],
    italic=lambda text: _emphasised(text, "*"),
    bold=lambda text: _emphasised(text, "**"),
    link=lambda text, url: f"[{text}]({_markdown_target(url)})",
)
_HTML = _Format(
    lambda run: escape(run.text, quote=False),
    italic=lambda text: f"<em>{text}</em>",
    bold=lambda text: f"<strong>{text}</strong>",
    link=lambda text, url: f'<a href="{escape(url)}">{text}</a>',
)


def _html_piece(piece: _Piece) -> str:
    """Return the HTML of an image, an embed, or a block that is not a list item."""
    if isinstance(piece, ArticleEmbed):
        url = escape(piece.url)
        return f'<figure><a href="{url}">{url}</a></figure>'
    if isinstance(piece, ArticleImage):
        figure = f'<img src="{escape(piece.url)}" alt="{escape(piece.alt or "")}">'
        if piece.caption:
            figure += f"<figcaption>{escape(piece.caption, quote=False)}</figcaption>"
        return f"<figure>{figure}</figure>"
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
    open_lists: list[tuple[int, str]] = []  # level and tag, the outermost first
    for item in items:
        level, marker, text = item.level or 1, item.marker or "-", _HTML.inline(runs(item))
        tag, other_tag = ("ul", "ol") if marker == "-" else ("ol", "ul")
        if item.marker is None and open_lists:
            while len(open_lists) > 1 and open_lists[-1][0] > level:
                parts.append(f"</li></{open_lists.pop()[1]}>")
            parts.append(f"<p>{text}</p>")
            continue
        while open_lists and (open_lists[-1][0] > level or open_lists[-1] == (level, other_tag)):
            parts.append(f"</li></{open_lists.pop()[1]}>")
        if open_lists and open_lists[-1][0] == level:
            parts.append("</li>")
        else:
            start = "" if marker in ("-", "1.") else f' start="{marker[:-1]}"'
            parts.append(f"<{tag}{start}>")
            open_lists.append((level, tag))
        parts.append(f"<li>{text}")
    return "".join(parts) + "".join(f"</li></{tag}>" for _, tag in reversed(open_lists))


def _html_table(block: ArticleBlock) -> str:
    """Return a table, in whose text tabs separate cells and line breaks separate rows."""
    cells = "".join(
        _CELL_BORDERS.get(part) or _HTML.inline([run._replace(text=part)])
        for run in runs(block)
        for part in re.split(r"([\t\n])", run.text)
        if part
    )
    return f"<table><tr><td>{cells}</td></tr></table>"

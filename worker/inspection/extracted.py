"""The article of one page, as a person or a program wants to read it."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby

from models.messages import ArticleMessage
from worker.content import Content
from worker.content.article_values import article_values
from worker.extraction import ArticleBlock
from worker.pages import site_name
from worker.wording.terminal import json_text

_MARKS = re.compile(r"([\\`*_\[\]<>])")
_LINE_MARKS = re.compile(r"(?m)^([^\S\n]*+)([-+#=~|]|\d++(?=[.)]))")

_ELEMENTS: Mapping[str, str] = {"heading": "h2", "quote": "blockquote", "code": "pre"}
"""Elements of a block's text; that of all others is a paragraph."""


def to_text(content: Content, _url: str, _site: str) -> str:
    """Return the headline and the text, paragraphs parted by a blank line."""
    article = content.article
    return "\n\n".join(part for part in (article.title, article.text) if part) + "\n"


def to_markdown(content: Content, _url: str, _site: str) -> str:
    """Return headline and blocks as Markdown (CommonMark, tables as GitHub writes them)."""
    title = content.article.title
    parts = [f"# {_plain(title)}"] if title else []
    for is_list, blocks in groupby(content.article.blocks, _is_listed):
        shown = [_markdown_block(block) for block in blocks]
        parts += ["\n".join(shown)] if is_list else shown
    return "\n\n".join(parts) + "\n"


def to_html(content: Content, url: str, _site: str) -> str:
    """Return a page with headline and blocks alone."""
    article = content.article
    title = escape(article.title or "")
    lang = f' lang="{escape(article.language)}"' if article.language else ""
    body = "\n".join(_html_blocks(article.blocks))
    head = f"<h1>{title}</h1>\n" if title else ""
    return (
        f'<!DOCTYPE html>\n<html{lang}><head><meta charset="utf-8"><title>{title}</title>'
        f'<link rel="canonical" href="{escape(url)}"></head>\n'
        f"<body><article>\n{head}{body}\n</article></body></html>\n"
    )


def to_json(content: Content, url: str, site: str) -> str:
    """Return the article message without what only a deployment knows, in the schema's order."""
    values = {"url": url, "site": site_name(site), **article_values(content)}
    message = ArticleMessage.model_construct(**values)
    return json_text(message.model_dump(mode="json", include={"version", *values})) + "\n"


FORMATS: Mapping[str, Callable[[Content, str, str], str]] = {
    "text": to_text,
    "markdown": to_markdown,
    "html": to_html,
    "json": to_json,
}
"""What writes the content of a page, given its address and the key of its site, by name."""


def _is_listed(block: ArticleBlock) -> bool:
    return block.type == "list_item"


def _markdown_block(block: ArticleBlock) -> str:
    if block.type == "code":
        longest = max(map(len, re.findall("`+", block.text)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"{fence}\n{block.text}\n{fence}"
    if block.type == "table":
        return "\n".join(_markdown_rows(block.text))
    text = _plain(block.text)
    if block.type == "heading":
        return "## " + " ".join(text.split())
    if block.type == "quote":
        return "\n".join(f"> {line}" for line in text.split("\n"))
    if block.type == "list_item":
        return "- " + text.replace("\n", "\n  ")
    return text


def _markdown_rows(text: str) -> Iterator[str]:
    rows = [_plain(row).replace("|", "\\|").split("\t") for row in text.split("\n")]
    width = max(map(len, rows))
    for number, row in enumerate(rows):
        yield f"| {' | '.join(row + [''] * (width - len(row)))} |"
        if number == 0:
            yield "|" + " --- |" * width


def _plain(text: str) -> str:
    """Return text none of whose characters is markup."""
    return _LINE_MARKS.sub(_escaped, _MARKS.sub(r"\\\1", text))


def _escaped(found: re.Match[str]) -> str:
    mark = found[2]
    # A number begins a list only with what follows it.
    return f"{found[1]}{mark}\\" if mark.isdigit() else f"{found[1]}\\{mark}"


def _html_blocks(blocks: Sequence[ArticleBlock]) -> Iterator[str]:
    for is_list, several in groupby(blocks, _is_listed):
        if is_list:
            items = "".join(f"<li>{escape(block.text)}</li>" for block in several)
            yield f"<ul>{items}</ul>"
            continue
        for block in several:
            if block.type == "table":
                yield _html_table(block.text)
            else:
                name = _ELEMENTS.get(block.type, "p")
                yield f"<{name}>{escape(block.text)}</{name}>"


def _html_table(text: str) -> str:
    rows = (
        "".join(f"<td>{escape(cell)}</td>" for cell in row.split("\t")) for row in text.split("\n")
    )
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"

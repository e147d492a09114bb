"""Pages that try to keep the extraction busy by repeating a short piece of text or markup.

They can be generated at any size: small ones for the tests, and large ones for the benchmarks.
"""

from collections.abc import Callable

from tests.pages import article_html, paragraphs, prose

_PROSE = prose(1)
_TITLE = "Bridge story number 1"


def _page(body: str, head: str = "", attributes: str = "") -> str:
    return (
        f"<!doctype html><html lang='en'><head><title>{_TITLE}</title>{head}</head>"
        f"<body {attributes}><div class='main'><h1>{_TITLE}</h1>{_PROSE}{body}</div></body></html>"
    )


def _page_with_comments(text: str) -> str:
    """Return a page with comments that have the text as an author, as a date and as a body."""
    items = "".join(
        f"<li class='comment'><b class='name'>{author}</b> <i class='when'>{when}</i>"
        f"<p>{body}</p></li>"
        for author, when, body in (
            (text, "3 May 2020", "I have never seen such a bridge."),
            ("Ann", text, "Neither have I, and I have seen many."),
            ("Bob", "4 May 2020", text),
            ("Cleo", "5 May 2020", "The ferry was better than this one."),
        )
    )
    return _page(f"<h2>4 comments</h2><ul class='comments'>{items}</ul>")


_META_NAMES = ("author", "date", "description", "keywords", "og:url", "refresh", "viewport")

_PAGES_AROUND_TEXT: dict[str, Callable[[str], str]] = {
    "paragraph": lambda text: _page(f"<p>{text}</p>"),
    "brackets": lambda text: _page(f"<p>（{text}x.</p>"),
    "alone": lambda text: f"<!doctype html><title>{_TITLE}</title><body><div>{text}</div>",
    "byline": lambda text: _page(f"<div class='byline author'>{text}</div>"),
    "time": lambda text: _page(f"<time datetime='{text}'>{text}</time>"),
    "title": lambda text: _page(
        "", f"<title>{text}</title><meta property=og:title content='{text}'>"
    ),
    "meta": lambda text: _page(
        "", "".join(f"<meta name='{name}' content='{text}'>" for name in _META_NAMES)
    ),
    "type": lambda text: _page("", f"<meta http-equiv=content-type content='text/html;{text}'>"),
    "class": lambda text: _page(
        f"<div class='{text}' id='{text}' itemprop='{text}'><span style='{text}'>{_TITLE}</div>"
    ),
    "address": lambda text: _page(
        f"<a href='{text}'>the ferry</a><img src='{text}' srcset='{text}'>"
        f"<iframe src='{text}'></iframe><a href='http://{text}'>another</a>",
        f"<link rel=canonical href='{text}'><base href='/{text}'>",
    ),
    "size": lambda text: _page(f"<img src=a.png width='{text}' style='{text}' alt='{text}'>"),
    "comments": _page_with_comments,
    "profile": lambda text: _page_with_comments("Dora").replace("Ann", f"<a href='{text}'>Ann</a>"),
    "structured data": lambda text: _page(
        "", f"<script type='application/ld+json'>{text}</script>"
    ),
    "value of structured data": lambda text: _page(
        "",
        "<script type='application/ld+json'>"
        f'{{"@type": "NewsArticle", "headline": "{text}", "author": "{text}",'
        f' "datePublished": "{text}", "articleBody": "{text}"}}</script>',
    ),
    "program": lambda text: (
        f"<title>{_TITLE}</title><body><script>{text}</script><div id=app></div>"
    ),
    "state": lambda text: (
        f"<title>{_TITLE}</title><body><script type='application/json'>{text}</script>"
        "<div id=app></div>"
    ),
    "noscript": lambda text: f"<title>{_TITLE}</title><noscript>{text}</noscript>",
    "markup comment": lambda text: _page(f"<!--{text}-->"),
    "beginning": lambda text: f"{text}{_page('')}",
}
"""Functions that build a page around a text, by the part of the page that contains the text."""

_REPEATED_TEXTS = {
    "spaces": " ",
    "words": "a ",
    "one word": "a",
    "capitals": "Ab ",
    "initials": "A. ",
    "digits": "1",
    "numbers": "1 ",
    "parts of dates": "1/",
    "parts of times": "10:",
    "years": "2020 ",
    "days": "3 May ",
    "ages": "2 days ",
    "hexadecimal": "a-",
    "by": "by ",
    "says": "says ",
    "bars": " | ",
    "stops": ". ",
    "ellipses": "…",
    "accents": "e\u0301",
    "addresses": "http://a.b/",
    "mails": "a@",
    "parameters": "?u&amp;",
    "slashes": "/",
    "tildes": "/~a",
    "styles": "width:",
    "openings": "[",
    "objects": '{"a":',
    "calls": "=[",
    "remarks": "/* ",
    "line remarks": "// ",
    "escapes": '"\\',
    "quotes": '" ',
    "backslashes": "\\",
    "commas": ",\n",
    "semicolons": ";",
    "less": "&lt;",
    "markup in text": "&lt;p ",
    "lines": "a\n",
    "entities": "&amp;amp;",
    "markup comments": "<!--",
    "brackets": "(",
    "charsets": "charset= ",
    "Chinese names": "王小 ",
}
"""Short texts to be repeated, by kind."""

_REPEATED_MARKUP: dict[str, str] = {
    "paragraphs": "<p>a b.</p>",
    "long paragraphs": f"<p>{paragraphs(2)[0]}</p>",
    "openings of div": "<div>",
    "openings of b": "<b>",
    "openings of b and p": "<b><p>",
    "openings of a": "<a href=/x>",
    "openings of table": "<table><td>",
    "openings of li": "<ul><li>",
    "lists": "<ul><li>a</ul>",
    "links": "<a href='/story'>story</a> ",
    "headings": "<h2>Bridge</h2>",
    "titled paragraphs": f"<h1>{_TITLE}</h1>",
    "images": "<figure><img src=a.png><figcaption>a</figcaption></figure>",
    "sources": "<source srcset=a.png>",
    "breaks": "a<br>",
    "times": "<time>3 May 2020</time>",
    "bylines": "<div class=byline>By Ann Lee</div>",
    "authors": "<a rel=author href=/ann>Ann Lee</a>",
    "comments": "<div class=comment><b class=author>Ann</b> 3 May 2020 <p>A fine one.</p></div>",
    "replies": "<ul class=comments><li class=comment><b class=author>Ann</b> 3 May 2020 <p>So.</p>",
    "quotes": "<blockquote class=quote>Ann wrote: so</blockquote>",
    "scripts": "<script>a=[1]</script>",
    "structured data": '<script type=application/ld+json>{"@type":"Article"}</script>',
    "noscripts": "<noscript>a</noscript>",
    "templates": "<template>a</template>",
    "forms": "<form><input></form>",
    "options": "<option>a",
    "frames": "<iframe src=//youtube.com/embed/a></iframe>",
    "metas": "<meta name=author content=Ann>",
    "rows": "<table><tr><td>a<td>b</table>",
    "cells": "<td>a",
    "closings": "</p>",
    "custom elements": "<a-b></a-b>",
}
"""Pieces of markup to be repeated, by kind."""


def _repeat(unit: str, size: int) -> str:
    return unit * max(size // len(unit), 1)


def _page_with_json_list(item: str, size: int) -> str:
    return _PAGES_AROUND_TEXT["state"]("[" + ",".join([item] * max(size // len(item), 1)) + "]")


def _repeat_numbered(piece: str, size: int) -> str:
    """Repeat a piece, with the placeholders in each copy filled in.

    `%` becomes the number of the copy, `@` that of the previous copy, and `$` letters that two
    successive copies share, such as ``bc`` for copies 24 and 25.
    """
    copies = []
    for number in range(1, size // len(piece) + 1):
        letters = "".join(chr(ord("a") + int(digit)) for digit in str(number // 2))
        copy = piece.replace("%", str(number)).replace("$", letters)
        copies.append(copy.replace("@", str(number - 1)))
    return "".join(copies)


def _xhtml(body: str) -> str:
    return (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head>'
        f"<title>{_TITLE}</title></head><body><div>{_PROSE}{body}</div></body></html>"
    )


PageGenerator = Callable[[int], str]
"""A function that returns a page of about the given number of characters."""

TEXTS: dict[str, dict[str, PageGenerator]] = {
    place: {
        text: lambda size, page=page, unit=unit: page(_repeat(unit, size))  # type: ignore[misc]
        for text, unit in _REPEATED_TEXTS.items()
    }
    for place, page in _PAGES_AROUND_TEXT.items()
}
"""Page generators by the part of the page that contains the repeated text and by kind of text."""

MARKUP: dict[str, PageGenerator] = {
    **{
        f"many {name}": lambda size, unit=unit: _page(_repeat(unit, size))  # type: ignore[misc]
        for name, unit in _REPEATED_MARKUP.items()
    },
    "reply links in a single comment": lambda size: _page_with_comments(
        _repeat("<a href='#c1'>In reply to</a> ", size // 3)
    ),
    "replies in a chain": lambda size: _page(
        "<ul class=comments>"
        + _repeat_numbered(
            "<li class=comment id=c% data-parent=c@><b class=author>Ann</b> 3 May 2020 <p>So it is."
            "</p></li>",
            size,
        )
    ),
    "replies by name": lambda size: _page(
        _repeat_numbered(
            "<div class=comment><b class=author>Ann %</b> 3 May 2020 <p>Reply to Ann @</p></div>",
            size,
        )
    ),
    "classes shared by two elements each": lambda size: _page(
        _repeat_numbered("<q class=k$>A text of some words.</q>", size)
    ),
    "fields, and classes shared by two elements each": lambda size: _page(
        _repeat_numbered("<q class=k$>Some words here.</q><textarea></textarea>", size)
    ),
    "numbered ids": lambda size: _page(_repeat_numbered("<p id=p%><a href='#p@'>a b</a>", size)),
    "XHTML of nested links": lambda size: _xhtml(
        _repeat("<a href='#a'>" * 100 + "a b" + "</a>" * 100, size)
    ),
    "XHTML with namespaces": lambda size: _xhtml(
        _repeat_numbered("<p%:b xmlns:p%='http://a.b/%'>a b</p%:b>", size)
    ),
    "XHTML with entities": lambda size: _xhtml(f"<p>{_repeat('&eacute;&nbsp;', size)}</p>"),
    "numbered images": lambda size: _page(_repeat_numbered("<p>a b<img src=/%.jpg>", size)),
    "attributes": lambda size: _page("", attributes=_repeat_numbered("attr%=1 ", size)),
    "an object of many keys": lambda size: _PAGES_AROUND_TEXT["state"](
        "{" + _repeat_numbered('"%":["a b."],', size) + '"x":1}'
    ),
    "a list of paragraphs": lambda size: _page_with_json_list(
        '{"p":"A bridge was built here."}', size
    ),
    "lists in lists of paragraphs": lambda size: _page_with_json_list(
        "[" * 60 + '"A bridge was built here."' + "]" * 60, size
    ),
    "an article many times over": lambda size: _repeat(article_html(1), size),
}
"""Page generators by the kind of repeated markup."""


def hostile_page_generators() -> dict[str, PageGenerator]:
    """Return all generators of hostile pages, by a description such as ``spaces in title``."""
    return {
        **{
            f"{text} in {place}": generator
            for place, generators in TEXTS.items()
            for text, generator in generators.items()
        },
        **MARKUP,
    }

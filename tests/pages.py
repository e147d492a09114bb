"""Small pages and page messages for the tests."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

SENTENCES = (
    "The council met on Tuesday evening to decide about the old bridge.",
    "Nobody had expected so many people to come and speak.",
    "After three hours of debate the mayor asked for a vote.",
    "Engineers had warned for years that the pillars were weak.",
    "The new bridge will be wider, and it will have a path for bicycles.",
    "Work is to begin in spring and to last for about two years.",
    "Shops on both banks fear that customers will stay away.",
    "A ferry will carry people across the river until then.",
    "The money comes from the region and from two foundations.",
    "An exhibition in the town hall shows the five designs.",
)


def paragraphs(seed: int, number: int = 5) -> list[str]:
    """Return paragraphs of three `SENTENCES`, each with a note that is unique to the seed."""
    return [
        " ".join(
            f"{SENTENCES[(seed + 3 * position + offset) % len(SENTENCES)]} Note {seed}-{position}."
            for offset in range(3)
        )
        for position in range(number)
    ]


def prose(seed: int, number: int = 5) -> str:
    """Return the HTML of the `paragraphs` of a seed."""
    return "".join(f"<p>{text}</p>" for text in paragraphs(seed, number))


def article_html(seed: int, *, number: int = 5, template: str = "plain") -> str:
    """Return an article page in the template "plain" or, with any other name, in a table layout."""
    body = prose(seed, number)
    title = f"Bridge story number {seed}"
    if template == "plain":
        return (
            f"<!doctype html><html lang='en'><head><title>{title}</title></head><body>"
            "<div class='menu'><ul>"
            + "".join(f"<li><a href='/s{n}'>Section {n}</a></li>" for n in range(8))
            + f"</ul></div><div class='main'><h1 class='title'>{title}</h1>"
            f"<div class='story'>{body}</div></div>"
            "<div class='foot'><p>All rights reserved by the paper.</p></div></body></html>"
        )
    return (
        f"<!doctype html><html lang='en'><head><title>{title}</title></head><body><table><tr><td>"
        + "".join(f"<b><a href='/s{n}'>Section {n}</a></b><br>" for n in range(12))
        + f"</td><td><h2 class='head'>{title}</h2><div class='text'><blockquote>{body}"
        "</blockquote></div></td></tr><tr><td><form><input><input><input></form></td></tr></table>"
        "</body></html>"
    )


def article_pages(seeds: Iterable[int]) -> list[tuple[str, str]]:
    """Return an article page for each seed, as a URL path and HTML."""
    return [(str(seed), article_html(seed)) for seed in seeds]


def message(url: str, html: str | None = None, **more: Any) -> bytes:
    """Return a page message, encoded as JSON, without keys that are None."""
    values = {"version": 1, "url": url, "html": html, **more}
    return json.dumps({key: value for key, value in values.items() if value is not None}).encode()


def site_messages(host: str, seeds: Sequence[int]) -> list[bytes]:
    """Return page messages for article pages of a site with a single template."""
    return [message(f"https://{host}/a/{seed}", article_html(seed), id=str(seed)) for seed in seeds]


ARTICLE: Mapping[str, Any] = {
    "version": 1,
    "id": "a",
    "revision": 1,
    "page_id": None,
    "url": "https://news.example/a",
    "site": "news.example",
    "fetched_at": None,
    "language": None,
    "title": None,
    "lead": None,
    "authors": [],
    "published_at": None,
    "text": "",
    "blocks": [],
    "images": [],
    "embeds": [],
    "comments": [],
    "template": {"group": None, "generation": 1, "size": 1, "role": "outlier"},
    "method": "lines",
    "xpath": None,
    "confidence": 1.0,
    "extracted_at": "2026-01-01T00:00:00Z",
}
"""An article message in which each key has its smallest valid value."""

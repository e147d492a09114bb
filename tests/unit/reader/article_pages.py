"""Markup of article pages, and functions that extract the article from it."""

import json
import random
from collections.abc import Sequence

from detourage.article import Article
from detourage.html import Page, parse_page
from detourage.reader import extract_article
from detourage.roles import LineRole

URL = "https://news.example/2024/05/story.html"

_SYLLABLES = ["ba", "cor", "din", "el", "fo", "gar", "hin", "jo", "kel", "lu", "mar", "nov"]


def page(body: str, head: str = "", url: str = URL, attributes: str = "") -> Page:
    """Parse a page with the given content; `attributes` are those of the element ``html``."""
    return parse_page(f"<html {attributes}><head>{head}</head><body>{body}</body></html>", url)


def sentence(seed: int, words: int = 12) -> str:
    """Return a sentence that is unique to the seed."""
    rng = random.Random(seed)
    invented_words = ("".join(rng.choices(_SYLLABLES, k=3)) for _ in range(words - 1))
    return " ".join([f"Item{seed}", *invented_words]) + "."


def paragraphs(seed: int, count: int = 6) -> list[str]:
    """Return paragraphs of three sentences that are unique to the seed."""
    return [
        " ".join(sentence(1000 * seed + 10 * number + part) for part in range(3))
        for number in range(count)
    ]


def prose(seed: int, count: int = 6) -> str:
    """Return the HTML of the `paragraphs` of a seed."""
    return "".join(f"<p>{text}</p>" for text in paragraphs(seed, count))


TITLE = "Council votes to reopen the old bridge"
ADDRESS = "https://harbour-post.example/politics/bridge-1"


def json_ld(**values: object) -> str:
    """Return the structured data (JSON-LD) of a news article."""
    record = {"@type": "NewsArticle", "headline": TITLE, **values}
    return f'<script type="application/ld+json">{json.dumps(record)}</script>'


def story(
    above: str = "",
    head: str = "",
    *,
    below: str = "",
    url: str = ADDRESS,
    body: str = f"<div class='story'>{prose(1)}</div>",
) -> Article:
    """Extract an article with the markup `above` above its body, and `below` under it."""
    surrounded = page(f"<h1>{TITLE}</h1>{above}{body}{below}", head, url, "lang='en'")
    return extract_article(surrounded, None)


def article_around(markup: str, head: str = "", text_roles: Sequence[LineRole] = ()) -> Article:
    """Extract an article that has the given markup between its paragraphs."""
    interrupted = page(f"<article>{prose(1)}{markup}{prose(2)}</article>", head)
    return extract_article(interrupted, None, (), text_roles)

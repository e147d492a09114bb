"""Evidence from the comparison of a line with the page's declarations."""

import re
from collections.abc import Iterable, Iterator

import numpy as np

from worker.article.evidence.view import MAX_MATCHED, UNKNOWN, EvidenceSource, Floats, View
from worker.html.nodes import AnyElement
from worker.inference import NamedColumn
from worker.text import words

OPENING_WORDS = 6
"""Number of leading words by which a line is matched to the start of a description."""

MIN_DESCRIPTION = 4
"""Minimum number of words in an informative description."""

MAX_JSON_LD = 50_000
"""Maximum number of characters of a JSON-LD script that are examined."""

MAX_PEOPLE = 10
"""Maximum number of names taken from a page; any further people are probably its readers."""

_PERSON = '"Person"'
_NAME = re.compile(r'"name"\s*:\s*"([^"\\]{3,80})"')

_OF_AUTHORS = ("author", "article:author", "parsely-author", "sailthru.author")
_OF_DESCRIPTIONS = ("og:description", "description", "twitter:description")
_OF_KEYWORDS = ("keywords", "news_keywords", "article:tag", "article:section")


def _of_declared(view: View) -> Iterator[NamedColumn]:
    """Compare the line with declared titles, authors, descriptions and keywords."""
    metas, sizes = view.page.metas, view.distinct_words

    def tokens(name: str) -> list[str]:
        return words.tokens(metas.get(name, "")[: 4 * MAX_MATCHED])

    for name, title in (("og_title", metas.get("og:title", "")), ("title", view.page.title)):
        yield f"like_{name}", _likeness(view, [frozenset(words.tokens(title[:MAX_MATCHED]))])
    names = [metas[name] for name in _OF_AUTHORS if name in metas]
    names += people_in(view.page.declaring)
    authors = {
        token
        for name in names
        if not name.startswith("http")
        for token in words.tokens(name[: 4 * MAX_MATCHED])
        if len(token) > 1
    }
    shared = view.words_among(authors)
    yield "in_authors", shared / sizes
    yield "of_authors", shared / max(1, len(authors))
    described = [found for name in _OF_DESCRIPTIONS if (found := tokens(name))]
    starts = {tuple(found[:OPENING_WORDS]) for found in described if len(found) >= OPENING_WORDS}
    yield "opens_description", [line.tokens[:OPENING_WORDS] in starts for line in view.lines]
    long = {frozenset(found) for found in described if len(found) >= MIN_DESCRIPTION}
    yield "like_description", _likeness(view, long)
    tagged = {token for name in _OF_KEYWORDS for token in tokens(name)}
    yield "in_keywords", view.words_among(tagged) / sizes


def people_in(head: Iterable[AnyElement]) -> list[str]:
    """Return the names of people anywhere in a page's JSON-LD."""
    found: dict[str, None] = {}
    for element in head:
        text = element.text or ""
        if element.tag != "script" or _PERSON not in text[:MAX_JSON_LD]:
            continue
        for part in text[:MAX_JSON_LD].split("{"):
            if _PERSON in part and (name := _NAME.search(part)):
                found[name[1]] = None
    return [*found][:MAX_PEOPLE]


def _likeness(view: View, declared: Iterable[frozenset[str]]) -> Floats:
    """Return for each line its highest Jaccard similarity to any of the declared texts."""
    highest = np.full(len(view.lines), UNKNOWN)
    for each in filter(None, declared):
        shared = view.words_among(each)
        highest = np.maximum(highest, shared / (view.distinct_words + len(each) - shared))
    return highest


DECLARED = EvidenceSource("what the page declares", _of_declared)

"""Declarations in microdata, using the schema.org vocabulary."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from detourage.html.nodes import AnyElement
from detourage.metadata.record import ARTICLE_TYPE, PAGE_TYPE, Record
from detourage.text import words

MAX_PROPERTIES = 500
"""Maximum number of properties examined per page."""

MAX_VALUE = 300
"""Maximum length of a value, in characters; a longer value is the text of the article."""

_FIELDS = {
    "headline": "titles",
    "description": "descriptions",
    "author": "authors",
    "creator": "authors",
    "datepublished": "published",
    "datecreated": "published",
    "uploaddate": "published",
    "datemodified": "modified",
    "inlanguage": "languages",
    "mainentityofpage": "addresses",
    "articlesection": "sections",
    "keywords": "tags",
    "isaccessibleforfree": "access",
}


def read_microdata(elements: Iterable[AnyElement], container: AnyElement) -> Record:
    """Read the declarations about the page's article from elements with microdata properties.

    A page may mark up teasers as well. Its own article is the item around `container` (the element
    of the body) or else the first item.
    """
    properties = [element for element in elements if element.get("itemprop")][:MAX_PROPERTIES]
    by_scope: defaultdict[Any, list[AnyElement]] = defaultdict(list)
    kinds: dict[Any, str] = {}
    for element in properties:
        if (element.get("itemprop") or "").strip().lower() not in _FIELDS:
            continue
        scope = next(
            (each for each in element.iterancestors() if each.get("itemscope") is not None), None
        )
        kind = _kind(scope)
        if scope is None or ARTICLE_TYPE.search(kind) or PAGE_TYPE.search(kind):
            by_scope[scope].append(element)
            kinds[scope] = kind
    if not by_scope:
        return Record()
    around = {container, *container.iterancestors()}
    articles = [scope for scope, kind in kinds.items() if ARTICLE_TYPE.search(kind)]
    main = next((scope for scope in articles if scope in around), next(iter(articles), None))
    found: defaultdict[str, list[str]] = defaultdict(list)
    if main is not None:
        found["kinds"].append(kinds[main])
    for scope in dict.fromkeys((main, *(s for s in kinds if s in around or s is None))):
        for element in by_scope.get(scope, ()):
            field = _FIELDS[element.get("itemprop", "").strip().lower()]
            text = _value(element)
            if text and len(text) <= MAX_VALUE:
                found[field].append(text)
    free = found.pop("access", [])
    found["access"] = ["free" if each.lower() == "true" else "paid" for each in free[:1]]
    return Record.of(found)


def _kind(scope: AnyElement | None) -> str:
    kind = "" if scope is None else (scope.get("itemtype") or "")
    return kind.strip().rstrip("/").rsplit("/", 1)[-1].lower()


def _value(element: AnyElement) -> str:
    for name in ("content", "datetime", *(("title",) if element.tag == "abbr" else ())):
        value = element.get(name)
        if value:
            return words.clean(value)
    if element.get("itemscope") is not None:
        named = next((e for e in element.iter() if e.get("itemprop") == "name"), None)
        if named is not None:
            return words.clean(named.get("content") or named.text_content())
    if element.tag in ("link", "a") and not element.text_content().strip():
        return words.clean(element.get("href") or "")
    return words.clean(element.text_content())

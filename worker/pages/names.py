"""What authors call the parts of their pages: words of class and id attributes."""

import re
from functools import lru_cache

from lxml.html import HtmlElement

_EMPTY: frozenset[str] = frozenset()
_WORD = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def split_name(name: str) -> list[str]:
    """Return the words of a name in their order, in lower case: ``relatedPosts`` has two."""
    return [word.lower() for word in _WORD.findall(name)]


@lru_cache(maxsize=4096)
def split_words(names: str) -> frozenset[str]:
    """Return the words of classes and ids: ``relatedPosts top_nav`` has four."""
    return _EMPTY.union(*map(_words_of, names.split()))


@lru_cache(maxsize=8192)
def _words_of(name: str) -> frozenset[str]:
    return frozenset(split_name(name))


def name_words(element: HtmlElement) -> frozenset[str]:
    """Return the words of an element's class and id."""
    return split_words(f"{element.get('class') or ''} {element.get('id') or ''}")

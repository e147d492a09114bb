"""Words in class and id attributes."""

import re

from detourage.html import _markup
from detourage.html.nodes import AnyElement, Node

_WORD_IN_NAME = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_BEFORE_CAPITAL = re.compile(r"[a-z0-9](?=[A-Z])")


def to_kebab_case(name: str) -> str:
    """Convert camel case to lower case with hyphens (``relatedPosts`` to ``related-posts``)."""
    return _BEFORE_CAPITAL.sub(lambda found: found[0] + "-", name).lower()


def split_name(name: str) -> list[str]:
    """Return the lower-case words of a name, in order (two for ``relatedPosts``)."""
    return [word.lower() for word in _WORD_IN_NAME.findall(name)]


def split_words(names: str) -> frozenset[str]:
    """Return the lower-case words of classes and ids (four for ``relatedPosts top_nav``)."""
    return _markup.words(names)


def name_words(element: AnyElement) -> frozenset[str]:
    """Return the words of an element's class and id."""
    if isinstance(element, Node):
        flat = element.flat
        return split_words(" ".join(flat.distinct_names[flat.name_numbers.item(element.index)]))
    return split_words(f"{element.get('class') or ''} {element.get('id') or ''}")

"""Words in class and id attributes."""

import re
from collections.abc import Mapping, Sequence
from itertools import repeat

import numpy as np

from detourage.html.flat import Integers
from detourage.html.nodes import AnyElement
from detourage.text.caches import cached_if_short

_WORD_IN_NAME = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_BEFORE_CAPITAL = re.compile(r"[a-z0-9](?=[A-Z])")
_TO_SPACE = {code: " " for code in range(1, 128) if not chr(code).islower()}


def to_kebab_case(name: str) -> str:
    """Convert camel case to lower case with hyphens (``relatedPosts`` to ``related-posts``)."""
    return _BEFORE_CAPITAL.sub(lambda found: found[0] + "-", name).lower()


def split_name(name: str) -> list[str]:
    """Return the lower-case words of a name, in order (two for ``relatedPosts``)."""
    return [word.lower() for word in _WORD_IN_NAME.findall(name)]


def find_known_words(names: Sequence[str], known: Mapping[str, int]) -> tuple[Integers, Integers]:
    """Return, for each occurrence of a known word, the index of its name and the word's number."""
    # Nearly all names are in lower case and can be split without a pattern.
    is_plain = str.islower if all(map(str.isascii, names)) else _is_plain
    plain = [name if is_plain(name) else " ".join(split_words(name)) for name in names]
    # All names are split at once; NUL, which gets the number -2, marks the end of each name.
    words = "\0".join(plain).translate(_TO_SPACE).replace("\0", " \0 ").split()
    word_numbers = map({**known, "\0": -2}.get, words, repeat(-1))
    numbers = np.fromiter(word_numbers, np.int64, len(words))
    name_indices = np.cumsum(numbers == -2)
    return name_indices[numbers >= 0], numbers[numbers >= 0]


def _is_plain(name: str) -> bool:
    return name.isascii() and name.islower()


@cached_if_short(4096)
def split_words(names: str) -> frozenset[str]:
    """Return the lower-case words of classes and ids (four for ``relatedPosts top_nav``)."""
    return frozenset(split_name(names))


def name_words(element: AnyElement) -> frozenset[str]:
    """Return the words of an element's class and id."""
    return split_words(f"{element.get('class') or ''} {element.get('id') or ''}")

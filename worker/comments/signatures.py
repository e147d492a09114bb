"""What elements that hold comments have in common, and elements of one kind with no other."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from lxml.html import HtmlElement

_DIGITS = re.compile(r"\d+")
# Each run of such characters is tried at the first end of a word in it alone: where that is none,
# no later one is.
_HEXADECIMAL = re.compile(
    r"(?<![a-f0-9-])(\b|[a-f0-9]++(?=-)|-++(?=[a-f0-9]))(?=[a-f-]*+\d)[a-f0-9-]{8,}\b"
)

MAX_CLASSES = 8
"""Classes of an element that are looked at; the most in the corpora's records are 7."""


class Signature(NamedTuple):
    """What elements of one kind share.

    Attributes
    ----------
    tag
        Their tag.
    name
        ``.class``, ``#id`` or ``[kind]`` (microdata), numbers replaced by ``#``; several
        classes together, sorted, as ``.one.two``. Empty where the place alone counts.
    path
        The tags from the root down to the element, parted by ``/``; empty where the name
        alone counts.
    """

    tag: str
    name: str
    path: str


class PathNames:
    """Paths of elements, each kind of which is made once: a page repeats a few of them."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], str] = {}

    def below(self, above: str, tag: str) -> str:
        """Return the path of an element from that of the one around it, empty for the root's."""
        step = (above, tag)
        path = self._known.get(step)
        if path is None:
            path = self._known[step] = f"{above}/{tag}"
        return path


def signatures_of(element: HtmlElement, path: str) -> Iterator[Signature]:
    """Yield an element's signatures, those of its names first."""
    tag = element.tag
    names = _class_names(element.get("class") or "")
    for name in names:
        yield Signature(tag, name, "")
    identity = masked(element.get("id") or "")
    if "#" in identity:
        yield Signature(tag, f"#{identity}", "")
    kind = element.get("itemprop") or element.get("itemtype")
    if kind:
        yield Signature(tag, f"[{kind}]", "")
    if names:
        yield Signature(tag, names[-1], path)
    yield Signature(tag, "", path)


@lru_cache(maxsize=8192)
def masked(name: str) -> str:
    """Return a class or id without its numbers, which tell records of one kind apart."""
    return _DIGITS.sub("#", _HEXADECIMAL.sub(r"\1#", name))


@lru_cache(maxsize=8192)
def _class_names(classes: str) -> tuple[str, ...]:
    """Return each class as a name, and after them all together."""
    tokens = sorted({masked(token) for token in classes.split()[:MAX_CLASSES]})
    together = [".".join(["", *tokens])] if len(tokens) > 1 else []
    return (*(f".{token}" for token in tokens), *together)

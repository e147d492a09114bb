"""What elements that hold comments have in common, and elements of one kind with no other."""

import re
from functools import lru_cache
from typing import NamedTuple

from worker.pages.flat import FlatDocument

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


def paths_of(page: FlatDocument) -> list[str]:
    """Return for each element the tags from the root down to it, parted by ``/``."""
    paths: list[str] = []
    # A page repeats a few of them.
    known: dict[tuple[str, str], str] = {}
    for tag, parent in zip(page.tags, page.parents.tolist(), strict=True):
        step = (paths[parent] if parent >= 0 else "", tag)
        path = known.get(step)
        if path is None:
            path = known[step] = "/".join(step)
        paths.append(path)
    return paths


def signatures_of(
    tag: str, path: str, classes: str, identity: str, kind: str
) -> list[tuple[str, str, str]]:
    """Return an element's signatures, those of its names first.

    Parameters
    ----------
    tag, path
        Its tag, and the tags down to it.
    classes, identity, kind
        Its class, its id, and what microdata it is; empty for none.
    """
    names = _class_names(classes)
    found = [(tag, name, "") for name in names]
    masked_identity = masked(identity)
    if "#" in masked_identity:
        found.append((tag, f"#{masked_identity}", ""))
    if kind:
        found.append((tag, f"[{kind}]", ""))
    if names:
        found.append((tag, names[-1], path))
    found.append((tag, "", path))
    return found


@lru_cache(maxsize=8192)
def masked(name: str) -> str:
    """Return a class or id without its numbers, which tell records of one kind apart."""
    if _DIGITS.search(name) is None:
        return name
    return _DIGITS.sub("#", _HEXADECIMAL.sub(r"\1#", name))


@lru_cache(maxsize=8192)
def _class_names(classes: str) -> tuple[str, ...]:
    """Return each class as a name, and after them all together."""
    tokens = sorted({masked(token) for token in classes.split()[:MAX_CLASSES]})
    together = [".".join(["", *tokens])] if len(tokens) > 1 else []
    return (*(f".{token}" for token in tokens), *together)

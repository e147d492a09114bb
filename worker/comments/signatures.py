"""Signatures: properties shared by elements of one kind, such as those that contain comments."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from string import digits
from typing import NamedTuple

import numpy as np

from worker.html.flat import FlatDocument, Integers

_DIGITS = re.compile(r"\d+")
MIN_HEXADECIMAL = 8
"""Minimum length of a hexadecimal number, in characters."""

_LONG = re.compile(f"[a-f0-9-]{{{MIN_HEXADECIMAL},}}+")
_MARK = "\1"
"""Placeholder for a digit; like NUL, it never occurs in a document."""

_TO_MARKS = dict.fromkeys(map(ord, digits), _MARK)
# Each run of such characters is tried only at its first word boundary: if there is no match there,
# there is none later.
_HEXADECIMAL = re.compile(
    r"(?<![a-f0-9-])(\b|[a-f0-9]++(?=-)|-++(?=[a-f0-9]))(?=[a-f-]*+\d)"
    rf"[a-f0-9-]{{{MIN_HEXADECIMAL},}}\b"
)

MAX_CLASSES = 8
"""Maximum number of classes read from an element."""


class Signature(NamedTuple):
    """Properties shared by elements of one kind.

    `name` is ``.class``, ``#id`` or ``[kind]`` (of microdata), with numbers replaced by ``#``;
    several classes are sorted, as in ``.one.two``. `path` consists of the tags from the root down
    to the element, separated by ``/``. Either is empty if only the other counts.
    """

    tag: str
    name: str
    path: str


def paths_of(page: FlatDocument) -> tuple[list[str], Integers]:
    """Return the distinct paths of elements (see `Signature`), and each element's path number."""
    ways: list[str] = [""]
    # Number 0 is the empty path, above the root.
    numbers = [0]
    known: dict[int, int] = {}
    tags = page.distinct_tags
    for parent, tag in zip((page.parents + 1).tolist(), page.tag_numbers.tolist(), strict=True):
        above = numbers[parent]
        step = above * len(tags) + tag
        if step not in known:
            known[step] = len(ways)
            ways.append(f"{ways[above]}/{tags[tag]}")
        numbers.append(known[step])
    return ways, np.array(numbers[1:], dtype=np.int64)


def signatures_of(
    tag: str, path: str, classes: str, identity: str, kind: str
) -> list[tuple[str, str, str]]:
    """Return an element's signatures, starting with those that have names (see `names_of`)."""
    names, own = names_of(classes, identity, kind)
    found = [(tag, name, "") for name in names]
    if own:
        found.append((tag, own, path))
    found.append((tag, "", path))
    return found


def names_of(classes: str, identity: str, kind: str) -> tuple[list[str], str]:
    """Return names that an element may share with other elements, and its name with all classes.

    `classes` and `identity` are `masked`; `kind` is its microdata. All may be empty.
    """
    words = sorted({*classes.split(maxsplit=MAX_CLASSES)[:MAX_CLASSES]})
    names = [f".{word}" for word in words]
    if len(words) > 1:
        names.append("".join(names))
    own = names[-1] if names else ""
    if "#" in identity:
        names.append(f"#{identity}")
    if kind:
        names.append(f"[{kind}]")
    return names, own


def masked(names: Sequence[str]) -> list[str]:
    """Mask the numbers in classes or ids, which only distinguish records of the same kind."""
    # NUL never occurs in a document.
    joined = "\0".join(names)
    coded = [found.start() for found in _LONG.finditer(joined) if _DIGITS.search(found[0])]
    if coded:
        ends = [*accumulate(len(name) + 1 for name in names)]
        whole = [*names]
        for number in {bisect_right(ends, place) for place in coded}:
            whole[number] = _HEXADECIMAL.sub(r"\1#", names[number])
        joined = "\0".join(whole)
    if not joined.isascii():
        return _DIGITS.sub("#", joined).split("\0")
    # A regular expression would give the same result, but more slowly.
    joined = joined.translate(_TO_MARKS)
    while _MARK * 2 in joined:
        joined = joined.replace(_MARK * 2, _MARK)
    return joined.replace(_MARK, "#").split("\0")

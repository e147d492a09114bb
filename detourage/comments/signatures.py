"""Signatures: properties that elements of the same kind, such as comments, have in common."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from string import digits
from typing import NamedTuple

import numpy as np

from detourage.html.flat import FlatDocument, Integers, number_distinct

_DIGITS = re.compile(r"\d+")
MIN_HEXADECIMAL = 8  # length, in characters, of a hexadecimal number; shorter ones may be words
_LONG_HEXADECIMAL = re.compile(f"[a-f0-9-]{{{MIN_HEXADECIMAL},}}+")
_MARK = "\1"  # placeholder for a digit, which never occurs in a document
_TO_MARKS = dict.fromkeys(map(ord, digits), _MARK)
# Each run of hexadecimal digits is tried only at its first word boundary, because a match that
# fails there fails at every later one.
_HEXADECIMAL = re.compile(
    r"(?<![a-f0-9-])(\b|[a-f0-9]++(?=-)|-++(?=[a-f0-9]))(?=[a-f-]*+\d)"
    rf"[a-f0-9-]{{{MIN_HEXADECIMAL},}}\b"
)
MAX_CLASSES = 8  # classes read per element


class Signature(NamedTuple):
    """Properties that elements of the same kind share.

    `name` is ``.class``, ``#id`` or ``[kind]`` (of microdata), with numbers replaced by ``#``.
    Several classes are sorted, as in ``.one.two``. `path` consists of the tags from the root down
    to the element, separated by ``/``. If only one of the two counts, the other is empty.
    """

    tag: str
    name: str
    path: str


def number_paths(page: FlatDocument) -> tuple[list[str], Integers]:
    """Return the distinct paths of elements (see `Signature`), and each element's path number."""
    paths: list[str] = [""]
    # Number 0 is the empty path, above the root.
    numbers = [0]
    number_by_step: dict[tuple[int, int], int] = {}
    tags = page.distinct_tags
    for parent, tag in zip((page.parents + 1).tolist(), page.tag_numbers.tolist(), strict=True):
        step = numbers[parent], tag
        if step not in number_by_step:
            number_by_step[step] = len(paths)
            paths.append(f"{paths[numbers[parent]]}/{tags[tag]}")
        numbers.append(number_by_step[step])
    return paths, np.array(numbers[1:], dtype=np.int64)


def group_by_look(page: FlatDocument, elements: Integers) -> tuple[Integers, list[list[Signature]]]:
    """Return the number of each element's look, and the signatures of each look, best first.

    Elements have the same look if their paths, classes, IDs and kinds of microdata are equal.
    """
    kinds = {**page.values("itemtype"), **page.values("itemprop")}
    paths, path_numbers = number_paths(page)
    columns = path_numbers[elements].tolist(), page.name_numbers[elements].tolist()
    element_kinds = [kinds.get(element, "") for element in elements.tolist()]
    distinct, looks = number_distinct([*zip(*columns, element_kinds, strict=True)])
    classes_and_ids = zip(*(page.distinct_names[name] for _, name, _ in distinct), strict=True)
    names = zip(*map(mask_numbers, classes_and_ids), strict=True)
    signatures = [
        _list_signatures(paths[path_number], classes, identity, kind)
        for (path_number, _, kind), (classes, identity) in zip(distinct, names, strict=True)
    ]
    return looks, signatures


def _list_signatures(path: str, classes: str, identity: str, kind: str) -> list[Signature]:
    """Return the signatures of elements with this path, classes, ID and kind of microdata."""
    tag = path.rpartition("/")[2]
    names = [f".{name}" for name in sorted({*classes.split(maxsplit=MAX_CLASSES)[:MAX_CLASSES]})]
    if len(names) > 1:
        names.append("".join(names))
    with_path = [Signature(tag, names[-1], path)] if names else []
    if "#" in identity:
        names.append(f"#{identity}")
    if kind:
        names.append(f"[{kind}]")
    return [*(Signature(tag, name, "") for name in names), *with_path, Signature(tag, "", path)]


def mask_numbers(names: Sequence[str]) -> list[str]:
    """Replace the numbers in classes or IDs by ``#``, because they differ between records.

    All names are processed at once, separated by NUL, which never occurs in a document.
    """
    joined = "\0".join(names)
    matches = [match for match in _LONG_HEXADECIMAL.finditer(joined) if _DIGITS.search(match[0])]
    if matches:
        ends = [*accumulate(len(name) + 1 for name in names)]
        masked_names = [*names]
        for number in {bisect_right(ends, match.start()) for match in matches}:
            masked_names[number] = _HEXADECIMAL.sub(r"\1#", names[number])
        joined = "\0".join(masked_names)
    if not joined.isascii():
        return _DIGITS.sub("#", joined).split("\0")
    # A regular expression would give the same result, but more slowly.
    joined = joined.translate(_TO_MARKS)
    while _MARK * 2 in joined:
        joined = joined.replace(_MARK * 2, _MARK)
    return joined.replace(_MARK, "#").split("\0")

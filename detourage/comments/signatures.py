"""Signatures: properties that elements of the same kind, such as comments, have in common."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import accumulate, starmap
from string import digits
from typing import NamedTuple

import numpy as np

from detourage.html.flat import FlatDocument, Integers, number_distinct
from detourage.text.patterns import lazy_pattern

_DIGITS = lazy_pattern(r"\d+")
MIN_HEXADECIMAL = 8  # length, in characters, of a hexadecimal number; shorter ones may be words
_LONG_HEXADECIMAL = lazy_pattern(f"[a-f0-9-]{{{MIN_HEXADECIMAL},}}+")
_MARK = "\1"  # placeholder for a digit, which never occurs in a document
_TO_MARKS = dict.fromkeys(map(ord, digits), _MARK)
# Each run of hexadecimal digits is tried only at its first word boundary, because a match that
# fails there fails at every later one.
_HEXADECIMAL = lazy_pattern(
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


def group_by_look(
    page: FlatDocument, elements: Integers
) -> tuple[Integers, Mapping[tuple[str, ...], list[int]]]:
    """Return the number of each element's look, and the looks with each signature, best first.

    Elements have the same look if their paths, classes, IDs and kinds of microdata are equal, apart
    from numbers. The signatures are plain tuples.
    """
    kinds = {**page.values("itemtype"), **page.values("itemprop")}
    paths, path_numbers = _number_paths(page)
    used, name_numbers = np.unique(page.name_numbers[elements], return_inverse=True)
    classes_and_ids = zip(*map(page.distinct_names.__getitem__, used.tolist()), strict=True)
    masked_names = zip(*map(mask_numbers, classes_and_ids), strict=True)
    distinct_names, new_numbers = number_distinct([*masked_names])
    names = [*starmap(_list_names, distinct_names)]
    columns = path_numbers[elements].tolist(), new_numbers[name_numbers].tolist()
    element_kinds = map(kinds.get, elements.tolist())
    distinct, looks = number_distinct([*zip(*columns, element_kinds, strict=True)])
    by_signature: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for look, (path_number, name_number, kind) in enumerate(distinct):
        tag, path = paths[path_number]
        classes, classes_and_id = names[name_number]
        for name in classes_and_id:
            by_signature[tag, name, ""].append(look)
        if kind:
            by_signature[tag, f"[{kind}]", ""].append(look)
        if classes:
            by_signature[tag, classes, path].append(look)
        by_signature[tag, "", path].append(look)
    return looks, by_signature


def _number_paths(page: FlatDocument) -> tuple[list[tuple[str, str]], Integers]:
    """Return the last tag and the path of each distinct path, and each element's path number."""
    paths = [("", "")]
    # Number 0 is the empty path, above the root.
    numbers = [0]
    number_by_step: dict[tuple[int, int], int] = {}
    for parent, tag in zip((page.parents + 1).tolist(), page.tag_numbers.tolist(), strict=True):
        step = numbers[parent], tag
        number = number_by_step.setdefault(step, len(paths))
        if number == len(paths):
            name = page.distinct_tags[tag]
            paths.append((name, f"{paths[numbers[parent]][1]}/{name}"))
        numbers.append(number)
    return paths, np.array(numbers[1:], dtype=np.int64)


def _list_names(classes: str, identity: str) -> tuple[str, list[str]]:
    """Return all classes as one name, and the names of signatures for these classes and this ID."""
    names = [f".{name}" for name in sorted({*classes.split(maxsplit=MAX_CLASSES)[:MAX_CLASSES]})]
    all_classes = "".join(names)
    if len(names) > 1:
        names.append(all_classes)
    if "#" in identity:
        names.append(f"#{identity}")
    return all_classes, names


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

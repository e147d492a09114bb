"""Generation of texts that may make a given regular expression backtrack."""

import importlib
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

# The standard library's parser of regular expressions has no type stubs.
codes: Any = importlib.import_module("re._constants")
parser: Any = importlib.import_module("re._parser")

_ALPHABET = (*" \na1-.,:;/\"'<>\\|&=([{@#~_!", "\xa0", "é", "A")
_FILLERS = ("", " ", "  ", "a", "\n")
_ENDS = ("", "\0", "\n\0", "1")
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_LITERALS = (codes.LITERAL, codes.NOT_LITERAL)
_BACKTRACKING_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT)
_SINGLE_CHARACTER_CODES = (codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN)
_CATEGORIES: dict[Any, str] = {
    codes.CATEGORY_DIGIT: "1",
    codes.CATEGORY_NOT_DIGIT: "a",
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_NOT_SPACE: "a",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_WORD: ".",
}
_MAX_UNIT = 60
_MAX_CHARACTERS = 16
"""Maximum number of a pattern's characters that are combined into pairs, which are tried as units.
"""
_MAX_BRANCHES = 200
_MAX_MEMBERS = 5
"""Maximum number of characters tried per set. A few are enough, because most characters of a set
are of the same kind."""

_Nodes = Iterable[tuple[Any, Any]]


class Bait(NamedTuple):
    """A text that may trap a pattern: a beginning, a unit repeated any number of times, an end."""

    before: str
    unit: str
    end: str


def text_of(bait: Bait, size: int) -> str:
    """Return the text of a bait with about ``size`` characters."""
    return bait.before + bait.unit * (size // len(bait.unit)) + bait.end


def baits(pattern: re.Pattern[Any]) -> list[Bait]:
    """Return baits on which a pattern may take more than linear time.

    The repeated units are texts that parts of the parse tree match, with or without fillers, and
    pairs of its characters. The text before the units may match whatever precedes that part of the
    pattern, and various endings make the whole match fail.
    """
    source = pattern.pattern
    text = source.decode("latin-1") if isinstance(source, bytes) else source
    flags = pattern.flags & ~re.UNICODE if isinstance(source, str) else pattern.flags
    tree = list(parser.parse(text, flags))
    characters = list(dict.fromkeys((*_characters(tree), "a", " ", "1", "\n")))[:_MAX_CHARACTERS]
    beginnings_and_units = dict.fromkeys(("", unit) for unit in _ALPHABET)
    beginnings_and_units |= dict.fromkeys(
        ("", a + b) for a in characters for b in characters if a != b
    )
    beginnings_and_units |= dict.fromkeys(_pairs(tree))
    return [
        Bait(before, unit, end)
        for before, unit in beginnings_and_units
        if 0 < len(unit) <= _MAX_UNIT
        for end in _ENDS
    ]


def uses_memory_per_repetition(pattern: re.Pattern[Any]) -> bool:
    """Return whether a match takes memory for each repetition of a part of the pattern.

    The engine stores about a hundred bytes per repetition of a part that is longer than one
    character and has an unbounded quantifier, unless the quantifier is possessive.
    """
    tree = list(parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE))
    return any(
        code in _BACKTRACKING_REPEATS
        and value[1] is codes.MAXREPEAT
        and not (len(value[2]) == 1 and value[2][0][0] in _SINGLE_CHARACTER_CODES)
        for nodes, _ in _sequences(tree, "")
        for code, value in nodes
    )


def _characters(tree: _Nodes) -> Iterator[str]:
    """Yield the characters in a pattern, punctuation first, because it often delimits matches."""
    all_characters = [
        character
        for nodes, _ in _sequences(list(tree), "")
        for node in nodes
        for character in (*_members(node), _one_character(*node) if node[0] in _LITERALS else "")
        if character
    ]
    yield from (each for each in all_characters if not each.isalnum())
    yield from (each for each in all_characters if each.isalnum())


def _pairs(tree: _Nodes) -> Iterator[tuple[str, str]]:
    """Yield pairs of a beginning and a unit to be repeated after it."""
    for nodes, before in _sequences(list(tree), ""):
        for place, node in enumerate(nodes):
            node_sample, preceding_sample = _sample([node]), _sample(nodes[:place])
            for unit in {
                node_sample,
                preceding_sample + node_sample,
                *islice(_members(node), _MAX_MEMBERS),
            }:
                for filler in _FILLERS:
                    yield "", unit + filler
                yield before + preceding_sample, unit


def _sequences(nodes: list[tuple[Any, Any]], before: str) -> Iterator[tuple[list[Any], str]]:
    """Yield each sequence of nodes in the tree, with a text that may precede it."""
    yield nodes, before
    for place, (code, value) in enumerate(nodes):
        for inner in list(_inner(code, value))[:_MAX_BRANCHES]:
            yield from _sequences(list(inner), before + _sample(nodes[:place]))


def _inner(code: Any, value: Any) -> Iterator[_Nodes]:
    if code is codes.BRANCH:
        yield from value[1]
    elif code is codes.SUBPATTERN:
        yield value[-1]
    elif code is codes.ATOMIC_GROUP:
        yield value
    elif code in _REPEATS:
        yield value[2]
    elif code in (codes.ASSERT, codes.ASSERT_NOT):
        yield value[1]


def _sample(nodes: _Nodes) -> str:
    """Return a text that a sequence of nodes matches, at least approximately."""
    return "".join(_sample_of(code, value) for code, value in nodes)


def _sample_of(code: Any, value: Any) -> str:
    if code is codes.IN:
        return next(_members((code, value)), "")
    if code in _REPEATS:
        return _sample(value[2]) * max(int(value[0]), 1)
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        return ""
    inner = next(_inner(code, value), None)
    return _one_character(code, value) if inner is None else _sample(inner)


def _members(node: tuple[Any, Any]) -> Iterator[str]:
    """Yield a few members of a set in a pattern."""
    code, value = node
    if code in _REPEATS and len(value[2]) == 1:
        yield from _members(value[2][0])
    elif code is codes.IN and value[0][0] is codes.NEGATE:
        others = {_one_character(*each) for each in value[1:]}
        yield from (each for each in 'a 1-<"/.\n' if each not in others)
    elif code is codes.IN:
        yield from (_one_character(*each) for each in value)


def _one_character(code: Any, value: Any) -> str:
    if code is codes.LITERAL:
        return chr(value)
    if code is codes.RANGE:
        return chr(value[0])
    if code is codes.CATEGORY:
        return _CATEGORIES[value]
    if code is codes.NOT_LITERAL:
        return "b" if value == ord("a") else "a"
    return "a" if code is codes.ANY else ""

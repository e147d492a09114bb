"""JSON in a page's scripts, such as application state, and the search for long texts in it.

No script is executed, and anything other than JSON is skipped.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any, NamedTuple

from detourage.html.nodes import AnyElement, Node
from detourage.html.page import to_html
from detourage.metadata.declared import parse_tolerant
from detourage.text import words
from detourage.text.texts import count_words

STRUCTURED_DATA = "application/ld+json"

MIN_STATE = 200  # length of a script that is searched for state
MAX_TRIES = 100  # positions in a script at which JSON parsing is attempted
MAX_DECODED = 2  # times a script's length to decode; what follows a false start is decoded again

_PROGRAMS = frozenset(
    {"", "module", "text/javascript", "application/javascript", "application/x-javascript"}
)
# Matches the start of an assignment or call that has a value.
_START = re.compile(r"[=(]\s*(?=[\[{\"])")
_OPENING = re.compile(r"\s*(?:<!--|(?://\s*)?<!\[CDATA\[)")
_DECODER = json.JSONDecoder(strict=False)


def structured_data(
    elements: Iterable[Node], least: int = 0, holding: str = ""
) -> Iterator[tuple[Node, Any]]:
    """Yield the values in JSON-LD scripts that contain `holding`, each with its script."""
    for script in elements:
        text = (script.text or "") if script.tag == "script" else ""
        if text and len(text) >= least and holding in text and is_structured_data(script):
            for value in parse_tolerant(text):
                yield script, value


def program_state(elements: Iterable[Node], least: int = MIN_STATE) -> Iterator[tuple[Node, Any]]:
    """Yield the JSON values in the site's scripts, each with its script.

    In JavaScript, these are the literals in assignments and calls; other scripts may be JSON.
    """
    for script in elements:
        text = (script.text or "") if script.tag == "script" else ""
        if len(text) < least:
            continue
        kind = _kind(script)
        if kind in _PROGRAMS:
            for value in _values_in(text):
                yield script, value
        elif kind != STRUCTURED_DATA and kind.endswith(("/json", "+json")):
            value = read_json(text)
            if value is not None:
                yield script, value


def is_structured_data(script: AnyElement) -> bool:
    """Return whether a script is JSON-LD."""
    return _kind(script) == STRUCTURED_DATA


def _kind(script: AnyElement) -> str:
    return (script.get("type") or "").split(";")[0].strip().lower()


def read_json(text: str) -> Any:
    """Parse JSON, possibly wrapped in a comment or CDATA markers; return None if invalid."""
    opening = _OPENING.match(text)
    text = text[opening.end() if opening else 0 :].strip()
    if text.endswith("]]>"):
        text = text.removesuffix("]]>").rstrip().removesuffix("//").rstrip()
    else:
        text = text.removesuffix("-->" if text.endswith("-->") else ";").rstrip()
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def _values_in(program: str) -> Iterator[Any]:
    position, left = 0, MAX_DECODED * len(program)
    for _ in range(MAX_TRIES):
        start = _START.search(program, position)
        if start is None or left <= 0:
            return
        position = start.end()
        try:
            value, end = _DECODER.raw_decode(program, position)
        except json.JSONDecodeError as error:
            left -= error.pos - position
            continue
        except (ValueError, RecursionError):
            return
        left -= end - position
        position = end
        yield value


MIN_WORDS = 60  # words in an article's text
MIN_SENTENCES = 3  # sentence ends in an article's text; a list of names has none
MAX_VALUES = 100_000  # values examined in a script
MAX_DEPTH = 100  # nesting depth that is examined
MAX_OWNERS = 3  # objects around a text, from the innermost, whose other values are collected

_TAG = re.compile(r"<[^<>]*>")
_ADDRESS = re.compile(r"(?:https?:)?//\S+|/[\w%-]\S*")

_Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Passage:
    """A text found in a JSON value, as markup, with short texts of the objects around it."""

    html: str
    nearby: tuple[str, ...]

    @property
    def plain(self) -> str:
        """The text without tags, used for counting."""
        return unescape(_TAG.sub(" ", self.html))


class _Leaf(NamedTuple):
    path: _Path
    text: str
    owners: tuple[dict[str, Any], ...]


def passages(value: Any, name: str | None = None) -> Iterator[Passage]:
    """Yield the texts in a JSON value that may be an article, or those with the given key.

    A text is either one string, plain or markup, or a list with one paragraph per item, taken from
    the same path in each item. Lists whose items have URLs are excluded, because they list other
    pages. With a key, only strings are texts.
    """
    leaves = list(_leaves(value))
    for leaf in leaves:
        keys = (step for step in reversed(leaf.path) if isinstance(step, str) and step != "*")
        if name in (None, next(keys, "")) and is_prose(leaf.text):
            yield Passage(to_html(leaf.text), _nearby(leaf.owners))
    if name is None:
        yield from _joined(leaves)


def is_prose(text: str) -> bool:
    """Return whether a text, plain or markup, has sentences and the length of an article."""
    if len(text) < MIN_WORDS:
        return False
    plain = unescape(_TAG.sub(" ", text)) if "<" in text or "&" in text else text
    if words.count_sentences(plain) < MIN_SENTENCES:
        return False
    return count_words(plain) >= max(MIN_WORDS, len(plain) / 12)


def _leaves(value: Any) -> Iterator[_Leaf]:
    """Yield the strings in a value, in order, including those in JSON encoded as a string."""
    left = MAX_VALUES
    waiting: list[tuple[_Path, Any, tuple[dict[str, Any], ...]]] = [((), value, ())]
    while waiting and left > 0:
        left -= 1
        path, found, owners = waiting.pop()
        if isinstance(found, str):
            inner = read_json(found) if found[:1] in ("{", "[") and len(found) > MIN_WORDS else None
            if inner is None:
                yield _Leaf(path, found, owners)
                continue
            found = inner
        if len(path) >= MAX_DEPTH:
            continue
        if isinstance(found, dict):
            around = (*owners[1 - MAX_OWNERS :], found)
            waiting.extend((((*path, key), found[key], around)) for key in reversed(found))
        elif isinstance(found, list):
            waiting.extend(
                ((*path, place), found[place], owners) for place in reversed(range(len(found)))
            )


def _joined(leaves: Sequence[_Leaf]) -> Iterator[Passage]:
    groups: defaultdict[tuple[_Path, _Path], dict[int, list[_Leaf]]] = defaultdict(dict)
    for leaf in leaves:
        places = [depth for depth, step in enumerate(leaf.path) if isinstance(step, int)]
        form = list(leaf.path)
        for depth in places:
            form[depth] = "*"
        for depth in places:
            step, below = leaf.path[depth], tuple(form[depth + 1 :])
            if isinstance(step, int):
                items = groups[leaf.path[:depth], below]
                items.setdefault(step, []).append(leaf)
    for (around, _), items in groups.items():
        length = sum(len(leaf.text) for item in items.values() for leaf in item)
        if len(items) < 2 or length < MIN_WORDS or _is_list_of_pages(items, len(around)):
            continue
        texts = ["".join(leaf.text for leaf in item) for item in items.values()]
        if is_prose("\n".join(texts)):
            first = next(iter(items.values()))[0]
            html = "".join(to_html(text) for text in texts)
            yield Passage(html, _nearby(first.owners))


def _is_list_of_pages(items: dict[int, list[_Leaf]], depth: int) -> bool:
    """Return whether most items of a list, at the given path depth, have their own URLs."""
    addresses = 0
    for leaves in items.values():
        leaf = leaves[0]
        # The innermost owners of the string are the item and the objects in it, one per key on the
        # path; the item is missing if it is no object, or farther out than the kept owners.
        keys = sum(isinstance(step, str) for step in leaf.path[depth + 1 :])
        item = leaf.owners[-keys] if 0 < keys <= len(leaf.owners) else {}
        addresses += any(
            isinstance(value, str) and _ADDRESS.fullmatch(value) for value in item.values()
        )
    return 2 * addresses > len(items)


def _nearby(owners: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    return tuple(
        value
        for owner in owners
        for value in owner.values()
        if isinstance(value, str) and len(value) <= 300
    )

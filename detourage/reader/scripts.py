"""JSON in a page's scripts, such as application state, and the search for long texts in it.

No script is executed, and anything other than JSON is skipped.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from detourage.html.flat import FlatDocument
from detourage.html.nodes import Node
from detourage.html.page import to_html
from detourage.html.visible_text import unescape
from detourage.metadata.json_ld import is_json_ld, json_ld_in, json_ld_of
from detourage.text.lazy_patterns import lazy_pattern
from detourage.text.token_counts import count_sentences, count_words

MIN_STATE = 200  # characters of a script that is searched for state
MAX_ATTEMPTS = 100  # positions in a script at which JSON parsing is attempted
MAX_DECODED_RATIO = 2  # characters decoded in all attempts, relative to the script's length

_JAVASCRIPT_TYPES = frozenset(
    {"", "module", "text/javascript", "application/javascript", "application/x-javascript"}
)
# Matches the start of an assignment or call that has a value: "window.state = {" or "render([".
_VALUE_START = lazy_pattern(r"[=(]\s*(?=[\[{\"])")
_COMMENT_START = lazy_pattern(r"\s*(?:<!--|(?://\s*)?<!\[CDATA\[)")  # "<!--" or "//<![CDATA["
_DECODER = json.JSONDecoder(strict=False)


def structured_data(
    document: FlatDocument,
    is_wanted: Callable[[str], bool] = bool,
) -> Iterator[tuple[Node, Any]]:
    """Yield the values in the JSON-LD scripts that `is_wanted` accepts, each with its script."""
    for script, text in json_ld_of(document):
        if is_wanted(text):
            for value in json_ld_in(script, text):
                yield script, value


def program_state(
    document: FlatDocument, is_wanted: Callable[[str], bool] = bool
) -> Iterator[tuple[Node, Any]]:
    """Yield the JSON values in the scripts that `is_wanted` accepts, each with its script.

    In JavaScript, these are the literals in assignments and calls; other scripts may be JSON.
    """
    for script in Node(document, 0).iter("script"):
        text = script.text or ""
        if len(text) < MIN_STATE or not is_wanted(text):
            continue
        type_ = (script.get("type") or "").split(";")[0].strip().lower()  # without a charset
        if type_ in _JAVASCRIPT_TYPES:
            for value in _values_in(text):
                yield script, value
        elif not is_json_ld(type_) and type_.endswith(("/json", "+json")):
            value = read_json(text)
            if value is not None:
                yield script, value


def read_json(text: str) -> Any:
    """Parse JSON, possibly wrapped in a comment or CDATA markers; return None if invalid."""
    opening = _COMMENT_START.match(text)
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
    """Yield the values that are JSON in the assignments and calls of a JavaScript program."""
    position, budget = 0, MAX_DECODED_RATIO * len(program)
    for _ in range(MAX_ATTEMPTS):
        start = _VALUE_START.search(program, position)
        if start is None or budget <= 0:
            return
        position = start.end()
        try:
            value, end = _DECODER.raw_decode(program, position)
        except json.JSONDecodeError as error:
            budget -= error.pos - position
            continue
        except (ValueError, RecursionError):
            return
        budget -= end - position
        position = end
        yield value


MIN_WORDS = 60  # words in an article's text
MIN_SENTENCES = 3  # sentence ends in an article's text; a list of names has none
MAX_CHARACTERS_PER_WORD = 12  # mean word length in an article's text; encoded data has more
MAX_VALUES = 100_000  # values examined in a script
MAX_DEPTH = 100  # nesting depth that is examined
MAX_OWNERS = 3  # objects around a text, from the innermost, whose other values are collected
MAX_NEARBY_CHARACTERS = 300  # length of a value collected from these objects

_TAG = lazy_pattern(r"<[^<>]*>")
_ADDRESS = lazy_pattern(r"(?:https?:)?//\S+|/[\w%-]\S*")

_TEXTUAL = (str, dict, list)  # types of the values that are or contain texts
_Path = tuple[str | int, ...]


class Passage(NamedTuple):
    """A text found in a JSON value, as HTML, with short texts of the objects around it."""

    html: str
    nearby: tuple[str, ...]

    @property
    def plain(self) -> str:
        """The text without tags, used for counting."""
        return unescape(_TAG.sub(" ", self.html))


class _Leaf(NamedTuple):
    """A string in a JSON value, with its path and the objects around it, the innermost last."""

    path: _Path
    text: str
    owners: tuple[dict[str, Any], ...]


def passages(value: Any, key: str | None = None) -> Iterator[Passage]:
    """Yield the texts in a JSON value that are as long as an article, of all keys or of one.

    A text is either one string, plain or markup, or a list with one paragraph per item, taken from
    the same path in each item. Lists whose items have URLs are excluded, because they list other
    pages. If a key is given, lists are not joined.
    """
    leaves = list(_leaves(value))
    for leaf in leaves:
        if len(leaf.text) < MIN_WORDS:
            continue
        keys = (step for step in reversed(leaf.path) if isinstance(step, str) and step != "*")
        if key in (None, next(keys, "")) and is_prose(leaf.text):
            yield Passage(to_html(leaf.text), _nearby(leaf.owners))
    if key is None:
        yield from _joined_lists(leaves)


def is_prose(text: str) -> bool:
    """Return whether a text (plain or HTML) has the sentences and the length of an article."""
    if len(text) < MIN_WORDS:
        return False
    plain = unescape(_TAG.sub(" ", text)) if "<" in text or "&" in text else text
    # Words are counted first because that takes less time.
    has_words = count_words(plain) >= max(MIN_WORDS, len(plain) / MAX_CHARACTERS_PER_WORD)
    return has_words and count_sentences(plain) >= MIN_SENTENCES


def _leaves(value: Any) -> Iterator[_Leaf]:
    """Yield the strings in a value, in order, including those in JSON encoded as a string."""
    budget = MAX_VALUES
    waiting: list[tuple[_Path, Any, tuple[dict[str, Any], ...]]] = [((), value, ())]
    while waiting and budget > 0:
        budget -= 1
        path, current, owners = waiting.pop()
        if isinstance(current, str):
            may_be_json = current[:1] in ("{", "[") and len(current) > MIN_WORDS
            inner = read_json(current) if may_be_json else None
            if inner is None:
                yield _Leaf(path, current, owners)
                continue
            current = inner
        if len(path) >= MAX_DEPTH:
            continue
        steps: Iterable[tuple[str | int, Any]] = ()
        if isinstance(current, dict):
            steps, owners = current.items(), (*owners[1 - MAX_OWNERS :], current)
        elif isinstance(current, list):
            steps = enumerate(current)
        # Most values are numbers or truth values, which have no text.
        inner = [((*path, key), each, owners) for key, each in steps if isinstance(each, _TEXTUAL)]
        waiting.extend(reversed(inner))


def _joined_lists(leaves: Sequence[_Leaf]) -> Iterator[Passage]:
    """Yield the texts that result from joining the strings at the same path in a list's items."""
    # By the path of the list and the path in each item: the strings of each item.
    lists: defaultdict[tuple[_Path, _Path], dict[int, list[_Leaf]]] = defaultdict(dict)
    for leaf in leaves:
        pattern = ("*" if isinstance(step, int) else step for step in leaf.path)
        steps = tuple(pattern)
        for depth, step in enumerate(leaf.path):
            if isinstance(step, int):
                items = lists[leaf.path[:depth], steps[depth + 1 :]]
                items.setdefault(step, []).append(leaf)
    for (path_of_list, _), items in lists.items():
        length = sum(len(leaf.text) for item in items.values() for leaf in item)
        if len(items) < 2 or length < MIN_WORDS:
            continue
        texts = ["".join(leaf.text for leaf in item) for item in items.values()]
        if is_prose("\n".join(texts)) and not _is_list_of_pages(items, len(path_of_list)):
            first = next(iter(items.values()))[0]
            html = "".join(to_html(text) for text in texts)
            yield Passage(html, _nearby(first.owners))


def _is_list_of_pages(items: dict[int, list[_Leaf]], depth: int) -> bool:
    """Return whether most items of a list, at the given path depth, have their own URLs."""
    with_url = 0
    for leaves in items.values():
        leaf = leaves[0]
        # The innermost owners of the string are the item and the objects in it, one per key on the
        # path; the item is missing if it is not an object or is outside the owners kept.
        keys = sum(isinstance(step, str) for step in leaf.path[depth + 1 :])
        item = leaf.owners[-keys] if 0 < keys <= len(leaf.owners) else {}
        strings = (value for value in item.values() if isinstance(value, str))
        with_url += any(map(_ADDRESS.fullmatch, strings))
    return 2 * with_url > len(items)


def _nearby(owners: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Return the short strings that are values of the given objects, such as title and date."""
    values = chain.from_iterable(owner.values() for owner in owners)
    strings = (value for value in values if isinstance(value, str))
    return tuple(text for text in strings if len(text) <= MAX_NEARBY_CHARACTERS)

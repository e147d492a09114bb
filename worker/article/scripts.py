"""The JSON in a page's scripts: structured data and the state of the site's own programs.

Nothing of it is executed, and nothing is expected of it: what is no JSON is passed over.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from worker.article.metadata.jsonld import parse_tolerant
from worker.html.nodes import AnyElement, Node

STRUCTURED_DATA = "application/ld+json"

MIN_STATE = 200
"""Characters of the shortest script in which the state of a program is looked for."""

MAX_TRIES = 100
"""Places of a program at which JSON may begin that are tried."""

MAX_REREAD = 2
"""Times the length of a program that reading it may cost, where much begins as JSON does."""

_PROGRAMS = frozenset(
    {"", "module", "text/javascript", "application/javascript", "application/x-javascript"}
)
# What stands before a value in a program: an assignment or a call.
_START = re.compile(r"[=(]\s*(?=[\[{\"])")
_OPENING = re.compile(r"\s*(?:<!--|(?://\s*)?<!\[CDATA\[)")
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True)
class ScriptValue:
    """A JSON value that a script holds.

    Attributes
    ----------
    script
        The element.
    value
        The value, of dicts, lists, strings, numbers, booleans and None.
    """

    script: Node
    value: Any


def structured_data(
    elements: Iterable[Node], least: int = 0, holding: str = ""
) -> Iterator[ScriptValue]:
    """Yield the values of a page's JSON-LD, made for others to read, in order.

    Parameters
    ----------
    elements
        The ``script`` elements of the page, perhaps among others.
    least
        Characters of the shortest script that is read.
    holding
        What a script holds that is read.
    """
    for script in elements:
        text = (script.text or "") if script.tag == "script" else ""
        if text and len(text) >= least and holding in text and is_structured_data(script):
            for value in parse_tolerant(text):
                yield ScriptValue(script, value)


def program_state(elements: Iterable[Node], least: int = MIN_STATE) -> Iterator[ScriptValue]:
    """Yield the JSON values that the site's programs work on, in order.

    Scripts of a JSON type are one value each; of a program, those are values that are assigned
    or given to a function as they are.

    Parameters
    ----------
    elements, least
        As for `structured_data`.
    """
    for script in elements:
        text = (script.text or "") if script.tag == "script" else ""
        if len(text) < least:
            continue
        kind = _kind(script)
        if kind in _PROGRAMS:
            for value in _values_in(text):
                yield ScriptValue(script, value)
        elif kind != STRUCTURED_DATA and kind.endswith(("/json", "+json")):
            value = read_json(text)
            if value is not None:
                yield ScriptValue(script, value)


def is_structured_data(script: AnyElement) -> bool:
    """Say whether a script is JSON-LD."""
    return _kind(script) == STRUCTURED_DATA


def _kind(script: AnyElement) -> str:
    return (script.get("type") or "").split(";")[0].strip().lower()


def read_json(text: str) -> Any:
    """Read a JSON text, with what sites wrap it in; None where it is none."""
    try:
        return _DECODER.decode(_unwrapped(text))
    except (ValueError, RecursionError):
        return None


def _unwrapped(text: str) -> str:
    """Return a script without the marks of a comment or of character data around it."""
    opening = _OPENING.match(text)
    text = text[opening.end() if opening else 0 :].strip()
    if text.endswith("]]>"):
        return text.removesuffix("]]>").rstrip().removesuffix("//").rstrip()
    return text.removesuffix("-->" if text.endswith("-->") else ";").rstrip()


def _values_in(program: str) -> Iterator[Any]:
    position, left = 0, MAX_REREAD * len(program)
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

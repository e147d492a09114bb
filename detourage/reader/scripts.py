"""Extraction of JSON from a page's scripts: structured data and application state.

No script is executed, and anything other than JSON is skipped.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from detourage.html.nodes import AnyElement, Node
from detourage.metadata.declared import parse_tolerant

STRUCTURED_DATA = "application/ld+json"

MIN_STATE = 200
"""Minimum length of a script that is searched for state."""

MAX_TRIES = 100
"""Maximum number of positions in a script at which JSON parsing is attempted."""

MAX_REREAD = 2
"""Maximum ratio of decoded characters to the script's length, which limits the work on false
starts."""

_PROGRAMS = frozenset(
    {"", "module", "text/javascript", "application/javascript", "application/x-javascript"}
)
# Matches the start of an assignment or call that has a value.
_START = re.compile(r"[=(]\s*(?=[\[{\"])")
_OPENING = re.compile(r"\s*(?:<!--|(?://\s*)?<!\[CDATA\[)")
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True)
class ScriptValue:
    """A JSON value, and the script element that contains it."""

    script: Node
    value: Any


def structured_data(
    elements: Iterable[Node], least: int = 0, holding: str = ""
) -> Iterator[ScriptValue]:
    """Yield the values in JSON-LD scripts that contain `holding` and at least `least` characters.

    Elements other than scripts are ignored.
    """
    for script in elements:
        text = (script.text or "") if script.tag == "script" else ""
        if text and len(text) >= least and holding in text and is_structured_data(script):
            for value in parse_tolerant(text):
                yield ScriptValue(script, value)


def program_state(elements: Iterable[Node], least: int = MIN_STATE) -> Iterator[ScriptValue]:
    """Yield the JSON values in the site's scripts, in order.

    A script with a JSON type is a single value; in JavaScript, the literals in assignments and
    calls are the values.
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
    """Return whether a script is JSON-LD."""
    return _kind(script) == STRUCTURED_DATA


def _kind(script: AnyElement) -> str:
    return (script.get("type") or "").split(";")[0].strip().lower()


def read_json(text: str) -> Any:
    """Parse JSON, possibly wrapped in a comment or CDATA markers; return None if invalid."""
    try:
        return _DECODER.decode(_unwrapped(text))
    except (ValueError, RecursionError):
        return None


def _unwrapped(text: str) -> str:
    """Strip the comment or CDATA markers around a script."""
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

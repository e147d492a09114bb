"""Text that comes from outside, as a terminal may be given it."""

import json
import re
from collections.abc import Callable
from typing import Any

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that a terminal obeys, that begin a line, or that turn what follows around; and
halves of characters, which no encoding can write."""


def printable(text: str) -> str:
    """Return text with its control characters written as escapes: one line, and no orders."""
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def json_line(value: object) -> str:
    """Return a value as JSON on one line, with every character that a terminal obeys escaped."""
    return _escaped(json.dumps(value, ensure_ascii=False))


def json_text(value: object, default: Callable[[Any], object] | None = None) -> str:
    """Return a value as JSON for people, with every character that a terminal obeys escaped.

    Parameters
    ----------
    value
        The value.
    default
        As for `json.dumps`.
    """
    lines = json.dumps(value, ensure_ascii=False, indent=2, default=default).split("\n")
    return "\n".join(map(_escaped, lines))


def _escaped(text: str) -> str:
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)

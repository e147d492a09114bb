"""Output of untrusted text to a terminal."""

import json
import re
from collections.abc import Callable
from typing import Any

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, line separators, bidirectional controls, and unencodable surrogates."""


def printable(text: str) -> str:
    """Return a text on one line, with control characters escaped."""
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def json_line(value: object) -> str:
    """Return a value as JSON on one line, with control characters escaped."""
    return _escaped(json.dumps(value, ensure_ascii=False))


def json_text(value: object, default: Callable[[Any], object] | None = None) -> str:
    """Return a value as indented JSON, like `json.dumps`, with control characters escaped."""
    lines = json.dumps(value, ensure_ascii=False, indent=2, default=default).split("\n")
    return "\n".join(map(_escaped, lines))


def _escaped(text: str) -> str:
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)

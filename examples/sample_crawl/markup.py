"""The template language of the page designs, which is a subset of Mustache.

``{{name}}`` is replaced by the escaped value, ``{{{name}}}`` by the raw value.
``{{#name}}…{{/name}}`` is repeated for each item of a list, rendered once for any other true value
(which becomes the innermost context), and omitted if the value is false or missing;
``{{^name}}…{{/name}}`` is the inverse. ``{{>name}}`` includes another template of the design or, to
render a tree, the template itself; ``{{! … }}`` is a comment. Names may be dotted; ``{{.}}`` is the
current item.
"""

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

_TAG = re.compile(
    # If a line contains only a section tag, include or comment, the whole line is removed.
    r"^[ \t]*\{\{(?P<line_sigil>[#^/>!])\s*(?P<line_name>[^{}]*?)\s*\}\}[ \t]*\n"
    r"|\{\{\{\s*(?P<raw>[^{}]+?)\s*\}\}\}"
    r"|\{\{(?P<sigil>[#^/>!]?)\s*(?P<name>[^{}]*?)\s*\}\}",
    re.MULTILINE,
)

_Nodes = list["str | tuple[str, str, _Nodes]"]
"""Literal text, and tags with their sigils, names and contents."""


class Templates:
    """The templates of a design; `source` returns the text of the template with a given name."""

    def __init__(self, source: Callable[[str], str]) -> None:
        self._template = cache(lambda name: _parse(source(name)))

    def render(self, name: str, context: Mapping[str, object]) -> str:
        """Render a template; raise ValueError if `context` lacks a name."""
        return "".join(self._pieces(self._template(name), [context]))

    def _pieces(self, nodes: _Nodes, contexts: list[Any]) -> Iterator[str]:
        for node in nodes:
            if isinstance(node, str):
                yield node
                continue
            sigil, name, body = node
            if sigil == ">":
                yield from self._pieces(self._template(name), contexts)
                continue
            value = _look_up(name, contexts)
            if sigil == "^":
                yield from () if value else self._pieces(body, contexts)
            elif sigil == "#":
                is_list = isinstance(value, Sequence) and not isinstance(value, str)
                for item in value if is_list else [value] if value else []:
                    yield from self._pieces(body, [*contexts, item])
            elif value is None:
                raise ValueError(f"the context has no value for {name!r}")
            else:
                yield str(value) if sigil == "{" else html.escape(str(value))


def _parse(text: str) -> _Nodes:
    """Return the nodes of a template; a section contains the nodes up to its closing tag."""
    open_bodies: list[_Nodes] = [[]]
    end = 0
    for match in _TAG.finditer(text):
        open_bodies[-1].append(text[end : match.start()])
        end = match.end()
        sigil = "{" if match["raw"] else match["line_sigil"] or match["sigil"]
        if sigil == "/":
            open_bodies.pop()
        elif sigil != "!":
            body: _Nodes = []
            name = match["raw"] or match["line_name"] or match["name"] or ""
            open_bodies[-1].append((sigil, name, body))
            if sigil in ("#", "^"):
                open_bodies.append(body)
    open_bodies[-1].append(text[end:])
    return open_bodies[0]


def _look_up(name: str, contexts: Sequence[Any]) -> Any:
    """Return the value of a name such as ``story.title``, or None if it is missing."""
    if name == ".":
        return contexts[-1]
    first, *rest = name.split(".")
    # The innermost context that has the name.
    matching = (each for each in reversed(contexts) if isinstance(each, Mapping) and first in each)
    value: Any = next(matching, {}).get(first)
    for part in rest:
        try:
            value = value[part]
        except (KeyError, TypeError):
            return None
    return value

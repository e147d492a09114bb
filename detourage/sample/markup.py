"""The template language of the page designs, which is a subset of Mustache.

``{{name}}`` is replaced by the escaped value, ``{{{name}}}`` by the raw value.
``{{#name}}…{{/name}}`` is repeated for each item of a list, rendered once for any other true value
(which becomes the innermost context), and omitted if the value is false or missing;
``{{^name}}…{{/name}}`` is the inverse. ``{{>name}}`` includes another template of the design or,
for trees, the template itself; ``{{! … }}`` is a comment. Names may be dotted; ``{{.}}`` is the
current item.
"""

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

_TAG = re.compile(
    # If a line contains only a section tag, include or comment, the whole line is removed.
    r"^[ \t]*\{\{(?P<line_sigil>[#^/>!])\s*(?P<line_name>[^{}]*?)\s*\}\}[ \t]*\n"
    r"|\{\{\{\s*(?P<raw>[^{}]+?)\s*\}\}\}"
    r"|\{\{(?P<sigil>[#^/>!]?)\s*(?P<name>[^{}]*?)\s*\}\}",
    re.MULTILINE,
)


class MarkupError(ValueError):
    """A template is malformed, or uses a name missing from its context."""


@dataclass
class _Tag:
    sigil: str
    name: str
    body: list["_Tag | str"] = field(default_factory=list)


_Nodes = list["_Tag | str"]


class Templates:
    """The templates of a design; `source` returns the text of the template with a given name."""

    def __init__(self, source: Callable[[str], str]) -> None:
        self._source = source
        self._parsed: dict[str, _Nodes] = {}

    def render(self, name: str, context: Mapping[str, object]) -> str:
        """Render a template; raise `MarkupError` if it is malformed or `context` lacks a name."""
        pieces: list[str] = []
        self._render(self._template(name), [context], pieces)
        return "".join(pieces)

    def _template(self, name: str) -> _Nodes:
        if name not in self._parsed:
            self._parsed[name] = _parse(self._source(name), name)
        return self._parsed[name]

    def _render(self, nodes: _Nodes, contexts: list[object], pieces: list[str]) -> None:
        for node in nodes:
            if isinstance(node, str):
                pieces.append(node)
            elif node.sigil == ">":
                self._render(self._template(node.name), contexts, pieces)
            elif node.sigil in ("#", "^"):
                self._section(node, contexts, pieces)
            else:
                value = _look_up(node.name, contexts)
                if value is None:
                    raise MarkupError(f"nothing to show for {node.name!r}")
                pieces.append(str(value) if node.sigil == "{" else html.escape(str(value)))

    def _section(self, tag: _Tag, contexts: list[object], pieces: list[str]) -> None:
        value = _look_up(tag.name, contexts)
        if tag.sigil == "^":
            if not value:
                self._render(tag.body, contexts, pieces)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            for item in value:
                self._render(tag.body, [*contexts, item], pieces)
        elif value:
            self._render(tag.body, [*contexts, value], pieces)


def _parse(text: str, name: str) -> _Nodes:
    root = _Tag("", name)
    open_tags = [root]
    end = 0
    for match in _TAG.finditer(text):
        if match.start() > end:
            open_tags[-1].body.append(text[end : match.start()])
        end = match.end()
        if match["raw"] is not None:
            open_tags[-1].body.append(_Tag("{", match["raw"]))
            continue
        sigil = match["line_sigil"] or match["sigil"]
        tag = _Tag(sigil, match["line_name"] or match["name"] or "")
        if sigil == "/":
            if open_tags[-1] is root or open_tags[-1].name != tag.name:
                raise MarkupError(f"{name}: {tag.name!r} is closed but not open")
            open_tags.pop()
        elif sigil != "!":
            open_tags[-1].body.append(tag)
            if sigil in ("#", "^"):
                open_tags.append(tag)
    if open_tags[-1] is not root:
        raise MarkupError(f"{name}: {open_tags[-1].name!r} is never closed")
    root.body.append(text[end:])
    return root.body


def _look_up(name: str, contexts: Sequence[object]) -> object:
    if name == ".":
        return contexts[-1]
    first, *rest = name.split(".")
    for context in reversed(contexts):
        if isinstance(context, Mapping) and first in context:
            value = context[first]
            break
    else:
        return None
    for part in rest:
        if not isinstance(value, Mapping):
            return None
        try:
            value = value[part]
        except KeyError:
            return None
    return value

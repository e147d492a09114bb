"""Differences between two revisions of an article."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ChangedField:
    """A key of the article message whose value has changed, with both values as displayed."""

    name: str
    before: str
    after: str


def revision_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[ChangedField]:
    """Return the keys whose values differ between two article messages of a page."""
    old_fields, new_fields = _fields(before), _fields(after)
    changes = []
    for name, (old_value, old_text) in old_fields.items():
        new_value, new_text = new_fields[name]
        if old_value != new_value:
            changes.append(ChangedField(name, old_text, new_text))
    return changes


def _fields(message: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
    """Return the values of a message that are compared, with their displayed texts, by key."""
    template = message.get("template") or {}
    group = template.get("group")
    group_name = "no group" if group is None else f"group {group}"
    position = f"{group_name}, generation {template.get('generation')}"
    text = message.get("text") or ""

    def displayed(*names: str) -> dict[str, tuple[Any, str]]:
        return {name: (message.get(name), _as_text(message.get(name))) for name in names}

    return {
        **displayed("title", "lead"),
        "text": (text, f"{len(text)} characters"),
        **displayed("authors", "published_at", "language", "method", "xpath", "corrections"),
        **{
            name: (message.get(name), str(len(message.get(name) or ())))
            for name in ("images", "embeds", "comments")
        },
        "template": (position, position),
    }


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)

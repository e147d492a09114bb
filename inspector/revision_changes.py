"""Differences between two revisions of an article."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ChangedField:
    """A changed key of the article message, with texts to show for both values."""

    name: str
    before: str
    after: str


def revision_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[ChangedField]:
    """Return the keys of two article messages of a page that differ."""
    values = zip(_compared(before).items(), _compared(after).values(), strict=True)
    return [ChangedField(name, a[1], b[1]) for (name, a), b in values if a[0] != b[0]]


def _compared(message: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
    """Return the compared parts of a message by name, each with the text to show for it."""
    template = message.get("template") or {}
    group = template.get("group")
    group_name = "no group" if group is None else f"group {group}"
    place = f"{group_name}, generation {template.get('generation')}"
    text = message.get("text") or ""

    def shown(*names: str) -> dict[str, tuple[Any, str]]:
        return {name: (message.get(name), _as_text(message.get(name))) for name in names}

    return {
        **shown("title", "lead"),
        "text": (text, f"{len(text)} characters"),
        **shown("authors", "published_at", "language", "method", "xpath", "corrections"),
        **{
            name: (message.get(name), str(len(message.get(name) or ())))
            for name in ("images", "embeds", "comments")
        },
        "template": (place, place),
    }


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)

"""Differences between two revisions of an article, for the inspector."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from detourage.messages import Changes
from detourage.revisions import changes_between


@dataclass(frozen=True)
class ChangedField:
    """A changed key of the article message."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class RevisionChanges:
    """Differences between two article messages; `reading` contains those that readers notice."""

    fields: list[ChangedField]
    reading: Changes


def revision_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> RevisionChanges:
    """Compare two article messages of a page."""
    reading = changes_between(before, after)
    fields = [
        ChangedField(name, changed.before, changed.after)
        for name, changed in (("title", reading.title), ("lead", reading.lead))
        if changed is not None
    ]
    values = zip(_compared(before).items(), _compared(after).values(), strict=True)
    fields += [ChangedField(name, a[1], b[1]) for (name, a), b in values if a[0] != b[0]]
    return RevisionChanges(fields, reading)


def _compared(message: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
    """Return the compared parts of a message by name, each with the text to show for it."""
    template = message.get("template") or {}
    group = template.get("group")
    of_group = "no group" if group is None else f"group {group}"
    place = f"{of_group}, generation {template.get('generation')}"
    names = ("authors", "published_at", "language", "method", "xpath", "corrections")
    return {
        **{name: (message.get(name), _as_text(message.get(name))) for name in names},
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

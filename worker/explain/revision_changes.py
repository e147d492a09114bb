"""Differences between two revisions of an article, for the inspector."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from models.messages import Changes
from worker.revisions import changes_between

_COMPARED: Final = ("authors", "published_at", "language", "method", "xpath", "corrections")


@dataclass(frozen=True)
class ChangedField:
    """A changed key of the article message."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class RevisionChanges:
    """Differences between two article messages; `reading` has those that a reader would notice."""

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
    fields += [
        ChangedField(name, _as_text(before.get(name)), _as_text(after.get(name)))
        for name in _COMPARED
        if before.get(name) != after.get(name)
    ]
    for name in ("images", "embeds", "comments"):
        counts = len(before.get(name) or ()), len(after.get(name) or ())
        if before.get(name) != after.get(name):
            fields.append(ChangedField(name, str(counts[0]), str(counts[1])))
    entries = [_entries(message) for message in (before, after)]
    if entries[0] != entries[1]:
        fields.append(ChangedField("entries", *(str(len(each)) for each in entries)))
    places = [_place(message.get("template") or {}) for message in (before, after)]
    if places[0] != places[1]:
        fields.append(ChangedField("template", *places))
    return RevisionChanges(fields, reading)


def _entries(message: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    return [
        tuple(entry.get(name) for name in ("id", "title", "text"))
        for entry in message.get("entries") or ()
    ]


def _place(template: Mapping[str, Any]) -> str:
    group = template.get("group")
    of_group = "no group" if group is None else f"group {group}"
    return f"{of_group}, generation {template.get('generation')}"


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)

"""Differences between two revisions of an article."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final, Literal

Sign = Literal["same", "removed", "added"]

MAX_PARAGRAPHS: Final = 400
"""Maximum number of paragraphs compared, because the time grows with the square of this number."""

_COMPARED: Final = ("title", "lead", "authors", "published_at", "language", "method", "xpath")


@dataclass(frozen=True)
class ChangedField:
    """A changed key of the article message."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class ChangedText:
    """A paragraph of one or both texts, or a run of unchanged paragraphs, which has no text."""

    sign: Sign
    text: str
    paragraphs: int


@dataclass(frozen=True)
class RevisionChanges:
    """Differences between two article messages."""

    fields: list[ChangedField]
    paragraphs: list[ChangedText]


def revision_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> RevisionChanges:
    """Compare two article messages of a page."""
    fields = [
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
    texts = [_paragraphs(message) for message in (before, after)]
    return RevisionChanges(fields, list(_changed(*texts)) if texts[0] != texts[1] else [])


def _entries(message: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    return [
        tuple(entry.get(name) for name in ("id", "title", "text"))
        for entry in message.get("entries") or ()
    ]


def _paragraphs(message: Mapping[str, Any]) -> list[str]:
    return str(message.get("text") or "").split("\n\n")[:MAX_PARAGRAPHS]


def _changed(before: Sequence[str], after: Sequence[str]) -> Iterator[ChangedText]:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        if kind == "equal":
            yield ChangedText("same", "", end - start)
            continue
        yield from (ChangedText("removed", text, 1) for text in before[start:end])
        yield from (ChangedText("added", text, 1) for text in after[new_start:new_end])


def _place(template: Mapping[str, Any]) -> str:
    group = template.get("group")
    of_group = "no group" if group is None else f"group {group}"
    return f"{of_group}, generation {template.get('generation')}"


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)

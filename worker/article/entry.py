"""Entries of a live report, and their comparison with the previous revision's."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from worker.text.dates import Moment
from worker.text.words import tokens

OPENING = 8
"""Number of leading words that identify an entry without an ID."""

MIN_OPENING = 3
"""Minimum number of words in a headline or text that identifies an entry."""

DIGEST_CHARACTERS = 16
"""Length of an ID derived from an entry's contents."""


@dataclass(frozen=True)
class Entry:
    """An entry of a live report.

    `id` is the ID given by the page, or else a digest of the time and the title or first words.
    `text` excludes the title, has blank lines between paragraphs, and may be empty if there is a
    title. `time` is None if the page gives no time or no date; `written_time` is the time as
    displayed. `is_new` and `is_changed` (in title or text) are None if the previous revision had no
    entries.
    """

    id: str
    text: str
    title: str | None = None
    time: Moment | None = None
    written_time: str | None = None
    author: str | None = None
    is_new: bool | None = None
    is_changed: bool | None = None


def with_ids(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Drop repeated entries, and assign IDs to entries with a missing or duplicate ID."""
    shared = {each for each, count in Counter(entry.id for entry in entries).items() if count > 1}
    named: dict[str, Entry] = {}
    for entry in entries:
        own = entry.id if entry.id and entry.id not in shared else _digest(entry)
        named.setdefault(own, replace(entry, id=own))
    return tuple(named.values())


def compared(
    entries: Sequence[Entry], before: Iterable[Mapping[str, Any]] | None
) -> tuple[Entry, ...]:
    """Mark the entries that are new or changed since the previous revision's message.

    An entry with a new ID is matched by its title and first words; if there is a match, it keeps
    the ID from the previous revision.
    """
    known = [*before] if before else []
    if not known:
        return tuple(entries)
    by_id = {str(each.get("id")): each for each in known}
    by_words = {_words(each.get("title"), each.get("text")): each for each in reversed(known)}
    ids = {entry.id for entry in entries}
    marked = []
    for entry in entries:
        last = by_id.get(entry.id)
        if last is None:
            last = by_words.get(_words(entry.title, entry.text))
            if last is not None and str(last.get("id")) not in ids:
                entry = replace(entry, id=str(last.get("id")))
                ids.add(entry.id)
        is_changed = last is not None and (
            (last.get("title"), last.get("text")) != (entry.title, entry.text)
        )
        marked.append(replace(entry, is_new=last is None, is_changed=is_changed))
    return tuple(marked)


def _words(title: str | None, text: str | None) -> tuple[str, ...]:
    return (*tokens((title or "")[: 100 * OPENING]), "/", *opening_of(text or ""))


def opening_of(text: str) -> list[str]:
    """Return the leading words of a text."""
    return tokens(text[: 100 * OPENING])[:OPENING]


def _digest(entry: Entry) -> str:
    import hashlib

    # Later corrections usually change the rest of the text, not the time, title or first words.
    opening = tokens(entry.title) if entry.title else opening_of(entry.text)
    known = " ".join([str(entry.time or entry.written_time or ""), *opening])
    return hashlib.sha256(known.encode()).hexdigest()[:DIGEST_CHARACTERS]

"""An entry of a live report, and what a later fetch of its page changes of the entries."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from worker.text.dates import Moment
from worker.text.words import tokens

OPENING = 8
"""Words of an entry by which it is known where its page names no id."""

DIGEST_CHARACTERS = 16
"""Characters of an id that is made of what an entry says."""


@dataclass(frozen=True)
class Entry:
    """An entry of a live report.

    Attributes
    ----------
    id
        What the page names it by, else a digest of its time, and of its title or first words.
    text
        What it says below its title, paragraphs parted by a blank line; may be empty where it
        has a title.
    title
        Its headline, None for none.
    time
        When it was written, as precisely as the page gives it; None where it gives none, or
        only the time of a day that is not known.
    written_time
        The same as the page shows it, None where it shows none.
    author
        Who wrote it, None where the page does not say.
    is_new, is_changed
        Whether the last revision of the article did not hold it, and whether it held it with
        another title or text; None where there is no such revision, or it had no entries.
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
    """Give those entries an id that have none, or one that others have, too; leave out repeats."""
    shared = {each for each, count in Counter(entry.id for entry in entries).items() if count > 1}
    named: dict[str, Entry] = {}
    for entry in entries:
        own = entry.id if entry.id and entry.id not in shared else _digest(entry)
        named.setdefault(own, replace(entry, id=own))
    return tuple(named.values())


def compared(
    entries: Sequence[Entry], before: Iterable[Mapping[str, Any]] | None
) -> tuple[Entry, ...]:
    """Say of entries whether they are new, or changed.

    Parameters
    ----------
    entries
        Of the article.
    before
        Those of its last revision, as its message has them; None or none where it had none.

    Returns
    -------
    tuple of Entry
        The same in the same order. One that is known by its title and first words alone keeps
        the id that it had.
    """
    known = [*before] if before else []
    if not known:
        return tuple(entries)
    by_id = {str(each.get("id")): each for each in known}
    by_words = {_words(each.get("title"), each.get("text")): each for each in reversed(known)}
    ids = {entry.id for entry in entries}
    told = []
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
        told.append(replace(entry, is_new=last is None, is_changed=is_changed))
    return tuple(told)


def _words(title: str | None, text: str | None) -> tuple[str, ...]:
    return (*tokens((title or "")[: 100 * OPENING]), "/", *_opening(text or ""))


def _opening(text: str) -> list[str]:
    return tokens(text[: 100 * OPENING])[:OPENING]


def _digest(entry: Entry) -> str:
    import hashlib

    # The text may be corrected, the rest is hardly ever.
    said = tokens(entry.title) if entry.title else _opening(entry.text)
    known = " ".join([str(entry.time or entry.written_time or ""), *said])
    return hashlib.sha256(known.encode()).hexdigest()[:DIGEST_CHARACTERS]

"""Entries of a live report, merged from the entries that the page declares and displays."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from worker.article import Extraction
from worker.article.declared_entries import declared_entries
from worker.article.entry import MIN_OPENING, OPENING, Entry, opening_of, with_ids
from worker.article.live import is_declared_live, marked_entries, names_live, says_live
from worker.article.metadata import ArticleMetadata
from worker.article.shown_entries import marked_entries_of, shown_entries
from worker.comments import Comment
from worker.html import Page
from worker.text.dates import Moment

MAX_ENTRIES = 1_000
"""Maximum number of entries per page; further entries are dropped."""

MAX_CHARACTERS = 2_000_000
"""Maximum total length of all entries; entries beyond this length are dropped."""

MIN_COMMON = 0.2
"""Minimum share of the declared or of the displayed entries that must match before they are merged.

A page may declare or display only some of its entries.
"""


def entries_of(
    page: Page, article: Extraction, comments: Sequence[Comment] = ()
) -> tuple[Entry, ...]:
    """Read the entries of a live report, in page order, each with an ID; empty for other pages."""
    declared = declared_entries(page, article.metadata.address)
    marked = marked_entries(page)
    is_live = article.metadata.kind == "live" or says_live(page, article.title)
    if not (declared or marked or is_live or names_live(page)):
        return ()
    day = _only_day(article.metadata)
    if marked:
        shown = marked_entries_of(page, marked, day)
    else:
        shown = shown_entries(
            page,
            text=article.text,
            comments=comments,
            is_live=is_live,
            is_declared=len(declared) > 0 or is_declared_live(page),
            day=day,
        )
    return _bounded(with_ids(_merged(declared, shown)))


def _only_day(known: ArticleMetadata) -> Moment | None:
    """Return the only day on which the report was written, or None if there may be several."""
    published, modified = known.published, known.modified
    if published is None or modified is None or published.day != modified.day:
        return None
    return published


def _merged(declared: Sequence[Entry], shown: Sequence[Entry]) -> list[Entry]:
    """Merge declared and displayed entries, in page order."""
    if not declared or not shown:
        return [*(declared or shown)]
    place_of = _places_among(declared, shown)
    if len(place_of) < MIN_COMMON * min(len(declared), len(shown)):
        return [*declared]
    merged = [*shown]
    for number, place in place_of.items():
        merged[place] = _together(declared[number], shown[place])
    # An entry that is declared but not displayed follows the entry declared before it.
    after: dict[int, list[Entry]] = {}
    last = -1
    for number, entry in enumerate(declared):
        last = place_of.get(number, last)
        if number not in place_of:
            after.setdefault(last, []).append(entry)
    return [
        *after.get(-1, ()),
        *(each for at, entry in enumerate(merged) for each in (entry, *after.get(at, ()))),
    ]


def _places_among(declared: Sequence[Entry], shown: Sequence[Entry]) -> dict[int, int]:
    """Map declared entries to displayed entries by ID or, failing that, by their first words."""
    by_id = {entry.id: place for place, entry in enumerate(shown) if entry.id}
    by_opening: dict[str, int] = {}
    for at, entry in enumerate(shown):
        for opening in _openings(entry):
            by_opening.setdefault(opening, at)
    places: dict[int, int] = {}
    taken: set[int] = set()
    for number, entry in enumerate(declared):
        place: int | None = by_id.get(entry.id)
        if place is None:
            known = (each for each in _openings(entry) if each in by_opening)
            place = next((by_opening[opening] for opening in known), None)
        if place is not None and place not in taken:
            places[number] = place
            taken.add(place)
    return places


def _openings(entry: Entry) -> Iterator[str]:
    """Yield the first words of an entry's title and text together, then those of the text alone."""
    for text in (f"{entry.title or ''} {entry.text[: 100 * OPENING]}", entry.text):
        opening = opening_of(text)
        if len(opening) >= MIN_OPENING:
            yield " ".join(opening)


def _together(declared: Entry, shown: Entry) -> Entry:
    """Merge a displayed entry with its declaration."""
    title = declared.title or shown.title
    text = shown.text or declared.text
    first, _, rest = text.partition("\n\n")
    if title and first == title:
        text = rest
    return replace(
        shown,
        id=declared.id or shown.id,
        text=text,
        title=title,
        time=declared.time or shown.time,
        author=shown.author or declared.author,
    )


def _bounded(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    left = MAX_CHARACTERS
    kept = []
    for entry in entries[:MAX_ENTRIES]:
        left -= len(entry.text)
        if left < 0:
            break
        kept.append(entry)
    return tuple(kept)

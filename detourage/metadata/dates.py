"""Publication and modification dates, chosen from those that a page declares and displays."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import islice

from detourage.article import ArticleMetadata
from detourage.metadata.bylines import DisplayedDate, shown_dates
from detourage.metadata.declared import Record
from detourage.metadata.surroundings import Surroundings
from detourage.text.dates import Moment, find_moments, in_other_order, parse_moment
from detourage.text.relative import resolve_relative
from detourage.text.words import listed

SURE_RANK = 1  # maximum rank of a marked date below the headline or in the body's first lines
NEAR_RANK = 4  # maximum rank of any date before the body or in the body's first lines

_NOT_COUNTRIES = listed(
    "ai cc cf co cx fm ga gg gl gq im io la li ly me ml ms mu nu pw sh st su tk tl to tv vc vu ws"
)
"""Top-level domains of two letters whose sites may be in any country."""


def written_language(language: str | None, host: str, *declared: str | None) -> str | None:
    """Return the language in which a page writes dates, with a country (``en-AU``) if known."""
    if language is None:
        return None
    spoken = language.partition("-")[0]
    top = host.rpartition(".")[2].lower()
    if len(top) == 2 and top.isalpha() and top not in _NOT_COUNTRIES:
        return f"{spoken}-{'GB' if top == 'uk' else top.upper()}"
    tags = (tag.replace("_", "-").split("-") for tag in (*declared, language) if tag)
    countries = (
        part.upper()
        for first, *rest in tags
        if first.lower() == spoken
        for part in rest
        if len(part) == 2
    )
    return "-".join([spoken, *islice(countries, 1)])


def publication_date(
    declared: Record, shown: Sequence[DisplayedDate], in_path: Moment | None, language: str | None
) -> Moment | None:
    """Choose the publication date; a declared date that the page also displays is certain."""
    moments = (parse_moment(value, language) for value in declared.published)
    stated = [moment for moment in moments if moment is not None]
    path = [] if in_path is None else [in_path]
    clear = [*(moment for moment in stated if in_other_order(moment) is None), *path]
    stated = [_in_known_order(clear, moment) for moment in stated]
    shown = [each._replace(moment=_in_known_order(clear, each.moment)) for each in shown]
    for tolerance in (timedelta(0), timedelta(days=1)):
        for moment in stated:
            for each in shown:
                if each.rank <= NEAR_RANK and abs(each.moment.day - moment.day) <= tolerance:
                    return _in_displayed_zone(moment, each.moment)
    if in_path is not None and any(moment.day == in_path.day for moment in stated):
        return stated[0]
    sure = [each.moment for each in shown if each.rank <= SURE_RANK]
    near = [each.moment for each in shown if each.rank <= NEAR_RANK]
    return next(iter((*sure, *stated, *near, *path)), None)


def _in_known_order(clear: Iterable[Moment], moment: Moment) -> Moment:
    """Exchange day and month of a date if only that makes it agree with an unambiguous date."""
    other = in_other_order(moment)
    days = [each.day for each in clear]
    near = timedelta(days=1)
    if other is None or any(abs(day - moment.day) <= near for day in days):
        return moment
    return other if any(abs(day - other.day) <= near for day in days) else moment


def dated_from(
    metadata: ArticleMetadata, fetched_at: datetime | None, language: str | None
) -> ArticleMetadata:
    """Date an article whose page only states its age ("3 hours ago").

    `fetched_at` is the time when the page was fetched, with a time zone. If the displayed date is
    later, its day and month are exchanged, provided that the result is earlier.
    """
    if fetched_at is None:
        return metadata
    published = metadata.published
    if metadata.age:
        found = resolve_relative(metadata.age, fetched_at, language)
        published = published if found is None else replace(found, written=metadata.age)
    elif published is not None and published.day > fetched_at.date() + timedelta(days=1):
        other = in_other_order(published)
        if other is not None and other.day <= fetched_at.date():
            published = other
    return metadata if published is metadata.published else replace(metadata, published=published)


def publication_date_elsewhere(
    surroundings: Surroundings, shown: Sequence[DisplayedDate], title: str, language: str | None
) -> Moment | None:
    """Search for a publication date in rarer and less reliable places."""
    found = next(find_moments(title, language), None)
    if found is not None:
        return found
    if shown:
        return shown[0].moment
    farther, _ = shown_dates(surroundings.farther_notes, language)
    # The first one that is marked, or else the first one.
    return min(farther, key=lambda each: not each.is_marked).moment if farther else None


def _in_displayed_zone(stated: Moment, shown: Moment) -> Moment:
    """Return a declared date in the time zone in which the page displays the same date."""
    if stated.clock is None or stated.zone is None:
        return shown if shown.clock is not None or stated.day != shown.day else stated
    if shown.clock is None or shown.zone is not None:
        return stated
    at_utc = stated.instant.astimezone(UTC).replace(tzinfo=None)
    away = datetime.combine(shown.day, shown.clock) - at_utc
    quarters = round(away / timedelta(minutes=15))
    is_zone = abs(away - quarters * timedelta(minutes=15)) < timedelta(minutes=2)
    if not is_zone or quarters not in _ZONES:
        return stated
    local = stated.instant.astimezone(timezone(quarters * timedelta(minutes=15)))
    return Moment(local.date(), local.time(), local.tzinfo, stated.written)


_ZONES = frozenset(range(-12 * 4, 14 * 4 + 1, 4)) | {
    *(-38, -14, -10, 14, 18, 22, 23, 26, 35, 38, 42, 51)
}
"""Offsets of the world's time zones, in quarters of an hour."""


def modification_date(
    declared: Record, shown: Sequence[DisplayedDate], language: str | None
) -> Moment | None:
    """Return the declared modification date, or else the displayed one."""
    moments = (parse_moment(value, language) for value in declared.modified)
    stated = next((moment for moment in moments if moment is not None), None)
    return stated or next((each.moment for each in shown), None)

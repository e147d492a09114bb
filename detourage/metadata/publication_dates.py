"""Publication and modification dates, chosen from those that a page declares and displays."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import chain, product

from detourage.article import ArticleMetadata
from detourage.metadata.bylines import DisplayedDate, displayed_dates
from detourage.metadata.declared_values import Record
from detourage.metadata.surroundings import Surroundings
from detourage.text.dates import Moment, in_other_order, parse_moment
from detourage.text.words import word_set

SURE_RANK = 1  # maximum rank of a marked date below the headline or in the body's first lines
NEAR_RANK = 4  # maximum rank of any date before the body or in the body's first lines
_NOT_COUNTRIES = word_set(
    "ai cc cf co cx fm ga gg gl gq im io la li ly me ml ms mu nu pw sh st su tk tl to tv vc vu ws"
)
"""Top-level domains of two letters whose sites may be in any country."""


def written_language(language: str | None, host: str, *declared: str | None) -> str | None:
    """Return the language in which a page writes dates, with a country (``en-AU``) if known.

    The country is that of the host's top-level domain or, if there is none, of a declared language.
    """
    if language is None:
        return None
    code = language.partition("-")[0]
    top_level = host.rpartition(".")[2].lower()
    if len(top_level) == 2 and top_level.isalpha() and top_level not in _NOT_COUNTRIES:
        return f"{code}-{'GB' if top_level == 'uk' else top_level.upper()}"
    tags = (tag.replace("_", "-").split("-") for tag in (*declared, language) if tag)
    subtags = chain.from_iterable(rest for first, *rest in tags if first.lower() == code)
    country = next((subtag.upper() for subtag in subtags if len(subtag) == 2), None)
    return code if country is None else f"{code}-{country}"


def publication_date(
    declared: Record, displayed: Sequence[DisplayedDate], path: Moment | None, language: str | None
) -> Moment | None:
    """Return the publication date; a declared date that is also displayed takes precedence."""
    moments = [*filter(None, (parse_moment(value, language) for value in declared.published))]
    in_path = [] if path is None else [path]
    unambiguous = [*(moment for moment in moments if in_other_order(moment) is None), *in_path]
    moments = [_in_order_of(unambiguous, moment) for moment in moments]
    displayed = [date._replace(moment=_in_order_of(unambiguous, date.moment)) for date in displayed]
    near = [date.moment for date in displayed if date.rank <= NEAR_RANK]
    for tolerance, moment, shown in product((timedelta(0), timedelta(days=1)), moments, near):
        if abs(shown.day - moment.day) <= tolerance:
            return _in_displayed_zone(moment, shown)
    if path is not None and any(moment.day == path.day for moment in moments):
        return moments[0]
    sure = [date.moment for date in displayed if date.rank <= SURE_RANK]
    return next(iter((*sure, *moments, *near, *in_path)), None)


def _in_order_of(unambiguous: Iterable[Moment], moment: Moment) -> Moment:
    """Return a date; swap day and month if only the swapped date agrees with an unambiguous one."""
    other = in_other_order(moment)
    days = [each.day for each in unambiguous]
    tolerance = timedelta(days=1)
    if other is None or any(abs(day - moment.day) <= tolerance for day in days):
        return moment
    return other if any(abs(day - other.day) <= tolerance for day in days) else moment


def dated_from(
    metadata: ArticleMetadata, fetched_at: datetime | None, language: str | None
) -> ArticleMetadata:
    """Return the metadata with a relative date ("3 hours ago") resolved against the fetch time.

    `fetched_at` is the time when the page was fetched, with a time zone. If the publication date is
    over a day later, its day and month are swapped, unless the result is also later than the fetch.
    """
    if fetched_at is None:
        return metadata
    published = metadata.published
    if metadata.age:
        from detourage.text.relative_dates import resolve_relative

        moment = resolve_relative(metadata.age, fetched_at, language)
        published = published if moment is None else replace(moment, written=metadata.age)
    elif published is not None and published.day > fetched_at.date() + timedelta(days=1):
        other = in_other_order(published)
        if other is not None and other.day <= fetched_at.date():
            published = other
    return metadata if published is metadata.published else replace(metadata, published=published)


def search_date(
    surroundings: Surroundings, displayed: Sequence[DisplayedDate], language: str | None
) -> Moment | None:
    """Return a publication date from less reliable places, or None."""
    if displayed:
        return displayed[0].moment
    farther, _ = displayed_dates(surroundings.farther_lines, language)
    # Prefer the first marked date to the first date.
    return min(farther, key=lambda date: not date.is_marked).moment if farther else None


def _in_displayed_zone(declared: Moment, displayed: Moment) -> Moment:
    """Return a declared date in the time zone that follows from the displayed time."""
    if declared.clock is None or declared.zone is None:
        is_more_precise = displayed.clock is not None or declared.day != displayed.day
        return displayed if is_more_precise else declared
    if displayed.clock is None or displayed.zone is not None:
        return declared
    offset = datetime.combine(displayed.day, displayed.clock, UTC) - declared.instant
    quarters = round(offset / timedelta(minutes=15))
    is_zone = abs(offset - quarters * timedelta(minutes=15)) < timedelta(minutes=2)
    if not is_zone or quarters not in _OFFSETS:
        return declared
    local = declared.instant.astimezone(timezone(quarters * timedelta(minutes=15)))
    return Moment(local.date(), local.time(), local.tzinfo, declared.written)


_OFFSETS = frozenset(range(-12 * 4, 14 * 4 + 1, 4)) | {
    *(-38, -14, -10, 14, 18, 22, 23, 26, 35, 38, 42, 51)
}
"""Offsets of the world's time zones, in quarter hours."""


def modification_date(
    declared: Record, displayed: Sequence[DisplayedDate], language: str | None
) -> Moment | None:
    """Return the declared modification date, or else the displayed one."""
    moments = filter(None, (parse_moment(value, language) for value in declared.modified))
    return next(moments, None) or next((date.moment for date in displayed), None)

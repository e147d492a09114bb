"""Resolution of phrases such as "3 hours ago" against a reference time."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from babel.dates import format_timedelta

from detourage.text.calendars import LANGUAGES
from detourage.text.relative_dates import find_relative, resolve_relative

ANCHOR = datetime(2024, 3, 1, 9, 45, 30, tzinfo=UTC)


def resolved(text: str, language: str | None = "en", anchor: datetime = ANCHOR) -> str | None:
    span = find_relative(text)
    moment = resolve_relative(text[slice(*span)], anchor, language) if span else None
    return str(moment) if moment else None


THREE_HOURS_AGO = "2024-03-01T06:00:00+00:00"


def three_hours_ago_in(language: str) -> str:
    locale = language.replace("-", "_")
    return format_timedelta(timedelta(hours=-3), add_direction=True, locale=locale)


PRECISIONS = [
    ("just now", "2024-03-01T09:45:00+00:00"),
    ("5 minutes ago", "2024-03-01T09:40:00+00:00"),
    ("an hour ago", "2024-03-01T08:00:00+00:00"),
    ("2 hours, 50 minutes ago", "2024-03-01T06:55:00+00:00"),
    ("12h", "2024-02-29T21:00:00+00:00"),
    ("2 days ago", "2024-02-28"),
    ("Today at 8:05", "2024-03-01T08:05:00"),
    ("yesterday, 11:30 PM", "2024-02-29T23:30:00"),
    ("February 29", "2024-02-29"),
    ("24 December", "2023-12-24"),
    ("1 week, 2 days ago", "2024-02-21"),
    ("3 weeks ago", None),
    ("1 year, 2 days ago", None),
    ("2 years ago", None),
]
"""Phrases seen at `ANCHOR`, each with the time or day that it denotes; None if it is too vague."""
WORDINGS = [
    *(
        (language, text, "2024-03-01T06:00:00+00:00")
        for language, text in (
            *(("ar", "قبل ٣ ساعات"), ("bn", "৩ ঘন্টা আগে"), ("fa", "۳ ساعت پیش")),
            *(("en", "posted about 3 hours ago"), ("hu", "3 órája"), ("pl", "3 godz. temu")),
            *(
                ("th", "3 ชั่วโมงที่แล้ว"),
                ("vi", "cách đây 3 giờ"),
                (None, "vor 3 Stunden"),
                ("xx", "3 часа назад"),
            ),
        )
    ),
    ("ru", "час назад", "2024-03-01T08:00:00+00:00"),
    ("pl", "godzinę temu", "2024-03-01T08:00:00+00:00"),
    ("fr", "il y a une heure", "2024-03-01T08:00:00+00:00"),
    ("ar", "قبل ساعتين", "2024-03-01T07:00:00+00:00"),
    ("ar", "منذ ساعتين", "2024-03-01T07:00:00+00:00"),
    ("it", "un'ora fa", "2024-03-01T08:00:00+00:00"),
    ("de", "gestern, 14:30", "2024-02-29T14:30:00"),
    ("zh", "前天", "2024-02-28"),
    ("ja", "5月3日", None),
    ("ko", "5월 3일", None),
    ("de", "hier", None),
]
OTHER_TEXTS = ("", "Ann", "99999 hours", "3 apples ago", "hour " * 50, "3 3 3")
LANGUAGES_OF_CLDR = sorted(LANGUAGES - {"ga", "sw"} | {"zh-TW"})


@pytest.mark.parametrize(
    ("language", "text", "moment"),
    [
        *(
            (language, three_hours_ago_in(language), THREE_HOURS_AGO)
            for language in LANGUAGES_OF_CLDR
        ),
        *(("en", text, moment) for text, moment in PRECISIONS),
        *WORDINGS,
    ],
)
def test_an_age_is_understood(language: str | None, text: str, moment: str | None) -> None:
    assert resolved(text, language) == moment


def test_days_are_in_the_time_zone_of_the_fetch_time() -> None:
    ahead = ANCHOR.replace(hour=23).astimezone(timezone(timedelta(hours=2)))
    assert resolved("yesterday", "en", ahead) == "2024-03-01"
    assert resolved("5 minutes ago", "en", ahead) == "2024-03-02T01:40:00+02:00"


@pytest.mark.parametrize("text", OTHER_TEXTS)
def test_texts_that_are_not_ages_give_no_time(text: str) -> None:
    assert resolve_relative(text, ANCHOR, "en") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 months, 3 weeks ago", "2 months, 3 weeks ago"),
        ("#12 — vor 8 Stunden", "vor 8 Stunden"),
        ("vor einem Monat", "vor einem Monat"),
        ("6y", "6y"),
        ("Yesterday at 10:14 pm", "Yesterday at 10:14 pm"),
        ("8 February at 5:50PM", "8 February at 5:50PM"),
        ("“Yesterday”", "Yesterday"),
        ("• AN HOUR AGO •", "AN HOUR AGO"),
        ("aujourd'hui", "aujourd'hui"),
        ("５ hours ago", "５ hours ago"),
        *((text, "") for text in ("5 likes", "Posts: 123", "#12", "ferry_5fan", "Zweck0r", "")),
        ("today I read that book", ""),
    ],
)
def test_relative_dates_are_found(text: str, expected: str) -> None:
    span = find_relative(text)
    assert (text[slice(*span)] if span else "") == expected

from datetime import UTC, datetime, timedelta, timezone

import pytest

from detourage.text.dates import date_in_path, find_moments, parse_moment, without_dates


@pytest.mark.parametrize(
    ("text", "language", "written"),
    [
        ("2024-05-31", None, "2024-05-31"),
        ("2024-05-31T09:30:00+02:00", None, "2024-05-31T09:30:00+02:00"),
        ("2024-05-31 09:30:00 +0200", None, "2024-05-31T09:30:00+02:00"),
        ("2024-05-31T09:30:15.123Z", None, "2024-05-31T09:30:15+00:00"),
        ("2024-05-31T09:30", None, "2024-05-31T09:30:00"),
        ("20240531T093000Z", None, "2024-05-31T09:30:00+00:00"),
        ("20240531", None, "2024-05-31"),
        ("1717140600", None, "2024-05-31T07:30:00+00:00"),
        ("1717140600000", None, "2024-05-31T07:30:00+00:00"),
        ("Fri, 31 May 2024 09:30:00 GMT", None, "2024-05-31T09:30:00+00:00"),
        ("31. Mai 2024 um 9.30 Uhr", "de", "2024-05-31T09:30:00"),
        ("Sat, Jun 18 '05, 10:24 AM", "en", "2005-06-18T10:24:00"),
        ("Wtorek | 6 Gru 11 , 13:43", "pl", "2011-12-06T13:43:00"),
        ("Freitag, 31.05.2024, 09:30 Uhr (MESZ)", "de", "2024-05-31T09:30:00"),
        ("31 мая 2024 года, 09:30", "ru", "2024-05-31T09:30:00"),
        ("31 maja 2024, 09:30", "pl", "2024-05-31T09:30:00"),
        ("le 31 mai 2024 à 9h30", "fr", "2024-05-31T09:30:00"),
        ("31 de mayo de 2024", "es", "2024-05-31"),
        ("31 de maio de 2024", "pt", "2024-05-31"),
        ("31 Μαΐου 2024", "el", "2024-05-31"),
        ("2024. május 31.", "hu", "2024-05-31"),
        ("31 مايو 2024", "ar", "2024-05-31"),
        ("May 31, 2024 at 9:30 pm", "en", "2024-05-31T21:30:00"),
        ("Sept. 5, 2024 12:05 a.m.", "en", "2024-09-05T00:05:00"),
        ("May 31st, 2024", "en", "2024-05-31"),
        ("2024年5月31日 09:30", "zh", "2024-05-31T09:30:00"),
        ("2024년 5월 31일", "ko", "2024-05-31"),
        ("2024/5/31", None, "2024-05-31"),
        ("31.05.24", "de", "2024-05-31"),
        ("5/6/2024", "en-US", "2024-05-06"),
        ("5/6/2024", "en-GB", "2024-06-05"),
        ("5/6/2024", "fr", "2024-06-05"),
        ("5.6.2024", "en", "2024-06-05"),
        ("5/31/2024", "fr", "2024-05-31"),
    ],
)
def test_a_date_is_read_as_precisely_as_it_is_written(
    text: str, language: str | None, written: str
) -> None:
    assert str(parse_moment(text, language)) == written


@pytest.mark.parametrize("language", ["xx", "en", None])
def test_months_are_recognised_whatever_language_the_page_declares(language: str | None) -> None:
    assert str(parse_moment("31 października 2024", language)) == "2024-10-31"


def test_the_language_of_the_page_determines_the_meaning_of_a_month() -> None:
    assert str(parse_moment("5 listopada 2024", "pl")) == "2024-11-05"
    assert str(parse_moment("5. listopada 2024.", "hr")) == "2024-10-05"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "3 hours ago",
        "May 2024",
        "31 February 2024",
        "2024-13-01",
        "1871-05-31",
        "version 1.2.2024.5",
        "31 persons 2024",
        "99999999999",
    ],
)
def test_text_without_a_day_is_not_a_date(text: str) -> None:
    assert parse_moment(text, "en") is None


def test_missing_time_and_zone_are_filled_in_without_changing_the_day() -> None:
    day, local, exact = (
        parse_moment(text) for text in ("2024-05-31", "2024-05-31T23:30", "2024-05-31T00:30+02:00")
    )
    assert day is not None
    assert local is not None
    assert exact is not None
    assert day.instant == datetime(2024, 5, 31, tzinfo=UTC)
    assert local.instant == datetime(2024, 5, 31, 23, 30, tzinfo=UTC)
    assert exact.instant == datetime(2024, 5, 31, 0, 30, tzinfo=timezone(timedelta(hours=2)))


def test_the_time_may_precede_the_day() -> None:
    found = next(find_moments("09:30 | 31.05.2024", "de"))
    assert str(found) == "2024-05-31T09:30:00"


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("/2024/05/31/bridge.html", "2024-05-31"),
        ("/news/2024-05-31-bridge", "2024-05-31"),
        ("/a/20240531/1.shtml", "2024-05-31"),
        ("/2024/0531/c1.html", "2024-05-31"),
        ("/202405311234567", "None"),
        ("/2024/05/", "None"),
        ("/web/20240531123456/story", "None"),
    ],
)
def test_dates_in_urls(path: str, written: str) -> None:
    assert str(date_in_path(path)) == written


def test_dates_are_removed_from_lines_with_names() -> None:
    assert without_dates("31.05.2024, 09:30 Uhr - Jane Doe") == "Jane Doe"
    assert without_dates("By Jane Doe") == "By Jane Doe"

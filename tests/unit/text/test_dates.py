"""Dates in forms that CLDR lacks; `tests/release/test_generated_data.py` tests those of CLDR."""

import pytest

from detourage.text.dates import date_in_path, in_one_order, parse_moment, without_dates

DATES_IN_MANY_FORMS = [
    ("2024-05-31", None, "2024-05-31"),
    ("2024-05-31T09:30:00+02:00", None, "2024-05-31T09:30:00+02:00"),
    ("2024-05-31T09:30:15.123Z", None, "2024-05-31T09:30:15+00:00"),
    ("20240531T093000Z", None, "2024-05-31T09:30:00+00:00"),
    ("20240531", None, "2024-05-31"),
    ("1717140600", None, "2024-05-31T07:30:00+00:00"),
    ("1717140600000", None, "2024-05-31T07:30:00+00:00"),
    ("Fri, 31 May 2024 09:30:00 GMT", None, "2024-05-31T09:30:00+00:00"),
    ("Fri May 31 09:30:00 CEST 2024", None, "2024-05-31T09:30:00+02:00"),
    ("31. Mai 2024 um 9.30 Uhr", "de", "2024-05-31T09:30:00"),
    ("Sat, Jun 18 '05, 10:24 AM", "en", "2005-06-18T10:24:00"),
    ("Wtorek | 6 Gru 11 , 13:43", "pl", "2011-12-06T13:43:00"),
    ("Freitag, 31.05.2024, 09:30 Uhr (MESZ)", "de", "2024-05-31T09:30:00+02:00"),
    ("31 maja 2024, 09:30", "pl", "2024-05-31T09:30:00"),
    ("le 31 mai 2024 à 9h30", "fr", "2024-05-31T09:30:00"),
    ("May 31, 2024 at 9:30 pm", "en", "2024-05-31T21:30:00"),
    ("12:05 a.m., Sept. 5, 2024 HKT", "en", "2024-09-05T00:05:00+08:00"),
    ("May 31st, 2024", "en", "2024-05-31"),
    ("2024年5月31日 09:30", "zh", "2024-05-31T09:30:00"),
    ("2024/5/31", None, "2024-05-31"),
    ("31.05.24", "de", "2024-05-31"),
    ("5/6/2024", "en-US", "2024-05-06"),
    ("5/6/2024", "en-GB", "2024-06-05"),
    ("5.6.2024", "en", "2024-06-05"),
    ("5/31/2024", "fr", "2024-05-31"),
    ("24.5.31", "ko", "2024-05-31"),
    # The name of a time zone may also cover its summer time.
    ("March 9, 2024 9:30 AM ET", "en", "2024-03-09T09:30:00-05:00"),
    ("March 10, 2024 9:30 AM ET", "en", "2024-03-10T09:30:00-04:00"),
    # Months are recognised in any language; the declared language resolves ambiguous names.
    *(("31 października 2024", language, "2024-10-31") for language in ("xx", "en", None)),
    ("5 listopada 2024", "pl", "2024-11-05"),
    ("5. listopada 2024.", "hr", "2024-10-05"),
]
OTHER_SCRIPTS = [
    ("31 أيار/مايو 2024", "ar", "2024-05-31"),
    ("31 كانون الأول 2024", "ar", "2024-12-31"),
    ("٣١ مايو ٢٠٢٤", "ar", "2024-05-31"),
    ("31 مايو 2024م - 23 ذو القعدة 1445هـ", "ar", "2024-05-31"),
    ("৩১ মে ২০২৪", "bn", "2024-05-31"),
    ("৩১ জানুয়ারি ২০২৪", "bn", "2024-01-31"),
    ("31 آب 2024", "ar", "2024-08-31"),
    ("جمعه 11 خرداد 1403", "fa", "2024-05-31"),
    ("۱۴۰۳/۰۳/۱۱", "fa", "2024-05-31"),
    ("30 اسفند 1403", "fa", "2025-03-20"),
    ("1 فروردین 1404", "fa", "2025-03-21"),
    ("31 พฤษภาคม พ.ศ. 2567", "th", "2024-05-31"),
    ("31/05/2567", "th", "2024-05-31"),
    ("令和6年5月31日", "ja", "2024-05-31"),
    ("民國113年5月31日", "zh", "2024-05-31"),
    ("二〇二四年五月三十一日", "zh", "2024-05-31"),
    ("２０２４年５月３１日", "ja", "2024-05-31"),
    ("31 tháng 5 năm 2024", "vi", "2024-05-31"),
    ("31 May 1403", "en", "None"),
    ("31/05/2567", "en", "None"),
]
CLOCKS = [
    ("12:05 π.μ.", "el", "00:05"),
    ("03:20 م", "ar", "15:20"),
    ("03:20 ب.ظ", "fa", "15:20"),
    ("오전 12:05", "ko", "00:05"),
    ("오후 3시 20분", "ko", "15:20"),
    ("午後3時20分", "ja", "15:20"),
    ("午前0時5分", "ja", "00:05"),
    ("凌晨12:05", "zh", "00:05"),
    ("晚上9:05", "zh", "21:05"),
    ("du. 3:20", "hu", "15:20"),
    ("বিকাল ৫:২০", "bn", "17:20"),
    ("3:20 אחה״צ", "he", "15:20"),
    ("3 p.m.", "en", "15:00"),
    ("15 h 20", "fr", "15:20"),
    ("12 comments", "en", None),
    ("4 min read", "en", None),
]
ZONES = [
    ("JST", "en", "+09:00"),
    ("WIB", "id", "+07:00"),
    ("IST", "en", "+05:30"),
    ("IST", "en-IE", "+01:00"),
    ("МСК", "ru", "+03:00"),
    ("EST", "en", "-05:00"),
    ("Eastern Time", "en", "-04:00"),
    ("CST", "en", "-06:00"),
    ("CST", "zh", "+08:00"),
    ("(horário de Brasília)", "pt", "-03:00"),
    ("(GMT+7)", "vi", "+07:00"),
    ("Mountain Time", "en", "-06:00"),
    ("Uhr MESZ", "de", "+02:00"),
    ("ABC", "en", ""),
]
NOT_DATES = (
    *("", "yesterday", "3 hours ago", "May 2024", "31 February 2024", "2024-13-01", "1871-05-31"),
    *("version 1.2.2024.5", "31 persons 2024", "99999999999"),
)
DAY = "2024-05-31"


@pytest.mark.parametrize(
    ("text", "language", "parsed"),
    [
        *DATES_IN_MANY_FORMS,
        *OTHER_SCRIPTS,
        *(
            (f"{DAY} {time}", each, f"{DAY}T{read}:00" if read else DAY)
            for time, each, read in CLOCKS
        ),
        *((f"{DAY} 15:20 {zone}", each, f"{DAY}T15:20:00{read}") for zone, each, read in ZONES),
        *((text, "en", "None") for text in NOT_DATES),
    ],
)
def test_dates_are_as_precise_as_written(text: str, language: str | None, parsed: str) -> None:
    assert str(parse_moment(text, language)) == parsed


def test_dates_in_one_place_have_the_same_order_of_day_and_month() -> None:
    moments = [parse_moment(text, "en") for text in ("5/6/2024", "31/5/2024", "2024-05-06")]
    found = in_one_order([None, *moments])
    assert [*map(str, found)] == ["None", "2024-06-05", "2024-05-31", "2024-05-06"]
    assert in_one_order(moments[:1]) == moments[:1]


@pytest.mark.parametrize(
    ("path", "parsed"),
    [
        ("/2024/05/31/bridge.html", "2024-05-31"),
        ("/a/20240531/1.shtml", "2024-05-31"),
        ("/2024/0531/c1.html", "2024-05-31"),
        ("/2024/may/31/bridge", "2024-05-31"),
        ("/2024/bay/31/bridge", "None"),
        ("/202405311234567", "None"),
        ("/web/20240531123456/story", "None"),
    ],
)
def test_dates_in_urls_are_read(path: str, parsed: str) -> None:
    assert str(date_in_path(path)) == parsed


@pytest.mark.parametrize(
    ("language", "parsed"), [("de-DE", "2022-01-02"), ("en-US", "None"), (None, "None")]
)
def test_the_language_decides_which_number_in_a_url_is_the_day(
    language: str | None, parsed: str
) -> None:
    assert str(date_in_path("/news/~02-01-2022-bridge", language)) == parsed


def test_dates_are_removed_from_lines_with_names() -> None:
    assert without_dates("31.05.2024, 09:30 Uhr - Jane Doe") == "Jane Doe"
    assert without_dates("By Jane Doe") == "By Jane Doe"

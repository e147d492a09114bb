"""Data that is derived from other packages is up to date and complete."""

from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

import idna
import pytest
from babel.dates import format_date, format_time
from publicsuffixlist import PSLFILE, PublicSuffixList

from benchmarks.language.date_words import names, names_file
from detourage.html import site_of
from detourage.text.calendars import LANGUAGES
from detourage.text.dates import parse_moment


def test_the_names_of_months_and_weekdays_are_up_to_date() -> None:
    for name, values in names().items():
        stored = files("detourage.text").joinpath(name).read_text(encoding="utf-8")
        assert stored == names_file(values), "run python -m benchmarks.language.date_words"


@pytest.mark.parametrize("language", sorted(LANGUAGES - {"eu", "mn", "my"}))
def test_dates_are_read_as_cldr_writes_them(language: str) -> None:
    moment = datetime(2024, 5, 31, 15, 20, tzinfo=UTC)
    for length in ("full", "long"):
        found = parse_moment(format_date(moment, length, locale=language), language)
        assert str(found) == "2024-05-31"
    found = parse_moment(f"2024-05-31 {format_time(moment, 'h:mm a', locale=language)}", language)
    assert str(found) == "2024-05-31T15:20:00"


def test_every_rule_has_the_same_effect_as_in_the_full_list() -> None:
    full_list = PublicSuffixList(accept_unknown=False)
    for line in Path(PSLFILE).read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("//"):
            continue
        rule = line.lstrip("!").replace("*", "any")
        for host in (rule, f"www.news.{rule}"):
            ascii_host = idna.encode(host, uts46=True).decode()
            expected = full_list.privatesuffix(ascii_host) or ascii_host
            assert site_of(f"https://{host}/") == expected

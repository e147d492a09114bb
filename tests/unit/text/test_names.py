"""Names of months, weekdays and units of time are current, and separate for each language."""

from importlib.resources import files

import pytest

from benchmarks.language.names import names, written
from detourage.text.calendars import month_named


def test_the_file_is_up_to_date() -> None:
    found = files("detourage.text").joinpath("names.json").read_text(encoding="utf-8")
    assert found == written(names()), "run python -m benchmarks.language.names"


@pytest.mark.parametrize("code", ["eng", "en", "und"])
def test_every_language_code_knows_its_months(code: str) -> None:
    assert month_named("October", code) == 10


def test_a_language_has_only_its_own_months() -> None:
    # It means October in Croatian and November in Polish, so it is ambiguous if the language is
    # unknown.
    assert month_named("listopad", "hr") == 10
    assert month_named("listopad", "pl") == 11
    assert month_named("listopad") is None

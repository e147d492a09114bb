"""Names of months, weekdays and units of time are separate for each language."""

import pytest

from detourage.text.calendars import month_named


@pytest.mark.parametrize("code", ["eng", "en", "und"])
def test_every_language_code_knows_its_months(code: str) -> None:
    assert month_named("October", code) == 10


def test_a_language_has_only_its_own_months() -> None:
    # It means October in Croatian and November in Polish, so it is ambiguous if the language is
    # unknown.
    assert month_named("listopad", "hr") == 10
    assert month_named("listopad", "pl") == 11
    assert month_named("listopad") is None

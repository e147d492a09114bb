"""The names of months, weekdays and units of time: not stale, and each language's own."""

from importlib.resources import files

import pytest

from benchmarks.language.names import names, written
from worker.text.calendars import month_named


def test_the_file_is_what_its_program_writes() -> None:
    found = files("worker.text").joinpath("names.json").read_text(encoding="utf-8")
    assert found == written(names()), "run python -m benchmarks.language.names"


@pytest.mark.parametrize("code", ["eng", "en", "und"])
def test_every_code_of_a_language_knows_its_months(code: str) -> None:
    assert month_named("October", code) == 10


def test_a_language_has_its_own_months_alone() -> None:
    # To the Croats it is October, to the Poles November; in no language both.
    assert month_named("listopad", "hr") == 10
    assert month_named("listopad", "pl") == 11
    assert month_named("listopad") is None

"""The version of the extraction must rise with every change of its results."""

import re
from dataclasses import replace

import pytest

from tests.unit.article.recorded import Record, complaint, record, recorded

KNOWN = Record("7", "pages", "models", {"https://a.example/1": "one", "https://a.example/2": "two"})


def test_the_version_was_raised_if_pages_give_another_content() -> None:
    said = complaint(recorded(), record())
    assert said is None, said


def test_nothing_is_to_be_done_where_nothing_changed() -> None:
    assert complaint(KNOWN, KNOWN) is None


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (
            replace(KNOWN, contents={**KNOWN.contents, "https://a.example/2": "else"}),
            "1 of 2 pages give another content, .* raise EXTRACTION_VERSION",
        ),
        (replace(KNOWN, models="else"), "a model is another, .* raise EXTRACTION_VERSION"),
        (replace(KNOWN, version="8", contents={}), "Version 8 .* is not recorded: run"),
        (replace(KNOWN, pages="else", contents={}), "generated pages are others: run"),
    ],
    ids=["content", "model", "version", "pages"],
)
def test_a_change_is_reported_with_advice(now: Record, said: str) -> None:
    found = complaint(KNOWN, now)
    assert found is not None
    assert re.search(said, found)

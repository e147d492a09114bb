import re
from dataclasses import replace

import pytest

from tests.unit.reader.recorded import Record, complaint, record, recorded

KNOWN = Record("7", "pages", "models", {"https://a.example/1": "one", "https://a.example/2": "two"})


def test_the_version_was_raised_if_extracted_content_changed() -> None:
    said = complaint(recorded(), record())
    assert said is None, said


def test_nothing_is_reported_if_nothing_changed() -> None:
    assert complaint(KNOWN, KNOWN) is None


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (
            replace(KNOWN, contents={**KNOWN.contents, "https://a.example/2": "else"}),
            "1 of 2 pages give other content, .* raise EXTRACTION_VERSION",
        ),
        (replace(KNOWN, models="else"), "a model has changed, .* raise EXTRACTION_VERSION"),
        (replace(KNOWN, version="8", contents={}), "version 8 is not recorded: run"),
        (replace(KNOWN, pages="else", contents={}), "generated pages have changed: run"),
    ],
    ids=["content", "model", "version", "pages"],
)
def test_a_change_is_reported_with_advice(now: Record, said: str) -> None:
    found = complaint(KNOWN, now)
    assert found is not None
    assert re.search(said, found)

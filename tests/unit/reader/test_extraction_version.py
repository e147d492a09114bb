import json
import re

import pytest

from tests.unit.reader.recorded import RECORDED, Record, complaint, record

RECORDED_RESULTS: Record = {
    "version": "7",
    "pages": "p",
    "models": "m",
    "contents": {"/1": "a", "/2": "b"},
}


def test_the_version_was_raised_if_extracted_content_changed() -> None:
    advice = complaint(json.loads(RECORDED.read_text()), record())
    assert advice is None, advice


@pytest.mark.parametrize(
    ("changes", "advice"),
    [
        ({}, "None"),
        (
            {"contents": {"/1": "a", "/2": "else"}},
            "1 of 2 pages give other content, .* raise EXTRACTION_VERSION",
        ),
        ({"models": "else"}, "a model has changed, .* raise EXTRACTION_VERSION"),
        ({"version": "8", "contents": {}}, "version 8 is not recorded: run"),
        ({"pages": "else", "contents": {}}, "generated pages have changed: run"),
    ],
    ids=["nothing", "content", "model", "version", "pages"],
)
def test_a_change_is_reported_with_advice(changes: Record, advice: str) -> None:
    assert re.search(advice, str(complaint(RECORDED_RESULTS, {**RECORDED_RESULTS, **changes})))

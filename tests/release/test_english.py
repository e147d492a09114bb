"""The check of `make lint` for unidiomatic phrases."""

import pytest

from tests.english import GUIDE, find, read_phrases
from tests.image_context import ROOT

BANNED_PHRASES = read_phrases((ROOT / GUIDE).read_text())


@pytest.mark.parametrize(
    ("path", "text", "phrases"),
    [
        ("docs/page.md", "Read.\n\nThe site is clustered\nno more.", ["no more"]),
        (
            "worker/module.py",
            'raise E(\n    "clustered no"\n    f" more: {site}"\n)\n',
            ["no more"],
        ),
        ("deploy/roles.sql", "-- Run it no\n-- more.\n", ["no more"]),
        (
            "tests/unit/test_page.py",
            'def test():\n    """Read it anew."""\n    assert "mended"\n',
            ["anew"],
        ),
        ("docs/page.md", "There are no more pages, and no more than ten sites.", []),
        ("worker/module.py", "what_is_told = mend(anew)  # the repaired text\n", []),
        ("tests/unit/test_page.py", 'TEXT = "The mayor was told of late."\n', []),
    ],
)
def test_phrases_are_found_in_prose_across_line_breaks(
    path: str, text: str, phrases: list[str]
) -> None:
    found = [*find(path, text, BANNED_PHRASES)]
    assert [each.banned.phrase for each in found] == phrases
    assert all(str(each).endswith(f"write: {each.banned.advice}") for each in found)

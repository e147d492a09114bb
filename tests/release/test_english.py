"""The check of `make lint` for unidiomatic phrases."""

import pytest

from tests.english import GUIDE, Turn, find, read_turns
from tests.image_context import ROOT

TEXT = (ROOT / GUIDE).read_text()
TURNS = read_turns(TEXT)


def phrases(path: str, text: str) -> list[tuple[int, str]]:
    """Return the lines and phrases found in a file."""
    return [(finding.line, finding.turn.phrase) for finding in find(path, text, TURNS)]


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: turn.phrase)
def test_each_phrase_is_found_with_its_line_and_the_advice(turn: Turn) -> None:
    opens_a_docstring = turn.phrase.startswith('"""')
    phrase = turn.phrase.replace("…", "Read")
    sentence = f'{phrase} a page."""' if opens_a_docstring else f'"""A page {phrase} it."""'
    (found,) = find("worker/module.py", f"import re\n\n\n{sentence}\n", TURNS)
    assert found.turn == turn
    assert str(found) == f"worker/module.py:4: `{turn.phrase}`: write: {turn.advice}"


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: turn.phrase)
def test_the_advice_avoids_the_phrases_itself(turn: Turn) -> None:
    assert phrases("docs/page.md", turn.advice) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("docs/page.md", "The site is clustered\nno more."),
        ("docs/page.md", "No more pages are read."),
        ("worker/module.py", "#: The site is clustered no\n#  more.\n"),
        ("worker/module.py", 'raise E(\n    "clustered no"\n    f" more: {site}"\n)\n'),
        ("deploy/script.sh", "# Run it no more.\n"),
        ("deploy/roles.sql", "-- Run it no\n-- more.\n"),
    ],
)
def test_phrases_are_found_across_line_breaks_and_at_sentence_starts(path: str, text: str) -> None:
    assert [phrase for _, phrase in phrases(path, text)] == ["no more"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("docs/page.md", "There are no more pages, and no more than ten sites."),
        ("docs/page.md", "If there is none, the page is extracted alone."),
        ("worker/module.py", '"""Rendering of pages."""\n'),
        ("worker/module.py", "what_is_told = mend(anew)  # the repaired text\n"),
        ("worker/module.py", 'if page.text is None:\n    return "What is new?"\n'),
        ("tests/unit/test_page.py", 'TEXT = "The mayor was told of late."\n'),
    ],
)
def test_good_text_and_code_pass(path: str, text: str) -> None:
    assert phrases(path, text) == []


def test_docstrings_of_tests_are_checked() -> None:
    text = 'def test() -> None:\n    """Read it anew."""\n    assert "mended"\n'
    assert phrases("tests/unit/test_page.py", text) == [(2, "anew")]


def test_the_guide_is_checked_outside_its_table() -> None:
    assert phrases(GUIDE, TEXT) == []
    assert phrases(GUIDE, f"Read it anew.\n{TEXT}") == [(1, "anew")]


def test_the_guide_has_fifty_one_rows() -> None:
    section = TEXT.partition("## English\n")[2].partition("\n## ")[0]
    assert section.count("\n| ") - 1 == 51

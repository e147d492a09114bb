import re
from pathlib import Path

import pytest

from detourage.text.plural import counted, short_age

ROOT = Path(__file__).parents[3]
NOUNS = "articles|extractions|golds|groups|messages|outliers|pages|sites"
UNCOUNTED = re.compile(
    rf"(?:\{{[^{{}}'\"()]*(?:\([^{{}}'\"()]*\))?(?::[^{{}}]*)?\}}|%d) (?:{NOUNS})\b"
)
AT_LEAST_TWO = {
    "{group_size} pages of its template",
    "%d outliers form the new group",
    "has reached %d pages or messages",
    "{settings.pending_limit} or more pages",
}


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 pages"), (1, "1 page"), (2, "2 pages"), (1000, "1000 pages")]
)
def test_one_is_singular(number: int, words: str) -> None:
    assert counted(number, "page") == words


@pytest.mark.parametrize(
    ("seconds", "age"), [(59.4, "59 s"), (60, "1 min"), (7300, "2 h"), (86400 * 3.9, "3 d")]
)
def test_ages_are_in_their_largest_unit(seconds: float, age: str) -> None:
    assert short_age(seconds) == age


def test_no_message_builds_its_own_plural() -> None:
    # Only programmers see the messages of ValueErrors.
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in sorted([*ROOT.glob("detourage/**/*.py"), *ROOT.glob("worker/**/*.py")])
        for line in path.read_text(encoding="utf-8").splitlines()
        if UNCOUNTED.search(line)
        and "ValueError" not in line
        and not any(known in line for known in AT_LEAST_TWO)
    ]
    assert found == []

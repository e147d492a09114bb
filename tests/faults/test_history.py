"""The check of deliveries finds lost and duplicate revisions, and counts tolerable anomalies."""

import pytest

from tests.faults.history import Delivery, Findings, check

# Three revisions of a page, and one of another page.
A1, A2, A3 = (("https://a.example/1", revision) for revision in (1, 2, 3))
B1 = ("https://a.example/2", 1)

Sent = tuple[tuple[str, int], str, str]
"""A revision, with the ID and the text of its message."""

FIRST, SECOND, THIRD = (A1, "a1", "one"), (A2, "a2", "two"), (A3, "a3", "three")
OTHER = (B1, "b1", "other")


@pytest.mark.parametrize(
    ("stored", "delivered", "expected"),
    [
        ([FIRST, SECOND, OTHER], [FIRST, OTHER, SECOND], Findings(set(), set(), 0, 0)),
        ([FIRST, SECOND], [SECOND], Findings({A1}, set(), 0, 0)),
        ([FIRST, SECOND], [FIRST], Findings({A2}, set(), 0, 0)),
        # An article with another ID is not the stored revision.
        ([(A1, "restored", "one")], [FIRST], Findings({A1}, set(), 0, 0)),
        ([], [FIRST, (A1, "other", "one")], Findings(set(), {A1}, 0, 0)),
        ([], [FIRST, (A1, "a1", "another text")], Findings(set(), {A1}, 0, 1)),
        ([], [FIRST, (A2, "a1", "two")], Findings(set(), {A1, A2}, 0, 1)),
        ([], [FIRST, (B1, "a1", "one")], Findings(set(), {A1, B1}, 0, 1)),
        ([FIRST, SECOND, THIRD], [FIRST, THIRD, SECOND], Findings(set(), set(), 1, 0)),
        ([], [THIRD, SECOND, FIRST], Findings(set(), set(), 2, 0)),
        ([], [SECOND, OTHER], Findings(set(), set(), 0, 0)),
        # A repeat of a lower revision is not reordered.
        ([], [FIRST, SECOND, FIRST], Findings(set(), set(), 0, 1)),
    ],
)
def test_lost_duplicated_and_reordered_revisions_are_found_in_a_history(
    stored: list[Sent], delivered: list[Sent], expected: Findings
) -> None:
    history = [
        Delivery(name, url, revision, text, redelivered=False)
        for (url, revision), name, text in delivered
    ]
    assert check(history, {name: revision for revision, name, _ in stored}) == expected

from worker.explain.revision_changes import (
    ChangedField,
    ChangedText,
    RevisionChanges,
    revision_changes,
)

FIRST = {
    "title": "Bridge",
    "authors": ["Ann"],
    "text": "One.\n\nTwo.\n\nThree.",
    "images": [],
    "template": {"group": None, "generation": 1},
}


def test_changes_of_the_text_are_shown_by_paragraph() -> None:
    changes = revision_changes(FIRST, {**FIRST, "text": "One.\n\n2.\n\nThree.\n\nFour."})
    assert changes.fields == []
    assert changes.paragraphs == [
        ChangedText("same", "", 1),
        ChangedText("removed", "Two.", 1),
        ChangedText("added", "2.", 1),
        ChangedText("same", "", 1),
        ChangedText("added", "Four.", 1),
    ]


def test_changed_keys_are_shown_with_both_values() -> None:
    after = {
        **FIRST,
        "authors": ["Ann", "Bob"],
        "images": [{"url": "https://news.example/a.jpg"}],
        "template": {"group": 3, "generation": 2},
    }
    changes = revision_changes(FIRST, after)
    assert changes.paragraphs == []
    assert changes.fields == [
        ChangedField("authors", "Ann", "Ann, Bob"),
        ChangedField("images", "0", "1"),
        ChangedField("template", "no group, generation 1", "group 3, generation 2"),
    ]


def test_equal_revisions_have_no_changes() -> None:
    assert revision_changes(FIRST, dict(FIRST)) == RevisionChanges([], [])

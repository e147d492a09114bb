from detourage.explain.revision_changes import ChangedField, revision_changes

FIRST = {
    "revision": 1,
    "title": "Bridge",
    "authors": ["Ann"],
    "text": "One.\n\nTwo.\n\nThree.",
    "images": [],
    "template": {"group": None, "generation": 1},
}


def test_changes_of_the_text_are_shown_by_sentence() -> None:
    changes = revision_changes(FIRST, {**FIRST, "text": "One.\n\n2.\n\nThree.\n\nFour."})
    assert changes.fields == []
    assert [(each.action, each.before, each.after) for each in changes.reading.sentences] == [
        ("removed", "Two.", None),
        ("added", None, "2."),
        ("added", None, "Four."),
    ]


def test_changed_keys_are_shown_with_both_values() -> None:
    after = {
        **FIRST,
        "title": "Bridges",
        "authors": ["Ann", "Bob"],
        "images": [{"url": "https://news.example/a.jpg"}],
        "template": {"group": 3, "generation": 2},
    }
    changes = revision_changes(FIRST, after)
    assert changes.reading.sentences == []
    assert changes.fields == [
        ChangedField("title", "Bridge", "Bridges"),
        ChangedField("authors", "Ann", "Ann, Bob"),
        ChangedField("images", "0", "1"),
        ChangedField("template", "no group, generation 1", "group 3, generation 2"),
    ]


def test_equal_revisions_have_no_changes() -> None:
    changes = revision_changes(FIRST, dict(FIRST))
    assert changes.fields == []
    assert changes.reading.kind is None

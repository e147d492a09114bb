from inspector.revision_changes import ChangedField, revision_changes

FIRST = {
    "revision": 1,
    "title": "Bridge",
    "authors": ["Ann"],
    "text": "One.\n\nTwo.\n\nThree.",
    "images": [],
    "template": {"group": None, "generation": 1},
}


def test_changed_keys_are_shown_with_both_values() -> None:
    after = {
        **FIRST,
        "title": "Bridges",
        "text": "One.\n\nTwo.",
        "authors": ["Ann", "Bob"],
        "images": [{"url": "https://news.example/a.jpg"}],
        "template": {"group": 3, "generation": 2},
    }
    assert revision_changes(FIRST, after) == [
        ChangedField("title", "Bridge", "Bridges"),
        ChangedField("text", "18 characters", "10 characters"),
        ChangedField("authors", "Ann", "Ann, Bob"),
        ChangedField("images", "0", "1"),
        ChangedField("template", "no group, generation 1", "group 3, generation 2"),
    ]

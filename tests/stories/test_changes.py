import sys
from typing import Any

import pytest

from stories.changes import changes_between
from stories.messages import Changes

TEXT = (
    "The ferry left the harbour at noon. Dr. Ada Jones, 47, was on board with 120 passengers.\n\n"
    "The weather was calm, and nobody expected a storm. The captain had sailed the route for years."
    "\n\nRescuers reached the ship at three. All passengers were brought to safety that night."
)


def message(text: str = TEXT, **values: Any) -> dict[str, Any]:
    return {"revision": 1, "title": "Ferry in distress", "text": text, **values}


def compared(text: str, **values: Any) -> Changes:
    return changes_between(message(), message(text, revision=2, **values))


def actions(changes: Changes) -> list[tuple[str, str | None, str | None]]:
    return [(each.action, each.before, each.after) for each in changes.sentences]


def test_offsets_lead_to_the_sentences_of_both_texts() -> None:
    after = "New first line of text here.\n\n" + TEXT.replace("120 passengers", "132 passengers")
    changes = compared(after)
    assert (changes.since, changes.kind) == (1, "update")
    added, edited = changes.sentences
    assert (added.action, added.after, added.before_start) == (
        "added",
        "New first line of text here.",
        None,
    )
    assert edited.before == "Dr. Ada Jones, 47, was on board with 120 passengers."
    assert TEXT[edited.before_start : edited.before_end] == edited.before
    assert after[edited.start : edited.end] == edited.after


def test_a_removed_sentence_is_listed_where_it_was() -> None:
    gone = "The captain had sailed the route for years."
    changes = compared(TEXT.replace(gone, "") + " The ferry was towed home.")
    assert actions(changes) == [
        ("removed", gone, None),
        ("added", None, "The ferry was towed home."),
    ]


def test_a_moved_paragraph_is_neither_removed_nor_added() -> None:
    first, second, third = TEXT.split("\n\n")
    changes = compared("\n\n".join((second, third, first)))
    assert {each.action for each in changes.sentences} == {"moved"}
    assert [each.after for each in changes.sentences] == [
        "The ferry left the harbour at noon.",
        "Dr. Ada Jones, 47, was on board with 120 passengers.",
    ]


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("harbour", "harbor", "typo"),
        ("120 passengers", "$120 passengers", "update"),
        (" at noon. Dr. Ada Jones, 47, was on board with 120 passengers.", ".", "update"),
        ("120 passengers", "132 passengers", "update"),
        ("nobody expected", "everybody expected", "update"),
        ("at noon.", "at noon. Then it turned.", "update"),
        (TEXT[60:], "Nothing else is known about the ship.", "rewritten"),
    ],
)
def test_kind_of_change(old: str, new: str, kind: str) -> None:
    assert compared(TEXT.replace(old, new)).kind == kind


def test_a_note_of_correction_makes_a_correction() -> None:
    note = "Correction: an earlier version gave a wrong number of passengers."
    after = message(TEXT.replace("120", "132"), revision=2, corrections=[note])
    changes = changes_between(message(corrections=[]), after)
    assert (changes.kind, changes.correction) == ("correction", note)
    known = message(corrections=[note])
    assert changes_between(known, {**known, "revision": 2}).kind is None


def test_a_note_that_an_earlier_version_did_not_look_for_is_not_new() -> None:
    assert changes_between(message(), message(revision=2, corrections=["Correction."])).kind is None


def test_moved_sentences_are_not_a_typo() -> None:
    before, after = message("A first. B second. C third."), message("C third. B second. A first.")
    assert changes_between(before, {**after, "revision": 2}).kind == "update"


def test_headlines_with_more_words_after_a_dash_differ() -> None:
    before, after = message(title="Election"), message(title="Election – SPD wins", revision=2)
    assert changes_between(before, after).title is not None


def test_sentences_that_are_repeated_very_often_are_ignored() -> None:
    cry = " He said no." * 21
    changes = changes_between(message("A one." + cry), message("B two and." + cry, revision=2))
    assert {each.action for each in changes.sentences} == {"removed", "added"}
    assert len(changes.sentences) == 2


def test_changes_of_a_live_report_are_live() -> None:
    assert compared(TEXT + " More to come.", metadata={"kind": "live"}).kind == "live"


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace(" ", "\u00a0"),
        TEXT.replace("\n\n", "\n"),
        TEXT.replace("harbour", "har\u00adbour"),
    ],
    ids=["no-break spaces", "line breaks", "soft hyphen"],
)
def test_typographic_differences_are_not_changes(text: str) -> None:
    assert compared(text).kind is None


def test_quotation_marks_and_dashes_are_not_changes() -> None:
    before = message('He said: "The ship - it\'s gone."')
    after = message("He said: “The ship – it’s gone.”", revision=2)
    assert changes_between(before, after).sentences == []


def test_text_that_the_other_message_has_elsewhere_is_not_added() -> None:
    caption = "The ferry before the storm, seen from the coast."
    lead = "A ferry got into distress."
    before = message(images=[{"caption": caption}], lead=lead, authors=["Ann Lee"])
    after = message(f"{lead}\n\nAnn Lee\n\n{TEXT}\n\n{caption}", revision=2)
    assert changes_between(before, after).kind is None


def test_template_text_is_not_a_change() -> None:
    other = "Another story.\n\nSubscribe to our newsletter today.\n\n15 comments so far"
    changes = changes_between(
        message(),
        message(f"{TEXT}\n\nSubscribe to our newsletter today.\n\n3 comments so far", revision=2),
        [other],
    )
    assert changes.kind is None


def test_headline_and_lead_are_reported_apart_from_the_text() -> None:
    before = message("Old lead here today.\n\n" + TEXT, lead="Old lead here today.")
    after = message(
        "Quite different words now.\n\n" + TEXT,
        revision=2,
        title="Ferry rescued",
        lead="Quite different words now.",
    )
    changes = changes_between(before, after)
    assert changes.title is not None
    assert (changes.title.before, changes.title.after) == ("Ferry in distress", "Ferry rescued")
    assert changes.lead is not None
    assert changes.lead.after == "Quite different words now."
    assert changes.sentences == []


def test_the_name_of_the_site_is_not_part_of_a_headline() -> None:
    assert compared(TEXT, title="Ferry in distress | Daily News").title is None


def test_chinese_sentences_are_compared() -> None:
    before = message("渡轮中午离开港口。船上有一百二十名乘客。天气平静。")
    after = message("渡轮中午离开港口。船上有一百三十名乘客。天气平静。", revision=2)
    (changed,) = changes_between(before, after).sentences
    assert (changed.action, changed.before) == ("edited", "船上有一百二十名乘客。")


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "texts",
    [
        ("a b c. " * 100_000, "b c d. " * 100_000),
        ("x " * 2_000_000, "y " * 2_000_000),
        (
            " ".join(f"word{n} a b c d e f." for n in range(900)),
            " ".join(f"term{n} a b c d e f." for n in range(900)),
        ),
        ("." * 1_000_000, "。" * 1_000_000),
        ("\u0315\u0300" * 200_000, "\u0300\u0315" * 200_000),
        ("A. " * 900 + "x", "B. A. " * 450),
    ],
    ids=["repeated", "one sentence", "similar", "marks", "accents", "short"],
)
def test_hostile_texts_are_compared_in_little_time(texts: tuple[str, str]) -> None:
    before, after = texts
    changes = changes_between(message(before), message(after, revision=2))
    reported = sum(len(each.before or "") + len(each.after or "") for each in changes.sentences)
    assert reported <= 100_000


def calls_to_compare(words: int) -> int:
    """Return the number of calls made to compare one sentence in which every word is respelt."""
    old, new = (
        message(" ".join([*["ferry"] * 300, *(f"harbour{letter}" for letter in end * words)]))
        for end in "ab"
    )
    calls = 0

    def count(_frame: Any, kind: str, _arg: Any) -> None:
        nonlocal calls
        calls += kind in ("call", "c_call")

    sys.setprofile(count)
    try:
        assert changes_between(old, new | {"revision": 2}).kind == "update"
    finally:
        sys.setprofile(None)
    return calls


def test_the_spelling_of_a_very_long_text_is_not_compared() -> None:
    assert calls_to_compare(60_000) < 1.1 * calls_to_compare(10_000)

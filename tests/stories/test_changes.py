"""The changes between two revisions of an article."""

from collections.abc import Callable
from typing import Any

import pytest

from stories.changes import changes_between
from stories.messages import Changes
from tests.counted import growth

TEXT = (
    "The ferry left the harbour at noon. Dr. Ada Jones, 47, was on board with 120 passengers.\n\n"
    "The weather was calm, and nobody expected a storm. The captain had sailed the route for years."
    "\n\nRescuers reached the ship at three. All passengers were brought to safety that night."
)


def message(text: str = TEXT, **values: Any) -> dict[str, Any]:
    return {"revision": 1, "title": "Ferry in distress", "text": text, **values}


def changes_to(text: str, **values: Any) -> Changes:
    """Return the changes from the article with `TEXT` to a revision with another text."""
    return changes_between(message(), message(text, revision=2, **values))


def test_offsets_lead_to_the_sentences_of_both_texts() -> None:
    after = "New first line of text here.\n\n" + TEXT.replace("120 passengers", "132 passengers")
    changes = changes_to(after)
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
    removed = "The captain had sailed the route for years."
    changes = changes_to(TEXT.replace(removed, "") + " The ferry was towed home.")
    assert [(each.action, each.before, each.after) for each in changes.sentences] == [
        ("removed", removed, None),
        ("added", None, "The ferry was towed home."),
    ]


def test_a_moved_paragraph_is_neither_removed_nor_added() -> None:
    first, second, third = TEXT.split("\n\n")
    changes = changes_to("\n\n".join((second, third, first)))
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
        # Sentences have moved.
        (TEXT, "\n\n".join(reversed(TEXT.split("\n\n"))), "update"),
    ],
)
def test_the_extent_of_an_edit_determines_the_kind_of_change(old: str, new: str, kind: str) -> None:
    assert changes_to(TEXT.replace(old, new)).kind == kind
    assert changes_to(TEXT.replace(old, new), metadata={"kind": "live"}).kind == "live"


def test_a_correction_note_makes_the_change_a_correction() -> None:
    note = "Correction: an earlier version gave a wrong number of passengers."
    after = message(TEXT.replace("120", "132"), revision=2, corrections=[note])
    changes = changes_between(message(corrections=[]), after)
    assert (changes.kind, changes.correction) == ("correction", note)
    unchanged = message(corrections=[note])
    assert changes_between(unchanged, {**unchanged, "revision": 2}).kind is None


def test_sentences_that_are_repeated_very_often_are_ignored() -> None:
    repeated = " He said no." * 21
    changes = changes_between(
        message("A one." + repeated), message("B two and." + repeated, revision=2)
    )
    assert {each.action for each in changes.sentences} == {"removed", "added"}
    assert len(changes.sentences) == 2


def test_headline_and_lead_are_reported_separately_from_the_text() -> None:
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
    assert changes_to(TEXT, title="Ferry in distress – all rescued").title is not None
    assert changes.lead is not None
    assert changes.lead.after == "Quite different words now."
    assert changes.sentences == []


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
def test_hostile_texts_are_compared_quickly(texts: tuple[str, str]) -> None:
    before, after = texts
    changes = changes_between(message(before), message(after, revision=2))
    reported = sum(len(each.before or "") + len(each.after or "") for each in changes.sentences)
    assert reported <= 100_000


CAPTION, LEAD = "The ferry before the storm, seen from the coast.", "A ferry got into distress."
SUBSCRIBE = "\n\nSubscribe to our newsletter today.\n\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (message(), message(TEXT.replace(" ", "\u00a0"))),
        (message(), message(TEXT.replace("\n\n", "\n"))),
        (message(), message(TEXT.replace("harbour", "har\u00adbour"))),
        (message('He said: "The ship - it\'s gone."'), message("He said: “The ship – it’s gone.”")),
        (
            message(images=[{"caption": CAPTION}], lead=LEAD, authors=["Ann Lee"]),
            message(f"{LEAD}\n\nAnn Lee\n\n{TEXT}\n\n{CAPTION}"),
        ),
        (message(), message(f"{TEXT}{SUBSCRIBE}3 comments so far")),
        (message(), message(corrections=["Correction."])),
        (message(), message(title="Ferry in distress | Daily News")),
    ],
    ids=[
        *("no-break spaces", "line breaks", "soft hyphen", "quotation marks", "text elsewhere"),
        *("text of the template", "note not extracted before", "name of the site"),
    ],
)
def test_differences_that_readers_ignore_are_not_changes(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    other = f"Another story.{SUBSCRIBE}15 comments so far"
    changes = changes_between(before, {**after, "revision": 2}, [other])
    assert (changes.kind, changes.title, changes.sentences) == (None, None, [])


def test_the_spelling_of_a_very_long_text_is_not_compared() -> None:
    def prepare_comparison(words: int) -> Callable[[], Changes]:
        old, new = (
            message(" ".join(["ferry"] * 300 + [f"harbour{letter}" for letter in end * words]))
            for end in "ab"
        )
        return lambda: changes_between(old, new | {"revision": 2})

    assert prepare_comparison(10_000)().kind == "update"
    assert growth(prepare_comparison, 10_000) < 1.1

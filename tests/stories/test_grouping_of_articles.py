"""Articles with the same content share a story, regardless of their order of arrival."""

import random
from dataclasses import replace
from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest

from stories import index
from stories.index import remove_old
from stories.store import lock_stories
from tests.stories.grouped import Sent, Stories, sentences, text_of

WIRE = sentences(1)
VERSIONS = [
    Sent("first.example", "\n\n".join(WIRE), 0),
    Sent("same.example", "\n\n".join(WIRE).upper(), 5),
    Sent("short.example", "\n\n".join(WIRE[:5]), 10),
    Sent("long.example", "\n\n".join(WIRE + sentences(2, 6)), 15),
    Sent("late.example", "\n\n".join(sentences(3, 5) + WIRE[4:]), 20),
    Sent("other.example", text_of(4), 25),
]
CHANGING_KEYS = {"id", "number"}


def final_messages(stories: Stories) -> dict[str, dict[str, Any]]:
    """Return the latest message about each article, without keys that depend on the order."""
    return {
        url: {name: value for name, value in each.items() if name not in CHANGING_KEYS}
        for url, each in stories.latest_messages().items()
    }


def test_articles_state_their_relation_to_the_first_of_their_story(stories: Stories) -> None:
    stories.add_each(VERSIONS)
    assert stories.relations() == {
        "first.example": None,
        "same.example": "same",
        "short.example": "excerpt",
        "long.example": "contains",
        "late.example": "update",
        "other.example": None,
    }
    messages = stories.latest_messages()
    other = messages.pop("https://other.example/a")
    assert len({each["story"] for each in messages.values()}) == 1
    assert other["story"] not in {each["story"] for each in messages.values()}
    assert {each["first"]["fetched_at"] for each in messages.values()} == {"2026-05-01T12:00:00Z"}
    assert {each["first"]["url"] for each in messages.values()} == {"https://first.example/a"}
    assert messages["https://same.example/a"]["similarity"] == 1


def test_stories_do_not_depend_on_the_order_in_which_articles_arrive(stories: Stories) -> None:
    orders = random.Random(0).sample(list(permutations(VERSIONS)), 12)
    results = []
    for order in orders:
        stories.add_each(order)
        results.append(final_messages(stories))
        stories.clear()
    assert all(each == results[0] for each in results)


def test_a_batch_gives_the_same_stories_as_single_articles(stories: Stories) -> None:
    sent = [
        *VERSIONS,
        *(Sent(f"unrelated{number}.example", text_of(50 + number), number) for number in range(30)),
        Sent("brief.example", "Too brief to be compared.", 40),
    ]
    stories.add_each(sent)
    expected = final_messages(stories)
    stories.clear()
    stories.add(*sent)
    assert final_messages(stories) == expected
    assert len(stories.messages) == len(sent)


def test_a_roundup_of_two_stories_does_not_merge_them(stories: Stories) -> None:
    first, second = sentences(10), sentences(11, 9)
    sent = [
        Sent("a.example", "\n\n".join(first), 0),
        Sent("b.example", "\n\n".join(second), 1),
        Sent("c.example", "\n\n".join(first), 2),
        Sent("digest.example", "\n\n".join(first + second), 3),
    ]
    results = []
    for order in permutations(sent):
        stories.add_each(order)
        results.append(final_messages(stories))
        stories.clear()
    assert all(each == results[0] for each in results)
    by_site = {each["site"]: each["story"] for each in results[0].values()}
    assert by_site["a.example"] == by_site["c.example"] == by_site["digest.example"]
    assert by_site["b.example"] != by_site["a.example"]


def test_an_article_that_changes_leaves_the_story_that_it_joined(stories: Stories) -> None:
    head, bridge, tail = sentences(20), sentences(21), sentences(22)
    first = Sent("head.example", "\n\n".join(head), 0)
    second = Sent("tail.example", "\n\n".join(tail + bridge[:2]), 1)
    third = Sent("bridge.example", "\n\n".join(head[6:] + bridge[:2] + tail[:6]), 2)
    stories.add_each([first, third])
    assert len(stories.ids()) == 1
    stories.add_each([replace(third, text=text_of(23), revision=2), second])
    assert len(stories.ids()) == 3


def test_texts_that_are_too_short_or_too_far_apart_share_no_story(stories: Stories) -> None:
    notice = "This article is for subscribers only. Sign in to read it."
    sent = [
        Sent("a.example", notice, 0),
        Sent("b.example", notice, 1),
        Sent("c.example", text_of(30), 2),
        Sent("d.example", text_of(31), 60 * 24 * 30),
        Sent("c.example", text_of(31), 60 * 24 * 60, path="late"),
    ]
    stories.add_each(sent)
    messages = stories.latest_messages()
    assert messages["https://a.example/a"]["story"] != messages["https://b.example/a"]["story"]
    assert {each["relation"] for each in messages.values()} == {None}


def test_pages_of_a_site_that_share_only_boilerplate_share_no_story(stories: Stories) -> None:
    boilerplate = sentences(40, 8)
    stories.add_each(
        [
            Sent("a.example", "\n\n".join(sentences(seed, 6) + boilerplate), seed, path=str(seed))
            for seed in (41, 42, 43)
        ]
    )
    assert len(stories.ids()) == 3


def test_the_work_on_a_large_story_is_bounded(
    stories: Stories, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "MAX_REGROUPED", 8)
    stories.add_each(
        [
            Sent(f"site{number}.example", f"Paper {number}. " + "\n\n".join(WIRE), number)
            for number in range(1, 30)
        ]
    )
    assert len(stories.ids()) == 1
    assert stories.count("SELECT count(*) FROM stories.texts WHERE bands <> '{}'") == 9
    # A copy with an earlier time becomes the first article of a story with any number of copies.
    stories.add(Sent("early.example", "\n\n".join(WIRE), 0))
    assert len(stories.ids()) == 1
    messages = stories.latest_messages()
    assert {each["first"]["fetched_at"] for each in messages.values()} == {"2026-05-01T12:00:00Z"}
    assert [url for url, each in messages.items() if each["relation"] is None] == [
        "https://early.example/a"
    ]


def test_old_stories_are_removed_but_published_articles_are_remembered(stories: Stories) -> None:
    first, copy = VERSIONS[:2]
    stories.add_each([first, copy])
    with lock_stories(stories.engine) as connection:
        remove_old(connection, timedelta(0))
    assert stories.count("SELECT count(*) FROM stories.texts") == 0
    assert stories.add(first) == []
    (message,) = stories.add(replace(first, revision=2))
    assert (message["revision"], message["relation"]) == (2, None)


def test_a_text_with_damaged_shingles_resembles_no_other(stories: Stories) -> None:
    from sqlalchemy import text

    stories.add(VERSIONS[0])
    with stories.engine.begin() as connection:
        connection.execute(text("UPDATE stories.texts SET shingles = '\\x0102030405'"))
    (message,) = stories.add(VERSIONS[3])
    assert message["relation"] is None

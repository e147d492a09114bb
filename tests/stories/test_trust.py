"""A hostile site has only limited influence on the stories of other sites."""

from dataclasses import replace

import pytest

from benchmarks.stories.attacks import Campaign, Damage, run
from tests.stories.grouped import NOON, Sent, Stories, sentences

FIRST, SECOND, UNRELATED = sentences(71), sentences(72), sentences(73)
VICTIMS = (
    Sent("one.example", "\n\n".join(FIRST), 0),
    Sent("other.example", "\n\n".join(SECOND), 1),
)
EVIL_ARTICLE = Sent("evil.example", "\n\n".join(UNRELATED), 2)


def revised(number: int, body: list[str], received: float, sent: Sent = EVIL_ARTICLE) -> Sent:
    """Return a revision of an article, received the given minutes after noon."""
    return replace(sent, revision=number, text="\n\n".join(body), received=received)


@pytest.mark.parametrize("seed", range(900, 902))
def test_hostile_campaigns_leave_honest_stories_alone(stories: Stories, seed: int) -> None:
    # The command ``python -m benchmarks.stories.campaigns`` tries many more campaigns.
    assert run(stories.engine, Campaign(seed, stories=12).versions) == Damage()


def test_a_backdated_copy_is_not_the_first_article_of_a_story(stories: Stories) -> None:
    stories.add(Sent("first.example", "\n\n".join(FIRST), 60, received=60))
    evil = Sent("evil.example", "\n\n".join(FIRST), -60, received=61)
    stories.add(evil)
    stories.add(replace(evil, text="\n\n".join(UNRELATED), revision=2, received=90))
    stories.latest_messages()
    assert [(each["site"], each["number"], each["relation"]) for each in stories.messages[:2]] == [
        ("first.example", 1, None),
        ("evil.example", 1, "same"),
    ]
    assert all("evil" in each["site"] for each in stories.messages[2:])


def test_an_article_whose_earlier_copy_changes_keeps_its_story(stories: Stories) -> None:
    stories.add(revised(1, FIRST, 0))
    stories.add(Sent("late.example", "\n\n".join(FIRST), 1))
    before = stories.latest_messages()["https://late.example/a"]["story"]
    stories.add(revised(2, UNRELATED, 2))
    stories.add(Sent("later.example", "\n\n".join([*FIRST, *UNRELATED[:2]]), 3))
    after = stories.latest_messages()
    assert after["https://late.example/a"]["story"] == before
    assert after["https://later.example/a"]["story"] == before
    # A single correction reports that late.example now has the first article of the story.
    late = [each for each in stories.messages if each["site"] == "late.example"]
    assert [(each["number"], each["relation"]) for each in late] == [(1, "same"), (2, None)]


def test_an_article_is_corrected_when_an_earlier_one_is_extracted_later(stories: Stories) -> None:
    stories.add(Sent("late.example", "\n\n".join(FIRST), 30))
    messages = stories.add(Sent("early.example", "\n\n".join([*FIRST, *sentences(50, 2)]), 0))
    assert {(each["site"], each["number"], each["relation"]) for each in messages} == {
        ("early.example", 1, None),
        ("late.example", 2, "excerpt"),
    }
    late = [each for each in stories.messages if each["site"] == "late.example"]
    assert len({each["article"] for each in late}) == 1
    assert len({each["id"] for each in late}) == 2
    assert len(stories.ids()) == 1


def test_later_corrections_of_an_article_are_delayed(stories: Stories) -> None:
    stories.add(Sent("late.example", "\n\n".join(FIRST), 30))
    stories.add(Sent("early.example", "\n\n".join([*FIRST, *sentences(50, 2)]), 10))
    stories.add(Sent("earlier.example", "\n\n".join([*FIRST, *sentences(51, 2)]), 0))
    late = [each for each in stories.messages if each["site"] == "late.example"]
    assert [each["first"]["site"] for each in late] == ["late.example", "early.example"]
    assert stories.latest_messages()["https://late.example/a"]["first"]["site"] == "earlier.example"


def test_an_older_revision_is_skipped(stories: Stories) -> None:
    stories.add(revised(2, FIRST, 2))
    assert stories.add(revised(1, SECOND, 1)) == []
    assert stories.add(revised(2, FIRST, 2)) == []
    assert stories.latest_messages()[EVIL_ARTICLE.url]["revision"] == 2


def test_after_a_withdrawal_the_next_article_of_a_story_is_first(stories: Stories) -> None:
    first = Sent("first.example", "\n\n".join(FIRST), 0)
    copy = Sent("copy.example", "\n\n".join([*FIRST, *sentences(80, 2)]), 5)
    same = Sent("same.example", "\n\n".join(FIRST), 4)
    stories.add_each([first, same, copy])
    assert stories.forwarded_ids == [first.message()["id"], copy.message()["id"]]
    withdrawn = replace(first, revision=2, values={"withdrawn": NOON.isoformat()})
    messages = stories.add(withdrawn)
    assert {(each["site"], each["revision"], each["number"]) for each in messages} == {
        ("first.example", 2, 1),
        ("same.example", 1, 2),
    }
    assert stories.relations()["same.example"] is None
    # The withdrawal of a forwarded article is forwarded, too, and so is the new first article.
    assert sorted(stories.forwarded_ids[2:]) == sorted(
        [withdrawn.message()["id"], same.message()["id"]]
    )


def test_an_article_that_returns_joins_its_story_again(stories: Stories) -> None:
    first, copy = (
        Sent("first.example", "\n\n".join(FIRST), 0),
        Sent("b.example", "\n\n".join(FIRST), 1),
    )
    stories.add_each([first, copy])
    stories.add(replace(copy, revision=2, values={"withdrawn": NOON.isoformat()}, received=3))
    stories.add(replace(copy, revision=3, received=4))
    assert stories.relations() == {"first.example": None, "b.example": "same"}
    assert stories.forwarded_ids == [first.message()["id"]]


def test_a_repeat_is_forwarded_once_it_is_the_first_of_its_story(stories: Stories) -> None:
    first = Sent("first.example", "\n\n".join(FIRST), 0)
    third = Sent("third.example", "\n\n".join(FIRST), 20)
    stories.add_each([first, third])
    assert stories.forwarded_ids == [first.message()["id"]]
    changed = replace(first, text="\n\n".join(SECOND), revision=2, received=30)
    stories.add(changed)
    assert sorted(stories.forwarded_ids[1:]) == sorted(
        [changed.message()["id"], third.message()["id"]]
    )


def test_revisions_are_forwarded_unless_the_article_is_a_repeat(stories: Stories) -> None:
    first = Sent("first.example", "\n\n".join(FIRST), 0)
    copy = Sent("copy.example", "\n\n".join(FIRST), 1)
    stories.add_each([first, copy])
    stories.add_each([replace(each, revision=2) for each in (copy, first)])
    assert stories.forwarded_ids == [
        first.message()["id"],
        replace(first, revision=2).message()["id"],
    ]


def test_an_earlier_longer_copy_does_not_hold_back_its_original(stories: Stories) -> None:
    copy = Sent("copy.example", "\n\n".join([*FIRST, *sentences(82, 5)]), 0)
    original = Sent("original.example", "\n\n".join(FIRST), 5)
    stories.add_each([copy, original])
    assert stories.relations()["original.example"] == "excerpt"
    assert original.message()["id"] in stories.forwarded_ids
    # An excerpt is held back if two sites have published its text in full.
    stories.add(Sent("excerpt.example", "\n\n".join(FIRST[:7]), 10))
    assert len(stories.forwarded_ids) == 2


def test_articles_of_deleted_pages_leave_their_stories(stories: Stories) -> None:
    from sqlalchemy import text

    from stories.index import sweep
    from stories.store import lock_stories

    first, copy = (Sent(f"{name}.example", "\n\n".join(FIRST), n) for n, name in enumerate("ab"))
    stories.add_each([first, copy])
    with stories.engine.begin() as connection:
        connection.execute(text("DELETE FROM pages WHERE url = :url"), {"url": first.url})
    with lock_stories(stories.engine) as connection:
        assert sweep(connection, 0) == 0
    stories.send_corrections()
    assert stories.relations()["b.example"] is None
    assert stories.count("SELECT count(*) FROM stories.articles") == 1

"""Articles with the same content share a story, regardless of their order of arrival."""

import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any

import pytest
from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from detourage.duplicates.fingerprint import fingerprint_of
from models.tables import (
    OutboxEntry,
    Site,
    StoredPage,
    Story,
    StoryArrival,
    StoryArticle,
    StoryText,
)
from tests.inline_tasks import Tasks, message_of
from worker.messaging import task_names
from worker.store import stories
from worker.store.database import AdvisoryLock
from worker.store.story_arrivals import Arrival
from worker.tasks.stories import correct_stories, tell_stories
from worker.workflow import story_corrections, story_index
from worker.workflow.process import process_state
from worker.workflow.story_index import await_grouping, forget_articles, provisional_stories

WINDOW = timedelta(days=7)
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def sentences(seed: int, number: int = 12) -> list[str]:
    """Return sentences unique to a seed."""
    chance = random.Random(seed)
    words = [
        "".join(chance.choices("bcdfghklmnprstv", k=1) + chance.choices("aeiou", k=1)) * 2
        + chance.choice("xyzw")
        for _ in range(200)
    ]
    return [" ".join(chance.choices(words, k=14)).capitalize() + "." for _ in range(number)]


def text_of(seed: int, number: int = 12) -> str:
    return "\n\n".join(sentences(seed, number))


@dataclass(frozen=True)
class Sent:
    """An article to send."""

    site: str
    text: str
    minutes: int | None = None
    path: str = "a"

    @property
    def url(self) -> str:
        return f"https://{self.site}/{self.path}"


def arrivals(tasks: Tasks, sent: Sequence[Sent]) -> list[Arrival]:
    """Store pages, so that articles can refer to them."""
    found = []
    with tasks.database.transaction() as session:
        for each in sent:
            site = session.scalar(select(Site).where(Site.key == each.site))
            if site is None:
                site = Site(key=each.site)
                session.add(site)
                session.flush()
            page = session.scalar(select(StoredPage).where(StoredPage.url == each.url))
            if page is None:
                page = StoredPage(
                    site_id=site.id, url=each.url, url_digest=each.url, content_digest="-"
                )
                session.add(page)
                session.flush()
            at = None if each.minutes is None else NOON + timedelta(minutes=each.minutes)
            text = fingerprint_of(each.text)
            seen = at or NOON
            found.append(Arrival(page.id, site.id, each.site, each.url, text, at, seen, seen, None))
    return found


def arrive(session: Session, arrivals: Sequence[Arrival]) -> None:
    """Record extracted articles as an extraction does."""
    await_grouping(session, provisional_stories(session, arrivals, WINDOW).values(), {})


def tell(tasks: Tasks, arrival: Arrival) -> None:
    tasks.database.run(lambda session: arrive(session, [arrival]))
    tell_stories()


def told(tasks: Tasks) -> dict[str, dict[str, Any]]:
    """Return the latest published story of each page, by URL."""
    query = select(StoredPage.url, StoryArticle.told).join(StoryArticle)
    return dict(tasks.ask(query))


def clear(tasks: Tasks) -> None:
    with tasks.database.transaction() as session:
        forget_articles(session, list(session.scalars(select(StoryArticle.page_id))))
    tell_stories()
    with tasks.database.transaction() as session:
        session.execute(delete(Story))


def ids(stories_told: Mapping[str, Mapping[str, Any]]) -> set[str]:
    return {each["id"] for each in stories_told.values()}


WIRE = sentences(1)
VERSIONS = [
    Sent("first.example", "\n\n".join(WIRE), 0),
    Sent("same.example", "\n\n".join(WIRE).upper(), 5),
    Sent("short.example", "\n\n".join(WIRE[:5]), 10),
    Sent("long.example", "\n\n".join(WIRE + sentences(2, 6)), 15),
    Sent("late.example", "\n\n".join(sentences(3, 5) + WIRE[4:]), 20),
    Sent("other.example", text_of(4), 25),
]


def test_articles_state_their_relation_to_the_first_article_of_their_story(tasks: Tasks) -> None:
    for each in arrivals(tasks, VERSIONS):
        tell(tasks, each)
    found = {url.split("/")[2]: each for url, each in told(tasks).items()}
    assert {site: each["relation"] for site, each in found.items()} == {
        "first.example": None,
        "same.example": "same",
        "short.example": "excerpt",
        "long.example": "contains",
        "late.example": "update",
        "other.example": None,
    }
    other = found.pop("other.example")
    assert len(ids(found)) == 1
    assert other["id"] not in ids(found)
    assert {each["first_seen"] for each in found.values()} == {"2026-05-01T12:00:00Z"}
    assert found["same.example"]["similarity"] == 1


def test_stories_do_not_depend_on_the_order_in_which_articles_arrive(tasks: Tasks) -> None:
    sent = arrivals(tasks, VERSIONS)
    orders = random.Random(0).sample(list(permutations(sent)), 12)
    results = []
    for order in orders:
        for each in order:
            tell(tasks, each)
        results.append(told(tasks))
        clear(tasks)
    assert all(each == results[0] for each in results)


def test_forty_copies_share_one_story_with_any_number_of_workers(tasks: Tasks) -> None:
    # The copies are shortened, extended and surrounded by other text, and have no fetch times.
    chance = random.Random(7)
    sent = [
        Sent(f"site{number}.example", "\n\n".join([f"Reported by paper {number}.", *WIRE[cut:]]))
        for number in range(40)
        for cut in [chance.randint(0, 3)]
    ]
    found = []
    for workers in (1, 4):
        order = arrivals(tasks, sent)
        chance.shuffle(order)
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(lambda each: tell(tasks, each), order))
        tell_stories()
        found.append(told(tasks))
        clear(tasks)
    assert found[0] == found[1]
    assert len(found[0]) == 40
    assert len(ids(found[0])) == 1


def test_articles_grouped_together_have_the_stories_of_articles_grouped_one_by_one(
    tasks: Tasks,
) -> None:
    sent = [
        *VERSIONS,
        *(Sent(f"unrelated{number}.example", text_of(50 + number), number) for number in range(30)),
        Sent("brief.example", "Too brief to be compared.", 40),
    ]
    waiting = arrivals(tasks, sent)
    for each in waiting:
        tell(tasks, each)
    one_by_one = told(tasks)
    clear(tasks)
    tasks.database.run(lambda session: arrive(session, waiting))
    tell_stories()
    assert told(tasks) == one_by_one


KILLED = """
import sys, time
from datetime import UTC, datetime, timedelta
from worker.store.database import Database
from detourage.duplicates.fingerprint import fingerprint_of
from worker.workflow import story_index
from worker.store.story_arrivals import Arrival
from worker.workflow.story_index import await_grouping, group_page, provisional_stories

page_id, site_id, site, url, text = int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:]
database, window = Database(sys.argv[1]), timedelta(days=7)
at = datetime(2026, 5, 1, 12, tzinfo=UTC)
arrival = Arrival(page_id, site_id, site, url, fingerprint_of(text), None, at, at, None)
database.run(
    lambda session: await_grouping(
        session, provisional_stories(session, [arrival], window).values(), {}
    )
)

def stand_still(*_):
    print("told", flush=True)
    time.sleep(60)

story_index.story_arrivals.remove = stand_still
group_page(database, page_id, window)
"""


def test_a_killed_worker_leaves_nothing_behind(tasks: Tasks) -> None:
    sent = [Sent(f"site{number}.example", "\n\n".join(WIRE[number:])) for number in range(3)]
    first, second, third = arrivals(tasks, sent)
    tell(tasks, first)
    url = process_state().settings.require_database_url()
    asked = [second.page_id, second.site_id, second.site, second.url, sent[1].text]
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, url, *map(str, asked)], stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "told\n"
        worker.kill()
    tell(tasks, third)
    found = told(tasks)
    clear(tasks)
    for each in (first, second, third):
        tell(tasks, each)
    assert told(tasks) == found


def test_a_digest_of_two_stories_does_not_join_them(tasks: Tasks) -> None:
    one, other = sentences(10), sentences(11, 9)
    sent = [
        Sent("a.example", "\n\n".join(one), 0),
        Sent("b.example", "\n\n".join(other), 1),
        Sent("c.example", "\n\n".join(one), 2),
        Sent("digest.example", "\n\n".join(one + other), 3),
    ]
    results = []
    for order in permutations(arrivals(tasks, sent)):
        for each in order:
            tell(tasks, each)
        results.append(told(tasks))
        clear(tasks)
    assert all(each == results[0] for each in results)
    by_site = {url.split("/")[2]: each["id"] for url, each in results[0].items()}
    assert by_site["a.example"] == by_site["c.example"] == by_site["digest.example"]
    assert by_site["b.example"] != by_site["a.example"]


def test_an_article_that_changes_leaves_the_story_that_it_joined(tasks: Tasks) -> None:
    head, bridge, tail = sentences(20), sentences(21), sentences(22)
    sent = [
        Sent("head.example", "\n\n".join(head), 0),
        Sent("tail.example", "\n\n".join(tail + bridge[:2]), 1),
        Sent("bridge.example", "\n\n".join(head[6:] + bridge[:2] + tail[:6]), 2),
    ]
    first, second, third = arrivals(tasks, sent)
    for each in (first, third):
        tell(tasks, each)
    assert len(ids(told(tasks))) == 1
    tell(tasks, replace(third, fingerprint=fingerprint_of(text_of(23))))
    tell(tasks, second)
    assert len(ids(told(tasks))) == 3


def test_texts_that_are_too_short_or_too_far_apart_share_no_story(tasks: Tasks) -> None:
    notice = "This article is for subscribers only. Sign in to read it."
    sent = [
        Sent("a.example", notice, 0),
        Sent("b.example", notice, 1),
        Sent("c.example", text_of(30), 2),
        Sent("d.example", text_of(31), 60 * 24 * 30),
        Sent("c.example", text_of(31), 60 * 24 * 60, path="late"),
    ]
    for each in arrivals(tasks, sent):
        tell(tasks, each)
    found = told(tasks)
    assert found["https://a.example/a"]["id"] != found["https://b.example/a"]["id"]
    assert {each["relation"] for each in found.values()} == {None}


def test_pages_of_a_site_that_share_only_boilerplate_share_no_story(tasks: Tasks) -> None:
    standing = sentences(40, 8)
    sent = [
        Sent("a.example", "\n\n".join(sentences(seed, 6) + standing), seed, path=str(seed))
        for seed in (41, 42, 43)
    ]
    for each in arrivals(tasks, sent):
        tell(tasks, each)
    assert len(ids(told(tasks))) == 3


def page(site: str, body: Sequence[str], minutes: int) -> dict[str, Any]:
    """Return the message for a page of a small site."""
    html = "".join(f"<p>{each}</p>" for each in body)
    return {
        "version": 1,
        "url": f"https://{site}/news/1",
        "fetched_at": (NOON + timedelta(minutes=minutes)).isoformat(),
        "html": f"<!doctype html><html lang='en'><head><title>On {site}</title></head><body>"
        f"<h1>Report of {site}</h1><div class='story'>{html}</div></body></html>",
    }


def process(tasks: Tasks, message: Mapping[str, Any]) -> None:
    tasks.group(tasks.send([message]))
    tasks.settle()


def sent_articles(tasks: Tasks) -> list[tuple[str, int, str, str | None]]:
    """Return exchange, revision, URL and relation of each pending article."""
    rows = tasks.ask(
        select(OutboxEntry.exchange, OutboxEntry.body)
        .where(OutboxEntry.routing_key.is_not(None))
        .order_by(OutboxEntry.id)
    )
    found = []
    for exchange, body in rows:
        message = message_of(body)
        relation = message["story"]["relation"]
        found.append((exchange, message["revision"], message["url"], relation))
    return found


def test_an_article_is_republished_when_an_earlier_one_of_its_story_arrives(tasks: Tasks) -> None:
    tasks.restart(trust_fetch_times=True)
    process(tasks, page("late.example", WIRE, 30))
    process(tasks, page("early.example", [*WIRE, *sentences(50, 2)], 0))
    before = sent_articles(tasks)
    assert [each[1:] for each in before] == [
        (1, "https://late.example/news/1", None),
        (1, "https://early.example/news/1", None),
    ]
    correct_stories()
    correct_stories()
    assert [each[1:] for each in sent_articles(tasks)[2:]] == [
        (2, "https://late.example/news/1", "excerpt")
    ]
    articles = tasks.articles()
    assert len({each["story"]["id"] for each in articles.values()}) == 1
    texts = {each["text"] for each in articles.values()}
    assert len(texts) == 2


def test_pages_awaiting_extraction_do_not_delay_corrections_of_others(
    tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks.restart(trust_fetch_times=True)
    process(tasks, page("waits.example", WIRE, 30))
    process(tasks, page("late.example", WIRE, 40))
    process(tasks, page("early.example", [*WIRE, *sentences(50, 2)], 0))
    with tasks.database.transaction() as session:
        waits = StoredPage.url == "https://waits.example/news/1"
        session.execute(update(StoredPage).where(waits).values(outcome=None))
    monkeypatch.setattr(story_corrections, "CORRECTIONS", 1)
    correct_stories()
    assert [each[1:] for each in sent_articles(tasks)[3:]] == [
        (2, "https://late.example/news/1", "excerpt")
    ]


@pytest.mark.parametrize("setting", ["send", "apart", "keep"])
def test_a_setting_determines_whether_and_where_repeats_are_published(
    tasks: Tasks, setting: str
) -> None:
    tasks.restart(repeats=setting)
    process(tasks, page("first.example", WIRE, 0))
    process(tasks, page("copy.example", WIRE, 5))
    process(tasks, page("other.example", sentences(60), 6))
    exchanges = {url.split("/")[2]: exchange for exchange, _, url, _ in sent_articles(tasks)}
    where = {"send": {"copy.example": "articles"}, "apart": {"copy.example": "articles.repeats"}}
    expected = {"first.example": "articles", "other.example": "articles"}
    assert exchanges == {**expected, **where.get(setting, {})}


def test_a_held_back_repeat_is_published_once_it_is_the_first_of_its_story(tasks: Tasks) -> None:
    tasks.restart(repeats="keep")
    process(tasks, page("copy.example", sentences(70), 0))
    process(tasks, page("first.example", WIRE, 5))
    process(tasks, page("copy.example", WIRE, 10))
    assert len(sent_articles(tasks)) == 3  # The copy was already sent and needs a revision.
    process(tasks, page("third.example", WIRE, 20))
    assert len(sent_articles(tasks)) == 3
    process(tasks, page("first.example", sentences(71), 30))
    process(tasks, page("copy.example", sentences(72), 40))
    correct_stories()
    assert "https://third.example/news/1" in {each[2] for each in sent_articles(tasks)}


def test_old_stories_are_removed_and_published_articles_stay(tasks: Tasks) -> None:
    process(tasks, page("first.example", WIRE, 0))
    before = told(tasks)
    removed = tasks.read(lambda session: stories.remove_old_stories(session, timedelta(0), 10))
    assert removed == 1
    assert tasks.ask(select(func.count()).select_from(StoryText)) == [0]
    assert told(tasks) == before
    tasks.call(task_names.CORRECT_STORIES, {})
    assert process_state().story_window > timedelta(0)


def test_the_story_lock_does_not_block_articles(tasks: Tasks) -> None:
    tasks.group(tasks.send([page("first.example", WIRE, 0)]))
    with tasks.database.transaction() as session:
        stories.lock_stories(session)
        tasks.run(task_names.EXTRACT)
    assert [each[1:] for each in sent_articles(tasks)] == [
        (1, "https://first.example/news/1", None)
    ]
    tell_stories()
    assert len(told(tasks)) == 1


def test_an_article_names_its_original_immediately(tasks: Tasks) -> None:
    process(tasks, page("first.example", WIRE, 0))
    tasks.group(tasks.send([page("copy.example", WIRE[:6], 5)]))
    tasks.run(task_names.EXTRACT)
    assert [each[3] for each in sent_articles(tasks)] == [None, "excerpt"]
    tasks.settle()
    correct_stories()
    assert len(sent_articles(tasks)) == 2


def test_simultaneous_articles_are_corrected_once_they_are_grouped(tasks: Tasks) -> None:
    for number, site in enumerate(("first.example", "copy.example")):
        tasks.group(tasks.send([page(site, WIRE, number)]))
    tasks.run(task_names.EXTRACT)
    assert [each[3] for each in sent_articles(tasks)] == [None, None]
    correct_stories()
    assert [each[1:] for each in sent_articles(tasks)[2:]] == [
        (2, "https://copy.example/news/1", "same")
    ]


def test_lost_and_duplicate_requests_do_no_harm(tasks: Tasks) -> None:
    for number, site in enumerate(("first.example", "copy.example")):
        tasks.group(tasks.send([page(site, WIRE, number)]))
    tasks.run(task_names.EXTRACT)
    assert len(tasks.take(task_names.TELL_STORIES)) == 1
    with tasks.database.exclusive(AdvisoryLock.STORY_TELLING, 0):
        tell_stories()  # This has no effect while another process holds the lock.
    assert tasks.ask(select(func.count()).select_from(StoryArrival)) == [2]
    correct_stories()
    before = told(tasks)
    assert len(ids(before)) == 1
    tell_stories()
    assert told(tasks) == before
    assert tasks.ask(select(func.count()).select_from(StoryArrival)) == [0]


def test_a_page_without_an_article_leaves_its_story(tasks: Tasks) -> None:
    process(tasks, page("first.example", WIRE, 0))
    process(tasks, page("copy.example", [*WIRE, *sentences(80, 2)], 5))
    process(tasks, page("first.example", [], 10))
    found = told(tasks)
    assert {url: each["relation"] for url, each in found.items()} == {
        "https://copy.example/news/1": "contains"
    }


def test_the_work_on_a_large_story_is_bounded(
    tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(story_index, "MAX_REGROUPED", 8)
    sent = [
        Sent(f"site{number}.example", f"Paper {number}. " + "\n\n".join(WIRE), number)
        for number in range(1, 30)
    ]
    for each in arrivals(tasks, sent):
        tell(tasks, each)
    assert len(ids(told(tasks))) == 1
    assert tasks.ask(select(func.count()).where(StoryText.bands != [])) == [9]
    # A copy with an earlier fetch time becomes the first article of the story, however many copies
    # there are.
    (early,) = arrivals(tasks, [Sent("early.example", "\n\n".join(WIRE), 0)])
    tell(tasks, early)
    found = told(tasks)
    assert len(ids(found)) == 1
    assert {each["first_seen"] for each in found.values()} == {"2026-05-01T12:00:00Z"}
    assert [url for url, each in found.items() if each["relation"] is None] == [
        "https://early.example/a"
    ]


def test_pages_that_keep_changing_cause_only_a_few_corrections_of_others(tasks: Tasks) -> None:
    tasks.restart(trust_fetch_times=True)
    process(tasks, page("victim.example", WIRE, 30))
    for turn in range(12):
        body = WIRE if turn % 2 == 0 else sentences(90 + turn)
        process(tasks, page("hostile.example", [*body, *sentences(81, 2)], turn))
        correct_stories()
    revisions = [each for each in sent_articles(tasks) if "victim" in each[2]]
    assert len(revisions) == 2


@pytest.mark.parametrize("setting", ["apart", "keep"])
def test_an_earlier_longer_copy_does_not_hold_back_its_original(tasks: Tasks, setting: str) -> None:
    tasks.restart(repeats=setting)
    process(tasks, page("copy.example", [*WIRE, *sentences(82, 5)], 0))
    process(tasks, page("original.example", WIRE, 5))
    assert sent_articles(tasks)[1] == ("articles", 1, "https://original.example/news/1", "excerpt")
    # An excerpt is withheld if two sites have published its text in full.
    process(tasks, page("excerpt.example", WIRE[:7], 10))
    assert "articles" not in {each[0] for each in sent_articles(tasks)[2:]}

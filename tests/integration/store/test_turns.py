"""Sites take turns in the outbox.

Half of the tasks taken at a time belong to sites with few waiting tasks, and half to sites with a
backlog.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count, permutations
from typing import TypeVar

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from models.tables import OutboxEntry
from tests.inline_tasks import Tasks
from worker.store import outbox
from worker.store.outbox import SHORT_QUEUE, LaneQuota

T = TypeVar("T")

SITES = 5
BUSY_SITES = range(1, SITES)
ANOTHER_SITE = SITES


def add_tasks(session: Session, site_id: int, number: int = 1) -> None:
    outbox.add_tasks(session, "task", [{"site": site_id}] * number, site_id=site_id)


def take_tasks(session: Session, number: int, *, short_first: bool = True) -> list[int]:
    """Return the sites of the next tasks, and remove these tasks from the outbox."""
    quotas = {"task": LaneQuota(number, (number + short_first) // 2)}
    entries = outbox.take_next(session, quotas, max_bytes=1000)["task"]
    outbox.remove(session, [entry.id for entry in entries])
    return [entry.arguments["site"] for entry in entries if entry.arguments]


def as_letters(sites: list[int]) -> str:
    """Return sites as letters: ``abac`` for sites 1, 2, 1 and 3."""
    return "".join("-abcdefgh"[site] for site in sites)


def test_newcomers_do_not_overtake_the_tasks_of_a_known_site(session: Session) -> None:
    known_site, newcomers = 1, count(100)
    add_tasks(session, known_site)
    take_tasks(session, 1)
    add_tasks(session, known_site, 3)
    served: list[int] = []
    while served.count(known_site) < 3 and len(served) < 50:
        add_tasks(session, next(newcomers))
        served += take_tasks(session, 1)
    assert len(served) <= 7


def test_turns_persist_when_the_relay_restarts_or_the_lane_is_empty(tasks: Tasks) -> None:
    def in_transaction(step: Callable[[Session], T]) -> T:
        with tasks.database.transaction() as session:
            return step(session)

    in_transaction(lambda session: add_tasks(session, 1, 60))
    in_transaction(lambda session: take_tasks(session, 60))
    in_transaction(lambda session: add_tasks(session, 1, 60))
    in_transaction(lambda session: take_tasks(session, 20))
    # If the turns were forgotten with the empty lane, only site 2 would be served at first.
    in_transaction(lambda session: add_tasks(session, 2, 40))
    served = in_transaction(lambda session: take_tasks(session, 60))
    assert as_letters(served[2 * SHORT_QUEUE :][:20]) == 10 * "ab"


def test_concurrent_relays_take_the_tasks_in_turn_order(tasks: Tasks) -> None:
    with tasks.database.transaction() as session:
        for site_id in range(1, 9):
            add_tasks(session, site_id, 2)
    quotas = {"task": LaneQuota(4, 2)}

    def sites_of(entries: Sequence[outbox.WaitingEntry]) -> list[int]:
        return [entry.arguments["site"] for entry in entries if entry.arguments]

    with tasks.database.transaction() as second:
        with tasks.database.transaction() as first:
            ahead = outbox.take_next(first, quotas, max_bytes=1000)["task"]
            behind = outbox.take_next(second, quotas, max_bytes=1000)["task"]
            assert [*sites_of(ahead), *sites_of(behind)] == [*range(1, 9)]
            outbox.remove(first, [entry.id for entry in ahead])
        outbox.remove(second, [entry.id for entry in behind])
    with tasks.database.transaction() as session:
        add_tasks(session, 9)
        assert take_tasks(session, 9) == [*range(1, 10)]


def test_withdrawn_tasks_do_not_delay_the_next_task_of_their_site(session: Session) -> None:
    for site_id in BUSY_SITES:
        add_tasks(session, site_id, 100)
    take_tasks(session, 20)
    outbox.add_tasks(session, "task", [{"page_id": 1}] * 50, site_id=ANOTHER_SITE)
    lanes = ("task", "again")
    outbox.request_extractions(session, lanes, [], 2, unchanged=[1], clustered_site=ANOTHER_SITE)
    add_tasks(session, ANOTHER_SITE)
    # Half of the tasks taken are from backlogs. Of these, the remaining tasks of this turn and the
    # busy sites' tasks of the next turn come before the new task.
    assert ANOTHER_SITE in take_tasks(session, 2 * (2 * len(BUSY_SITES)))


def test_tasks_without_a_site_are_served_in_order(session: Session) -> None:
    outbox.add_tasks(session, "task", [{"site": number} for number in range(40)], site_id=None)
    assert take_tasks(session, 40) == list(range(40))


EVENTS = st.lists(
    st.one_of(
        st.tuples(st.integers(1, SITES), st.sampled_from([1, 1, 1, 2, 9, 30, 200])),
        st.tuples(st.just(0), st.sampled_from([1, 2, 3, 5, 8, 12, 40])),
    ),
    max_size=60,
)


@settings(max_examples=30, deadline=None, suppress_health_check=[*HealthCheck])
@given(EVENTS)
def test_both_halves_and_all_backlogs_get_their_share_in_any_schedule(
    session: Session, events: list[tuple[int, int]]
) -> None:
    session.execute(delete(OutboxEntry))
    requested: Counter[int] = Counter()
    served: Counter[int] = Counter()
    lead: Counter[tuple[int, int, int]] = Counter()
    for step in count():
        if step < len(events):
            site_id, number = events[step]
        elif requested.total() > served.total():
            site_id, number = 0, 7
        else:
            break
        if site_id:
            add_tasks(session, site_id, number)
            requested[site_id] += number
            continue
        before = waiting_by_half(session)
        entries = take_tasks(session, number)
        after = waiting_by_half(session)
        short, backlog = (old - new for old, new in zip(before, after, strict=True))
        assert len(entries) == min(number, (before[0] + before[1]).total())
        assert short.total() >= min(before[0].total(), number // 2)
        assert backlog.total() >= min(before[1].total(), number // 2)
        served.update(entries)
        for half, taken in enumerate((short, backlog)):
            for site, other in permutations(range(1, SITES + 1), 2):
                still_waits = before[half][site] and after[half][site]
                gained = lead[half, site, other] + taken[other] - taken[site]
                lead[half, site, other] = max(0, gained) if still_waits else 0
                assert lead[half, site, other] <= 2
    assert served == requested
    assert waiting_by_half(session) == (Counter(), Counter())


def waiting_by_half(session: Session) -> tuple[Counter[int], Counter[int]]:
    """Return the number of waiting tasks per site, first for short queues, then for backlogs."""
    key = func.coalesce(OutboxEntry.site_id, 0), OutboxEntry.turn < 0
    rows = session.execute(select(*key, func.count()).group_by(*key)).all()
    short = Counter({site_id: number for site_id, is_short, number in rows if is_short})
    return short, Counter({site_id: number for site_id, is_short, number in rows if not is_short})


def test_one_statement_takes_the_entries_of_several_lanes(session: Session) -> None:
    for lane in ("a", "b", "c"):
        outbox.add_tasks(session, lane, [{"n": n} for n in range(5)], site_id=1)
    quotas = {"a": LaneQuota(2, 1), "b": LaneQuota(9, 5)}
    entries_by_lane = outbox.take_next(session, quotas, max_bytes=1000)
    assert {
        lane: [entry.arguments["n"] for entry in entries if entry.arguments]
        for lane, entries in entries_by_lane.items()
    } == {"a": [0, 1], "b": [0, 1, 2, 3, 4]}

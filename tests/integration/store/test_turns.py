"""Sites take turns in the outbox: new ones go first, and none gains by staying new."""

from collections import Counter
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from models.tables import OutboxEntry, ServedTurn
from worker.store import outbox
from worker.store.outbox import QUANTUM

SITES = 5
BUSY = range(1, SITES)
OTHER = SITES


def ask(session: Session, site_id: int, number: int = 1) -> None:
    outbox.add_tasks(session, "task", [{"site": site_id}] * number, site_id=site_id)


def serve(session: Session, number: int) -> list[int]:
    """Return the sites of the next tasks and remove these tasks."""
    entries = outbox.take_next(session, "task", number, max_bytes=1000)
    outbox.remove(session, [entry.id for entry in entries])
    return [entry.arguments["site"] for entry in entries if entry.arguments]


def letters(sites: list[int]) -> str:
    return "".join("-abcdefgh"[site] for site in sites)


def test_sites_take_turns_whatever_they_request(session: Session) -> None:
    ask(session, 1, 100)
    assert letters(serve(session, 3 * QUANTUM)) == 3 * QUANTUM * "a"
    ask(session, 2, 3 * QUANTUM)
    # The site that was silent is served a quantum first, the other its own, then both in turn.
    served = letters(serve(session, 4 * QUANTUM))
    assert served == QUANTUM * "b" + QUANTUM * "a" + QUANTUM * "ab"


@pytest.mark.parametrize("backlogged", [1, 50])
def test_fresh_work_comes_before_the_backlogs_of_others(session: Session, backlogged: int) -> None:
    for site_id in range(1, backlogged + 1):
        ask(session, site_id, 20)
    serve(session, backlogged * 10)
    for fresh in (1001, 1002, 1003):
        ask(session, fresh)
    assert serve(session, 3) == [1001, 1002, 1003]


def test_a_page_every_round_never_waits(session: Session) -> None:
    for site_id in BUSY:
        ask(session, site_id, 100)
    for _ in range(20):
        serve(session, QUANTUM * len(BUSY))
        ask(session, OTHER)
        assert serve(session, 1) == [OTHER]


@pytest.mark.parametrize("kept_waiting", [1, 2, QUANTUM])
def test_a_site_with_constant_work_gets_no_more_than_its_share(
    session: Session, kept_waiting: int
) -> None:
    for site_id in BUSY:
        ask(session, site_id, 100)
    serve(session, 10)
    ask(session, OTHER, kept_waiting)
    served: Counter[int] = Counter()
    for _ in range(300):
        (site_id,) = serve(session, 1)
        served[site_id] += 1
        if site_id == OTHER:
            ask(session, OTHER)
    assert served[OTHER] <= min(served[site_id] for site_id in BUSY) + 2 * QUANTUM
    assert min(served[site_id] for site_id in BUSY) >= 300 / SITES - 2 * QUANTUM


def test_many_sites_with_constant_work_leave_others_their_share(
    session: Session,
) -> None:
    ask(session, 1, 100)
    serve(session, 1)
    crowd = range(100, 130)
    for site_id in crowd:
        ask(session, site_id)
    served: Counter[int] = Counter()
    for _ in range(1000):
        (site_id,) = serve(session, 1)
        served[site_id] += 1
        if site_id in crowd:
            ask(session, site_id)
    assert served[1] >= 1000 // (len(crowd) + 1) - QUANTUM


def test_idle_sites_gain_no_advantage_without_contention(
    session: Session,
) -> None:
    ask(session, 1, 200)
    assert len(serve(session, 200)) == 200
    for site_id in (1, 2):
        ask(session, site_id, 40)
    served = Counter(serve(session, 40))
    assert abs(served[1] - served[2]) <= 2 * QUANTUM


def test_a_site_that_used_up_its_round_while_nothing_waited_is_fresh_in_the_next_backlog(
    session: Session,
) -> None:
    ask(session, OTHER, QUANTUM + 4)
    assert len(serve(session, 100)) == QUANTUM + 4
    for site_id in BUSY:
        ask(session, site_id, 20)
    ask(session, OTHER)
    # With the first task of each of them, not behind the quantum of all.
    assert OTHER in serve(session, len(BUSY) + 1)


def test_tasks_that_were_withdrawn_cost_their_site_nothing(session: Session) -> None:
    for site_id in BUSY:
        ask(session, site_id, 100)
    serve(session, 20)
    outbox.add_tasks(session, "task", [{"site": OTHER, "n": 1}] * 50, site_id=OTHER)
    outbox.withdraw(session, ["task"], OTHER, "n", [1])
    ask(session, OTHER)
    assert serve(session, 1) == [OTHER]


def test_tasks_without_a_site_are_served_in_order(session: Session) -> None:
    outbox.add_tasks(session, "task", [{"site": place} for place in range(5)], site_id=None)
    assert serve(session, 5) == list(range(5))
    assert session.scalars(select(ServedTurn)).all() == []


EVENTS = st.lists(
    st.one_of(
        st.tuples(st.integers(1, SITES), st.sampled_from([1, 1, 1, 2, 9, 30])),
        st.tuples(st.just(0), st.integers(1, 12)),
    ),
    max_size=60,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[*HealthCheck])
@given(EVENTS)
def test_every_waiting_site_gets_its_share_in_any_schedule(
    session: Session, events: list[tuple[int, int]]
) -> None:
    session.execute(delete(OutboxEntry))
    session.execute(delete(ServedTurn))
    asked: Counter[int] = Counter()
    served: Counter[int] = Counter()
    waiting_since: dict[int, Counter[int]] = {}
    for step in count():
        if step < len(events):
            site_id, number = events[step]
        elif asked.total() > served.total():
            site_id, number = 0, 7
        else:
            break
        if site_id:
            ask(session, site_id, number)
            asked[site_id] += number
            waiting_since.setdefault(site_id, served.copy())
            continue
        for each in serve(session, number):
            served[each] += 1
            for site_id, before in list(waiting_since.items()):
                if served[site_id] == asked[site_id]:
                    del waiting_since[site_id]
                    continue
                own = served[site_id] - before[site_id]
                for other in range(1, SITES + 1):
                    assert served[other] - before[other] <= own + 3 * QUANTUM
    assert served == asked
    left = session.scalar(select(func.count()).select_from(OutboxEntry))
    assert left == 0

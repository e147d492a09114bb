"""The relay respects queue limits, lets sites take turns and batches extractions."""

import json
import time
from collections import Counter
from contextlib import ExitStack
from multiprocessing import get_context
from typing import Any

import pytest
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from detourage.packed_bytes import pack
from models.tables import OutboxEntry
from tests.deployment import peak_bytes
from tests.integration.conftest import RunAlone
from worker.messaging import task_names
from worker.messaging.broker import connect, messages_waiting
from worker.outcomes import RefusedReason
from worker.service.metrics import metrics_text
from worker.service.quarantine import browse, drop, requeue
from worker.service.relay import FEW_ENTRIES, MAX_FIRST_EXTRACTIONS, PAGES_PER_TASK, Relay
from worker.store import outbox

WAITING = select(func.count()).where(OutboxEntry.lane.is_not(None))


def test_messages_stay_in_the_database_while_their_queue_is_full(run_alone: RunAlone) -> None:
    with run_alone("relay", queue_limit=10, articles_limit=3) as deployment:
        topology = deployment.topology
        with deployment.database.transaction() as session:
            for task in (task_names.REPROCESS, task_names.PARSE):
                _add_tasks(session, task, site_id=1, number=40)
            _add_tasks(session, task_names.COMPARE, site_id=1, number=40)
            for number in range(8):
                outbox.add_message(
                    session,
                    exchange=topology.articles_exchange.name,
                    routing_key="und.full.example",
                    body=str(number).encode(),
                )
            outbox.add_message(
                session, exchange="", routing_key=topology.quarantines["intake"], body=b"?"
            )
        unpublished = select(func.count()).select_from(OutboxEntry)
        deployment.wait_until(lambda: deployment.count(unpublished) == 80 - 10 + 8 - 3 + 40 - 2)
        # Tasks of both kinds share the queue, which has room for ten.
        for task in (task_names.REPROCESS, task_names.PARSE):
            assert deployment.count(unpublished.where(OutboxEntry.task == task)) == 35
        # Only a few long tasks are on the broker at a time.
        queues = [*map(topology.task_queue, ("reprocess", "compare")), topology.articles_queue]
        assert [messages_waiting(deployment.settings, name) for name in queues] == [10, 2, 3]
        assert messages_waiting(deployment.settings, topology.quarantines["intake"]) == 1
        articles: list[Any] = []
        while len(articles) < 8:
            articles += deployment.take_articles()
        assert articles == list(range(8))


def test_a_damaged_message_is_quarantined_and_all_others_are_published(run_alone: RunAlone) -> None:
    good = [json.dumps({"n": number, "text": 60 * f"{number} "}).encode() for number in range(201)]
    packed = [pack(each, 3) for each in good[:3]]
    damaged = [packed[0][:-2], packed[1][:40] + b"?" + packed[1][41:], pack(bytes(2**30), 1)]
    # The intake received this body from outside, so the relay publishes it unchanged.
    foreign = pack(b"not for us", 3)[:-1]
    with run_alone("relay") as deployment:
        topology = deployment.topology
        exchange = topology.articles_exchange.name
        with deployment.database.transaction() as session:
            for number, body in enumerate(good):
                outbox.add_message(session, exchange=exchange, routing_key="und.a", body=body)
                if number % 67 == 1:
                    outbox.add_message(
                        session, exchange=exchange, routing_key="und.a", body=b"", message_id="bad"
                    )
            outbox.add_message(
                session, exchange="", routing_key=topology.quarantines["intake"], body=foreign
            )
            to_damage = select(OutboxEntry).filter_by(message_id="bad").order_by(OutboxEntry.id)
            for entry, stored in zip(session.scalars(to_damage), damaged, strict=True):
                entry.body = stored
        deployment.wait_until(lambda: deployment.count(WAITING) == 0)
        articles: list[Any] = []
        while len(articles) < len(good):
            articles += deployment.take_articles()
        assert articles == [json.loads(each) for each in good]
        assert [each.body for each in deployment.quarantined()] == [foreign]
        deployment.wait_until(
            lambda: sum(each.get("refused", 0) for each in deployment.logged("relay")) == 3
        )
        refused = list(browse(deployment.settings, "relay"))
        assert [each.body for each in refused] == damaged
        assert {each.reason for each in refused} == {RefusedReason.DAMAGED}
        assert all("detourage reprocess" in each.detail for each in refused)
        metrics = metrics_text(deployment.settings)
        assert 'detourage_queue_messages{queue="relay.quarantine"} 3.0' in metrics
        assert "more than" in refused[2].detail
        assert peak_bytes(deployment.pid("relay")) < 400 * 2**20
        assert requeue(deployment.settings, "relay") == 3
        deployment.wait_until(lambda: deployment.count(WAITING) == 0)
        assert drop(deployment.settings, "relay") == 3
        deployment.check()


def test_a_message_without_a_queue_is_quarantined_and_all_others_are_published(
    run_alone: RunAlone,
) -> None:
    with run_alone("relay") as deployment:
        exchange = deployment.topology.articles_exchange.name
        with deployment.database.transaction() as session:
            for number in range(3):
                outbox.add_message(session, exchange="", routing_key="no.such.queue", body=b"1")
                body = json.dumps({"n": number}).encode()
                outbox.add_message(session, exchange=exchange, routing_key="und.a", body=body)
        articles: list[Any] = []
        while len(articles) < 3:
            articles += deployment.take_articles()
        assert articles == [{"n": number} for number in range(3)]
        deployment.wait_until(lambda: deployment.count(WAITING) == 0)
        refused = list(browse(deployment.settings, "relay"))
        assert len(refused) == 3
        assert all("the broker has no queue for this" in each.detail for each in refused)
        assert drop(deployment.settings, "relay") == 3


def test_a_busy_site_delays_other_sites_by_one_turn_in_each_lane(run_alone: RunAlone) -> None:
    relays = 2
    # Leave out the lane that has no limit, whose tasks are all published at once.
    lanes = sorted(set(task_names.STAGE_OF_TASK) - {task_names.EXTRACT_LATE})
    busy, early, new = 1, 2, 3

    def add_to_all_lanes(session: Session, site_id: int, number: int) -> None:
        for lane in lanes:
            new_arguments = {"lane": lane, "site": site_id, task_names.OTHERS: []}
            outbox.add_tasks(session, lane, [new_arguments] * number, site_id=site_id)

    with ExitStack() as running:
        for _ in range(relays):
            deployment = running.enter_context(run_alone("relay", queue_limit=8))
        queues = [deployment.topology.task_queue(stage) for stage in task_names.STAGES]
        published: dict[str, list[int]] = {lane: [] for lane in lanes}

        def take(channel: Any) -> None:
            found = [channel.basic_get(queue, no_ack=True) for queue in queues]
            for message in filter(None, found):
                _, arguments, _ = json.loads(message.body)
                if lane := arguments.get("lane"):
                    published[lane].append(arguments["site"])
            if not any(found):
                time.sleep(0.01)

        with connect(deployment.settings) as connection, connection.channel() as channel:
            with deployment.database.transaction() as session:
                add_to_all_lanes(session, early, 1)
                add_to_all_lanes(session, busy, 100)
            while not all(map(len, published.values())):
                take(channel)
            with deployment.database.transaction() as session:
                add_to_all_lanes(session, new, 1)
                add_to_all_lanes(session, early, 1)
                unpublished = select(OutboxEntry.lane, func.count()).group_by(OutboxEntry.lane)
                # Tasks that are on the broker or locked by a relay precede the new tasks.
                waiting = dict(session.execute(unpublished).all())
            while any(len(sites) < 80 for sites in published.values()):
                take(channel)
            with deployment.database.transaction() as session:
                session.execute(delete(OutboxEntry))
    for lane, sites in published.items():
        published_before = 103 - waiting.get(lane, 0)
        positions = [index for index, site in enumerate(sites) if site != busy]
        # Tasks that relays have already taken come first, then one busy task per half and turn.
        assert Counter(sites[index] for index in positions) == {early: 2, new: 1}, lane
        assert positions[-1] < published_before + relays * (8 + 2 * 4), lane


def test_pending_extractions_are_batched_unless_requested_one_by_one(run_alone: RunAlone) -> None:
    with run_alone("relay", queue_limit=4 * PAGES_PER_TASK) as deployment:
        queue = deployment.topology.task_queue("extract")
        with deployment.database.transaction() as session:
            _add_tasks(session, task_names.EXTRACT, site_id=1, number=2 * PAGES_PER_TASK)
            single = {"page_id": -1, "generation": 1, task_names.OTHERS: []}
            outbox.add_tasks(session, task_names.EXTRACT, [single] * 2, site_id=2)
        deployment.wait_until(lambda: deployment.count(WAITING) == 0)
        tasks = []
        with connect(deployment.settings) as connection, connection.channel() as channel:
            while (message := channel.basic_get(queue, no_ack=True)) is not None:
                _, arguments, _ = json.loads(message.body)
                others = [page_id for page_id, _ in arguments.get(task_names.OTHERS, [])]
                tasks.append([arguments["page_id"], *others])
    assert tasks.count([-1]) == 2
    page_ids = sorted(page_id for pages in tasks for page_id in pages)
    assert page_ids == [-1, -1, *range(2 * PAGES_PER_TASK)]
    assert max(map(len, tasks)) == PAGES_PER_TASK


def test_repeated_extractions_follow_first_ones_without_starving(run_alone: RunAlone) -> None:
    tasks_of_each = 3 * MAX_FIRST_EXTRACTIONS
    with run_alone("relay", queue_limit=PAGES_PER_TASK) as deployment:
        queue = deployment.topology.task_queue("extract")
        with deployment.database.transaction() as session:
            for task, generation in ((task_names.EXTRACT_AGAIN, 2), (task_names.EXTRACT, 1)):
                for site_id in range(1, 1 + tasks_of_each):
                    new_arguments = {"page_id": site_id, "generation": generation}
                    outbox.add_tasks(
                        session, task, [new_arguments] * PAGES_PER_TASK, site_id=site_id
                    )
        names: list[str] = []
        generations: list[int] = []
        with connect(deployment.settings) as connection, connection.channel() as channel:
            while len(names) < 2 * tasks_of_each:
                if (message := channel.basic_get(queue, no_ack=True)) is None:
                    time.sleep(0.02)
                    continue
                names.append(message.properties["application_headers"]["task"])
                _, arguments, _ = json.loads(message.body)
                generations.append(arguments["generation"])
    assert set(names) == {task_names.EXTRACT}
    rhythm = MAX_FIRST_EXTRACTIONS * [1] + [2]
    assert generations[: 3 * len(rhythm)] == 3 * rhythm
    assert set(generations[3 * len(rhythm) :]) == {2}


def test_a_burst_is_published_while_the_removal_of_earlier_entries_is_deferred(
    run_alone: RunAlone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.service.relay.HELD_SECONDS", 10_000)
    with run_alone("intake") as deployment:
        queue = deployment.topology.task_queue("reprocess")
        run = Relay(deployment.settings).run_until_signalled
        relay = get_context("fork").Process(target=run, daemon=True)
        relay.start()
        for number in (1, 2 * FEW_ENTRIES):
            with deployment.database.transaction() as session:
                _add_tasks(session, task_names.PARSE, site_id=1, number=number)
            while messages_waiting(deployment.settings, queue) < number:
                time.sleep(0.1)
        relay.terminate()
        relay.join()


def _add_tasks(session: Session, task: str, *, site_id: int, number: int) -> None:
    arguments = [{"page_id": page_id, "generation": 1} for page_id in range(number)]
    outbox.add_tasks(session, task, arguments, site_id=site_id)

"""The relay, which publishes the messages of the outbox to the broker.

The transaction that locks an entry also removes it, but only once the broker has confirmed its
message. After a crash between the confirmation and the commit, the message is published again.
"""

import logging
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import ceil
from typing import NamedTuple

from amqp.exceptions import PreconditionFailed
from kombu import Connection, Producer
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from detourage.packed_bytes import DamagedBytesError
from detourage.text.plural import pluralise
from worker import logs, tracing
from worker.messaging.broker import depth, topology_of
from worker.messaging.task_names import (
    BATCHED,
    CLUSTER,
    COMPARE,
    EXTRACT,
    EXTRACT_AGAIN,
    EXTRACT_LATE,
    OTHERS,
    PUBLISHED_AS,
    STAGE_OF_TASK,
)
from worker.service.broker_process import BrokerProcess, UnroutableError
from worker.service.celery_application import create_app
from worker.settings import Settings
from worker.store import outbox
from worker.store.outbox import LaneQuota, WaitingEntry

logger = logging.getLogger(__name__)

BATCH_ENTRIES = 200
"""Maximum number of entries per lane and transaction; a transaction per entry would be slow."""

BATCH_BYTES = 32 * 1024 * 1024
"""Total size of the messages that are taken together, which bounds the memory of the process. Lanes
have equal shares; a lane that has reached its share gives no further message."""

PAGES_PER_TASK = 8
"""Maximum number of waiting pages that are batched into an extraction or assignment task.

A worker takes the same number of tasks from each queue, so single-page tasks would be processed no
faster than blocks of comparisons. Larger batches save little, but more work is repeated if a
process dies.
"""

FEW_ENTRIES = 16
"""Minimum number of waiting entries in a lane for which the relay checks the free queue capacity
before it takes entries from the outbox. Fewer entries are taken first, in a single statement."""

LONG_TASKS = (CLUSTER, COMPARE)
LONG_TASKS_SHARE = 8
"""Tasks that may take seconds, and the divisor of their queue limit. A short queue lets the outbox
decide which task is the most urgent."""

MAX_FIRST_EXTRACTIONS = 7
"""Maximum number of consecutive first extractions, that is, tasks for pages without an outcome. One
task for pages with an outcome then follows, so that such pages do not starve."""

IDLE_SECONDS = 0.1
LONGEST_IDLE_SECONDS = 1.5
"""First and longest pause while there is nothing to publish; each pause is 1.5 times as long as
the previous one. Pauses may delay a page at every stage."""

HELD_SECONDS = 1.0
"""Maximum time for which published entries, if few, wait to be removed together with later ones."""

DEFAULT_EXCHANGE = ""  # exchange for quarantined messages, whose number is not limited
QUARANTINE = "quarantine"  # name under which quarantined messages appear in the summary


class QueueLimit(NamedTuple):
    """Limit on the number of messages waiting in the queue of an outbox lane."""

    queue: str
    max_entries: int
    entries_per_message: int = 1  # maximum number of entries in one message


def queue_limits(settings: Settings) -> dict[str, QueueLimit | None]:
    """Return the limit of each lane, or None for lanes without a limit."""
    topology = topology_of(settings)
    tasks = {
        task: QueueLimit(topology.task_queue(stage), settings.queue_limit)
        for task, stage in STAGE_OF_TASK.items()
    }
    for task in BATCHED:
        tasks[task] = tasks[task]._replace(entries_per_message=PAGES_PER_TASK)
    for task in LONG_TASKS:
        limit = ceil(settings.queue_limit / LONG_TASKS_SHARE)
        tasks[task] = tasks[task]._replace(max_entries=limit)
    tasks |= {lane: tasks[task] for lane, task in PUBLISHED_AS.items()}
    # EXTRACT_LATE has no limit: each check enqueues at most one such task, which must be published
    # even if extractions fill the queue that it shares with them.
    lanes: dict[str, QueueLimit | None] = {**tasks, EXTRACT_LATE: None}
    max_articles = settings.articles_limit
    exchanges = {
        exchange.name: QueueLimit(queue, max_articles) if max_articles else None
        for queue, exchange in topology.outgoing.items()
    }
    return {**lanes, **exchanges, DEFAULT_EXCHANGE: None}


class Relay(BrokerProcess):
    """Process that publishes outbox entries, each at least once, while their queues have room."""

    def __init__(self, settings: Settings) -> None:
        super().__init__("relay", settings)
        self._app = create_app(settings)
        self._returned: list[str] = []  # why the broker returned messages
        self._unroutable: set[int] = set()  # IDs of entries that had no queue at the last attempt
        self._limits = queue_limits(settings)
        self._first_extractions = 0  # number published since a repeated extraction
        self._places_offered: Counter[str] = Counter()  # number of entries requested, by lane
        self._is_behind = False  # whether more entries may wait than the queues have room for

    def _producer(self, connection: Connection) -> Producer:
        # The embedded broker does not return messages: it does not distinguish a missing queue from
        # a queue without consumers.
        def on_return(*details: object) -> None:
            self._returned.append(", ".join(map(str, details[:4])))

        returns = {"on_return": on_return} if self._settings.broker_is_amqp else {}
        return Producer(connection.channel(), **returns)

    def work(self, connection: Connection) -> None:
        """Publish until stopped."""
        producer = self._producer(connection)
        pause = IDLE_SECONDS
        while not self._stopping.is_set():
            lanes: Sequence[str] = ()
            error: Exception | None = None
            if self._database.query_autocommit(self._waiting_lanes):
                with self._database.transaction() as session:
                    lanes, error = self._publish_batch(session, producer, connection)
            else:
                self._is_behind = False
            if lanes:
                self._heartbeat.confirm(f"published {pluralise(len(lanes), 'message')}")
            for lane, number in Counter(lanes).items():
                self._summary.count("published", number, kind=lane or QUARANTINE)
            self._summary.log_if_due()
            if isinstance(error, PreconditionFailed):
                # The broker closed the channel when it refused the entry.
                producer = self._producer(connection)
                continue
            if error is not None:
                raise error
            self._confirm_ability(connection)
            pause = IDLE_SECONDS if lanes else min(1.5 * pause, LONGEST_IDLE_SECONDS)
            if len(lanes) < BATCH_ENTRIES:
                self._pause(connection, pause)

    def _waiting_lanes(self, session: Session) -> Sequence[str]:
        return session.scalars(outbox.SQL.lanes_waiting, {"lanes": list(self._limits)}).all()

    def _pause(self, connection: Connection, seconds: float) -> None:
        """Pause; with AMQP, read from the broker, since unread heartbeats count as missed."""
        if not self._settings.broker_is_amqp:
            self._stopping.wait(seconds)
            return
        with suppress(TimeoutError):
            connection.drain_events(timeout=seconds)
        connection.heartbeat_check()

    def _publish_batch(
        self, session: Session, producer: Producer, connection: Connection
    ) -> tuple[Sequence[str], Exception | None]:
        """Publish entries, and remove those confirmed; return their lanes, and any error.

        While only a few are published, wait for further entries, such as the article of a page
        whose extraction was published, in order to remove all of them in one transaction.
        """
        until = time.monotonic() + HELD_SECONDS
        confirmed: dict[int, str] = {}
        failure: Exception | None = None
        logs.unbind_all()
        try:
            are_few = not self._is_behind and self._publish_few(session, producer, confirmed)
            if not are_few:
                self._publish_lanes(session, producer, confirmed)
            pause = IDLE_SECONDS
            while (
                (are_few and not self._stopping.is_set())
                and 0 < (published := len(confirmed)) < FEW_ENTRIES
                and time.monotonic() + pause < until
            ):
                self._pause(connection, pause)
                are_few = self._publish_few(session, producer, confirmed)
                pause = IDLE_SECONDS if len(confirmed) > published else 1.5 * pause
        except DBAPIError:
            raise
        except Exception as error:  # noqa: BLE001 - raised again after the transaction
            failure = error
        if confirmed:
            outbox.remove(session, list(confirmed))
        return list(confirmed.values()), failure

    def _publish_few(self, session: Session, producer: Producer, confirmed: dict[int, str]) -> bool:
        """If the entries are few and their queues have room, publish all and return True."""
        quotas = dict.fromkeys(self._limits, LaneQuota(FEW_ENTRIES, FEW_ENTRIES))
        max_bytes = BATCH_BYTES // len(quotas)
        taken = outbox.take_next(session, quotas, max_bytes=max_bytes, published=[*confirmed])
        taken = {lane: entries for lane, entries in taken.items() if entries}
        capacities = self._capacities(list(taken), producer)
        if any(len(taken[lane]) >= min(FEW_ENTRIES, capacities[lane] + 1) for lane in taken):
            return False
        for lane in sorted(taken, key=lambda name: name == EXTRACT_AGAIN):
            self._publish(session, producer, lane, taken[lane], confirmed)
        return True

    def _publish_lanes(
        self, session: Session, producer: Producer, confirmed: dict[int, str]
    ) -> None:
        """Publish entries as far as the queues have room, in the order of their urgency."""
        lanes = self._waiting_lanes(session)
        self._is_behind = bool(lanes)
        others = [lane for lane in lanes if lane != EXTRACT_AGAIN]
        repeats = [lane for lane in lanes if lane == EXTRACT_AGAIN]
        first_extractions_left = repeat_is_waiting = False
        # First extractions precede repeated ones, unless a repeated one is due.
        for group in filter(None, [repeats, others] if self._is_repeat_due else [others, repeats]):
            capacities = self._capacities(group, producer)
            # If a repeated task found no room, leave it any room that a worker has made since.
            if repeat_is_waiting and EXTRACT in capacities:
                capacities[EXTRACT] = 0
            if EXTRACT_AGAIN in capacities and self._is_repeat_due:
                capacities[EXTRACT_AGAIN] = min(capacities[EXTRACT_AGAIN], PAGES_PER_TASK)
                repeat_is_waiting = not capacities[EXTRACT_AGAIN]
            elif EXTRACT_AGAIN in capacities and first_extractions_left:
                capacities[EXTRACT_AGAIN] = 0
            taken = self._take_next(session, capacities)
            if EXTRACT in capacities:
                first_extractions_left = len(taken.get(EXTRACT, ())) == capacities[EXTRACT]
            for lane in taken:
                self._publish(session, producer, lane, taken[lane], confirmed)

    def _publish(
        self,
        session: Session,
        producer: Producer,
        lane: str,
        waiting: Sequence[WaitingEntry],
        confirmed: dict[int, str],
    ) -> None:
        """Publish the entries of a lane, and add the ID and lane of each to ``confirmed``."""
        for entries in batch_entries(waiting):
            try:
                self._send(entries, producer)
            except PreconditionFailed as error:
                self._quarantine(session, entries, str(error.reply_text))
                raise
            except (DamagedBytesError, UnroutableError) as error:
                ids = {entry.id for entry in entries}
                if isinstance(error, UnroutableError) and not ids <= self._unroutable:
                    # Reconnecting declares all queues, one of which may have been deleted.
                    self._unroutable |= ids
                    raise
                self._unroutable -= ids
                self._quarantine(session, entries, str(error))
                continue
            confirmed |= dict.fromkeys((entry.id for entry in entries), lane)
            if lane == EXTRACT:
                self._first_extractions += 1
            elif lane == EXTRACT_AGAIN:
                self._first_extractions = 0

    def _take_next(
        self, session: Session, capacities: Mapping[str, int]
    ) -> Mapping[str, Sequence[WaitingEntry]]:
        """Take entries from the outbox, at most the given number per lane."""
        quotas = {}
        for lane, capacity in capacities.items():
            if not capacity:
                continue
            self._places_offered[lane] += capacity
            # Half of the places are for short queues. An odd place alternates between the halves.
            extra = int(self._places_offered[lane] % 2 == 0)
            quotas[lane] = LaneQuota(capacity, (capacity + extra) // 2)
        if not quotas:
            return {}
        return outbox.take_next(session, quotas, max_bytes=BATCH_BYTES // len(quotas))

    @property
    def _is_repeat_due(self) -> bool:
        return self._first_extractions >= MAX_FIRST_EXTRACTIONS

    def _capacities(self, lanes: Sequence[str], producer: Producer) -> dict[str, int]:
        """Return how many entries to take per lane; lanes share their queue's capacity equally."""
        limits = {lane: self._limits[lane] for lane in lanes}
        lanes_per_queue = Counter(limit.queue for limit in limits.values() if limit is not None)
        capacities: dict[str, int] = {}
        for lane, limit in limits.items():
            capacities[lane] = BATCH_ENTRIES
            if limit is not None:
                per_message = limit.entries_per_message
                max_messages = ceil(limit.max_entries / per_message)
                free = max(0, max_messages - depth(producer.channel, limit.queue))
                share = ceil(free / lanes_per_queue[limit.queue])
                capacities[lane] = min(BATCH_ENTRIES, limit.max_entries, share * per_message)
        return capacities

    def _send(self, entries: Sequence[WaitingEntry], producer: Producer) -> None:
        entry = as_one_task(entries)
        logs.bind(outbox_id=entry.id, task=entry.task, message_id=entry.message_id)
        if entry.task is not None:
            # A task for several pages starts a new trace.
            headers = entry.headers if len(entries) == 1 else {}
            with tracing.span(f"send {entry.task}", headers):
                self._app.send_task(
                    entry.task,
                    kwargs=entry.arguments,
                    task_id=f"outbox-{entry.id}",
                    producer=producer,
                    mandatory=True,
                )
        else:
            producer.publish(
                outbox.unpacked_body(entry.body or b""),
                exchange=entry.exchange,
                routing_key=entry.routing_key,
                headers=entry.headers or {},
                message_id=entry.message_id,
                content_type="application/json",
                content_encoding="utf-8",
                delivery_mode=2,
                mandatory=True,
            )
        if self._returned:
            raise UnroutableError(f"the broker has no queue for this: {self._returned.pop()}")

    def _quarantine(self, session: Session, entries: Sequence[WaitingEntry], reason: str) -> None:
        """Put entries into the relay's quarantine, so that they do not block the others."""
        self._summary.count("refused", len(entries))
        for entry in entries:
            session.execute(outbox.SQL.refuse, {"id": entry.id, "refusal": reason})
            logger.error("quarantined a message that cannot be published: %s", reason)


def batch_entries(entries: Iterable[WaitingEntry]) -> Iterator[list[WaitingEntry]]:
    """Yield lists of entries that make up one message each; batch consecutive pages of a task."""
    batch: list[WaitingEntry] = []
    for each in entries:
        entry = each._replace(task=PUBLISHED_AS.get(each.task or "", each.task))
        is_batched = entry.task in BATCHED and OTHERS not in (entry.arguments or {})
        if batch and (not is_batched or len(batch) == PAGES_PER_TASK):
            yield batch
            batch = []
        if is_batched:
            batch.append(entry)
        else:
            yield [entry]
    if batch:
        yield batch


def as_one_task(entries: Sequence[WaitingEntry]) -> WaitingEntry:
    """Merge batched entries into one task, which lists all pages but the first in `OTHERS`."""
    first, *rest = entries
    if not rest:
        return first
    others = [
        (each.arguments["page_id"], each.arguments[BATCHED[each.task]])
        for each in rest
        if each.arguments is not None and each.task is not None
    ]
    return first._replace(arguments={**(first.arguments or {}), OTHERS: others})

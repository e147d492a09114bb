"""The intake, which moves page messages from the queue into the store.

Messages are consumed as raw bytes: a decoder inside the consumer would acknowledge, and thus lose,
messages that it cannot read. A message is acknowledged only once its page, or its move to
quarantine, is committed.
"""

import logging
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar
from uuid import uuid4

from kombu import Connection, Consumer, Message
from sqlalchemy import Row
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from detourage.inputs.message_validation import UnusableMessageError, read_message
from detourage.outcomes import PageOutcome
from detourage.text.plural import pluralise
from detourage.time_limit import TimeIsUpError, time_limit
from worker import logs, tracing
from worker.error_reports import cause
from worker.messaging.compression import plain_body
from worker.messaging.task_names import REPEATED
from worker.messaging.transport import raw_body, withheld_bytes
from worker.outcomes import ReceiptResult
from worker.processes.memory_allocation import tune_memory
from worker.service.broker_process import BrokerProcess
from worker.settings import Settings
from worker.store import fetched_pages, pages, progress
from worker.store.database import UnavailableError, is_transient_failure
from worker.store.durations import Durations
from worker.store.fetched_pages import ChangedMeanwhileError, unchanged_pages
from worker.store.pages import Address, FetchedPage, NewReceipt, ParsedPage
from worker.workflow.first_extractions import request_first_extractions, urgent_pages
from worker.workflow.parsing import parse_or_reject, store_pages, store_waiting_fetch
from worker.workflow.quarantine_entries import message_id_of, quarantine_message

logger = logging.getLogger(__name__)

INTAKE = "intake"  # kind of work under which message handling times are recorded

CHECK_SECONDS = 1.0
CHECK_MESSAGES = 100
"""Time or number of messages after which the size of the backlog is checked again. The number of
messages bounds how far the backlog can exceed its limit, apart from the last batch."""

PREFETCH = 8
"""Maximum number of unacknowledged messages, which are stored in one transaction if they arrive
together."""

BATCH_BYTES = 8 * 1024 * 1024
"""Total size of message bodies and their unpacked pages at which a transaction takes no further
message. The size is limited because a prepared page takes several times the memory of a message."""

BATCH_SECONDS = 2.0
"""Parsing time after which the parsed messages are stored, so that none waits for slow pages."""

READ_SECONDS = 0.001  # time for which a busy intake reads from the broker
GATHER_SECONDS = 0.01  # time to wait for further messages to store in the same transaction

SEARCH_SECONDS = 3.0
"""Interval between searches for pages that must not wait for their site's first clustering, and for
waiting fetches whose pages now have an outcome."""

DUE_FETCHES_AT_ONCE = 50  # maximum number of waiting fetches that are stored per search
OUTAGE_PAUSE_SECONDS = 1.0  # pause between attempts while the database is unavailable

P = ParamSpec("P")
T = TypeVar("T")


class PreparedMessage(NamedTuple):
    """A message with its page, once parsed, or with the reason why it is unusable."""

    message: Message
    fetched: FetchedPage | None = None
    parsed: ParsedPage | None = None
    unusable: UnusableMessageError | None = None

    @property
    def size(self) -> int:
        """Number of bytes of the message and of its unpacked page."""
        return len(self.message.body) + (len(self.fetched.content_bytes) if self.fetched else 0)


class Intake(BrokerProcess):
    """The consumer of page messages.

    Messages that arrive together are stored in one transaction. A redelivered message may have
    killed a process, so it is stored separately. At startup, messages are consumed one by one until
    one arrives that was not redelivered, so that a message that kills the process does not use up
    the delivery limit of other messages.
    """

    _connection: Connection
    _consumer: Consumer

    def __init__(self, settings: Settings) -> None:
        super().__init__("intake", settings)
        self._durations = Durations(self._database)
        self._has_low_prefetch = True
        self._received: list[Message] = []
        self._received_count = 0
        self._checked_at = 0.0
        self._searched_at = 0.0
        self._last_outage = ""

    def work(self, connection: Connection) -> None:
        """Consume until stopped."""
        tune_memory()
        self._received.clear()
        self._connection = connection
        self._consumer = Consumer(
            connection.channel(),
            queues=[self._topology.pages_queue()],
            on_message=self._received.append,
            auto_declare=False,
        )
        self._set_low_prefetch(True)
        with self._consumer:
            while not self._stopping.is_set():
                self._store_and_pause_if_full()
                with suppress(TimeoutError):
                    connection.drain_events(timeout=CHECK_SECONDS)
                connection.heartbeat_check()
        self._durations.write()

    def _set_low_prefetch(self, is_low: bool) -> None:
        self._has_low_prefetch = is_low
        self._consumer.qos(prefetch_count=1 if is_low else PREFETCH)

    def _store_and_pause_if_full(self) -> None:
        """Store received messages; at intervals, check the backlog and search for urgent pages."""
        self._summary.log_if_due()
        if self._received:
            self._receive_more()
            self._store_received()
        now = time.monotonic()
        # While the intake consumes but receives nothing, the backlog does not grow.
        may_change = self._received_count or not self._consumer.consuming_from(self._topology.pages)
        is_due = self._received_count >= CHECK_MESSAGES or now - self._checked_at >= CHECK_SECONDS
        if may_change and is_due:
            self._received_count, self._checked_at = 0, now
            self._pause_or_resume()
        if now - self._searched_at >= SEARCH_SECONDS:
            self._searched_at = now
            seconds = self._settings.first_article_seconds
            with self._recording_outages():
                urgent, has_due = self._database.query_autocommit(urgent_pages, seconds)
                if urgent:
                    self._run_once(request_first_extractions, urgent)
                self._confirm_ability(self._connection)
                if has_due:
                    self._store_due_fetches(self._database.query_autocommit(_due_fetches))

    def _store_due_fetches(self, fetches: Sequence[Row[Any]]) -> None:
        """Store waiting fetches whose pages now have an outcome."""
        for due in fetches:
            try:
                fetched = fetched_pages.fetched_page_of(due)
                page = fetched, self._parse(fetched)
                self._run_once(store_waiting_fetch, due.id, page, self._settings.pages)
            except Exception:
                logger.exception("dropped a waiting fetch that cannot be stored")
                self._run_once(fetched_pages.remove_waiting_fetch, due.id)
            self._read_from_broker()

    @contextmanager
    def _recording_outages(self) -> Iterator[None]:
        """Suppress transient failures of the database or object store; keep the latest for logs."""
        try:
            yield
        except (DBAPIError, UnavailableError) as error:
            if not is_transient_failure(error):
                raise
            self._last_outage = cause(error)

    def _run_once(
        self, step: Callable[Concatenate[Session, P], T], *args: P.args, **options: P.kwargs
    ) -> T | None:
        """Run a transaction without retries; return None after a transient failure."""
        with self._recording_outages(), self._database.transaction() as session:
            return step(session, *args, **options)
        return None

    def _pause_or_resume(self) -> None:
        limit = self._settings.pending_limit
        is_full = self._run_once(progress.is_backlog_full, limit, repeated=REPEATED)
        if is_full is None:
            return
        # Cancel the consumer rather than hold messages back: the broker considers a consumer dead
        # if it does not acknowledge for a long time, and counts a redelivery as a failed delivery.
        is_consuming = bool(self._consumer.consuming_from(self._topology.pages))
        if is_full and is_consuming:
            logger.warning("the intake pauses: the backlog has reached %d pages or messages", limit)
            self._consumer.cancel()
        elif not is_full and not is_consuming:
            logger.info("the intake resumes")
            self._consumer.consume()

    def _receive_more(self) -> None:
        """Receive further messages that are ready, until the batch is full."""
        while (
            not self._has_low_prefetch
            and len(self._received) < PREFETCH
            and sum(len(message.body) for message in self._received) < BATCH_BYTES
        ):
            try:
                self._connection.drain_events(timeout=GATHER_SECONDS)
            except TimeoutError:
                return

    def _store_received(self) -> None:
        """Store the received messages, and acknowledge them.

        While the database or the object store is unavailable, messages are held: requeued messages
        would exhaust their delivery limit. A message that cannot be stored because of a bug is
        requeued; at the delivery limit, the queue quarantines it.
        """
        # Messages are removed from these deques as they are read, to free bodies of up to 60 MB:
        # the broker delivers another message for each one that is acknowledged.
        redelivered: deque[Message] = deque()
        fresh: deque[Message] = deque()
        for message in self._received:
            (redelivered if message.delivery_info.get("redelivered") else fresh).append(message)
        self._received.clear()
        has_fresh = bool(fresh)
        self._received_count += len(fresh) + len(redelivered)
        self._summary.count("taken", len(fresh) + len(redelivered))
        if fresh and not self._stopping.is_set():
            with self._durations.measure(INTAKE, pieces=len(fresh)):
                self._store_messages(fresh)
        while redelivered and not self._stopping.is_set():
            with self._durations.measure(INTAKE):
                self._store_messages(deque([redelivered.popleft()]))
        if self._has_low_prefetch and has_fresh:
            # A prefetch limit applies only to consumers that start after it was set.
            is_consuming = bool(self._consumer.consuming_from(self._topology.pages))
            if is_consuming:
                self._consumer.cancel()
            self._set_low_prefetch(False)
            if is_consuming:
                self._consumer.consume()

    def _store_messages(self, messages: deque[Message]) -> None:
        """Store messages in batches of bounded size, and acknowledge or reject them."""
        while messages:
            unparsed = deque(self._read_batch(messages))
            known = self._unchanged(unparsed)
            while unparsed:
                batch: list[PreparedMessage] = []
                began = time.monotonic()
                while unparsed and time.monotonic() - began < BATCH_SECONDS:
                    batch.append(self._parse_message(unparsed.popleft(), known))
                if time.monotonic() - began >= BATCH_SECONDS:
                    self._read_from_broker()
                if not self._store_batch(batch):
                    return

    def _read_batch(self, messages: deque[Message]) -> Iterator[PreparedMessage]:
        """Read messages up to `BATCH_BYTES`, but stop before a second fetch of the same URL."""
        addresses: set[Address] = set()
        size = 0
        while messages and size < BATCH_BYTES:
            message = messages.popleft()
            try:
                logs.bind(message_id=message_id_of(message))
                with tracing.span(f"process {self._topology.pages}", message.headers):
                    prepared = self._prepare(message)
            except Exception:  # noqa: BLE001 - one message must not stop the rest
                self._requeue(message)
                continue
            finally:
                logs.unbind_all()
            if prepared.fetched is not None:
                if prepared.fetched.address in addresses:
                    messages.appendleft(message)
                    return
                addresses.add(prepared.fetched.address)
            size += prepared.size
            yield prepared

    def _unchanged(self, messages: Collection[PreparedMessage]) -> Mapping[Address, ParsedPage]:
        """Return the pages that need not be parsed, since their content is stored already.

        For a single message, a lookup is not worthwhile, since the intake is idle.
        """
        fetches = [each.fetched for each in messages if each.fetched is not None]
        if len(fetches) < 2:
            return {}
        try:
            with self._recording_outages():
                return self._database.query_autocommit(unchanged_pages, fetches)
        except Exception:
            # For example, the stored declarations of a page are damaged.
            logger.exception("could not look up which pages are unchanged; parsing all of them")
        return {}

    def _parse_message(
        self, read: PreparedMessage, known: Mapping[Address, ParsedPage] = {}
    ) -> PreparedMessage:
        fetched = read.fetched
        if fetched is None:
            return read
        logs.bind(message_id=fetched.message_id, site=fetched.site, page=fetched.url)
        try:
            return read._replace(parsed=known.get(fetched.address) or self._parse(fetched))
        finally:
            logs.unbind_all()

    def _read_from_broker(self) -> None:
        """Read from the broker, because unread AMQP heartbeats count as missed."""
        with suppress(TimeoutError):
            self._connection.drain_events(timeout=READ_SECONDS)
        self._connection.heartbeat_check()

    def _store_batch(self, batch: Sequence[PreparedMessage]) -> bool:
        """Store messages together or, if that fails, one by one; return False if stopped."""
        quarantine, store_url = self._topology.quarantines["intake"], self._settings.pages
        try:
            while (receipts := self._run_once(_store, batch, quarantine, store_url)) is None:
                logger.warning("waiting for the database or object store: %s", self._last_outage)
                time.sleep(OUTAGE_PAUSE_SECONDS)
                # The broker considers a consumer dead if it neither reads nor writes.
                self._read_from_broker()
                if self._stopping.is_set():
                    return False
        except ChangedMeanwhileError:
            parsed = [self._parse_message(each) for each in batch]
            return self._store_batch(parsed)
        except Exception:
            if len(batch) == 1:
                logs.bind(message_id=message_id_of(batch[0].message))
                self._requeue(batch[0].message)
                logs.unbind_all()
                return True
            logger.warning(
                "could not store messages together, storing each separately", exc_info=True
            )
            return all(self._store_batch([each]) for each in batch)
        for receipt in receipts:
            if receipt.reason is not None:
                self._summary.count("quarantined", kind=receipt.reason)
            else:
                self._summary.count("stored", kind=receipt.result)
        for each in batch:
            if withheld_bytes(each.message):
                # Only the broker has the whole body, so it must move the message to quarantine.
                each.message.reject()
            else:
                each.message.ack()
        self._heartbeat.confirm(f"stored {pluralise(len(batch), 'message')}")
        return True

    def _prepare(self, message: Message) -> PreparedMessage:
        try:
            headers, encoding = message.headers, message.content_encoding
            size = withheld_bytes(message)
            body = plain_body(raw_body(message), headers, encoding, withheld=size)
            sent = read_message(body, received_at=datetime.now(UTC))
        except UnusableMessageError as error:
            # Operators look for the message in quarantine by the ID in the log.
            message.properties["message_id"] = message_id_of(message) or str(uuid4())
            logs.bind(message_id=message.properties["message_id"])
            logger.warning("unusable message quarantined: %s (%s)", error.reason, error.detail)
            # A new error, since the frames of the raised one keep the unpacked body in memory.
            without_frames = UnusableMessageError(error.reason, error.detail)
            return PreparedMessage(message, unusable=without_frames)
        own_id, trace = message_id_of(message), tracing.current()
        fetched = replace(FetchedPage.of(sent), is_received=True, message_id=own_id, trace=trace)
        return PreparedMessage(message, fetched)

    def _parse(self, fetched: FetchedPage) -> ParsedPage:
        limit = self._settings.parsing_seconds
        try:
            with time_limit(limit):
                return parse_or_reject(
                    fetched.content, fetched.url, fetched.content_type, fetched.response
                )
        except TimeIsUpError:
            # The HTML is stored, so a task can parse it without delaying other pages.
            detail = f"parsing took more than {limit:g} s of CPU time"
            logger.error("%s on %s", detail, fetched.url)  # noqa: TRY400 - the trace adds nothing
            return ParsedPage(outcome=PageOutcome.FAILED, outcome_detail=detail)

    def _requeue(self, message: Message) -> None:
        logger.exception("could not store a message, returning it to the queue")
        self._summary.count("requeued")
        message.requeue()


def _due_fetches(session: Session) -> Sequence[Row[Any]]:
    return session.execute(fetched_pages.DUE_FETCHES, {"limit": DUE_FETCHES_AT_ONCE}).all()


def _store(
    session: Session, batch: Sequence[PreparedMessage], quarantine: str, store_url: str
) -> Sequence[NewReceipt]:
    """Store the pages of messages, quarantine the unusable ones, and return all their receipts."""
    unusable = [(each.message, each.unusable) for each in batch if each.unusable is not None]
    receipts = []
    for message, error in unusable:
        own_id = message_id_of(message)
        receipts.append(NewReceipt(own_id, ReceiptResult.QUARANTINED, error.reason))
        if not withheld_bytes(message):
            quarantine_message(session, message, quarantine, error)
    pages.add_receipts(session, receipts)
    usable = [(each.fetched, each.parsed) for each in batch if each.fetched and each.parsed]
    for fetch in store_pages(session, usable, store_url) if usable else ():
        logger.debug("page %d %s", fetch.page_id, fetch.result)
        receipts.append(NewReceipt(None, fetch.result, page_id=fetch.page_id))
    return receipts

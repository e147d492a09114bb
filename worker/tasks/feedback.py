"""Storage of feedback on articles."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from celery import shared_task
from kombu import Connection, Message
from kombu.transport.base import StdChannel
from sqlalchemy.orm import Session

from detourage.inputs.received import UnusableMessageError
from detourage.messages import FeedbackMessage
from detourage.outcomes import UnusableReason
from detourage.text.plural import counted
from worker import logs
from worker.messaging import task_names
from worker.messaging.broker import connect, depth
from worker.messaging.received_messages import read_feedback
from worker.messaging.topology import FEEDBACK, Topology
from worker.messaging.transport import raw_body, withheld_bytes
from worker.store import feedback
from worker.store.locks import AdvisoryLock
from worker.tasks.base import TASK_OPTIONS
from worker.workflow.process import ProcessState, process_state
from worker.workflow.quarantine import message_id_of, quarantine_message

logger = logging.getLogger(__name__)

MAX_MESSAGES = 1_000
"""Maximum number of messages stored in one transaction."""

IDLE_SECONDS = 1.0
"""Time to wait for a message that another consumer of the queue may have received."""


@dataclass(frozen=True)
class Taken:
    """A message with its feedback, or with the reason why it is unusable."""

    message: Message
    feedback: FeedbackMessage | None = None
    unusable: UnusableMessageError | None = None

    @property
    def is_oversized(self) -> bool:
        """Whether the body is too large to be kept in memory."""
        return self.unusable is not None and self.unusable.reason == UnusableReason.OVERSIZED


@shared_task(name=task_names.STORE_FEEDBACK, **TASK_OPTIONS)
def store_feedback() -> None:
    """Store the feedback that waits in its queue, up to a maximum number of messages."""
    store_waiting(process_state())


def store_waiting(state: ProcessState) -> None:
    """Store the feedback that waits, and acknowledge it after the commit.

    Does nothing while another process is doing so.
    """
    with state.database.exclusive(AdvisoryLock.FEEDBACK, 0) as is_ours:
        if not is_ours:
            return
        with connect(state.settings) as connection:
            state.topology.declare(connection)
            # If this fails, closing the channel returns the messages to the queue.
            with connection.channel() as channel:
                taken = _take(connection, channel, state.topology)
                if not taken:
                    return
                quarantine = state.topology.quarantines[FEEDBACK]
                known = state.database.run(lambda session: _store(session, taken, quarantine))
                _settle(taken, together=state.topology.durable_features)
    _log(taken, known)


def _take(connection: Connection, channel: StdChannel, topology: Topology) -> list[Taken]:
    taken: list[Taken] = []
    number = min(depth(channel, topology.feedback), MAX_MESSAGES)
    if not number:
        return taken
    # A quorum queue can acknowledge all messages of a consumer together. Messages of basic.get are
    # acknowledged one by one and, if there are many, most acknowledgements are lost when the
    # channel closes.
    with connection.Consumer(
        [topology.feedback_queue()],
        channel=channel,
        on_message=lambda message: taken.append(_read(message)),
        auto_declare=False,
        prefetch_count=number,
    ):
        while len(taken) < number:
            try:
                connection.drain_events(timeout=IDLE_SECONDS)
            except TimeoutError:
                break
    return taken


def _read(message: Message) -> Taken:
    try:
        return Taken(message, read_feedback(raw_body(message), withheld=withheld_bytes(message)))
    except UnusableMessageError as error:
        taken = Taken(message, unusable=error)
    if taken.is_oversized:
        message.body = b""
    return taken


def _store(session: Session, taken: Sequence[Taken], quarantine: str) -> int:
    """Store messages, and return the number of known articles."""
    for each in taken:
        if each.unusable is not None and not each.is_oversized:
            quarantine_message(session, each.message, quarantine, each.unusable)
    return feedback.store_feedback(session, _latest(taken))


def _settle(taken: Sequence[Taken], *, together: bool) -> None:
    for each in taken:
        if each.is_oversized:
            # Only the broker has the whole body, so it must move the message to quarantine.
            each.message.reject()
    kept = [each.message for each in taken if not each.is_oversized]
    # The embedded broker cannot acknowledge several messages at once.
    for message in kept[-1:] if together else kept:
        message.ack(multiple=together)


def _latest(taken: Sequence[Taken]) -> dict[UUID, FeedbackMessage]:
    """Return the latest feedback on each article."""
    given = [each.feedback for each in taken if each.feedback is not None]
    return {each.article: each for each in given}


def _log(taken: Sequence[Taken], known: int) -> None:
    for each in taken:
        if each.unusable is not None:
            with logs.bound(message_id=message_id_of(each.message)):
                logger.warning(
                    "unusable feedback quarantined: %s (%s)",
                    each.unusable.reason,
                    each.unusable.detail,
                )
    dropped = len(_latest(taken)) - known
    if known or dropped:
        logger.info(
            "stored feedback on %s, dropped feedback on %d unknown or pruned",
            counted(known, "article"),
            dropped,
        )

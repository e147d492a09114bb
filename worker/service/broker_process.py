"""Base class of the intake and the relay, which reconnect to the broker after failures."""

import logging
import os
import signal
import threading
import time
from socket import socket, socketpair

from kombu import Connection
from kombu.exceptions import OperationalError
from sqlalchemy.exc import DBAPIError

from worker import logs, tracing
from worker.error_reports import cause, is_lost_connection
from worker.messaging.broker import REFUSED_ACCESS, connect, depth, describe, topology_of
from worker.processes.heartbeat import STOP_SECONDS, Heartbeat
from worker.service.process_log import PERIOD_SECONDS, Summary
from worker.settings import Settings
from worker.store import schema
from worker.store.database import Database

logger = logging.getLogger(__name__)

RECONNECT_SECONDS = 2.0  # pause before a process reconnects
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class UnroutableError(Exception):
    """The broker has no queue for a message."""


TRANSIENT_ERRORS = (OperationalError, DBAPIError, OSError, UnroutableError)
CLIENT_LIBRARIES = frozenset({"amqp", "kombu", "psycopg", "pgmq"})
"""Errors after which a process reconnects, and libraries whose errors all have that effect."""


class BrokerProcess:
    """A process that works until SIGTERM or SIGINT."""

    def __init__(self, name: str, settings: Settings) -> None:
        self._name = name
        self._settings = settings
        self._topology = topology_of(settings)
        self._database = Database(settings.require_database_url())
        self._heartbeat = Heartbeat(settings.heartbeat_directory, name)
        self._summary = Summary(name)
        self._stopping = threading.Event()
        self._is_working = False
        self._has_ended = threading.Event()

    def run_until_signalled(self) -> None:
        """Work until SIGTERM or SIGINT; raise the errors of `schema.require_current`."""
        signals, wakeup = socketpair()
        wakeup.setblocking(False)
        previous_fd = signal.set_wakeup_fd(wakeup.fileno())
        for number in STOP_SIGNALS:
            signal.signal(number, lambda *_: self._stopping.set())
        threading.Thread(target=self._end_if_stuck, args=(signals,), daemon=True).start()
        try:
            schema.require_current(self._database)
            self._work_until_stopping()
        finally:
            self._has_ended.set()
            signal.set_wakeup_fd(previous_fd)
            wakeup.close()
        self._summary.log()
        tracing.stop()
        self._database.dispose()
        self._heartbeat.remove()

    def _work_until_stopping(self) -> None:
        last_problem, last_logged = "", 0.0
        while not self._stopping.is_set():
            try:
                with connect(self._settings) as connection:
                    self._topology.declare(connection)
                    if last_problem:
                        logger.info("%s is connected again", self._name)
                    self._is_working, last_problem = True, ""
                    self.work(connection)
            except Exception as error:
                is_client_error = type(error).__module__.split(".")[0] in CLIENT_LIBRARIES
                if not is_client_error and not isinstance(error, TRANSIENT_ERRORS):
                    raise
                # The interruption does not belong to a single message.
                logs.unbind_all()
                problem = _describe(error)
                if problem != last_problem or time.monotonic() - last_logged >= PERIOD_SECONDS:
                    logger.warning("%s interrupted, reconnecting: %s", self._name, problem)
                    logger.debug("interruption", exc_info=True)
                    last_problem, last_logged = problem, time.monotonic()
                self._is_working = False
                self._stopping.wait(RECONNECT_SECONDS)

    def _end_if_stuck(self, signals: socket) -> None:
        """End the process after a signal if the main thread, blocked in libpq, does not react."""
        with signals:
            # The main thread closes the other end of the socket pair when it ends.
            while (received := signals.recv(1)) and received[0] not in STOP_SIGNALS:
                pass
        seconds = STOP_SECONDS if self._is_working else 1
        if not received or self._has_ended.wait(seconds):
            return
        logger.warning("%s exits without waiting any longer for a server", self._name)
        self._heartbeat.remove()
        os._exit(0)

    def work(self, connection: Connection) -> None:
        """Work on a connection until `_stopping` is set, or an error is raised."""
        raise NotImplementedError

    def _confirm_ability(self, connection: Connection) -> None:
        """If the heartbeat is due, test the broker and update it; the database has responded."""
        if self._heartbeat.is_due:
            with connection.channel() as channel:
                depth(channel, self._topology.pages)
            self._heartbeat.confirm("had no work; broker and database responded")


def _describe(error: Exception) -> str:
    """Return why a process was interrupted and, if a server does not respond, what to check."""
    if not is_lost_connection(error) and not isinstance(error, (TimeoutError, *REFUSED_ACCESS)):
        return cause(error)
    if isinstance(error, DBAPIError):
        return str(schema.DatabaseUnreachableError(error))
    return describe(error)

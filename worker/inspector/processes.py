"""Liveness of a deployment's processes, as far as it is visible from this host."""

from dataclasses import dataclass

from worker.messaging.broker import QueueState, topology_of
from worker.messaging.task_names import STAGES
from worker.processes.heartbeat import Heartbeat
from worker.settings import Settings

PROCESSES = ("intake", "relay", "worker", "beat")


@dataclass(frozen=True)
class Process:
    """A kind of process.

    The number of consumers of its queues is None if the broker does not report it. The age of the
    latest heartbeat on this host is None if there is none. ``is_alive`` is None if this host cannot
    tell.
    """

    name: str
    consumers: int | None
    beat_seconds: float | None
    is_alive: bool | None


def processes(settings: Settings, queues: dict[str, QueueState]) -> list[Process]:
    """Return the processes and their liveness, judging by queue consumers and local heartbeats.

    `queues` is empty if the broker does not respond.
    """
    topology = topology_of(settings)
    taken = {
        "intake": [topology.pages],
        "worker": [topology.task_queue(stage) for stage in STAGES],
    }
    found = []
    for name in PROCESSES:
        heartbeat = Heartbeat(settings.heartbeat_directory, name)
        counts = [queues[queue].consumers for queue in taken.get(name, []) if queue in queues]
        # The embedded broker of a local run does not report consumers.
        consumers = max(counts) if counts and settings.broker_is_amqp else None
        seconds = heartbeat.age_seconds()
        is_alive: bool | None = None
        if seconds is not None or consumers is not None:
            is_alive = heartbeat.is_alive() or bool(consumers)
        found.append(Process(name, consumers, seconds, is_alive))
    return found

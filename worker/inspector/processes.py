"""Which processes of a deployment are alive, as far as can be seen from here."""

from dataclasses import dataclass

from worker.messaging.broker import QueueState, topology_of
from worker.messaging.task_names import STAGES
from worker.processes.heartbeat import Heartbeat
from worker.settings import Settings

PROCESSES = ("intake", "relay", "worker", "beat")


@dataclass(frozen=True)
class Process:
    """A kind of process.

    Parameters
    ----------
    name
        Its name.
    consumers
        How many take from its queues; None where the broker does not tell.
    beat_seconds
        Age of its last sign of life on this host; None where it never was here.
    is_alive
        Whether one is alive; None where that is not seen from here.
    """

    name: str
    consumers: int | None
    beat_seconds: float | None
    is_alive: bool | None


def processes(settings: Settings, queues: dict[str, QueueState]) -> list[Process]:
    """Return the processes: by who takes from their queues, and by their files on this host.

    Parameters
    ----------
    settings
        Of the deployment.
    queues
        What is in each queue, by name; none where the broker does not answer.
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
        # The broker of a run knows of no consumers.
        consumers = max(counts) if counts and settings.broker_is_amqp else None
        seconds = heartbeat.age_seconds()
        is_alive: bool | None = None
        if seconds is not None or consumers is not None:
            is_alive = heartbeat.is_alive() or bool(consumers)
        found.append(Process(name, consumers, seconds, is_alive))
    return found

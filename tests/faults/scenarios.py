"""Faults, each produced while pages are on their way through the service."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.faults.proving_ground import Balance, ProvingGround, balance
from tests.pages import article_html, message
from worker.application import create_app
from worker.tasks.names import STAGE_OF_TASK

Fault = Callable[[ProvingGround], None]
"""Called while pages come in; what it stops it starts again."""


def kill_pool_children(ground: ProvingGround) -> None:
    """Kill a process of the worker's pool with -9, every half second, whatever it is at."""
    for place in range(8):
        ground.kill_pool_child("worker-0", place)
        time.sleep(0.5)


def kill_worker(ground: ProvingGround) -> None:
    """Kill the worker and its pool with -9, twice."""
    for _ in range(2):
        ground.kill("worker-0")
        ground.start("worker-0")
        time.sleep(4)


def terminate_worker(ground: ProvingGround) -> None:
    """Ask the worker to end, as a deployment of a new version does, and start it again."""
    ground.terminate("worker-0")
    ground.start("worker-0")


def kill_relay(ground: ProvingGround) -> None:
    """Kill the relay with -9, between publishing and marking as often as not."""
    for _ in range(4):
        ground.kill("relay-0")
        ground.start("relay-0")
        time.sleep(2.5)


def kill_intake(ground: ProvingGround) -> None:
    """Kill the intake with -9."""
    for _ in range(3):
        ground.kill("intake-0")
        ground.start("intake-0")
        time.sleep(3)


def kill_broker(ground: ProvingGround) -> None:
    """Kill RabbitMQ with -9 and start it again."""
    ground.servers.kill_broker()
    ground.servers.start_broker()


def stop_broker(ground: ProvingGround) -> None:
    """Stop RabbitMQ in good order and start it again."""
    ground.servers.stop_broker()
    ground.servers.start_broker()


def crash_postgresql(ground: ProvingGround) -> None:
    """Crash PostgreSQL, which cuts every transaction and recovers, three times."""
    for _ in range(3):
        ground.servers.crash_postgresql()
        time.sleep(2)


def repeat_every_task(ground: ProvingGround) -> None:
    """Send every task that can be asked for a hundred times in parallel, for pages and sites."""
    app = create_app(ground.settings)
    arguments = {"detourage.extract": {"page_id": 1, "generation": 1}}
    arguments["detourage.assign"] = {"page_id": 1, "site_version": 1}
    arguments["detourage.cluster"] = {"site_id": 1}
    arguments["detourage.compare"] = {"block_id": 1}
    arguments["detourage.cluster_due_sites"] = {}
    arguments["detourage.extract_late"] = {}
    for task in set(STAGE_OF_TASK) & set(arguments):
        for _ in range(100):
            app.send_task(task, kwargs=arguments[task])


def nothing(_ground: ProvingGround) -> None:
    """Let all be well, to compare with."""


FAULTS: Mapping[str, Fault] = {
    "none": nothing,
    "pool children killed": kill_pool_children,
    "worker killed": kill_worker,
    "worker terminated": terminate_worker,
    "relay killed": kill_relay,
    "intake killed": kill_intake,
    "broker killed": kill_broker,
    "broker stopped": stop_broker,
    "PostgreSQL crashed": crash_postgresql,
    "tasks repeated": repeat_every_task,
}


@dataclass(frozen=True)
class Trial:
    """What a fault did.

    Attributes
    ----------
    sent
        Messages published, repeats among them.
    pages
        Different pages among these.
    balance
        What became of them.
    recovery_seconds
        From the end of the fault, or of the publishing where that was later, to the last outcome.
    """

    sent: int
    pages: int
    balance: Balance
    recovery_seconds: float


def site_pages(host: str, number: int) -> dict[str, bytes]:
    """Return page messages of two templates of a site, by URL."""
    pages = {}
    for place in range(number):
        url = f"https://{host}/{place}"
        template = "plain" if place % 2 else "table"
        html = article_html(place, number=3 + place % 7, template=template)
        pages[url] = message(url, html, id=str(place))
    return pages


def try_fault(ground: ProvingGround, name: str, pages: int, *, copies: int = 2) -> Trial:
    """Publish pages of a site, each so many times, while a fault happens."""
    bodies = site_pages(f"{name.replace(' ', '-').lower()}.example", pages)
    # The same pages later once more: they are duplicates, told by their content.
    queue = [body for _ in range(copies) for body in bodies.values()]
    publisher = threading.Thread(target=ground.publish_persistently, args=[queue])
    publisher.start()
    time.sleep(1)
    FAULTS[name](ground)
    publisher.join()
    ended = time.monotonic()
    found = balance(ground, bodies)
    return Trial(len(queue), len(bodies), found, time.monotonic() - ended)


def poison(host: str, words: bytes) -> dict[str, bytes]:
    """Return a page of a site whose extraction harms its process, see `sabotage`."""
    url = f"https://{host}/poison"
    html = article_html(3).replace("Note 3-0.", words.decode())
    return {url: json.dumps({"version": 1, "url": url, "html": html}).encode()}

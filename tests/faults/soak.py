"""Kill processes at random for some minutes while pages arrive, and record the results.

python -m tests.faults.soak [MINUTES] [SEED]
"""

import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import click
import psutil

from tests.faults.documents import FAULTS as DOCUMENT
from tests.faults.documents import replace_section, table
from tests.faults.memory import COLUMNS, MemoryLog
from tests.faults.proving_ground import Balance, ProvingGround, Servers, balance
from tests.faults.scenarios import at_rest, site_pages

DEFAULT_MINUTES = 10.0
SITES = tuple(f"soak-{name}.example" for name in ("ash", "birch", "cedar", "elm", "fir"))
PAGE_EVERY_SECONDS = 0.3
REPEATED, CHANGED = 0.1, 0.1
"""Share of messages that repeat an earlier page unchanged, and share of messages that repeat one
with a different text."""

PATIENCE_SECONDS = 600.0
"""Maximum wait for the last page, in seconds. It is long because the machine may be busy."""

KILL_EVERY_SECONDS = (2.0, 6.0)
MEASURE_EVERY_SECONDS = 5.0
COUNTS = {"intake": 2, "relay": 2, "worker": 2, "beat": 2}
"""Number of processes of each kind. One of them is repeatedly killed; the other is spared, so that
its memory can be measured."""

SPARED = ("intake-1", "relay-1", "worker-1", "beat-1")

Rule = Callable[[ProvingGround], object]


def restart(name: str) -> Rule:
    """Return a rule that kills a process with -9 and starts it again."""

    def act(ground: ProvingGround) -> None:
        ground.kill(name)
        ground.start(name)

    return act


def terminate_worker(ground: ProvingGround) -> None:
    """Terminate a worker and start it again."""
    ground.terminate("worker-0")
    ground.start("worker-0")


def restart_broker(ground: ProvingGround) -> None:
    """Kill RabbitMQ with -9 and start it again."""
    ground.servers.kill_broker()
    ground.servers.start_broker()


KILLS: Mapping[str, tuple[float, Rule]] = {
    "pool child": (8, lambda ground: ground.kill_pool_child("worker-0", 0)),
    "worker": (3, restart("worker-0")),
    "worker, gracefully": (1, terminate_worker),
    "relay": (3, restart("relay-0")),
    "intake": (3, restart("intake-0")),
    "beat": (1, restart("beat-0")),
    "PostgreSQL": (1, lambda ground: ground.servers.crash_postgresql()),
    "broker": (0.5, restart_broker),
}
"""Relative frequency of each kind of kill, with the function that performs it."""


@dataclass
class Soak:
    """A soak test of the given duration, with a seed for all random choices."""

    ground: ProvingGround
    seconds: float
    seed: int
    urls: set[str] = field(default_factory=set)
    messages: int = 0
    kills: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.memory = MemoryLog(self.ground.servers)

    def run(self) -> Balance:
        """Run the test and return the final state of the pages."""
        threads = [threading.Thread(target=act) for act in (self._publish, self._measure)]
        self._ends = time.monotonic() + self.seconds
        for thread in threads:
            thread.start()
        self._kill()
        for thread in threads:
            thread.join()
        return balance(self.ground, self.urls)

    def _publish(self) -> None:
        chance = random.Random(f"pages {self.seed}")
        sent: list[tuple[str, int, int]] = []
        while time.monotonic() < self._ends:
            draw = chance.random()
            if sent and draw < REPEATED + CHANGED:
                host, place, seed = chance.choice(sent)
                seed += 1000 * (draw < CHANGED)
            else:
                host, place, seed = chance.choice(SITES), len(sent), 0
            sent.append((host, place, seed))
            pages = site_pages(host, 1, first=place, seed=seed)
            self.ground.publish_persistently(pages.values())
            self.urls |= set(pages)
            self.messages += 1
            time.sleep(PAGE_EVERY_SECONDS)

    def _kill(self) -> None:
        chance = random.Random(f"kills {self.seed}")
        names = list(KILLS)
        weights = [weight for weight, _ in KILLS.values()]
        while time.monotonic() < self._ends:
            time.sleep(chance.uniform(*KILL_EVERY_SECONDS))
            (name,) = chance.choices(names, weights)
            _, act = KILLS[name]
            act(self.ground)
            self.kills[name] += 1
            self.ground.check()

    def _measure(self) -> None:
        while time.monotonic() < self._ends:
            with suppress(psutil.Error):
                self.memory.note([(name, self.ground.process(name)) for name in SPARED])
            # The broker may be unavailable.
            with suppress(Exception):
                self.ground.record_articles()
            time.sleep(MEASURE_EVERY_SECONDS)


def main(minutes: float, seed: int) -> int:
    """Run the test and write its section; return how much was lost, doubled or not done again."""
    home = Path(tempfile.mkdtemp(prefix="detourage-soak-"))
    # The sites never settle, as in a continuous crawl.
    with (
        Servers(home) as servers,
        ProvingGround(servers, home, COUNTS, settle_seconds=10) as ground,
    ):
        ground.patience_seconds = PATIENCE_SECONDS
        soak = Soak(ground, 60 * minutes, seed)
        found = soak.run()
        quarantined = len(ground.quarantined())
        left = at_rest(ground)
    kills = ", ".join(f"{name} {number}" for name, number in sorted(soak.kills.items()))
    outcomes = ", ".join(f"{outcome} {number}" for outcome, number in found.outcomes.items())
    lines = [
        f"A run of {minutes:g} minutes with {soak.messages} messages of {len(soak.urls)} pages of"
        f" {len(SITES)} sites,",
        "and with two processes of each kind. A tenth of the messages repeat a page, and another"
        " tenth send a page with a different text.",
        f"Every {KILL_EVERY_SECONDS[0]:g} to {KILL_EVERY_SECONDS[1]:g} seconds, a random process"
        f" was killed (seed {seed}):",
        f"{kills}.",
        "",
        f"Outcomes: {outcomes}. Lost: {len(found.lost)}. Doubled: {len(found.doubled)}."
        f" Reordered: {found.reordered}. Repeats: {found.repeats}. In quarantine: {quarantined}."
        f" Not done again: {', '.join(sorted(left)) or 'nothing'}.",
        "",
        "The table shows the memory of each process that was not killed, and of each server with",
        "all its processes, at several times after the start. Memory shared by several processes",
        "is divided among them:",
        "",
        *table(COLUMNS, soak.memory.by_age()),
    ]
    click.echo("\n".join(lines))
    replace_section(DOCUMENT, "Kills at random", lines)
    return found.wrong + len(left)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    sys.exit(
        min(
            1,
            main(
                float(arguments[0]) if arguments else DEFAULT_MINUTES,
                int(arguments[1]) if len(arguments) > 1 else 1,
            ),
        )
    )

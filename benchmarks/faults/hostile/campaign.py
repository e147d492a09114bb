"""A campaign of hostile messages, interspersed with good pages."""

import hashlib
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Self
from urllib.parse import urlsplit

import amqp
import psutil
from sqlalchemy import func, make_url, select

from benchmarks.faults.hostile import bodies, crowds, envelopes, pages
from benchmarks.faults.hostile.measured.sitecustomize import FILE_VARIABLE
from benchmarks.faults.hostile.sent import FORGED_LINE, Draw, Kind, PackedMessage, Sent
from benchmarks.faults.hostile.waits import Consumer, GoodPage, Phase, good_pages
from models.tables import OutboxEntry, Receipt, StoredPage
from tests.conditions import is_pending, parts_are_due
from tests.deployment import Deployment, peak_bytes, process_environment
from tests.faults.proving_ground import Servers
from tests.faults.scenarios import site_pages
from worker.messaging.broker import connect, depth
from worker.processes.supervisor import Supervisor
from worker.service.quarantine import QuarantinedMessage
from worker.settings import Settings

GOOD_SITES = tuple(f"good-{name}.example" for name in ("ash", "birch", "cedar", "elm", "fir"))
GOOD_PAGES = 40  # number of pages per good site; some hostile pages claim to belong to these sites

GOOD_PAGES_PER_PHASE = 200
"""Number of good pages sent in each phase: first without the crowds, then alongside them."""

PHASE_SECONDS = 360.0  # duration of each phase in which good pages are sent, in seconds

MAX_WAIT_SECONDS = 1800.0  # time limit for all work to be done
QUIET_SECONDS = 8.0
"""Seconds without work after which a phase ends; more than a site waits for its clustering."""

MAX_MEMORY_BYTES = 1 << 30  # limit for each process of the service
MAX_ITEM_SECONDS = 10.0  # maximum CPU time of a single work item, in seconds

MAX_WAIT_RATIO = 2.0
"""Maximum waiting time of good pages in an attack, as a multiple of that without an attack."""

SITE_PREFIXES = "calm", "beside"
"""Prefixes of the names of the sites whose good pages are sent without the crowds and alongside
them, respectively."""

MEASURED = Path(__file__).parent / "measured"  # folder of the module that records CPU times

BROKER_PASSWORD = "Br0ker-s3cret"  # no log may contain this password or the next two
DATABASE_PASSWORD = "D4tabase-s3cret"
PAGE_PASSWORD = "s3cr3t"  # part of the URLs of some pages

# Control characters, including those that change the direction of text, except tab and newline.
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_TRACEBACK_START = "Traceback (most recent call last)"

REFUSED = "refused by the broker"

_REFUSALS = (OSError, amqp.AMQPError, amqp.exceptions.MessageNacked)
"""Errors that the AMQP library raises if the broker refuses a message. The broker's error quotes a
part of the message, and decoding that part may fail, too."""


@dataclass(frozen=True)
class Planned:
    """A message to be published."""

    kind: Kind | None
    draw: Draw
    good: bytes = b""

    def make(self) -> Sent:
        """Create the message; this is done as late as possible to save memory."""
        if self.kind is None:
            return self.draw.send(self.good, is_sound=True)
        return self.kind.make(self.draw)


@dataclass
class Published:
    """A published message, reduced to the data that identify it later."""

    kind: Kind | None
    url: str
    message_id: str
    digest: bytes
    is_sound: bool
    is_refused: bool
    sent_at: float


@dataclass
class Report:
    """Outcome of a campaign.

    `results` counts the messages of each kind by result. `memory` is the peak memory of each
    process, in bytes. `slowest` has, for each kind of work item, the number of items and the
    maximum CPU time of one, in seconds. `load` is the machine's load average over the preceding
    minute. `problems` describes violations.
    """

    results: dict[Kind, Counter[str]] = field(default_factory=dict)
    good: Counter[str] = field(default_factory=Counter)
    memory: dict[str, int] = field(default_factory=dict)
    slowest: dict[str, tuple[int, float]] = field(default_factory=dict)
    phases: list[Phase] = field(default_factory=list)
    load: float = field(default_factory=lambda: os.getloadavg()[0])
    problems: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def messages(self) -> int:
        """Number of hostile messages."""
        return sum(results.total() for results in self.results.values())


class WatchedDeployment(Deployment):
    """A deployment whose processes must not exit, and whose memory is monitored."""

    def __init__(self, settings: Settings, logs: Path) -> None:
        super().__init__(settings, logs)
        # A child of the preloaded supervisor would not import `sitecustomize`.
        self._supervisor = Supervisor()
        self.patience_seconds = MAX_WAIT_SECONDS
        self.cpu_file = logs / "cpu"
        self.environment |= {
            "PYTHONPATH": os.pathsep.join(map(str, (MEASURED, MEASURED.parents[3]))),
            FILE_VARIABLE: str(self.cpu_file),
        }
        self.memory: dict[str, int] = {}
        self.pool: set[int] = set()
        self._stop = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        super().__enter__()
        self._watcher.start()
        return self

    def __exit__(self, *error: Any) -> None:
        self._stop.set()
        self._watcher.join()
        super().__exit__(*error)

    def _watch(self) -> None:
        """Record the peak memory of all processes, and the process IDs of the worker's pool."""
        while not self._stop.wait(0.5):
            for name, pid in self._pids.items():
                self._record_peak(name, pid)
                with suppress(psutil.Error):
                    for child in psutil.Process(pid).children():
                        self._record_peak(f"{name}, a process of its pool", child.pid)
                        if name == "worker":
                            self.pool.add(child.pid)

    def _record_peak(self, name: str, pid: int) -> None:
        with suppress(OSError, IndexError, ValueError):
            self.memory[name] = max(peak_bytes(pid), self.memory.get(name, 0))

    def send(self, planned: Sequence[Planned], *, seconds: float = 0) -> Iterator[Published]:
        """Publish messages one by one, spread evenly over a period; yield each when published."""
        started = time.monotonic()
        connection = self.amqp()
        connection.connect()
        channel = connection.channel()
        for position, each in enumerate(planned):
            sent = each.make()
            is_refused = False
            time.sleep(max(0, started + seconds * position / len(planned) - time.monotonic()))
            sent_at = time.monotonic()
            try:
                channel.basic_publish(
                    PackedMessage(sent), exchange="", routing_key=self.topology.pages
                )
            except (*_REFUSALS, UnicodeDecodeError):
                is_refused = True
                # A clean shutdown would wait forever: the broker has dropped the
                # connection.
                connection.collect()
                connection = self.amqp()
                connection.connect()
                channel = connection.channel()
            draw = each.draw
            yield Published(
                each.kind,
                draw.url,
                draw.message_id,
                hashlib.sha256(sent.body).digest(),
                sent.is_sound,
                is_refused,
                sent_at,
            )
        connection.close()

    def is_idle(self) -> bool:
        """Return whether no work is pending."""
        waiting = (
            select(func.count()).select_from(StoredPage).where(is_pending()),
            select(func.count()).select_from(OutboxEntry),
            select(func.count()).where(parts_are_due()),
        )
        if any(map(self.count, waiting)):
            return False
        queues = set(self.topology.work_queues) - {self.topology.articles_queue}
        with connect(self.settings) as connection, connection.channel() as channel:
            return not any(depth(channel, queue) for queue in queues)

    def wait_until_quiet(self) -> None:
        """Wait until no work has been pending for a while."""
        since = time.monotonic()

        def is_quiet() -> bool:
            nonlocal since
            time.sleep(0.5)
            if not self.is_idle():
                since = time.monotonic()
            return time.monotonic() - since > QUIET_SECONDS

        self.wait_until(is_quiet)

    def recorded_items(self) -> list[tuple[str, float]]:
        """Return the recorded work items, with their durations in seconds."""
        if not self.cpu_file.exists():
            return []
        lines = (line.rpartition(" ") for line in self.cpu_file.read_text().splitlines())
        return [(work, float(seconds)) for work, _, seconds in lines]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a `detourage` command as an operator would."""
        return subprocess.run(
            [sys.executable, "-m", "worker.cli", *arguments],
            env=process_environment(self.settings),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            text=True,
            errors="surrogateescape",
        )


def kinds() -> list[Kind]:
    """Return all kinds of messages that are hostile individually."""
    return [*envelopes.kinds(), *bodies.kinds(), *pages.kinds()]


def message_count(kind: Kind, share: float) -> int:
    """Return how many messages of a kind are sent."""
    return max(1, round(share * kind.copies))


def plan(seed: int, share: float) -> list[Planned]:
    """Return the messages of a campaign, or a share of them, shuffled."""
    planned = []
    for kind in kinds():
        for number in range(message_count(kind, share)):
            site = GOOD_SITES[number // 2 % len(GOOD_SITES)]
            host = site if number % 2 else f"{kind.slug}.example"
            name = f"{kind.slug}-{number}"
            draw = Draw(number, f"https://{host}/{name}", name, Random(f"{seed} {name}"))
            planned.append(Planned(kind, draw))
    planned += map(_plan_good_page, _pages_of_good_sites())
    Random(seed).shuffle(planned)
    return planned


def plan_crowds(seed: int, share: float, good: Sequence[GoodPage]) -> list[Planned]:
    """Return the messages of an attack by crowds: each kind in order, all kinds interleaved.

    Some of the messages falsely declare the URLs of the given good pages.
    """
    timed = []
    for kind in crowds.kinds(good):
        copies = message_count(kind, share)
        for number in range(copies):
            name = f"{kind.slug}-{number}"
            url = f"https://{kind.slug}.example/{name}"
            draw = Draw(number, url, name, Random(f"{seed} {name}"))
            timed.append(((number + 0.5) / copies, Planned(kind, draw)))
    return [each for _, each in sorted(timed, key=lambda pair: pair[0])]


def _plan_good_page(good: GoodPage) -> Planned:
    return Planned(None, Draw(0, good.url, good.message_id, Random(0)), good.body)


def _pages_of_good_sites() -> list[GoodPage]:
    """Return good pages of sites to which some hostile pages claim to belong."""
    found = []
    for host in GOOD_SITES:
        for url, body in site_pages(host, GOOD_PAGES).items():
            name = url.rpartition("/")[2]
            found.append(GoodPage(url, f"{host}-{name}", body, (f"Note {name}-1.",)))
    return found


def run(home: Path, *, seed: int, share: float) -> Report:
    """Run a campaign on its own deployment, with its logs in `home`, and check the results.

    With a share below 1, it has fewer messages of each kind, and shorter phases.
    """
    planned = plan(seed, share)
    calm, attacked = (
        good_pages(name, round(share * GOOD_PAGES_PER_PHASE), seed + place)
        for place, name in enumerate(SITE_PREFIXES)
    )
    report = Report()
    with (
        Servers(home) as servers,
        WatchedDeployment(_settings(servers, home), home) as deployment,
        Consumer(deployment) as consumer,
    ):
        started = time.monotonic()
        published = []
        for name, good, crowd in (
            ("on their own", calm, []),
            ("alongside the crowds", attacked, plan_crowds(seed, share, attacked)),
        ):
            phase = Phase(name, hostile=len(crowd), good=len(good))
            seconds = share * PHASE_SECONDS
            published += _send_phase(deployment, consumer, phase, good, crowd, seconds)
            report.phases.append(phase)
        published += deployment.send(planned)
        deployment.wait_until_quiet()
        report.seconds = time.monotonic() - started
        deployment.check()
        consumer.stop()
        _check_endings(report, deployment, published)
        good = [*calm, *attacked, *_pages_of_good_sites()]
        _check_articles(report, consumer.articles, good)
        _check_commands(report, deployment)
        deployment.check()
        report.memory = dict(deployment.memory)
        _check_limits(report, deployment)
    _check_logs(report, home)
    return report


def _send_phase(
    deployment: WatchedDeployment,
    consumer: Consumer,
    phase: Phase,
    good: Sequence[GoodPage],
    crowd: Sequence[Planned],
    seconds: float,
) -> list[Published]:
    """Send good pages and a crowd concurrently, wait for all work, and record the times."""
    started = time.monotonic()
    published: list[Published] = []
    attack = threading.Thread(
        target=lambda: published.extend(deployment.send(crowd, seconds=seconds))
    )
    attack.start()
    sent = list(deployment.send([*map(_plan_good_page, good)], seconds=seconds))
    attack.join()
    phase.sending_seconds = time.monotonic() - started
    deployment.wait_until_quiet()
    phase.seconds = time.monotonic() - started - QUIET_SECONDS
    came_at = consumer.came_at
    phase.compute_waits(
        [
            (urlsplit(each.url).netloc, each.sent_at, came_at[each.url])
            for each in sent
            if each.url in came_at
        ]
    )
    return published + sent


def _settings(servers: Servers, home: Path) -> Settings:
    """Create a broker user, and return settings whose passwords can be recognised in logs."""
    control = servers.control_broker
    control("add_user", "crawler", BROKER_PASSWORD)
    control("set_permissions", "crawler", ".*", ".*", ".*")
    return Settings.model_validate(
        {
            "database_url": make_url(servers.database_url)
            .set(password=DATABASE_PASSWORD)
            .render_as_string(hide_password=False),
            "broker_url": servers.broker_url.replace("guest:guest", f"crawler:{BROKER_PASSWORD}"),
            "queue_prefix": "hostile.",
            "settle_seconds": 3,
            "heartbeat_directory": home / "heartbeats",
        }
    )


def _check_endings(report: Report, deployment: Deployment, published: list[Published]) -> None:
    """Record how each message ended, and report those that should have ended otherwise."""
    with deployment.database.transaction() as session:
        receipts = session.execute(
            select(Receipt.message_id, Receipt.result, Receipt.reason, Receipt.page_id)
        ).all()
        stored = {
            row.id: row
            for row in session.execute(select(StoredPage.id, StoredPage.url, StoredPage.outcome))
        }
    quarantined = deployment.quarantined()
    endings = _Endings(receipts, stored, quarantined)
    for each in published:
        ending = REFUSED if each.is_refused else endings.of(each)
        results = (
            report.good if each.kind is None else report.results.setdefault(each.kind, Counter())
        )
        results[ending] += 1
        name = each.kind.name if each.kind else "good page"
        if " and " in ending or ending in ("lost", "pending"):
            report.problems.append(f"{name}: {each.message_id} is {ending}")
        elif each.is_sound and ending not in ("article", "quarantine: expired", REFUSED):
            report.problems.append(f"{name}: the sound page {each.url} ended as {ending}")
    sent = sum(not each.is_refused for each in published)
    expired = sum(each.reason == "expired" for each in quarantined)
    if len(receipts) + expired != sent:
        report.problems.append(f"{sent} messages, {len(receipts)} receipts and {expired} expired")
    reported = sum(receipt.result == "quarantined" for receipt in receipts) + expired
    found = sum(each.stage == "intake" for each in quarantined)
    if reported != found:
        report.problems.append(f"{reported} messages were quarantined, {found} are in quarantine")
    for kept in quarantined:
        if kept.reason in ("", "unknown", "delivery_limit"):
            report.problems.append(
                f"in quarantine without a reason: {kept.stage} {kept.message_id}"
            )
        if kept.stage != "intake":
            report.problems.append(f"in quarantine: {kept.stage} {kept.reason} {kept.detail[:300]}")


class _Endings:
    """How each message ended, by message ID or, without one, by page URL or body."""

    def __init__(
        self,
        receipts: Iterable[Any],
        stored: Mapping[int, Any],
        quarantined: Iterable[QuarantinedMessage],
    ) -> None:
        self._by_id: dict[str, list[str]] = {}
        self._by_url: dict[str, list[str]] = {}
        self._by_digest: dict[bytes, list[str]] = {}
        with_receipt = set()
        for receipt in receipts:
            page = stored.get(receipt.page_id)
            ending = (
                f"quarantine: {receipt.reason}"
                if page is None
                else page.outcome or "pending"
                if receipt.result in ("accepted", "updated")
                else receipt.result
            )
            self._by_id.setdefault(receipt.message_id, []).append(ending)
            with_receipt.add(receipt.message_id)
            if page is not None:
                self._by_url.setdefault(page.url, []).append(ending)
        for each in quarantined:
            ending = f"quarantine: {each.reason}"
            digest = hashlib.sha256(each.body).digest()
            self._by_digest.setdefault(digest, []).append(ending)
            if each.message_id not in with_receipt and each.message_id:
                self._by_id.setdefault(each.message_id, []).append(ending)

    def of(self, message: Published) -> str:
        """Return how a message ended; if it ended in several ways, these are joined by "and"."""
        found = (
            self._by_id.get(message.message_id)
            or self._by_url.get(message.url)
            or self._by_digest.get(message.digest)
            or ["lost"]
        )
        return " and ".join(found)


def _check_articles(
    report: Report, articles: Sequence[Mapping[str, Any]], good: Iterable[GoodPage]
) -> None:
    """Report articles that were delivered twice, and good pages without their article."""
    times = Counter(article["id"] for article in articles)
    report.problems += [
        f"article {one} was delivered {n} times" for one, n in times.items() if n > 1
    ]
    revisions = Counter((each["site"], each["url"], each["revision"]) for each in articles)
    report.problems += [
        f"{one} was delivered with {n} IDs" for one, n in revisions.items() if n > 1
    ]
    last = {article["url"]: article for article in articles}
    for page in good:
        if page.url not in last:
            report.problems.append(f"{page.url} gave no article")
        elif not page.is_in(last[page.url]["text"]):
            report.problems.append(f"the article of {page.url} lacks its text")
    if any(PAGE_PASSWORD in article["url"] for article in articles):
        report.problems.append("a password in a URL was published")


def _check_commands(report: Report, deployment: WatchedDeployment) -> None:
    """Record problems with the output of an operator's commands."""
    drop_command = ("quarantine", "drop", "--yes")
    for arguments in (
        *(("status",), ("status", "--json"), ("quarantine", "list"), ("quarantine", "show")),
        *(("health", "--all"), ("status", "--help"), drop_command, ("quarantine", "list")),
    ):
        result = deployment.run(*arguments)
        words = " ".join(arguments)
        if result.returncode:
            report.problems.append(f"{words} exits {result.returncode}: {result.stderr[-300:]}")
        for output in (result.stdout, result.stderr):
            # Elsewhere in a line, the words of a traceback belong to a value, such as a task's
            # stored failure.
            if any(line.startswith(_TRACEBACK_START) for line in output.splitlines()):
                report.problems.append(f"{words} prints a traceback")
            if found := _CONTROL_CHARACTERS.search(output):
                report.problems.append(f"{words} prints {found[0]!r}")
            if any(line.startswith(FORGED_LINE) for line in output.splitlines()):
                report.problems.append(f"{words} prints a forged line")
    if left := deployment.quarantined():
        report.problems.append(f"{len(left)} messages are left in quarantine after drop")


def _check_limits(report: Report, deployment: WatchedDeployment) -> None:
    """Report processes and work items that exceeded a limit, and good pages that waited long."""
    for name, peak in deployment.memory.items():
        if peak > MAX_MEMORY_BYTES:
            report.problems.append(f"{name} used {peak >> 20} MiB")
    if len(deployment.pool) > 2:
        report.problems.append(f"{len(deployment.pool) - 2} processes of the pool died")
    seconds_by_work: dict[str, list[float]] = {}
    for work, seconds in deployment.recorded_items():
        seconds_by_work.setdefault(work, []).append(seconds)
    if not seconds_by_work:
        report.problems.append("no CPU time was recorded")
    for work, each in seconds_by_work.items():
        report.slowest[work] = len(each), max(each)
        slow = sum(seconds > MAX_ITEM_SECONDS for seconds in each)
        if slow:
            report.problems.append(f"{work} took longer than {MAX_ITEM_SECONDS:g} s {slow} times")
    calm, attacked = report.phases
    for sites, calm_waits in calm.spreads.items():
        waits = zip(
            ("median", "95th percentile"), calm_waits, attacked.spreads[sites], strict=False
        )
        for name, calm_seconds, attacked_seconds in waits:
            if attacked_seconds > MAX_WAIT_RATIO * calm_seconds:
                report.problems.append(
                    f"good pages of {sites} wait {attacked_seconds:.1f} s alongside crowds,"
                    f" {calm_seconds:.1f} s alone: {name}"
                )


def _check_logs(report: Report, home: Path) -> None:
    """Report passwords, forged lines, control characters and tracebacks in the service's logs."""
    for log in sorted(home.glob("*.log")):
        if log.name.startswith("broker"):
            continue
        text = log.read_text(errors="surrogateescape")
        for secret in (BROKER_PASSWORD, DATABASE_PASSWORD, PAGE_PASSWORD):
            if secret in text:
                report.problems.append(f"{log.name} contains the password {secret}")
        for line in text.splitlines():
            if line.lstrip().startswith(FORGED_LINE):
                report.problems.append(f"{log.name} contains a forged line: {line[:200]!r}")
            if _CONTROL_CHARACTERS.search(line):
                report.problems.append(f"{log.name} contains control characters: {line[:200]!r}")
        if traces := text.count(_TRACEBACK_START):
            report.problems.append(f"{log.name} contains {traces} tracebacks")

"""Faults that are injected while the service processes pages."""

import random
import re
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import psutil
from sqlalchemy import func, select, text

from models.tables import Article, Generation, Site, StoredPage
from tests.deployment import remove_queues
from tests.faults.proving_ground import (
    Clock,
    DeliveryReport,
    ProvingGround,
    Victim,
    compare_sent_and_received,
)
from tests.faults.sabotage.sitecustomize import (
    BURNS,
    BURNS_NATIVELY,
    HANGS,
    HANGS_NATIVELY,
    HARMFUL_ELEMENT,
    KILLS,
)
from tests.integration.service import crawl
from tests.pages import article_html, message
from worker.messaging.task_names import REPROCESS, STAGE_OF_TASK, ReprocessStage
from worker.service.celery_application import create_app

OF_EACH_KIND = 100  # number of unusable messages of each kind

PAGES_AFTERWARDS = 6
MAX_RESUMPTION_SECONDS = 180.0
"""Maximum time after a fault until every process works again, on `PAGES_AFTERWARDS` pages of a new
site. The time is long because the machine may be busy."""

KILLS_AT_RANDOM = 100
RANDOM_VICTIMS = {
    "pool child": 8,
    "worker-0": 3,
    "relay-0": 3,
    "intake-0": 3,
    "beat-0": 1,
    "PostgreSQL": 1,
    "broker": 0.5,
}
"""Victims of random kills, with the relative frequency of each."""

HOUR = 3600  # number of seconds by which clocks are changed
STOPPED_SECONDS = 60.0  # time for which processes are suspended

REVISIONS_FROM = "1000"
"""First revision number after a restore, higher than any number assigned before."""

PAGES_OF_FLOOD = 1000  # number of pages published together with the unusable messages

UNUSABLE = [
    *((body, reason) for reason, body in crawl.UNUSABLE.items() if reason != "oversized"),
    *((b"", "not-json"), (bytes(range(256)), "not-json")),
    (message("https://bad.example/two", "a", html_base64="YQ=="), "no-html"),
    (message("https://bad.example/64", html_base64="%"), "invalid-message"),
]
"""Unusable messages, each with the reason for which it is quarantined."""


@dataclass(frozen=True)
class Scene:
    """A site, and the deployment that processes its pages while a fault occurs.

    `pages` contains the published messages by URL; a fault may add pages. `seconds` contains the
    durations that a fault has measured, by description.
    """

    ground: ProvingGround
    host: str
    pages: dict[str, bytes] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def publish(self, pages: Mapping[str, bytes]) -> None:
        """Publish more pages of the site and include them in the final check."""
        self.pages.update(pages)
        self.ground.publish_persistently(pages.values())

    def revisions(self) -> dict[str, int]:
        """Return the revision of each page of the site, by URL."""
        return self.ground.revisions(self.host)

    def wait_for_revisions(self, number: int) -> None:
        """Wait until every page of the site has at least the given number of revisions."""
        self.ground.wait_until(
            lambda: (
                len(revisions := self.revisions()) == len(self.pages)
                and min(revisions.values()) >= number
            )
        )

    def reprocess(self, stage: ReprocessStage) -> None:
        app = create_app(self.ground.settings)
        app.send_task(REPROCESS, kwargs={"site": self.host, "stage": stage})


Fault = Callable[[Scene], None]
"""Function that causes a fault while pages arrive, and restarts everything that it has stopped."""


def kill_pool_children(scene: Scene) -> None:
    """Kill a process of the worker's pool with -9 every half second, whatever its task."""
    for number in range(8):
        scene.ground.kill_pool_child("worker-0", number)
        time.sleep(0.5)


def kill(name: str, victims: str, *, times: int, pause_seconds: float) -> Fault:
    """Return a fault that kills a process and starts it again, several times."""

    def act(scene: Scene) -> None:
        for _ in range(times):
            scene.ground.kill(name)
            scene.ground.start(name)
            time.sleep(pause_seconds)

    act.__doc__ = f"Kill {victims} with -9, {times} times."
    return act


def terminate_worker(scene: Scene) -> None:
    """Terminate the worker gracefully, as when a new version is deployed, and restart it."""
    scene.ground.terminate("worker-0")
    scene.ground.start("worker-0")


def kill_relay_before_it_removes(scene: Scene) -> None:
    """Kill a relay that has published messages but not yet removed them from the outbox."""
    with scene.ground.trap("relay", "process"):
        pass


def kill_intake_before_it_commits(scene: Scene) -> None:
    """Kill the intake after it has written a page, but before it commits."""
    with scene.ground.trap("intake", "process"):
        scene.publish(site_pages(scene.host, 3, first=1000))


def kill_in_task(stage: str, victim: Victim) -> Fault:
    """Return a fault that kills a worker during a task of the given stage."""
    # A page passes these stages only after its first article, on a new version or on request.
    needs_revisions = stage in ("assign", "reprocess", "parse")

    def act(scene: Scene) -> None:
        if needs_revisions:
            scene.wait_for_revisions(1)
        with scene.ground.trap(stage, victim):
            if stage == "assign":
                scene.publish(site_pages(scene.host, len(scene.pages), seed=1000))
            elif stage in ("reprocess", "parse"):
                scene.reprocess("parse")
        if needs_revisions:
            scene.wait_for_revisions(2)

    victims = "the pool process" if victim == "process" else "the worker and its pool"
    act.__doc__ = f"Kill {victims} after `{stage}`, before it commits."
    return act


def restart_broker(*, is_killed: bool) -> Fault:
    """Return a fault that ends RabbitMQ and starts it again."""

    def act(scene: Scene) -> None:
        servers = scene.ground.servers
        end = servers.kill_broker if is_killed else servers.stop_broker
        end()
        servers.start_broker()

    act.__doc__ = (
        f"{'Kill RabbitMQ with -9' if is_killed else 'Stop RabbitMQ cleanly'} and restart it."
    )
    return act


def alarm(kind: str, setting: str, alarming: str, usual: str) -> Fault:
    """Return a fault that sets a limit of RabbitMQ to a value that makes it raise an alarm."""

    def act(scene: Scene) -> None:
        scene.ground.servers.control_broker(setting, alarming)
        time.sleep(8)
        scene.ground.servers.control_broker(setting, usual)

    act.__doc__ = f"Raise RabbitMQ's {kind} alarm, which blocks all publishers, for eight seconds."
    return act


def close_connections(scene: Scene) -> None:
    """Make RabbitMQ close every connection, three times."""
    for _ in range(3):
        scene.ground.servers.control_broker("close_all_connections", "closed by a test")
        time.sleep(2)


def fill_queue_of_pages(scene: Scene) -> None:
    """Limit the page queue to three messages, beyond which RabbitMQ rejects more, and fill it."""
    control = scene.ground.servers.control_broker
    pattern = f"^{re.escape(scene.ground.topology.pages)}$"
    control("set_policy", "bound", pattern, '{"max-length": 3}', "--apply-to", "queues")
    scene.ground.kill("intake-0")
    time.sleep(4)
    scene.ground.start("intake-0")
    scene.publish(site_pages(scene.host, 20, first=1000))
    control("clear_policy", "bound")


def crash_postgresql(scene: Scene) -> None:
    """Crash PostgreSQL three times; it aborts every transaction and recovers."""
    for _ in range(3):
        scene.ground.servers.crash_postgresql()
        time.sleep(2)


def restart_postgresql(scene: Scene) -> None:
    """Shut PostgreSQL down cleanly, and start it ten seconds later."""
    scene.ground.servers.stop_postgresql()
    time.sleep(10)
    scene.ground.servers.start_postgresql()


def repeat_every_page(scene: Scene) -> None:
    """Publish every page a hundred times from four threads."""
    _in_parallel([list(scene.pages.values()) * 25] * 4, scene.ground.publish)


def repeat_every_task(scene: Scene) -> None:
    """Send each task that clients may request, for pages and sites, a hundred times in parallel."""
    scene.wait_for_revisions(1)
    with scene.ground.database.transaction() as session:
        site_id = session.scalars(select(Site.id).where(Site.key == scene.host)).one()
        page_ids = session.scalars(select(StoredPage.id).where(StoredPage.site_id == site_id))
        page_id = page_ids.first()
    arguments: dict[str, dict[str, Any]] = {
        "detourage.extract": {"page_id": page_id, "generation": 1},
        "detourage.assign": {"page_id": page_id, "site_version": 1},
        "detourage.cluster": {"site_id": site_id},
        "detourage.compare": {"block_id": 1},
        "detourage.parse": {"page_id": page_id},
        "detourage.cluster_due_sites": {},
        "detourage.extract_late": {},
        "detourage.join_parts": {},
    }
    app = create_app(scene.ground.settings)
    for task in set(STAGE_OF_TASK) & set(arguments):
        for _ in range(100):
            app.send_task(task, kwargs=arguments[task])


def send_in_another_order(scene: Scene) -> None:
    """Publish the site's pages again under another site, shuffled, from three threads."""
    other_host = f"other-{scene.host}"
    pages = site_pages(other_host, len(scene.pages))
    bodies = list(pages.values())
    random.Random(7).shuffle(bodies)
    _in_parallel([bodies[start::3] for start in range(3)], scene.ground.publish_persistently)
    scene.wait_for_revisions(1)
    Scene(scene.ground, other_host, pages).wait_for_revisions(1)
    assert _stored_articles(scene.ground, scene.host) == _stored_articles(scene.ground, other_host)


def flood(scene: Scene) -> None:
    """Publish a thousand unusable messages of ten kinds among the pages."""
    before = _quarantine_reasons(scene.ground)
    scene.ground.publish_persistently([body for body, _ in UNUSABLE] * OF_EACH_KIND)
    expected = Counter(reason for _, reason in UNUSABLE * OF_EACH_KIND)
    scene.ground.wait_until(lambda: _quarantine_reasons(scene.ground) - before == expected)


def send_poison(sentence: bytes, effect: str) -> Fault:
    """Return a fault that publishes a page which harms the process that extracts it."""

    def act(scene: Scene) -> None:
        url = f"https://{scene.host}/poison"
        html = article_html(3).replace("Note 3-0.", sentence.decode())
        scene.publish({url: message(url, html)})

    act.__doc__ = f"Publish a page whose extraction {effect}."
    return act


def crash_every_clustering(scene: Scene) -> None:
    """Crash every process that groups the site's pages, then publish three more."""
    scene.ground.harm_clustering(scene.host)
    scene.wait_for_revisions(1)
    scene.publish(site_pages(scene.host, 3, first=1000))


def send_tree_that_crashes(scene: Scene) -> None:
    """Publish a page that crashes every process which compares its tree with others."""
    scene.publish(harmful_tree(scene.host))


def jump_clocks(seconds: int, *, only_postgresql: bool = False) -> Fault:
    """Return a fault that changes the clocks of all processes, or of PostgreSQL, during work."""

    def act(scene: Scene) -> None:
        servers = scene.ground.servers
        clock = Clock(servers.open_directory)

        def restart(**variables: str) -> None:
            if only_postgresql:
                servers.stop_postgresql()
                servers.start_postgresql(**variables)
            else:
                scene.ground.restart(**variables)

        restart(**clock.environment)
        _process_pages_while_clock_jumps(scene, clock, seconds)
        restart()

    clocks = "clock of PostgreSQL" if only_postgresql else "clocks of all processes of the service"
    act.__doc__ = f"Set the {clocks} one hour {'ahead' if seconds > 0 else 'back'}."
    return act


def _process_pages_while_clock_jumps(scene: Scene, clock: Clock, seconds: int) -> None:
    """Set the clock while new revisions of the pages arrive; check that every process works."""
    scene.wait_for_revisions(1)
    before = scene.ground.receipts()
    scene.publish(site_pages(scene.host, len(scene.pages), seed=1000))
    scene.ground.wait_until(lambda: scene.ground.receipts() > before)
    clock.set(seconds)
    scene.wait_for_revisions(2)
    unfinished = find_unfinished_work(scene.ground)
    assert not unfinished, f"no work is done while the clock is wrong by: {unfinished}"


def fill_disk_of_postgresql(scene: Scene) -> None:
    """Fill the disk that holds PostgreSQL's data while pages arrive; free it after 20 seconds."""
    servers = scene.ground.servers
    with servers.small_disk() as disk:
        scene.wait_for_revisions(1)
        disk.fill()
        pages = site_pages(scene.host, len(scene.pages), seed=1000)
        later_pages = site_pages(scene.host, len(scene.pages), first=1000)
        scene.publish({**pages, **later_pages})
        scene.ground.wait_until(disk.is_noticed_full)
        time.sleep(20)
        disk.free()
        if not servers.postgresql_processes():
            servers.start_postgresql()
        scene.ground.wait_until(
            lambda: scene.revisions().items() >= dict.fromkeys(pages, 2).items()
        )


def stop_for_a_minute(who: str) -> Fault:
    """Return a fault that suspends processes, as happens on a host that is short of memory."""
    description, processes_of = STOPPED[who]

    def act(scene: Scene) -> None:
        ground = scene.ground
        scene.wait_for_revisions(1)
        pages = site_pages(scene.host, len(scene.pages), seed=1000)
        publisher = threading.Thread(target=scene.publish, args=[pages])
        with ExitStack() as stack:
            for kind in ("intake", "worker"):
                stack.enter_context(ground.additional_process(kind))
            before = ground.receipts()
            publisher.start()
            ground.wait_until(lambda: ground.receipts() > before)
            processes = processes_of(ground)
            assert processes
            try:
                for process in processes:
                    process.suspend()
                time.sleep(STOPPED_SECONDS)
                if who not in ("PostgreSQL", "RabbitMQ"):
                    assert max(ground.revisions(scene.host).values()) == 2, (
                        "no other process continued the work"
                    )
            finally:
                for process in processes:
                    with suppress(psutil.NoSuchProcess):
                        process.resume()
            publisher.join()
            scene.wait_for_revisions(2)

    act.__doc__ = f"Stop {description} with SIGSTOP for a minute."
    return act


def _with_children(process: psutil.Process) -> list[psutil.Process]:
    return [process, *process.children(recursive=True)]


def _busiest_backend(ground: ProvingGround) -> list[psutil.Process]:
    """Return a PostgreSQL process that serves a client, preferably one in a transaction."""
    with ground.database.transaction() as session:
        return [psutil.Process(session.execute(text(_BUSIEST_BACKEND)).scalar_one())]


_BUSIEST_BACKEND = """
SELECT pid FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
ORDER BY state = 'idle', state_change DESC LIMIT 1
"""

STOPPED: Mapping[str, tuple[str, Callable[[ProvingGround], list[psutil.Process]]]] = {
    "intake": (
        "one of two intakes, with its pool,",
        lambda ground: _with_children(ground.process("intake-0")),
    ),
    "relay": ("one of two relays", lambda ground: [ground.process("relay-0")]),
    "worker": (
        "one of two workers, and not its pool,",
        lambda ground: [ground.process("worker-0")],
    ),
    "pool child": (
        "a process of the pool of one of two workers",
        lambda ground: ground.process("worker-0").children()[:1],
    ),
    "beat": ("one of two beats", lambda ground: [ground.process("beat-0")]),
    "PostgreSQL backend": (
        "a process of PostgreSQL that serves the service, one in a transaction if there is one,",
        _busiest_backend,
    ),
    "PostgreSQL": (
        "all processes of PostgreSQL",
        lambda ground: ground.servers.postgresql_processes(),
    ),
    "RabbitMQ": ("RabbitMQ", lambda ground: ground.servers.broker_processes()),
}
"""Processes that can be suspended for a minute, each with a description and a function that finds
it."""


def restore_backup(*, is_broker_lost: bool) -> Fault:
    """Return a fault in which the database is lost and restored according to the backup guide."""

    def act(scene: Scene) -> None:
        ground = scene.ground
        ground.wait_until(lambda: bool(scene.revisions()))
        dump = ground.servers.dump()
        new_pages = publish_much(scene)
        with ground.all_killed(DETOURAGE_REVISIONS_FROM=REVISIONS_FROM):
            ground.record_articles()
            if is_broker_lost:
                remove_queues(ground.settings)
            ground.servers.restore(dump)
        publish_again(scene, new_pages)
        ground.restart()

    broker = "and all RabbitMQ queues " if is_broker_lost else ""
    act.__doc__ = (
        f"Lose the database {broker}while pages arrive, restore a dump from before three"
        " revisions of each page, and continue."
    )
    return act


def publish_much(scene: Scene) -> int:
    """Publish three revisions of each page, then five new pages.

    Return the number of new pages once all of them have a revision.
    """
    for revision in (1, 2, 3):
        scene.wait_for_revisions(revision)
        scene.publish(site_pages(scene.host, len(scene.pages), seed=1000 * revision))
    new = site_pages(scene.host, 5, first=1000)
    scene.publish(new)
    scene.ground.wait_until(lambda: scene.revisions().keys() >= new.keys())
    return len(new)


def publish_again(scene: Scene, new_pages: int) -> None:
    """Publish all pages again, as a crawler does after a restore.

    Then check that the consumer and the database have the same latest texts.
    """
    ground = scene.ground
    # Wait until the queue exists, because the broker would drop messages before.
    ground.wait_until(lambda: ground.topology.pages in ground.servers.queues())
    # The crawler continues, and again fetches the pages that it has sent since the backup.
    scene.publish(site_pages(scene.host, len(scene.pages) - new_pages, seed=9000))
    scene.publish(site_pages(scene.host, new_pages, first=1000, seed=9000))
    compare_sent_and_received(ground, scene.pages)
    assert ground.latest_delivered_texts(scene.pages) == ground.stored_texts(scene.pages)


def kill_at_random(scene: Scene) -> None:
    """Kill a hundred random processes with -9, every few seconds, while pages arrive."""
    ground, rng = scene.ground, random.Random(1)
    for number in range(KILLS_AT_RANDOM):
        # Each set of five pages is published in two rounds, with different texts.
        first, seed = 1000 + 5 * (number // 2), 5000 * (number % 2)
        scene.publish(site_pages(scene.host, 5, first=first, seed=seed))
        (victim,) = rng.choices([*RANDOM_VICTIMS], [*RANDOM_VICTIMS.values()])
        if victim == "pool child":
            ground.kill_pool_child("worker-0", number)
        elif victim == "PostgreSQL":
            ground.servers.crash_postgresql()
        elif victim == "broker":
            ground.servers.kill_broker()
            ground.servers.start_broker()
        else:
            ground.kill(victim)
        time.sleep(rng.uniform(2, 6))
        ground.check()


def nothing(_scene: Scene) -> None:
    """Inject no fault, for comparison."""


VICTIMS: Mapping[Victim, str] = {"process": "pool child", "group": "worker"}

FAULTS: Mapping[str, Fault] = {
    "none": nothing,
    "pool children killed": kill_pool_children,
    "worker killed": kill("worker-0", "the worker and its pool", times=2, pause_seconds=4),
    "worker terminated": terminate_worker,
    **{
        f"{who} killed in {stage}": kill_in_task(stage, victim)
        for victim, who in VICTIMS.items()
        for stage in ("cluster", "compare", "extract", "assign", "reprocess", "parse")
    },
    "relay killed": kill("relay-0", "a relay", times=4, pause_seconds=2.5),
    "relay killed before it removes messages": kill_relay_before_it_removes,
    "intake killed": kill("intake-0", "the intake", times=3, pause_seconds=3),
    "intake killed before commit": kill_intake_before_it_commits,
    "beat killed": kill("beat-0", "a beat", times=3, pause_seconds=3),
    "broker killed": restart_broker(is_killed=True),
    "broker stopped": restart_broker(is_killed=False),
    "connections to the broker closed": close_connections,
    "memory alarm": alarm("memory", "set_vm_memory_high_watermark", "0", "0.4"),
    "disk alarm": alarm("disk", "set_disk_free_limit", "1000GB", "50MB"),
    "queue full": fill_queue_of_pages,
    "PostgreSQL crashed": crash_postgresql,
    "PostgreSQL restarted": restart_postgresql,
    "pages repeated": repeat_every_page,
    "tasks repeated": repeat_every_task,
    "another order": send_in_another_order,
    "page that kills": send_poison(KILLS, "kills its process"),
    "page that hangs": send_poison(HANGS, "hangs beyond any time limit"),
    "page that deadlocks": send_poison(
        HANGS_NATIVELY, "hangs in native code, which no time limit can interrupt"
    ),
    "page that burns": send_poison(BURNS, "computes beyond any time limit"),
    "page that spins": send_poison(
        BURNS_NATIVELY, "computes in native code, which no time limit can interrupt"
    ),
    "tree that crashes comparisons": send_tree_that_crashes,
    "clustering that crashes": crash_every_clustering,
    "flood of unusable messages": flood,
    "clocks ahead": jump_clocks(HOUR),
    "clocks back": jump_clocks(-HOUR),
    "clock of PostgreSQL ahead": jump_clocks(HOUR, only_postgresql=True),
    "clock of PostgreSQL back": jump_clocks(-HOUR, only_postgresql=True),
    "full disk": fill_disk_of_postgresql,
    **{f"{who} stopped": stop_for_a_minute(who) for who in STOPPED},
    "kills at random": kill_at_random,
    "database restored": restore_backup(is_broker_lost=False),
    "database restored, broker lost": restore_backup(is_broker_lost=True),
}


@dataclass(frozen=True)
class Trial:
    """Result of trying a fault.

    `pages` is the number of distinct pages published. Recovery is the time from the end of the
    fault and of publishing, whichever is later, until all work was done. `seconds` is as in
    `Scene`. `unfinished_work` contains the processes and stages that no longer work
    (`find_unfinished_work`).
    """

    pages: int
    report: DeliveryReport
    recovery_seconds: float
    seconds: Mapping[str, float]
    unfinished_work: Sequence[str]

    @property
    def wrong(self) -> int:
        """Number of lost pages, duplicated revisions, and processes and stages that do not work."""
        return self.report.wrong + len(self.unfinished_work)


def site_pages(host: str, number: int, *, first: int = 0, seed: int = 0) -> dict[str, bytes]:
    """Return messages for pages of a site with two templates, by URL.

    No two sites have a tree in common, so that the stored distances of one site never speed up the
    comparisons of another. With a different seed, the same URLs have different texts.
    """
    # Elements `b` and `i` for the bits 0 and 1 of a hash of the host name.
    bits = f"{zlib.crc32(host.encode()) % 2**16:016b}"
    mark = "".join(f"<{'bi'[int(bit)]}>-</{'bi'[int(bit)]}>" for bit in bits)
    pages = {}
    for page_number in range(first, first + number):
        url = f"https://{host}/{page_number}"
        template = "plain" if page_number % 2 else "table"
        html = article_html(seed + page_number, number=3 + page_number % 7, template=template)
        pages[url] = message(url, html.replace("</body>", f"{mark}</body>"), id=str(page_number))
    return pages


def try_fault(
    ground: ProvingGround, name: str, fault: Fault, pages: int, *, copies: int = 2
) -> Trial:
    """Publish each page of a new site ``copies`` times while a fault occurs; check the result."""
    host = f"{re.sub(r'[^a-z]+', '-', name.lower()).strip('-')}.example"
    scene = Scene(ground, host, site_pages(host, pages))
    # Later copies of the same pages are duplicates and are recognised as such by their content.
    queue = [body for _ in range(copies) for body in scene.pages.values()]
    publisher = threading.Thread(target=ground.publish_persistently, args=[queue])
    publisher.start()
    time.sleep(1)
    fault(scene)
    publisher.join()
    fault_ended = time.monotonic()
    report = compare_sent_and_received(ground, scene.pages)
    recovery_seconds = max(0.0, report.since - fault_ended)
    unfinished = sorted(find_unfinished_work(ground))
    return Trial(len(scene.pages), report, recovery_seconds, scene.seconds, unfinished)


def find_unfinished_work(ground: ProvingGround) -> set[str]:
    """Publish pages of new sites until every process does its own work again.

    Return the names of the processes that have done no work after `MAX_RESUMPTION_SECONDS`, and of
    the stages that the pages of a new site still await by then.
    """
    since = time.monotonic()
    name = f"again-{round(1000 * since)}"
    host = f"{name}.example"
    pages = site_pages(host, PAGES_AFTERWARDS)
    ground.publish_persistently(pages.values())
    # Publish more pages each time: if there are few, one of several relays may publish them all.
    for number in count():
        unfinished = ground.idle_processes(since) | _unfinished_stages(ground, host, set(pages))
        if not unfinished or time.monotonic() - since > MAX_RESUMPTION_SECONDS:
            return unfinished
        ground.check()
        ground.publish_persistently(site_pages(f"{name}-{number}.example", 1).values())
        time.sleep(1)
    raise AssertionError


def _unfinished_stages(ground: ProvingGround, host: str, urls: set[str]) -> set[str]:
    """Return the stages (extraction, clustering, delivery) that a site's pages still await."""
    clusterings = (
        select(func.count())
        .select_from(Generation)
        .join(Site, Site.id == Generation.site_id)
        .where(Site.key == host, Generation.method != "none")
    )
    ground.record_articles()
    done = {
        "extraction": ground.revisions(host).keys() >= urls,
        "clustering": ground.count(clusterings) > 0,
        "delivery": {each.url for each in ground.history} >= urls,
    }
    return {stage for stage, is_done in done.items() if not is_done}


def harmful_tree(host: str) -> dict[str, bytes]:
    """Return a page that crashes every process that compares it (see `sabotage`)."""
    url = f"https://{host}/harmful"
    html = article_html(3).replace("</body>", f"<{HARMFUL_ELEMENT}>-</{HARMFUL_ELEMENT}></body>")
    return {url: message(url, html)}


def _in_parallel(parts: Iterable[list[bytes]], publish: Callable[[list[bytes]], None]) -> None:
    """Publish each part of the messages in a separate thread."""
    threads = [threading.Thread(target=publish, args=[part]) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _stored_articles(ground: ProvingGround, host: str) -> dict[str, tuple[str, str, str]]:
    """Return the title, text and group of the latest article of each page of a site, by path."""
    with ground.database.transaction() as session:
        rows = session.execute(
            select(StoredPage.url, Article.message)
            .join(Article, Article.page_id == StoredPage.id)
            .join(Site, Site.id == StoredPage.site_id)
            .where(Site.key == host, Article.revision == StoredPage.revision)
        )
        return {
            url.rpartition("/")[2]: (each["title"], each["text"], each["template"]["group"])
            for url, each in rows
        }


def _quarantine_reasons(ground: ProvingGround) -> Counter[str]:
    """Count the messages that the intake has quarantined, by reason."""
    return Counter(each.reason for each in ground.quarantined() if each.stage == "intake")

"""Duration of a crawl of many sites or of one large site, and waiting times of fresh pages.

python -m benchmarks.operations.many_sites [--sites N] [--pages N] [--minutes N] [--dump N]

During the crawl, a page of a known site and the first page of a new site are sent every few
seconds. The waiting time of such a page ends when its article is in the consumers' queue. After
half a minute, another crawler sends all pages of one site, if `--dump` gives their number.
"""

import argparse
import json
import re
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import amqp
import numpy as np
from sqlalchemy import func, select

from benchmarks.documents import table
from benchmarks.operations.generated_sites import crawl, page_message
from benchmarks.operations.process_memory import COLUMNS, MemoryLog
from models.tables import Article, Generation, OutboxEntry, Site, StoredPage
from tests.conditions import is_pending
from tests.faults.proving_ground import ProvingGround, Servers
from worker.messaging.broker import messages_waiting, queue_depths
from worker.messaging.task_names import CLUSTER_DUE
from worker.service.celery_application import create_app
from worker.store.durations import histograms
from worker.store.first_extractions import PROVISIONAL

LOOK_EVERY_SECONDS = 5.0

AHEAD = 200
"""Target length of the intake queue, beyond which the crawl pauses. The time that fresh pages spend
in this queue is part of their waiting time."""

KNOWN = tuple(f"known-{number}.example" for number in range(10))
KNOWN_PAGES = 12

DUMPED = "dumped.example"
DUMP_AFTER_SECONDS = 30.0

NEW = "new-"
"""Prefix of the names of new hosts, whose first pages are sent during the crawl."""

PROBES = ("of a known site", "the first of a new site")

STEPS = (
    "until it is stored",
    "until its extraction is requested",
    "until its article",
    "until sent",
)


@dataclass
class Waits:
    """Times, by URL, at which pages were sent and their first articles were received.

    The times are on the monotonic clock. `articles` counts the articles of all pages, and
    `overtaken_by` those received while a page waited. `began` is the time of day at which the
    monotonic clock was 0.
    """

    sent: dict[str, float] = field(default_factory=dict)
    arrived: dict[str, float] = field(default_factory=dict)
    overtaken_by: dict[str, int] = field(default_factory=dict)
    articles: int = 0
    began: float = field(default_factory=lambda: time.time() - time.monotonic())

    def seconds(self, urls: Iterable[str]) -> list[float]:
        """Return the waiting times of the pages whose articles were delivered."""
        return [self.arrived[url] - self.sent[url] for url in urls if url in self.arrived]


def main(
    sites: int,
    pages: int,
    minutes: float,
    at_once: int,
    probe_seconds: float,
    dump: int,
    queue_length: int,
) -> None:
    """Run the crawl, and print its progress, its duration and the waiting times."""
    home = Path(tempfile.mkdtemp(prefix="detourage-sites-"))
    honest = home / "honest"
    honest.mkdir()
    with (
        Servers(home) as servers,
        ProvingGround(
            servers,
            home,
            customised=honest,
            settle_seconds=30,
        ) as ground,
    ):
        ground.patience_seconds = 3600
        _make_known(ground)
        if queue_length:
            # `deploy/broker-users.sh` sets the same policy.
            pattern = f"^{re.escape(ground.topology.pages)}$"
            limit = json.dumps({"max-length": queue_length})
            options = ("--apply-to", "queues", "detourage_pages", pattern, limit)
            servers.control_broker("set_operator_policy", *options)
        waits, done = Waits(), threading.Event()
        probes: dict[str, list[str]] = {kind: [] for kind in PROBES}
        sent: Counter[str] = Counter()
        threads = [
            threading.Thread(target=_consume, args=[ground, waits, done], daemon=True),
            threading.Thread(
                target=publish,
                args=[
                    *(ground, crawl(sites, pages, at_once=at_once), sent, done),
                    queue_length > 0,
                ],
                daemon=True,
            ),
            threading.Thread(target=_dump, args=[ground, dump, done], daemon=True),
            threading.Thread(
                target=_probe, args=[ground, waits, probes, probe_seconds, done], daemon=True
            ),
        ]
        began = time.monotonic()
        for thread in threads:
            thread.start()
        _watch(ground, MemoryLog(servers), sent, pages, began + 60 * minutes)
        print(f"{time.monotonic() - began:.0f} s in total\n")
        done.set()
        for thread in threads:
            thread.join(timeout=60)
        _print_waits(ground, waits, probes)
        _print_steps(ground, waits, probes)
        _print_work(ground)


def _make_known(ground: ProvingGround) -> None:
    """Ensure that the pages of a site are clustered and extracted before the measurement."""
    ground.publish(page_message(host, number) for number in range(KNOWN_PAGES) for host in KNOWN)
    ground.wait_for_receipts(KNOWN_PAGES * len(KNOWN))
    with create_app(ground.settings) as app:
        app.send_task(CLUSTER_DUE, kwargs={"settle_seconds": 0})
    ground.wait_until(lambda: _sites_without_clustering(ground) == 0)
    ground.wait_for_outcomes()


def _watch(
    ground: ProvingGround, memory: MemoryLog, sent: Counter[str], pages: int, ends: float
) -> None:
    """Poll and print the state until the crawl is complete or the time has run out."""
    most: Counter[str] = Counter()
    began = time.monotonic()
    times: dict[str, float] = {}
    prefix = ground.settings.queue_prefix
    while time.monotonic() < ends:
        ground.check()
        depths = queue_depths(ground.settings)
        stored = _stored(ground)
        found = {name.removeprefix(prefix): n for name, n in depths.items()} | stored
        most |= Counter(found)
        memory.note((kind, each) for kind, group in ground.processes().items() for each in group)
        is_sent = sent["pages"] == pages and not depths[ground.topology.pages]
        for name, is_reached in (
            ("all taken in", is_sent),
            ("every page has its outcome", is_sent and not stored["pages that wait"]),
            ("every site was clustered", is_sent and not stored["sites never clustered"]),
        ):
            if is_reached:
                times.setdefault(name, time.monotonic() - began)
        if len(times) == 3 and not stored["outbox"]:
            break
        print(
            f"{time.monotonic() - began:.0f} s: {sent['pages']} sent, "
            + ", ".join(f"{n} {name}" for name, n in found.items() if n),
            flush=True,
        )
        time.sleep(LOOK_EVERY_SECONDS)
    elapsed = time.monotonic() - began
    with_outcome = ground.count(
        select(func.count()).select_from(StoredPage).where(StoredPage.outcome.is_not(None))
    )
    print(f"\n{sent['pages']} of {pages} pages were sent, {with_outcome} have their outcome")
    print(f"after {elapsed:.0f} s, {with_outcome / elapsed:.1f} a second.")
    print("".join(f"After {seconds:.0f} s {name}.\n" for name, seconds in times.items()))
    print("\n".join(table(("waiting", "maximum:"), sorted(most.items()))), end="\n\n")
    print("\n".join(table(COLUMNS, memory.by_age())), end="\n\n")


def _stored(ground: ProvingGround) -> dict[str, int]:
    with ground.database.transaction() as session:
        lanes = session.execute(
            select(OutboxEntry.lane, func.count()).group_by(OutboxEntry.lane)
        ).all()
        pending = session.scalar(select(func.count()).select_from(StoredPage).where(is_pending()))
    by_lane = {f"outbox, {str(lane).rpartition('.')[2]}": number for lane, number in lanes}
    return {
        "pages that wait": pending or 0,
        "sites never clustered": _sites_without_clustering(ground),
        "outbox": sum(by_lane.values()),
        **by_lane,
    }


def _sites_without_clustering(ground: ProvingGround) -> int:
    clustered = select(Generation.site_id).where(Generation.method != PROVISIONAL)
    # New hosts are not counted, because their pages are sent until the crawl ends.
    crawled = Site.key.not_like(f"{NEW}%")
    return ground.count(select(func.count()).where(Site.id.not_in(clustered), crawled))


def publish(
    ground: ProvingGround,
    bodies: Iterator[bytes],
    sent: Counter[str],
    done: threading.Event,
    is_bounded: bool,
) -> None:
    """Publish pages until `done` is set, keeping about `AHEAD` of them in the intake's queue."""
    with suppress(OSError):
        while not done.is_set():
            # A bounded queue rejects further messages, which are published again.
            waiting = messages_waiting(ground.settings, ground.topology.pages)
            if not is_bounded and waiting >= AHEAD:
                time.sleep(0.5)
                continue
            batch = list(islice(bodies, AHEAD))
            if not batch:
                return
            ground.publish_persistently(batch)
            sent["pages"] += len(batch)


def _dump(ground: ProvingGround, pages: int, done: threading.Event) -> None:
    numbers = iter(range(pages))
    done.wait(DUMP_AFTER_SECONDS)
    while not done.is_set() and (batch := list(islice(numbers, AHEAD))):
        ground.publish_persistently(page_message(DUMPED, number) for number in batch)


def _probe(
    ground: ProvingGround,
    waits: Waits,
    probes: dict[str, list[str]],
    every_seconds: float,
    done: threading.Event,
) -> None:
    number = 0
    with suppress(OSError):
        while not done.wait(every_seconds):
            number += 1
            known = KNOWN[number % len(KNOWN)]
            pages = (known, KNOWN_PAGES + number), (f"{NEW}{number}.example", 0)
            for kind, (host, page) in zip(PROBES, pages, strict=True):
                url = f"https://{host}/{page}"
                waits.sent[url] = time.monotonic()
                waits.overtaken_by[url] = -waits.articles
                ground.publish_persistently([page_message(host, page)])
                probes[kind].append(url)


def _consume(ground: ProvingGround, waits: Waits, done: threading.Event) -> None:
    def note(message: amqp.Message) -> None:
        waits.articles += 1
        url = json.loads(message.body)["url"]
        if url in waits.sent and url not in waits.arrived:
            waits.arrived[url] = time.monotonic()
            waits.overtaken_by[url] += waits.articles - 1

    with suppress(OSError), ground.amqp() as connection, connection.channel() as channel:
        channel.basic_qos(0, 200, False)
        channel.basic_consume(ground.topology.articles_queue, callback=note, no_ack=True)
        while not done.is_set():
            with suppress(TimeoutError):
                connection.drain_events(timeout=1)


def _print_waits(ground: ProvingGround, waits: Waits, probes: dict[str, list[str]]) -> None:
    """Print how long pages waited for their first articles, and how many articles overtook them."""
    rows = [
        (kind, len(urls), *_count_and_percentiles(waits.seconds(urls)))
        for kind, urls in probes.items()
    ]
    seconds_to_article = func.extract("epoch", Article.created_at - StoredPage.received_at)
    with ground.database.transaction() as session:
        waits_from_storage = session.scalars(
            select(seconds_to_article)
            .join(StoredPage, StoredPage.id == Article.page_id)
            .where(Article.revision == 1)
        ).all()
        articles = session.scalar(select(func.count()).select_from(Article)) or 0
    figures = _count_and_percentiles(list(map(float, waits_from_storage)))
    rows.append(("any page, counted from its storage", len(waits_from_storage), *figures))
    columns = ("page", "sent:", "with article:", "median, s:", "95 %, s:", "maximum, s:")
    print("\n".join(table(columns, rows)), end="\n\n")
    rows = []
    for kind, urls in probes.items():
        counts = [waits.overtaken_by[url] for url in urls if url in waits.arrived]
        rows.append((kind, *_count_and_percentiles(counts)))
    overtaken = ("page", "with article:", "overtaken by, median:", "95 %:", "maximum:")
    print("\n".join(table(overtaken, rows)))
    print(f"\n{articles} articles of {len(waits_from_storage)} pages.\n")


def _print_steps(ground: ProvingGround, waits: Waits, probes: dict[str, list[str]]) -> None:
    """Print where the pages sent during the crawl waited, according to the store's timestamps.

    If a clustering requests an extraction again, the wait is counted from the second request.
    """
    moments = (StoredPage.received_at, StoredPage.asked_at, func.min(Article.created_at))
    seconds = [func.extract("epoch", each) for each in moments]
    rows = []
    for kind, urls in probes.items():
        query = (
            select(StoredPage.url, *seconds)
            .outerjoin(Article, Article.page_id == StoredPage.id)
            .where(StoredPage.url.in_(urls))
            .group_by(StoredPage.id)
        )
        with ground.database.transaction() as session:
            found = {url: list(map(_number, at)) for url, *at in session.execute(query)}
        moments_by_page = [
            [waits.began + waits.sent[url], *found.get(url, [None] * 3), _arrival(waits, url)]
            for url in urls
        ]
        for number, step in enumerate(STEPS):
            durations = [
                end - start
                for start, end in (each[number : number + 2] for each in moments_by_page)
                if start is not None and end is not None
            ]
            rows.append((kind, step, *_count_and_percentiles(durations)))
    columns = ("page", "step", "pages:", "median, s:", "95 %, s:", "maximum, s:")
    print("\n".join(table(columns, rows)), end="\n\n")


def _number(moment: object) -> float | None:
    return None if moment is None else float(str(moment))


def _arrival(waits: Waits, url: str) -> float | None:
    return waits.began + waits.arrived[url] if url in waits.arrived else None


def _count_and_percentiles(values: Sequence[float]) -> tuple[object, ...]:
    """Return the number of values, their median, their 95th percentile and their maximum."""
    if not values:
        return (0, "", "", "")
    percentiles = np.percentile(values, [50, 95, 100])
    return (len(values), *(f"{each:.0f}" for each in percentiles))


def _print_work(ground: ProvingGround) -> None:
    with ground.database.transaction() as session:
        found = histograms(session)
    rows = [
        (
            work.rpartition(".")[2],
            times,
            f"{each.seconds:.0f}",
            f"{1000 * each.seconds / times:.0f}",
        )
        for work, each in sorted(found.items())
        if (times := max(each.cumulative.values()))
    ]
    print("\n".join(table(("work", "times:", "total seconds:", "ms each:"), rows)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--sites", type=int, default=2000)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--at-once", type=int, default=200)
    parser.add_argument("--probe-seconds", type=float, default=15.0)
    parser.add_argument("--dump", type=int, default=0)
    parser.add_argument("--queue-length", type=int, default=500)
    main(**vars(parser.parse_args()))

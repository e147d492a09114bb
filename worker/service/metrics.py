"""Metrics for monitoring, in the Prometheus format.

All values are read from the database and the broker on request. Nothing is counted in the
processes, so the values are correct regardless of the number of processes and restarts.
"""

import threading
from collections.abc import Iterator, Mapping
from math import isinf

from prometheus_client import CollectorRegistry, generate_latest, start_http_server
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)

from worker.messaging.broker import queue_states
from worker.service.build import build
from worker.settings import Settings
from worker.store.database import Database
from worker.store.durations import Histogram, histograms
from worker.store.progress import RECENT_SECONDS, ServiceCounts, service_counts


class ServiceCollector:
    """Collector of a deployment's metrics."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._database = Database(settings.require_database_url())
        self._build = _of_build()

    def collect(self) -> Iterator[Metric]:
        """Yield the current metrics."""
        yield self._build
        yield from _of_store(self._database.read_snapshot(service_counts))
        yield _of_durations(self._database.read_snapshot(histograms))
        depths = GaugeMetricFamily(
            "detourage_queue_messages", "Messages ready in a queue.", labels=["queue"]
        )
        consumers = GaugeMetricFamily(
            "detourage_queue_consumers",
            "Consumers of a queue.",
            labels=["queue"],
        )
        for queue, state in queue_states(self._settings).items():
            depths.add_metric([queue], state.messages)
            consumers.add_metric([queue], state.consumers)
        yield from (depths, consumers)

    def close(self) -> None:
        """Close the database connections."""
        self._database.dispose()


def metrics_text(settings: Settings) -> str:
    """Return the metrics of a deployment in the Prometheus text format."""
    collector = ServiceCollector(settings)
    try:
        return generate_latest(_registry(collector)).decode()
    finally:
        collector.close()


def serve_metrics(settings: Settings, host: str, port: int, stop: threading.Event) -> None:
    """Serve the metrics over HTTP until stopped; raise `OSError` if the port is unavailable."""
    collector = ServiceCollector(settings)
    server, thread = start_http_server(port, host, _registry(collector))
    try:
        stop.wait()
    finally:
        server.shutdown()
        thread.join()
        collector.close()


def _registry(collector: ServiceCollector) -> CollectorRegistry:
    # With auto_describe, registering the collector would already query it.
    registry = CollectorRegistry(auto_describe=False)
    registry.register(collector)
    return registry


def _of_build() -> Metric:
    found = build()
    family = GaugeMetricFamily(
        "detourage_build_info", "1, with the versions of this build.", labels=found._fields
    )
    family.add_metric(found, 1)
    return family


def _of_durations(found: Mapping[str, Histogram]) -> Metric:
    family = HistogramMetricFamily(
        "detourage_duration_seconds",
        "Time to handle a task, or a message at the intake.",
        labels=["work"],
    )
    for work, histogram in found.items():
        buckets = [
            ("+Inf" if isinf(bound) else f"{bound:g}", number)
            for bound, number in histogram.cumulative.items()
        ]
        family.add_metric([work], buckets=buckets, sum_value=histogram.seconds)
    return family


def _of_store(counts: ServiceCounts) -> Iterator[Metric]:
    pages = GaugeMetricFamily("detourage_pages", "Pages by outcome.", labels=["outcome"])
    for outcome, number in counts.outcomes.items():
        pages.add_metric([outcome], number)
    yield pages
    changes = CounterMetricFamily(
        "detourage_design_changes", "Redesigns of a site.", labels=["site"]
    )
    for site, number in counts.design_changes.items():
        changes.add_metric([site], number)
    yield changes
    doubtful = GaugeMetricFamily(
        "detourage_doubtful_articles",
        "Doubtful articles from the last day, for sites where they are the majority.",
        labels=["site"],
    )
    for site, number in counts.doubtful.items():
        doubtful.add_metric([site], number)
    yield doubtful
    walls = GaugeMetricFamily(
        "detourage_walls",
        "Walls from the last day, for sites where they are the majority.",
        labels=["site"],
    )
    for site, number in counts.walls.items():
        walls.add_metric([site], number)
    yield walls
    failures = GaugeMetricFamily(
        "detourage_recent_failures",
        f"Tasks that failed in the last {RECENT_SECONDS:g} seconds.",
        labels=["task"],
    )
    for task, number in counts.recent_failures.items():
        failures.add_metric([task], number)
    yield failures
    ages = GaugeMetricFamily(
        "detourage_oldest_seconds",
        "Age of the oldest open request: messages for the relay, comparisons, extractions.",
        labels=["work"],
    )
    for work, age in counts.oldest_seconds.items():
        ages.add_metric([work], age)
    yield ages
    for name, help_text, value in (
        ("pages_waiting", "Pages without an outcome, or to be extracted again.", counts.waiting),
        (
            "longest_wait_seconds",
            "Longest time for which a page has had no outcome.",
            counts.longest_wait_seconds,
        ),
        ("sites", "Sites.", counts.sites),
        ("template_groups", "Template groups of each site's latest clustering.", counts.groups),
        ("outliers", "Pages that fit no group.", counts.outliers),
        (
            "sites_in_quarantine",
            "Sites for which clustering is disabled because it failed too often.",
            counts.sites_in_quarantine,
        ),
        ("outbox_messages", "Messages waiting for the relay.", counts.outbox),
    ):
        yield GaugeMetricFamily(f"detourage_{name}", help_text, value=value)
    yield CounterMetricFamily("detourage_clusterings", "Clusterings.", value=counts.generations)
    yield CounterMetricFamily("detourage_articles", "Articles sent.", value=counts.articles)

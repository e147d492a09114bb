"""Metrics in the Prometheus format, read from the servers, so that restarts do not reset them."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from math import isinf

from prometheus_client import CollectorRegistry, generate_latest, start_http_server
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)

from detourage.versions import EXTRACTION_VERSION
from worker.messaging.broker import queue_states
from worker.service.quarantine import RELAY
from worker.settings import Settings
from worker.store import outbox
from worker.store.database import Database
from worker.store.durations import Histogram, histograms
from worker.store.progress import RECENT_FAILURE_SECONDS, ServiceCounts, service_counts
from worker.store.schema import REVISION


def build_versions() -> dict[str, str]:
    """Return the versions of the package, of the schema and of the extraction, by label name."""
    return {
        "version": version("detourage"),
        "schema_version": REVISION,
        "extraction_version": EXTRACTION_VERSION,
    }


class ServiceCollector:
    """Collector of a deployment's metrics."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._settings = settings
        self._database = database

    def collect(self) -> Iterator[Metric]:
        """Yield the current metrics."""
        yield InfoMetricFamily("detourage_build", "Versions of this build.", build_versions())
        yield from _store_metrics(self._database.read_snapshot(service_counts))
        yield _duration_metric(self._database.read_snapshot(histograms))
        states = queue_states(self._settings)
        depths = {queue: int(state.message_count) for queue, state in states.items()}
        # The relay's quarantine is in the outbox.
        depths[f"{RELAY}.quarantine"] = self._database.execute(outbox.SQL.count_refused)[0][0]
        yield _family("queue_messages", "Messages ready in a queue.", "queue", depths)
        consumers = {queue: int(state.consumer_count) for queue, state in states.items()}
        yield _family("queue_consumers", "Consumers of a queue.", "queue", consumers)


def metrics_text(settings: Settings) -> str:
    """Return the metrics of a deployment in the Prometheus text format."""
    with _registry(settings) as registry:
        return generate_latest(registry).decode()


def serve_metrics(settings: Settings, host: str, port: int, stop: threading.Event) -> None:
    """Serve the metrics over HTTP until stopped; raise `OSError` if the port is unavailable."""
    with _registry(settings) as registry:
        try:
            server, thread = start_http_server(port, host, registry)
        except OSError as error:
            place = f"cannot listen on {host}, port {port}"
            hint = "choose another with --port or --host"
            raise OSError(f"{place}: {error.strerror or error}; {hint}") from error
        try:
            stop.wait()
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


@contextmanager
def _registry(settings: Settings) -> Iterator[CollectorRegistry]:
    with Database(settings.require_database_url()) as database:
        # With auto_describe, registering the collector would collect all metrics.
        registry = CollectorRegistry(auto_describe=False)
        registry.register(ServiceCollector(settings, database))
        yield registry


def _duration_metric(by_work: Mapping[str, Histogram]) -> Metric:
    help_text = "Time to handle a task, or a message at the intake."
    family = HistogramMetricFamily("detourage_duration_seconds", help_text, labels=["work"])
    for work, histogram in by_work.items():
        buckets = [
            ("+Inf" if isinf(bound) else f"{bound:g}", number)
            for bound, number in histogram.cumulative.items()
        ]
        family.add_metric([work], buckets=buckets, sum_value=histogram.seconds)
    return family


def _family(
    name: str,
    help_text: str,
    label: str,
    values: Mapping[str, float],
    kind: type[GaugeMetricFamily] | type[CounterMetricFamily] = GaugeMetricFamily,
) -> Metric:
    family = kind(f"detourage_{name}", help_text, labels=[label])
    for label_value, value in values.items():
        family.add_metric([label_value], value)
    return family


def _store_metrics(counts: ServiceCounts) -> Iterator[Metric]:
    yield _family("pages", "Pages by outcome.", "outcome", counts.outcomes)
    changes = counts.design_changes
    yield _family("design_changes", "Design changes.", "site", changes, CounterMetricFamily)
    if_majority = "from the last day, for sites where they are the majority."
    yield _family("doubtful_articles", f"Doubtful articles {if_majority}", "site", counts.doubtful)
    yield _family("walls", f"Walls {if_majority}", "site", counts.walls)
    failed = f"Tasks that failed in the last {RECENT_FAILURE_SECONDS:g} seconds."
    yield _family("recent_failures", failed, "task", counts.recent_failures)
    oldest = "Age of the oldest unfinished work: messages for the relay, comparisons, extractions."
    yield _family("oldest_seconds", oldest, "work", counts.oldest_seconds)
    for name, help_text, value in (
        ("pages_waiting", "Pages without an outcome, or to be extracted again.", counts.waiting),
        ("longest_wait_seconds", "Longest wait for an outcome.", counts.longest_wait_seconds),
        ("sites", "Sites.", counts.sites),
        ("template_groups", "Template groups of each site's latest clustering.", counts.groups),
        ("outliers", "Pages that fit no group.", counts.outliers),
        ("sites_in_quarantine", "Sites no longer clustered.", counts.sites_in_quarantine),
        ("outbox_messages", "Messages waiting for the relay.", counts.outbox),
    ):
        yield GaugeMetricFamily(f"detourage_{name}", help_text, value=value)
    yield CounterMetricFamily("detourage_clusterings", "Clusterings.", value=counts.generations)
    yield CounterMetricFamily("detourage_articles", "Articles sent.", value=counts.articles)

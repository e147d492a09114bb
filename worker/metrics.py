"""What a monitor watches, in Prometheus' format.

Everything is read from the database and the broker when asked, nothing is counted in the
processes: however many there are and however often they are replaced, the numbers are right.
"""

import threading
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from worker.broker import queue_depths
from worker.settings import Settings
from worker.store.database import Database
from worker.store.progress import ServiceCounts, service_counts


class ServiceCollector:
    """Reads the metrics of a deployment.

    Parameters
    ----------
    settings
        Of the deployment.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._database = Database(settings.require_database_url())

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics as they are now."""
        yield from _of_store(self._database.read_snapshot(service_counts))
        depths = GaugeMetricFamily(
            "detourage_queue_messages", "Messages ready in a queue.", labels=["queue"]
        )
        for queue, depth in queue_depths(self._settings).items():
            depths.add_metric([queue], depth)
        yield depths

    def close(self) -> None:
        """Let go of the database."""
        self._database.dispose()


def metrics_text(settings: Settings) -> str:
    """Return the metrics of a deployment in the text format."""
    collector = ServiceCollector(settings)
    try:
        return generate_latest(_registry(collector)).decode()
    finally:
        collector.close()


def serve_metrics(settings: Settings, host: str, port: int, stop: threading.Event) -> None:
    """Serve the metrics over HTTP until told to stop.

    Raises
    ------
    OSError
        If the port cannot be had.
    """
    collector = ServiceCollector(settings)
    server, thread = start_http_server(port, host, _registry(collector))
    try:
        stop.wait()
    finally:
        server.shutdown()
        thread.join()
        collector.close()


def _registry(collector: ServiceCollector) -> CollectorRegistry:
    # With auto_describe the collector would be asked once when it is registered.
    registry = CollectorRegistry(auto_describe=False)
    registry.register(collector)
    return registry


def _of_store(counts: ServiceCounts) -> Iterator[Metric]:
    pages = GaugeMetricFamily("detourage_pages", "Pages by outcome.", labels=["outcome"])
    for outcome, number in counts.outcomes.items():
        pages.add_metric([outcome], number)
    yield pages
    changes = CounterMetricFamily(
        "detourage_design_changes", "Changes of a site's design noticed.", labels=["site"]
    )
    for site, number in counts.design_changes.items():
        changes.add_metric([site], number)
    yield changes
    for name, help_text, value in (
        ("pages_waiting", "Pages that wait for an outcome or a better one.", counts.waiting),
        (
            "longest_wait_seconds",
            "Age of the oldest page that never had an outcome.",
            counts.longest_wait_seconds,
        ),
        ("sites", "Sites.", counts.sites),
        ("template_groups", "Template groups of the sites' last clusterings.", counts.groups),
        ("outliers", "Pages that fit no group.", counts.outliers),
        ("outbox_messages", "Messages that the relay has to publish.", counts.outbox),
    ):
        yield GaugeMetricFamily(f"detourage_{name}", help_text, value=value)
    yield CounterMetricFamily("detourage_clusterings", "Clusterings.", value=counts.generations)
    yield CounterMetricFamily("detourage_articles", "Articles sent.", value=counts.articles)

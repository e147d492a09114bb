"""A diagram of one page's trace, and the CPU time that tracing costs.

python -m benchmarks.operations.traces docs/how-to/trace.svg [--pages N]

Runs the processes of a deployment on the servers that the tests use, without and with tracing.
"""

import argparse
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from matplotlib import pyplot
from matplotlib.patches import Patch
from sqlalchemy import text

from tests.deployment import Deployment, own_settings, remove_queues
from tests.pages import article_html, message
from tests.services import Services, running_services, temporary_database
from tests.trace_receiver import ReceivedSpan, TraceReceiver
from worker.store.database import Database
from worker.store.migrations import migrate

CONTEXT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
"""Trace context of the crawler."""

SPANS_OF_A_PAGE = 10
"""Number of spans of a page whose site has groups."""

SITES = 10

COLOURS = {
    "detourage-intake": "#4477aa",
    "detourage-relay": "#cc8844",
    "detourage-worker": "#228833",
}


def main(picture: Path, *, pages: int) -> None:
    """Draw the picture, and print the cost per page."""
    with running_services() as services, TraceReceiver() as receiver:
        with _deployment(services, {}) as deployment:
            print("without traces:", _cost(deployment, pages))
        with _deployment(services, receiver.environment) as deployment:
            print("with traces:", _cost(deployment, pages))
            _draw(_trace_of_a_page(deployment, receiver), picture)


@contextmanager
def _deployment(services: Services, environment: dict[str, str]) -> Iterator[Deployment]:
    with temporary_database(services) as url, tempfile.TemporaryDirectory() as home:
        with Database(url) as database:
            migrate(database)
        settings = own_settings(services, url, Path(home))
        try:
            deployment = Deployment(settings, Path(home))
            deployment.environment |= environment
            with deployment:
                yield deployment
        finally:
            remove_queues(settings)


def _cost(deployment: Deployment, pages: int) -> str:
    """Return the cost per page once each site has groups and all processes are warm."""
    _send(deployment, range(pages))
    seconds, commits = deployment.cpu_seconds(), _commits(deployment)
    _send(deployment, range(pages, 2 * pages))
    spent = 1000 * (deployment.cpu_seconds() - seconds) / pages
    return f"{spent:.1f} ms, {(_commits(deployment) - commits) / pages:.1f} commits per page"


def _send(deployment: Deployment, numbers: range) -> None:
    urls = [(f"https://site-{number % SITES}.example/{number}", number) for number in numbers]
    deployment.publish(message(url, article_html(number)) for url, number in urls)
    deployment.wait_for_receipts(numbers.stop)
    deployment.wait_for_outcomes()


def _commits(deployment: Deployment) -> int:
    query = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
    return deployment.count(text(query))


def _trace_of_a_page(deployment: Deployment, receiver: TraceReceiver) -> Sequence[ReceivedSpan]:
    url = "https://site-0.example/traced"
    deployment.publish([message(url, article_html(1))], {"traceparent": CONTEXT})
    trace_id = CONTEXT.split("-")[1]
    deployment.wait_until(lambda: len(receiver.trace(trace_id)) == SPANS_OF_A_PAGE)
    return receiver.trace(trace_id)


def _draw(spans: Sequence[ReceivedSpan], picture: Path) -> None:
    pyplot.rcParams["svg.fonttype"] = "none"
    pyplot.rcParams["svg.hashsalt"] = "detourage"
    figure, axes = pyplot.subplots(figsize=(9, 3.6), layout="constrained")
    begin = spans[0].start
    end = max(span.end for span in spans)
    least = (end - begin) / 300
    for row, span in enumerate(spans):
        left, length = span.start - begin, max(span.end - span.start, least)
        axes.barh(row, length / 1e6, left=left / 1e6, color=COLOURS[span.service])
        took = f" {(span.end - span.start) / 1e6:.1f} ms"
        axes.text((left + length) / 1e6, row, took, va="center", fontsize=8)
    names = [re.sub(r"test-\w+\.", "", span.name) for span in spans]
    axes.set_yticks(range(len(spans)), names, fontsize=8)
    axes.set_xlim(0, (end - begin) / 1e6 * 1.1)
    axes.set_xlabel("ms since the intake received the page", fontsize=8)
    axes.invert_yaxis()
    patches = [Patch(color=colour, label=service) for service, colour in COLOURS.items()]
    axes.legend(handles=patches, fontsize=8, loc="lower left")
    figure.savefig(picture, metadata={"Date": None})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--pages", type=int, default=300)
    options = parser.parse_args()
    main(options.picture, pages=options.pages)

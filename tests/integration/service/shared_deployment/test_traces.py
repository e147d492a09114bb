"""A page's trace leads from the crawler's message through all processes to the article message."""

import json
from collections.abc import Mapping

import pytest

from tests.deployment import Deployment
from tests.integration.conftest import RunAlone
from tests.pages import article_html, message, paragraphs
from tests.trace_receiver import ReceivedSpan, TraceReceiver

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
"""IDs of the crawler's trace and span."""

SPAN_NAMES = (
    "process crawler.pages",
    "send detourage.assign",
    "apply_async/detourage.assign",
    "run/detourage.assign",
)
"""Spans of a page of a clustered site; each is the parent of the next."""

HOSTILE_HEADERS: list[dict[str, object]] = [
    {"traceparent": 7, "tracestate": {"a": ["b"]}},
    {"traceparent": "00-" + "0" * 32 + "-" + "0" * 16 + "-01"},
    {"traceparent": f"00-{TRACE}-{SPAN}-01-" + "x" * 100_000},
    {"traceparent": f"00-{TRACE}-{SPAN}\x00-01", "tracestate": "\x00=\x00"},
]


def publish_and_take(
    deployment: Deployment, pages: Mapping[str, int], *headers: Mapping[str, object]
) -> dict[str, tuple[str, dict[str, str]]]:
    """Publish pages, given as URL and seed, each with its headers.

    Return the text and headers of each article message, by URL.
    """
    deployment.take_articles()
    before = deployment.receipts()
    for (url, seed), each in zip(pages.items(), headers, strict=True):
        deployment.publish([message(url, article_html(seed))], each)
    deployment.wait_for_receipts(before + len(pages))
    deployment.wait_for_outcomes()
    found = {}
    for sent in deployment.messages(deployment.topology.articles_queue):
        article = json.loads(sent.body)
        found[article["url"]] = article["text"], dict(sent.headers)
    return found


def spans_by_name(
    deployment: Deployment, receiver: TraceReceiver, trace_id: str, names: set[str]
) -> dict[str, ReceivedSpan]:
    """Wait until spans with the given names are exported; return all spans of the trace by name."""

    def spans() -> dict[str, ReceivedSpan]:
        prefix = deployment.settings.queue_prefix
        return {span.name.replace(prefix, ""): span for span in receiver.trace(trace_id)}

    deployment.wait_until(lambda: spans().keys() >= names)
    return spans()


@pytest.mark.usefixtures("articles")
def test_a_page_has_one_trace_from_the_crawler_to_the_article(
    deployment: Deployment, receiver: TraceReceiver
) -> None:
    context = {"traceparent": f"00-{TRACE}-{SPAN}-01", "tracestate": "crawler=7"}
    url = "https://good.example/traced"
    _, headers = publish_and_take(deployment, {url: 50}, context)[url]
    _, trace_id, span_id, _ = headers["traceparent"].split("-")
    assert (trace_id, headers["tracestate"]) == (TRACE, "crawler=7")
    spans = spans_by_name(deployment, receiver, trace_id, {*SPAN_NAMES, "extract page", "WITH"})
    parents = [SPAN, *(spans[name].span_id for name in SPAN_NAMES)]
    assert [spans[name].parent_id for name in SPAN_NAMES] == parents[:-1]
    assert span_id == spans["process crawler.pages"].span_id == spans["extract page"].parent_id
    assert {span.service for span in spans.values()} == {
        f"detourage-{process}" for process in ("intake", "relay", "worker")
    }
    (log_line,) = (
        line
        for line in deployment.logged("worker")
        if line.get("page") == url and line["event"].endswith(": article")
    )
    assert log_line["trace_id"] == TRACE


def test_pages_that_share_tasks_keep_their_traces(
    deployment: Deployment, receiver: TraceReceiver
) -> None:
    pages = {f"https://traced.example/{seed}": seed for seed in range(4)}
    traces = [f"{seed:032x}" for seed in range(1, 5)]
    contexts = [{"traceparent": f"00-{trace}-{SPAN}-01"} for trace in traces]
    found = publish_and_take(deployment, pages, *contexts)
    assert [found[url][1]["traceparent"].split("-")[1] for url in pages] == traces
    for trace_id in traces:
        spans_by_name(deployment, receiver, trace_id, {"process crawler.pages", "extract page"})


@pytest.mark.usefixtures("articles")
def test_without_a_receiver_and_with_hostile_headers_pages_give_the_same_articles(
    deployment: Deployment, receiver: TraceReceiver
) -> None:
    pages = {f"https://good.example/untraced/{seed}": seed for seed in range(60, 64)}
    with receiver.stopped():
        found = publish_and_take(deployment, pages, *HOSTILE_HEADERS)
    assert {url: text for url, (text, _) in found.items()} == {
        url: "\n\n".join(paragraphs(seed)) for url, seed in pages.items()
    }
    traces = {headers["traceparent"].split("-")[1] for _, headers in found.values()}
    assert len(traces - {TRACE, "0" * 32}) == len(pages)


@pytest.mark.parametrize(
    ("variables", "warning"),
    [
        (
            {"OTEL_BSP_MAX_QUEUE_SIZE": "256"},
            "tracing is disabled: ValueError: max_export_batch_size",
        ),
        ({"OTEL_EXPORTER_OTLP_HEADERS": "api-key s3cret-key"}, "Header format invalid!"),
    ],
)
def test_invalid_variables_of_opentelemetry_affect_no_page_and_are_logged_without_secrets(
    variables: Mapping[str, str],
    warning: str,
    run_alone: RunAlone,
    receiver: TraceReceiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in {**receiver.environment, **variables}.items():
        monkeypatch.setenv(name, value)
    with run_alone("intake") as deployment:
        deployment.publish([message("https://news.example/a", article_html(1))])
        deployment.wait_for_receipts(1)
        assert deployment.quarantined() == []
        assert any(warning in line["event"] for line in deployment.logged("intake"))
        assert "s3cret" not in deployment.log_file("intake").read_text()

"""Traces of pages with OpenTelemetry, whose instrumentations record tasks and SQL statements.

A page is stored with its trace context (the headers of W3C Trace Context), and so are messages in
the outbox. Until `enable` is called, nothing is recorded, and OpenTelemetry is not imported.
"""

import logging
import os
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final, TypeAlias

from detourage.expected_errors import MissingExtraError
from worker.error_reports import cause

logger = logging.getLogger(__name__)

Context: TypeAlias = Mapping[str, str]  # trace context: values of `HEADERS`

HEADERS: Final = ("traceparent", "tracestate")  # headers of W3C Trace Context

MAX_HEADER_CHARACTERS: Final = 512  # maximum length of a header; longer headers are ignored
FLUSH_SECONDS = 2.0  # maximum time that an exiting process waits for its last spans to be exported

_enabled: list[Any] = []
"""Provider, tracer and propagator of this process; empty if the process is not traced."""


def enable(process: str) -> None:
    """Trace this process, but not its children; log a warning if OpenTelemetry is missing."""
    try:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.instrumentation.celery import CeleryInstrumentor
        from opentelemetry.instrumentation.psycopg2 import Psycopg2Instrumentor
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
    except ImportError:
        logger.warning(
            "tracing is disabled: %s",
            MissingExtraError("otel", "exporting traces", "detourage-service"),
        )
        return
    os.environ.setdefault("OTEL_SERVICE_NAME", f"detourage-{process}")
    try:
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    except Exception as error:  # noqa: BLE001 - traces must not affect pages
        logger.error("tracing is disabled: %s", cause(error))  # noqa: TRY400 - a setting
        return
    trace.set_tracer_provider(provider)
    CeleryInstrumentor().instrument()
    # In other processes, a statement concerns many pages, and thus belongs to no single trace.
    if process == "worker":
        Psycopg2Instrumentor().instrument(skip_dep_check=True)
    # A crawler's baggage is not forwarded to consumers.
    _enabled[:] = provider, provider.get_tracer("detourage"), TraceContextTextMapPropagator()


def stop() -> None:
    """Stop tracing once the last spans are exported, or after `FLUSH_SECONDS`."""
    if _enabled:
        provider, *_ = _enabled
        flushing = threading.Thread(target=provider.shutdown, daemon=True)
        _enabled.clear()
        flushing.start()
        flushing.join(FLUSH_SECONDS)


def current() -> Context:
    """Return the context of the current span."""
    headers: dict[str, str] = {}
    if _enabled:
        *_, propagator = _enabled
        propagator.inject(headers)
    return headers


def span(name: str, headers: Mapping[str, Any] | None) -> AbstractContextManager[object]:
    """Record a ``with`` block as a span of the trace in ``headers``, or else of a new trace."""
    if not _enabled:
        return nullcontext()
    _, tracer, propagator = _enabled
    trace_headers: dict[str, str] = {}
    for header in HEADERS:
        value = (headers or {}).get(header)
        if isinstance(value, str) and len(value) <= MAX_HEADER_CHARACTERS:
            trace_headers[header] = value
    # Exceptions are not recorded, since their messages may contain passwords; only logs mask them.
    options = {"record_exception": False, "set_status_on_exception": False}
    recorded: AbstractContextManager[object] = tracer.start_as_current_span(
        name, propagator.extract(trace_headers), **options
    )
    return recorded


def log_keys(context: Context) -> dict[str, str]:
    """Return the log keys that identify a span; empty if the context has no ``traceparent``."""
    traceparent = context.get("traceparent")  # "<version>-<trace ID>-<span ID>-<flags>"
    if not traceparent:
        return {}
    _, trace_id, span_id, *_ = traceparent.split("-")
    return {"trace_id": trace_id, "span_id": span_id}

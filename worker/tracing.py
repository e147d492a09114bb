"""Traces of pages with OpenTelemetry, whose instrumentations record tasks and statements.

The context of a page, the headers of W3C Trace Context, is stored with the page, and with messages
in the outbox. Until `enable` is called, nothing is recorded, and OpenTelemetry is not imported.
"""

import logging
import os
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final, TypeAlias

from detourage.errors import MissingExtraError
from worker.errors import cause

logger = logging.getLogger(__name__)

Context: TypeAlias = Mapping[str, str]

HEADERS: Final = ("traceparent", "tracestate")

MAX_HEADER_CHARACTERS: Final = 512  # maximum length of a header; longer headers are ignored
FLUSH_SECONDS = 2.0  # maximum time that an exiting process waits for its last spans to be exported

_enabled: list[Any] = []
"""The provider, the tracer, and the propagator of this process, if it is traced."""


def enable(process: str) -> None:
    """Trace this process, but no children; warn if OpenTelemetry is not installed."""
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
    # In other processes, a statement serves many pages.
    if process == "worker":
        Psycopg2Instrumentor().instrument(skip_dep_check=True)
    # A crawler's baggage is not forwarded to consumers.
    propagator = TraceContextTextMapPropagator()
    _enabled[:] = provider, provider.get_tracer("detourage"), propagator


def stop() -> None:
    """Stop tracing once the last spans are exported, or after `FLUSH_SECONDS`."""
    if _enabled:
        flushing = threading.Thread(target=_enabled[0].shutdown, daemon=True)
        _enabled.clear()
        flushing.start()
        flushing.join(FLUSH_SECONDS)


def current() -> Context:
    """Return the context of the current span."""
    carrier: dict[str, str] = {}
    if _enabled:
        _enabled[2].inject(carrier)
    return carrier


def span(name: str, headers: Mapping[str, Any] | None) -> AbstractContextManager[object]:
    """Record a ``with`` block as a span of the trace in headers or, without one, of a new trace."""
    if not _enabled:
        return nullcontext()
    found = {each: (headers or {}).get(each) for each in HEADERS}
    longest = MAX_HEADER_CHARACTERS
    carrier = {n: v for n, v in found.items() if isinstance(v, str) and len(v) <= longest}
    context = _enabled[2].extract(carrier)
    # The message of an exception is in the log, without passwords.
    hidden = {"record_exception": False, "set_status_on_exception": False}
    recorded: AbstractContextManager[object] = _enabled[1].start_as_current_span(
        name, context, **hidden
    )
    return recorded


def log_keys(context: Context) -> dict[str, str]:
    """Return the log keys that identify a span."""
    parent = context.get(HEADERS[0])
    return dict(zip(("trace_id", "span_id"), parent.split("-")[1:3], strict=True)) if parent else {}

"""Traces of pages through the processes of a deployment, recorded with OpenTelemetry.

Until `enable` is called, all functions do nothing, and OpenTelemetry is not imported. The context
of a span has the same form here as in messages and tables: the headers of W3C Trace Context,
``traceparent`` and ``tracestate``. It is empty if there is no span.
"""

import logging
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any, Final, Protocol, TypeAlias

from detourage.errors import MissingExtraError
from worker.errors import cause, without_passwords

logger = logging.getLogger(__name__)

Context: TypeAlias = Mapping[str, str]

HEADERS: Final = ("traceparent", "tracestate")

_SAMPLED: Final = 0x01
"""Flag in the last two characters of a ``traceparent``: the span is recorded."""

MAX_CHARACTERS: Final = 512
"""Maximum length of a header, and of an attribute; longer headers are ignored."""

FLUSH_SECONDS = 2.0
"""Maximum time that an exiting process waits for its last spans to be exported."""


class Headers(Protocol):
    """Headers of a message, with values of any type."""

    def get(self, name: str, /) -> Any:
        """Return a value, or None if absent."""


class Span:
    """A span in progress; if the span is not recorded, all methods do nothing."""

    def __init__(self, context: Context, recorded: Any = None) -> None:
        self.context = context
        self._recorded = recorded

    def note(self, **attributes: str | int | None) -> None:
        """Add attributes, in the namespace ``detourage``."""
        for name, value in attributes.items():
            if self._recorded is not None and value is not None:
                # A single lone surrogate would make the exporter drop all spans of the batch.
                text = str(value)[:MAX_CHARACTERS].encode("utf-8", "replace").decode()
                self._recorded.set_attribute(f"detourage.{name}", without_passwords(text))


class _Recorder:
    """OpenTelemetry in one process, configured by the ``OTEL_*`` variables.

    Its exporter has a thread and a connection, which do not survive a fork.
    """

    def __init__(self, process: str) -> None:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        resource = Resource.create()
        if str(resource.attributes["service.name"]).startswith("unknown_service"):
            resource = resource.merge(Resource({"service.name": f"detourage-{process}"}))
        provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        # The queue is bounded, so spans are dropped while the backend is down.
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self.shutdown = provider.shutdown
        self._tracer = provider.get_tracer("detourage")
        self._trace: Any = trace
        # A crawler's baggage is not forwarded to consumers.
        self._propagator = TraceContextTextMapPropagator()

    def context(self, span: Any = None) -> Context:
        """Return the context of a span or, by default, of the current one."""
        carrier: dict[str, str] = {}
        self._propagator.inject(carrier, span and self._trace.set_span_in_context(span))
        return carrier

    def _remote(self, headers: Headers | None) -> Any:
        """Return the span identified by headers; it is invalid if they are absent or malformed."""
        values = {name: headers.get(name) for name in HEADERS} if headers is not None else {}
        carrier = {
            name: value
            for name, value in values.items()
            if isinstance(value, str) and len(value) <= MAX_CHARACTERS
        }
        return self._trace.get_current_span(self._propagator.extract(carrier))

    @contextmanager
    def span(
        self,
        name: str,
        parent: Headers | None,
        kind: str = "INTERNAL",
        links: Sequence[Headers] = (),
        *,
        is_current: bool = True,
    ) -> Iterator[Span]:
        """Record a span (see `span` below); a span that is not made current has no children."""
        outer, placed = self._trace.get_current_span(), self._remote(parent)
        linked = [self._remote(each) for each in links]
        ours, theirs = outer.get_span_context(), placed.get_span_context()
        if links:
            placed = self._trace.INVALID_SPAN
        elif not theirs.is_valid or (is_current and theirs.trace_id == ours.trace_id):
            placed = outer
        elif ours.is_valid and theirs.trace_id != ours.trace_id:
            linked.append(outer)
        span = self._tracer.start_span(
            name,
            self._trace.set_span_in_context(placed),
            self._trace.SpanKind[kind],
            links=[self._trace.Link(each.get_span_context()) for each in linked],
        )
        options = {"record_exception": False, "set_status_on_exception": False}
        try:
            with self._trace.use_span(span, **options) if is_current else nullcontext():
                yield Span(self.context(span), span)
        except BaseException as error:
            # The message is in the log, without passwords.
            span.set_status(self._trace.StatusCode.ERROR, type(error).__name__)
            raise
        finally:
            span.end()


_process: list[str] = []
_recorders: dict[int, _Recorder | None] = {}


def enable(process: str) -> None:
    """Trace this process and its future children; warn if OpenTelemetry is not installed.

    The default service name includes ``process``.
    """
    try:
        # Imported before pool processes are forked, so that they share the memory.
        import opentelemetry.exporter.otlp.proto.http.trace_exporter
        import opentelemetry.sdk.trace.export  # noqa: F401
    except ImportError:
        logger.warning("tracing is disabled: %s", MissingExtraError("otel", "exporting traces"))
    else:
        _process[:] = [process]


def _recorder() -> _Recorder | None:
    for process in _process:
        here = os.getpid()
        if here not in _recorders:
            try:
                _recorders[here] = _Recorder(process)
            except Exception as error:  # noqa: BLE001 - traces must not affect pages
                _recorders[here] = None
                logger.error("traces are off: %s", cause(error))  # noqa: TRY400 - a setting
        return _recorders[here]
    return None


def stop() -> None:
    """Stop tracing once the last spans are exported, or after `FLUSH_SECONDS`."""
    _process.clear()
    recorder = _recorders.pop(os.getpid(), None)
    if recorder is not None:
        flushing = threading.Thread(target=recorder.shutdown, daemon=True)
        flushing.start()
        flushing.join(FLUSH_SECONDS)


def current() -> Context:
    """Return the context of the current span."""
    # Log lines ask for it, also those with which OpenTelemetry reports invalid variables.
    recorder = _recorders.get(os.getpid())
    return recorder.context() if recorder is not None else {}


def span(
    name: str, parent: Headers | None, *, kind: str = "INTERNAL", links: Sequence[Headers] = ()
) -> AbstractContextManager[Span]:
    """Make a span current for a ``with`` block.

    It continues the trace of ``parent``. If the current span belongs to the same trace, or if there
    is no parent, it is a child of the current span; otherwise, it is linked to the current span.
    With ``links``, it starts a new trace.
    """
    recorder = _recorder()
    if recorder is None:
        return nullcontext(Span({}))
    return recorder.span(name, parent, kind, links)


@contextmanager
def spans(name: str, parents: Sequence[Context]) -> Iterator[None]:
    """Record the same work in several traces: a span for each parent, none of them current."""
    recorder = _recorder()
    with ExitStack() as stack:
        if recorder is not None:
            for parent in filter(None, parents):
                stack.enter_context(recorder.span(name, parent, is_current=False))
        yield


def sending(
    destination: str, contexts: Sequence[Headers | None], *, is_shared: bool
) -> AbstractContextManager[Span]:
    """Record the sending of a message as a span, whose context the message carries.

    A message for several contexts, or for work that is shared with other traces (`is_shared`),
    starts a new trace that is linked to them. Without any context, there is no span.
    """
    present = [each for each in contexts if each and each.get(HEADERS[0])]
    if not present:
        return nullcontext(Span({}))
    if is_shared or len(present) > 1:
        return span(f"send {destination}", None, kind="PRODUCER", links=present)
    return span(f"send {destination}", present[0], kind="PRODUCER")


def requested(work: str, page: Context) -> Context:
    """Return the context with which work requested for a page continues the page's trace.

    If the current span, such as a clustering, belongs to another trace, a span in the page's trace
    is linked to it.
    """
    recorder = _recorder()
    here = current()
    if recorder is None or not page or log_keys(page)["trace_id"] == log_keys(here).get("trace_id"):
        return here
    with recorder.span(f"request {work}", page, is_current=False) as requesting:
        return requesting.context


def log_keys(context: Context) -> dict[str, str]:
    """Return the log keys that identify a span."""
    parent = context.get(HEADERS[0])
    return dict(zip(("trace_id", "span_id"), parent.split("-")[1:3], strict=True)) if parent else {}


def recorded_trace(context: Context) -> str | None:
    """Return the ID of a span's trace, or None if there is no span or it is not recorded."""
    keys = log_keys(context)
    return keys["trace_id"] if keys and int(context[HEADERS[0]][-2:], 16) & _SAMPLED else None

"""An HTTP server that receives OpenTelemetry traces over OTLP and keeps their spans in memory."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


@dataclass(frozen=True)
class ReceivedSpan:
    """A span that a process exported.

    `start` and `end` are in nanoseconds; `links` contains the trace ID and span ID of linked spans.
    """

    service: str
    name: str
    trace_id: str
    span_id: str
    parent_id: str
    start: int
    end: int
    attributes: Mapping[str, str]
    links: frozenset[tuple[str, str]]


class TraceReceiver:
    """A receiver on the loopback interface that can be stopped and started again."""

    def __init__(self) -> None:
        self._port = 0
        self._spans: list[ReceivedSpan] = []

    def __enter__(self) -> Self:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.receive(ExportTraceServiceRequest.FromString(body))
                answer = ExportTraceServiceResponse().SerializeToString()
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), Handler)
        self._port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Refuse connections for a ``with`` block."""
        self.__exit__()
        yield
        self.__enter__()

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables that make a process send its traces to this receiver."""
        return {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{self._port}",
            "OTEL_BSP_SCHEDULE_DELAY": "200",
        }

    def receive(self, request: Any) -> None:
        """Keep the spans of a request."""
        for resource in request.resource_spans:
            service = _attribute_texts(resource.resource.attributes)["service.name"]
            for span in (span for scope in resource.scope_spans for span in scope.spans):
                self._spans.append(
                    ReceivedSpan(
                        service,
                        span.name,
                        span.trace_id.hex(),
                        span.span_id.hex(),
                        span.parent_span_id.hex(),
                        span.start_time_unix_nano,
                        span.end_time_unix_nano,
                        _attribute_texts(span.attributes),
                        frozenset((each.trace_id.hex(), each.span_id.hex()) for each in span.links),
                    )
                )

    def trace(self, trace_id: str) -> list[ReceivedSpan]:
        """Return the spans of a trace that were received so far, sorted by their start."""
        spans = [span for span in self._spans[:] if span.trace_id == trace_id]
        return sorted(spans, key=lambda span: span.start)


def _attribute_texts(attributes: Any) -> dict[str, str]:
    return {each.key: each.value.string_value or str(each.value.int_value) for each in attributes}

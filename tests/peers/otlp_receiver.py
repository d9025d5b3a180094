"""The protocol's own receiver: OTLP over HTTP, decoded by the protocol's own messages."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span as PbSpan


class Received:
    """The spans that came, by trace."""

    def __init__(self) -> None:
        self.url = ""
        self.spans: list[tuple[str, PbSpan]] = []

    def of(self, trace_id: str) -> dict[str, PbSpan]:
        """The newest span of each name in a trace (hexadecimal)."""
        return {span.name: span for _, span in list(self.spans) if span.trace_id.hex() == trace_id}

    def services(self, trace_id: str) -> set[str]:
        """Which processes made it."""
        return {service for service, span in list(self.spans) if span.trace_id.hex() == trace_id}

    def under_one_root(self, trace_id: str, root: str) -> bool:
        """Whether every span of a trace leads up to the span `root` (hexadecimal)."""
        above = {
            span.span_id.hex(): span.parent_span_id.hex()
            for _, span in list(self.spans)
            if span.trace_id.hex() == trace_id
        }
        return all(_leads(span, above, root) for span in above)


def _leads(span: str, above: dict[str, str], root: str) -> bool:
    seen: set[str] = set()
    while span in above and span not in seen:
        seen.add(span)
        span = above[span]
    return span == root


@contextmanager
def otlp_receiver() -> Iterator[Received]:
    """Listens while the block runs."""
    received = Received()

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            assert self.headers["content-type"] == "application/x-protobuf"
            body = self.rfile.read(int(self.headers["content-length"]))
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                known = {each.key: each.value.string_value for each in resource.resource.attributes}
                for scope in resource.scope_spans:
                    received.spans += [(known["service.name"], span) for span in scope.spans]
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    server.daemon_threads = True
    received.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield received
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

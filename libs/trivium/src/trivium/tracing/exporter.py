"""Spans to an OTLP/HTTP address, in the one thread that waits for it. What goes wrong there loses spans, nothing else.

The SDK's own exporter reads whatever the other side sends, repeats for as long as it says, and has no bound on the
whole of a request. Here one request has `EXPORT_S`, is not repeated, and of the answer its first line is read.
"""

from __future__ import annotations

import http.client
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

import structlog
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from trivium.authorities import trusted
from trivium.telemetry import SPANS_LOST
from trivium.tracing.address import traces_address

EXPORT_S = 2.0
MAX_LINE_BYTES = 1024

log = structlog.get_logger()


class OtlpExporter(SpanExporter):
    """To the collector at `url`. `ca_file` is the setting."""

    def __init__(self, url: str, ca_file: str = "") -> None:
        self._url = urlsplit(traces_address(url))
        self._tls = trusted(ca_file) if self._url.scheme == "https" else None

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """One request; those it does not take are lost, and counted."""
        try:
            status = self._post(encode_spans(spans).SerializeToString())
        except (OSError, http.client.HTTPException, ValueError) as error:
            return self._lost(len(spans), f"{type(error).__name__}: {error}"[:200])
        if status != 200:
            return self._lost(len(spans), f"HTTP {status}")
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        """Nothing is kept open."""

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        """Nothing waits here."""
        del timeout_millis
        return True

    def _post(self, body: bytes) -> int:
        ends = time.monotonic() + EXPORT_S
        place = self._url.hostname or "", self._url.port
        connection = (
            http.client.HTTPSConnection(*place, timeout=EXPORT_S, context=self._tls)
            if self._tls
            else http.client.HTTPConnection(*place, timeout=EXPORT_S)
        )
        try:
            connection.request(
                "POST",
                self._url.path,
                body,
                {"Content-Type": "application/x-protobuf", "Connection": "close"},
            )
            line = b""
            while b"\n" not in line and len(line) < MAX_LINE_BYTES:
                connection.sock.settimeout(max(0.01, ends - time.monotonic()))
                if not (part := connection.sock.recv(MAX_LINE_BYTES)):
                    break
                line += part
                if time.monotonic() > ends:
                    raise TimeoutError("the answer takes too long")
            return _status(line)
        finally:
            connection.close()

    @staticmethod
    def _lost(count: int, reason: str) -> SpanExportResult:
        SPANS_LOST.inc(count)
        log.warning("spans_lost", spans=count, reason=reason)
        return SpanExportResult.FAILURE


def _status(line: bytes) -> int:
    """Of the first line of an answer; raises `ValueError` for what is none."""
    protocol, _, rest = line.partition(b" ")
    if not protocol.startswith(b"HTTP/"):
        raise ValueError("what answers there does not speak HTTP")
    return int(rest[:3])

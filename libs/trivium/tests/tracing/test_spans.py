"""Spans where nobody listens, and where somebody does who must not be waited for."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client import REGISTRY

from trivium.domain.errors import NeverWill, Refused
from trivium.tracing import spans
from trivium.tracing.address import traces_address
from trivium.tracing.exporter import EXPORT_S, OtlpExporter

TRACE = "0af7651916cd43dd8448eb211c80319c"
CALLERS = f"00-{TRACE}-b7ad6b7169203331-01"


@pytest.fixture
def kept() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    spans.listen(provider.get_tracer("test"))
    yield exporter
    spans.listen(None)


def test_where_nobody_listens_nothing_is_made():
    assert spans.span("one") is spans.calling("two") is spans.serving("three", CALLERS) is spans.beside("four")
    assert spans.reading("five") is spans.span("one")
    assert spans.current_traceparent() == spans.current_trace_id() == ""
    assert spans.headers() == {}


def test_a_span_stands_in_the_trace_of_the_caller(kept: InMemorySpanExporter):
    with spans.serving("request", CALLERS):
        assert spans.current_trace_id() == TRACE
        with spans.span("work", what__for="tests"):
            assert spans.headers()["traceparent"].startswith(f"00-{TRACE}-")
    work, request = kept.get_finished_spans()
    assert work.parent is not None
    assert work.parent.span_id == request.context.span_id
    assert dict(work.attributes or {}) == {"what.for": "tests"}


def test_a_read_is_a_span_of_somebody_s_trace_and_begins_none(kept: InMemorySpanExporter):
    with spans.reading("look"):
        pass
    with spans.serving("request", CALLERS), spans.reading("read"):
        pass
    assert [span.name for span in kept.get_finished_spans()] == ["read", "request"]


def test_a_failure_is_told_by_its_code_and_never_by_its_words(kept: InMemorySpanExporter):
    with pytest.raises(NeverWill), spans.span("work"):
        raise NeverWill("bad_file", "The file 'salaries.xlsx' is broken.", "Repair it.")
    with pytest.raises(KeyError), spans.span("work"):
        raise KeyError("salaries")
    told = kept.get_finished_spans()
    assert [span.status.description for span in told] == ["bad_file", "KeyError"]
    assert not any(span.events for span in told)


def test_what_is_done_for_many_at_once_is_a_span_in_each_one_s_trace(kept: InMemorySpanExporter):
    others = [f"00-{number:032x}-b7ad6b7169203331-01" for number in (1, 2)]
    with spans.shared("stage", [CALLERS, *others, ""]), spans.calling("store"):
        pass
    by_trace: dict[str, list[ReadableSpan]] = {}
    for span in kept.get_finished_spans():
        assert span.context
        by_trace.setdefault(f"{span.context.trace_id:032x}", []).append(span)
    assert {span.name for span in by_trace[TRACE]} == {"store", "stage"}
    for other in others:
        (span,) = by_trace[other[3:35]]
        assert f"{span.links[0].context.trace_id:032x}" == TRACE


@contextmanager
def _listening(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """A collector that answers with whatever `answer` writes."""
    ending = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.05)

        def serve() -> None:
            while not ending.is_set():
                with suppress(OSError):
                    connection, _ = listener.accept()
                    with connection:
                        connection.settimeout(20)
                        connection.recv(65536)
                        answer(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            ending.set()
            thread.join()


def _drips(connection: socket.socket) -> None:
    for letter in b"HTTP/1.1 200 OK and so on, one letter after the other, for ever":
        connection.sendall(bytes([letter]))
        time.sleep(0.3)


def _floods(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"x" * 65536)


LIES: dict[str, Callable[[socket.socket], None]] = {
    "hangs": lambda connection: time.sleep(EXPORT_S * 2),
    "drips": _drips,
    "floods": _floods,
    "hangs up": lambda connection: None,
    "speaks something else": lambda connection: connection.sendall(b"220 smtp.example ESMTP\r\n"),
    "says no number": lambda connection: connection.sendall(b"HTTP/1.1 yes\r\n\r\n"),
    "is busy": lambda connection: connection.sendall(b"HTTP/1.1 503 Busy\r\nRetry-After: 100000\r\n\r\n"),
    "sends elsewhere": lambda connection: connection.sendall(b"HTTP/1.1 307 X\r\nLocation: http://[::1]:1/\r\n\r\n"),
}


@pytest.mark.parametrize("how", LIES)
def test_a_collector_that_lies_loses_spans_within_their_time(kept: InMemorySpanExporter, how: str):
    with spans.span("work"):
        pass
    before = REGISTRY.get_sample_value("trivium_spans_lost_total") or 0.0
    with _listening(LIES[how]) as url:
        begun = time.monotonic()
        assert OtlpExporter(url).export(kept.get_finished_spans()) is SpanExportResult.FAILURE
        spent_s = time.monotonic() - begun
    assert spent_s < EXPORT_S * 3
    assert REGISTRY.get_sample_value("trivium_spans_lost_total") == before + 1


def test_the_address_is_a_collector_s_or_says_what_to_write():
    assert traces_address("http://collector:4318") == "http://collector:4318/v1/traces"
    assert traces_address("https://c.example/otlp/v1/traces") == "https://c.example/otlp/v1/traces"
    for wrong in ("collector:4318", "ftp://c", "http://", "http://c:x", "http://u:p@c", "http://c?x=1"):
        with pytest.raises(Refused, match="TRIVIUM_TRACES_URL"):
            traces_address(wrong)

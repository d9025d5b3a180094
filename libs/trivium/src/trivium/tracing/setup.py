"""Turns traces on for a process, and off at its end."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from trivium.config import Settings
from trivium.release import VERSION
from trivium.tracing import spans
from trivium.tracing.address import traces_address

QUEUE_SPANS = 4096  # some seconds of a busy process; what is more is lost
BATCH_SPANS = 512
PAUSE_MS = 1000.0
LAST_S = 1.0  # for what was not sent at the end; a stop takes ten seconds at most, and must not wait for a collector


@contextmanager
def traced(settings: Settings, process: str) -> Iterator[None]:
    """Spans go to `TRIVIUM_TRACES_URL` while the block runs, if it names one; processes forked meanwhile send theirs.

    Raises `Refused` (`bad_setting`) where it is no address. Whether somebody listens there is never waited for.
    """
    if not settings.traces_url:
        yield
        return
    address = traces_address(settings.traces_url)
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - nobody pays for it while it is off
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased  # noqa: PLC0415

    from trivium.tracing.exporter import OtlpExporter  # noqa: PLC0415

    for quiet in ("opentelemetry.sdk", "opentelemetry.context"):  # its words for each span that a full queue drops
        logging.getLogger(quiet).setLevel(logging.CRITICAL)
    about = {"service.name": process, "service.version": VERSION, "host.name": socket.gethostname()}
    provider = TracerProvider(
        ParentBased(TraceIdRatioBased(settings.traces_share)), Resource(about), shutdown_on_exit=False
    )
    sending = BatchSpanProcessor(
        OtlpExporter(address, settings.ca_file),
        max_queue_size=QUEUE_SPANS,
        schedule_delay_millis=PAUSE_MS,
        max_export_batch_size=BATCH_SPANS,
    )
    provider.add_span_processor(sending)
    spans.listen(provider.get_tracer("trivium", VERSION))
    try:
        yield
    finally:
        spans.listen(None)
        last = threading.Thread(target=sending.shutdown, name="last spans", daemon=True)
        last.start()
        last.join(LAST_S)

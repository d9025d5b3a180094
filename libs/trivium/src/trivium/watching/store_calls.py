"""One call of a store by ingest, told: its time and whether it failed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from trivium.telemetry import STORE_FAILED, STORE_SECONDS
from trivium.tracing import spans


@contextmanager
def store_call(store: str, operation: str) -> Iterator[None]:
    """Around the call. `operation`: write, delete, or ids (which rows are there)."""
    started = time.perf_counter()
    try:
        with spans.calling(f"{store} {operation}"):
            yield
    except Exception:
        STORE_FAILED.labels(store, operation).inc()
        raise
    finally:
        STORE_SECONDS.labels(store, operation).observe(time.perf_counter() - started)

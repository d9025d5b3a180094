"""How busy a vLLM server is, by its own metrics, and whom that makes wait.

What cannot be read makes nobody wait: a server without metrics, or that does not answer in time, is as good as idle.
"""

from __future__ import annotations

import re
import threading
import time

import httpx2
import msgspec

from trivium.authorities import trusted
from trivium.domain.documents import Lane

FRESH_S = 1.0
STALE_S = 5.0  # what was read longer ago says nothing any more
REST_S = 10.0  # after a reading that failed
WAIT_S = 1.0  # what a task waits for a reading at most, once in `REST_S`; a later answer is for the next one
READ_S = 2.0
MAX_BYTES = 1024 * 1024
FULL = 0.9  # of the cache of keys and values: vLLM then stops requests half way and begins them again
# Whoever is more urgent still asks where others wait, so no lane overtakes one before it.
TIMES_LIMIT = {Lane.INTERACTIVE: 4, Lane.RECORDING: 2, Lane.LARGE: 2, Lane.BACKFILL: 1}
_LINE = re.compile(
    r"^vllm:(num_requests_waiting|kv_cache_usage_perc|gpu_cache_usage_perc)(?:\{[^}\n]*\})? (\S+)", re.MULTILINE
)


class LlmLoad(msgspec.Struct, frozen=True):
    """Requests that wait in the server's queue, and the share of its cache that is used, 0 to 1."""

    waiting: float = 0.0
    cache: float = 0.0


def reason_to_wait(load: LlmLoad | None, lane: Lane, limit: int) -> str:
    """Why a stage of this lane should ask later, "" where it need not. `limit`: waiting requests, of a backfill."""
    if load is None:
        return ""
    if load.waiting >= limit * TIMES_LIMIT[lane]:
        return f"{load.waiting:.0f} requests wait for the language model."
    if load.cache >= FULL and lane is not Lane.INTERACTIVE:
        return f"{load.cache:.0%} of the language model's cache are in use."
    return ""


def read_metrics(text: str) -> LlmLoad | None:
    """From vLLM's page for Prometheus; None where it tells nothing of the queue. Engines add up, the fullest counts."""
    found: dict[str, list[float]] = {}
    for name, value in _LINE.findall(text):
        try:
            found.setdefault(name, []).append(float(value))
        except ValueError:
            return None
    if "num_requests_waiting" not in found:
        return None
    caches = found.get("kv_cache_usage_perc", []) + found.get("gpu_cache_usage_perc", [])
    return LlmLoad(sum(found["num_requests_waiting"]), max(caches, default=0.0))


class VllmLoad:
    """The load of the server whose API is at `base_url`, read once a second while somebody asks.

    It never raises. One reading at a time runs beside those who ask; whoever begins it waits for it for `WAIT_S`.
    """

    def __init__(self, base_url: str, ca_file: str = "") -> None:
        self._url = f"{base_url.rstrip('/').removesuffix('/v1')}/metrics"
        address = httpx2.URL(self._url)
        # opened once: a client prepares for TLS, which takes longer than the reading
        self._client = httpx2.Client(
            timeout=READ_S,
            trust_env=address.host not in ("localhost", "127.0.0.1", "::1"),
            verify=trusted(ca_file),
        )
        self._lock = threading.Lock()
        self._reading = False
        self._due_at = 0.0
        self._read_at = 0.0
        self._load: LlmLoad | None = None

    def __call__(self) -> LlmLoad | None:
        """None where it is not known."""
        with self._lock:
            begins = not self._reading and time.monotonic() >= self._due_at
            self._reading = self._reading or begins
        if begins:
            reading = threading.Thread(target=self._read, name="llm-load", daemon=True)
            reading.start()
            reading.join(WAIT_S)
        with self._lock:
            return self._load if time.monotonic() - self._read_at < STALE_S else None

    def _read(self) -> None:
        load = self._fetched()
        with self._lock:
            now = time.monotonic()
            self._reading, self._due_at = False, now + (REST_S if load is None else FRESH_S)
            if load is not None:
                self._load, self._read_at = load, now

    def _fetched(self) -> LlmLoad | None:
        ends, body = time.monotonic() + READ_S, bytearray()
        try:
            with self._client.stream("GET", self._url) as answer:
                if answer.status_code != httpx2.codes.OK:
                    return None
                for piece in answer.iter_bytes():
                    body += piece
                    if len(body) > MAX_BYTES or time.monotonic() > ends:
                        return None
        except httpx2.HTTPError:
            return None
        return read_metrics(body.decode(errors="replace"))

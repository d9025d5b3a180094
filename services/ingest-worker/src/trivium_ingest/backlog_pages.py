"""The backlog as pages of the control process: `/metrics` for Prometheus, `/backlog` as JSON.

`/backlog?queues=llm,llm.backfill` sums up some queues, as a scaler asks for what its worker looks into.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus

import msgspec
from prometheus_client import REGISTRY
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from trivium.domain.documents import Lane
from trivium.domain.errors import TriviumError
from trivium.flow.backlog import RESOURCES, Backlog, QueueBacklog, Summary, summary
from trivium.flow.queues import queue_of
from trivium_ingest.uploads.webhook import Page, Pages

FRESH_S = 2.0  # whoever asks more often is told the same again
_QUEUES = frozenset(queue_of(stage, lane, in_turn=in_turn) for stage, in_turn in RESOURCES.values() for lane in Lane)


class Told(msgspec.Struct, frozen=True):
    """`/backlog`: the chosen queues together, each of them, and what one document costs by `stage:lane`."""

    total: Summary
    queues: tuple[QueueBacklog, ...]
    in_hand: dict[Lane, int]
    costs: dict[str, float]


@contextmanager
def backlog_pages(look: Callable[[], Backlog]) -> Iterator[Pages]:
    """The pages, for as long as the block runs; `look` is asked once in `FRESH_S`, by one at a time."""
    fresh = _Fresh(look)
    collector = BacklogCollector(fresh)
    REGISTRY.register(collector)
    try:
        yield {"/metrics": _metrics, "/backlog": lambda query: _backlog(fresh, query)}
    finally:
        REGISTRY.unregister(collector)


class _Fresh:
    def __init__(self, look: Callable[[], Backlog]) -> None:
        self._look = look
        self._lock = threading.Lock()
        self._until = 0.0
        self._seen: Backlog | TriviumError | None = None

    def __call__(self) -> Backlog:
        """Raises what `look` raised."""
        with self._lock:
            if self._seen is None or time.monotonic() > self._until:
                try:
                    self._seen = self._look()
                except TriviumError as error:
                    self._seen = error
                self._until = time.monotonic() + FRESH_S
            seen = self._seen
        if isinstance(seen, TriviumError):
            raise seen
        return seen


class BacklogCollector(Collector):
    """Numbers that are read when somebody scrapes; one that cannot be told is absent."""

    def __init__(self, look: Callable[[], Backlog]) -> None:
        self._look = look

    def describe(self) -> Iterable[Metric]:
        """Names and help, without a look."""
        return [_readable(), *_families(Backlog((), {}, {}))]

    def collect(self) -> Iterable[Metric]:
        """All of it, or that it could not be read."""
        readable = _readable()
        try:
            found = self._look()
        except TriviumError:
            readable.add_metric([], 0)
            return [readable]
        readable.add_metric([], 1)
        return [readable, *_families(found)]


def _readable() -> GaugeMetricFamily:
    return GaugeMetricFamily("trivium_backlog_readable", "Whether the backlog could be read")


def _families(found: Backlog) -> Iterator[Metric]:
    for name, text, value in _OF_QUEUES:
        family = GaugeMetricFamily(f"trivium_backlog_{name}", text, labels=["queue", "lane"])
        for queue in found.queues:
            if (number := value(queue)) is not None:
                family.add_metric([queue.resource, queue.lane.value], number)
        yield family
    in_hand = GaugeMetricFamily("trivium_documents_in_hand", "Documents claimed and in no queue", labels=["lane"])
    for lane, count in found.in_hand.items():
        in_hand.add_metric([lane.value], count)
    yield in_hand
    costs = GaugeMetricFamily(
        "trivium_stage_document_seconds", "Measured seconds of one document", labels=["stage", "lane"]
    )
    for name, seconds in found.costs.items():
        costs.add_metric(name.split(":"), seconds)
    yield costs


_OF_QUEUES: tuple[tuple[str, str, Callable[[QueueBacklog], float | None]], ...] = (
    ("documents", "Documents that wait in a queue", lambda queue: queue.documents),
    ("oldest_seconds", "How long the first of a queue has waited", lambda queue: queue.oldest_s),
    ("work_seconds", "Seconds of one worker for what waits for a queue's resource", lambda queue: queue.work_s),
    ("seconds", "Those seconds divided by the workers of the queue", lambda queue: queue.seconds),
    ("workers", "Worker processes that look into a queue", lambda queue: queue.workers),
)


def _metrics(_: Mapping[str, list[str]]) -> Page:
    encode, media_type = choose_encoder("")
    return Page(encode(REGISTRY), media_type)


def _backlog(look: Callable[[], Backlog], query: Mapping[str, list[str]]) -> Page:
    chosen = [name for given in query.get("queues", ()) for name in given.split(",") if name]
    if unknown := sorted(set(chosen) - _QUEUES):
        return _json(
            {"code": "no_such_queue", "message": f"There is no queue {unknown[0][:100]!r}."}, HTTPStatus.BAD_REQUEST
        )
    try:
        found = look()
    except TriviumError as error:
        told = {"code": error.code, "message": error.message, "action": error.action}
        return _json(told, HTTPStatus.SERVICE_UNAVAILABLE)
    queues = tuple(queue for queue in found.queues if queue.queue in chosen or not chosen)
    return _json(Told(summary(found, chosen), queues, found.in_hand, found.costs))


def _json(value: object, status: HTTPStatus = HTTPStatus.OK) -> Page:
    return Page(msgspec.json.encode(value), "application/json", status)

"""One search's bookkeeping: each source's time budget, what it cost, and what was lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import msgspec

from trivium.domain.errors import TriviumError
from trivium.domain.retrieval import Degraded
from trivium.telemetry import SOURCE_FAILED, SOURCE_SECONDS
from trivium.tracing import spans

T = TypeVar("T")

VECTOR = "vector"
KEYWORD = "keyword"
GRAPH = "graph"
VISUAL = "visual"
TOPICS = "topics"
HYPERNODE = "hypernode"
WAITED = "waited"

PATIENT_S = 20.0  # for a source without which there is no answer; less than a whole request may take


class Budgets(msgspec.Struct, frozen=True):
    """Seconds that each source may take of one search, all its reads together.

    Pictures and HyperNodes have what vectors have.
    """

    vector_s: float = 2.0
    keyword_s: float = 2.0
    graph_s: float = 2.0
    topics_s: float = 10.0  # they are made anew when the graph has changed

    def patient(self, *sources: str) -> Budgets:
        """More of it for these: nobody is served sooner by doing without them."""
        longer = {f"{source}_s": max(PATIENT_S, getattr(self, f"{source}_s")) for source in sources}
        return msgspec.structs.replace(self, **longer)


class BudgetedReads:
    """Runs reads within their source's budget; a source that was late or down is not asked again.

    Only the time of a source's own reads counts: waiting for another takes nothing from it.
    """

    def __init__(self, budgets: Budgets) -> None:
        self._budgets = {
            VECTOR: budgets.vector_s,
            KEYWORD: budgets.keyword_s,
            GRAPH: budgets.graph_s,
            VISUAL: budgets.vector_s,
            TOPICS: budgets.topics_s,
            HYPERNODE: budgets.vector_s,
        }
        self._left = dict(self._budgets)
        self.lost: dict[str, Degraded] = {}
        self.timings_ms: dict[str, float] = {}
        self._waiting = 0
        self._waits_since = 0.0

    async def ask(self, source: str, reading: Awaitable[T], otherwise: T) -> T:
        """What `reading` gives, or `otherwise` when the source failed, is late, or had failed before."""
        if source in self.lost:
            _discard(reading)
            return otherwise
        started, allowed = time.perf_counter(), self._left[source]
        try:
            with spans.calling(f"search {source}"), self.waiting():
                async with asyncio.timeout(allowed):
                    return await reading
        except TimeoutError:
            self._lose(source, "late", f"No answer within {self._budgets[source]:g} s.")
        except TriviumError as error:
            self._lose(source, "failed", str(error))
        finally:
            seconds = time.perf_counter() - started
            self._left[source] = min(self._left[source], allowed - seconds)  # reads at the same time count once
            SOURCE_SECONDS.labels(source).observe(seconds)
            self.timings_ms[source] = round(self.timings_ms.get(source, 0.0) + seconds * 1000, 3)
        return otherwise

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Counts the block's time as spent on others: `waited` is when at least one such block was open."""
        started = time.perf_counter()
        if not self._waiting:
            self._waits_since = started
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1
            if not self._waiting:
                waited = (time.perf_counter() - self._waits_since) * 1000
                self.timings_ms[WAITED] = round(self.timings_ms.get(WAITED, 0.0) + waited, 3)

    def miss(self, source: str, reason: str) -> None:
        """Note that a source which answered lacks what it should have."""
        self.lost.setdefault(source, Degraded(source, reason))

    def _lose(self, source: str, why: str, reason: str) -> None:
        SOURCE_FAILED.labels(source, why).inc()
        spans.noted("source lost", source=source, why=why)
        self.lost.setdefault(source, Degraded(source, reason))


def _discard(reading: Awaitable[T]) -> None:
    close = getattr(reading, "close", None)  # an unawaited coroutine would warn
    if close is not None:
        close()

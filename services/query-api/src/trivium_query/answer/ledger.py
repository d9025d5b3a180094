"""What one request has spent and lost so far: time per step, tokens, sources that failed, notes."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Iterator

from trivium.domain.answers import NOTHING_USED, Usage
from trivium.domain.errors import TriviumError, TryLater
from trivium.domain.retrieval import Degraded
from trivium.llm.prompt_files import Prompt
from trivium.ports.llm import Completion
from trivium.tracing import spans


class Ledger:
    """Kept by the pipeline for one request. `deadline` is a time of `time.monotonic()`."""

    def __init__(self, deadline: float) -> None:
        self.timings_ms: dict[str, float] = {}
        self.degraded: dict[tuple[str, str], Degraded] = {}
        self.notes: list[str] = []
        self._deadline = deadline
        self._usage = NOTHING_USED

    @property
    def usage(self) -> Usage:
        """Tokens and calls so far."""
        return self._usage

    def remaining_s(self, share: float = 1.0) -> float:
        """A share of the time that is left, never negative."""
        return max(0.0, (self._deadline - time.monotonic()) * share)

    def spend(self, completion: Completion, *prompts: Prompt, calls: int = 1) -> None:
        """Count what calls of the language model took, all of them together, and name what it was told."""
        self._usage = Usage(
            self._usage.input_tokens + completion.input_tokens,
            self._usage.output_tokens + completion.output_tokens,
            self._usage.calls + calls,
            tuple(dict.fromkeys((*self._usage.prompts, *(prompt.label for prompt in prompts)))),
        )

    def lose(self, source: str, reason: str) -> None:
        """Name a source that failed, once per reason."""
        self.degraded.setdefault((source, reason), Degraded(source, reason))
        spans.noted("fallback", part=source)

    @contextlib.contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Add to the time of a step, in milliseconds."""
        started = time.perf_counter()
        try:
            with spans.span(f"answer {name}"):
                yield
        finally:
            spent_ms = (time.perf_counter() - started) * 1000
            self.timings_ms[name] = round(self.timings_ms.get(name, 0.0) + spent_ms, 3)

    @contextlib.asynccontextmanager
    async def step(self, name: str, share: float = 1.0) -> AsyncIterator[None]:
        """Time a step, and end it when its share of the remaining time is over.

        Raises `TryLater` (`<name>_late`). Do not `yield` to a caller from inside it.
        """
        try:
            with self.timed(name):
                async with asyncio.timeout(self.remaining_s(share)):
                    yield
        except TimeoutError as late:
            raise TryLater(
                f"{name}_late", f"The step '{name}' did not finish in time.", "Ask again, or allow more time."
            ) from late

    @contextlib.asynccontextmanager
    async def optional(self, name: str, share: float = 1.0) -> AsyncIterator[None]:
        """A step that the answer can do without: its failure is named in `degraded` and passed over."""
        try:
            async with self.step(name, share):
                yield
        except TriviumError as fault:
            self.lose(name, fault.message)

"""Questions as vectors: those that are asked at the same time go through the model together, recent ones not again."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Protocol

import msgspec
import numpy as np
from cachetools import LRUCache

from trivium.ports.inference import Vector, VisualEncoder
from trivium.tracing import spans

REMEMBERED = 1024  # questions: an answer asks for the vector that its search had, and people repeat themselves
MAX_REMEMBERED_CHARS = 1000
MAX_TOGETHER = 16


class EmbedsQueries(Protocol):
    """An encoder of questions: of text, or of the words that pictures are near to."""

    @property
    def fingerprint(self) -> str:
        """Names the model."""
        ...

    @property
    def dimension(self) -> int:
        """Values of one vector."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vector:
        """(len(texts), dimension) float32."""
        ...


class VisualWords(msgspec.Struct, frozen=True):
    """Questions in the space of pictures."""

    encoder: VisualEncoder

    @property
    def fingerprint(self) -> str:
        """Of the encoder."""
        return self.encoder.fingerprint

    @property
    def dimension(self) -> int:
        """Of the encoder's space."""
        return self.encoder.dimension

    def embed_queries(self, texts: Sequence[str]) -> Vector:
        """As words of pictures."""
        return self.encoder.embed_texts(texts)


class QuestionVectors:
    """Shared by every loop and thread of the process. Nobody waits for company: a batch is whoever came meanwhile.

    What another model made is forgotten with the first question that the new one embeds.
    """

    def __init__(self, embedder: EmbedsQueries, remembered: int = REMEMBERED) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        self._known: LRUCache[str, Vector] = LRUCache(remembered)
        self._known_of = ""  # the fingerprint of the model that made them
        self._awaited: dict[str, Future[Vector]] = {}
        self._queue: deque[str] = deque()
        self._working = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="questions")

    async def embed(self, texts: Sequence[str]) -> Vector:
        """(len(texts), d) float32. Raises what the embedder raises."""
        if not texts:
            return np.zeros((0, self._embedder.dimension), np.float32)
        with self._lock:
            found = [self._ask(text) for text in texts]
        with spans.span("embed question"):
            rows = [await asyncio.wrap_future(row) if isinstance(row, Future) else row for row in found]
        if len({len(row) for row in rows}) > 1:  # the model was changed since some were remembered
            return await self.embed(texts)
        return np.stack(rows)

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(cancel_futures=True)

    def _ask(self, text: str) -> Vector | Future[Vector]:
        if text in self._known:
            return self._known[text]
        if text not in self._awaited:
            future = self._awaited[text] = Future()
            future.set_running_or_notify_cancel()  # one who stops waiting takes it from nobody else
            self._queue.append(text)
            if not self._working:
                self._working = True
                self._thread.submit(self._work)
        return self._awaited[text]

    def _work(self) -> None:
        while texts := self._next():
            try:
                fingerprint = self._embedder.fingerprint
                vectors = self._embedder.embed_queries(texts)
            except Exception as error:  # noqa: BLE001 - whoever waits raises it
                self._done(texts, error)
            else:
                self._done(texts, vectors, fingerprint)

    def _next(self) -> list[str]:
        with self._lock:
            texts = [self._queue.popleft() for _ in range(min(MAX_TOGETHER, len(self._queue)))]
            self._working = bool(texts)
        return texts

    def _done(self, texts: Sequence[str], result: Vector | Exception, fingerprint: str = "") -> None:
        with self._lock:
            futures = [self._awaited.pop(text) for text in texts]
            if not isinstance(result, Exception):
                self._remember(texts, result, fingerprint)
        for number, future in enumerate(futures):
            if isinstance(result, Exception):
                future.set_exception(result)
            else:
                future.set_result(result[number])

    def _remember(self, texts: Sequence[str], vectors: Vector, fingerprint: str) -> None:
        if fingerprint != self._known_of:
            self._known.clear()
            self._known_of = fingerprint
        if self._known.maxsize:  # a cache without room refuses every row
            self._known.update(
                (text, row) for text, row in zip(texts, vectors, strict=True) if len(text) <= MAX_REMEMBERED_CHARS
            )


@contextmanager
def visual_questions(encoder: VisualEncoder | None) -> Iterator[QuestionVectors | None]:
    """Questions in the space of pictures for the length of the block; None without an encoder."""
    if encoder is None:
        yield None
        return
    with closing(QuestionVectors(VisualWords(encoder))) as questions:
        yield questions

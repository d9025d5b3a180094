"""The embedder. Text becomes tokens, batches, token states, and vectors.

tokens.py -> batching.py -> openvino_encoder.py | torch_encoder.py -> pooling.py
"""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final, Literal, TypeVar

import msgspec
import numpy as np

from trivium.domain.errors import NeverWill
from trivium.ports.inference import Passage, PassageVectors, Vector
from trivium_inference.batching import batches_by_length
from trivium_inference.encoder import Encoder
from trivium_inference.model_files import ModelFiles, locate_model
from trivium_inference.pooling import normalise, pool, pool_passage
from trivium_inference.tokens import TokenReader, Tokens
from trivium_inference.torch_library import has_nvidia_driver, has_torch

A = TypeVar("A")
B = TypeVar("B")

log = logging.getLogger(__name__)

EMBED_VERSION: Final = 1
_BATCH_ITEMS: Final = 64
_TOKENIZE_AHEAD: Final = 512  # passages tokenized and sorted at a time: bounds memory, keeps lengths alike


class EmbedOptions(msgspec.Struct, frozen=True):
    """`model` is a path or hub name, "" the installed one. `cache_dir` holds the converted model.

    `threads` is 0 for one per usable core. `precision` auto is bf16 where the hardware is faster so.
    """

    cache_dir: Path
    model: str = ""
    backend: Literal["auto", "openvino", "torch"] = "auto"
    precision: Literal["auto", "bf16", "f32"] = "auto"
    threads: int = 0


class TextEmbedder:
    """`trivium.ports.inference.Embedder` in this process. Safe to use from several threads at once."""

    def __init__(self, files: ModelFiles, encoder: Encoder) -> None:
        self._files = files
        self._encoder = encoder
        self._tokens = TokenReader(files)
        self._lanes = ThreadPoolExecutor(max_workers=encoder.lanes, thread_name_prefix="embed")

    @property
    def files(self) -> ModelFiles:
        """Of the model that it runs."""
        return self._files

    @property
    def fingerprint(self) -> str:
        """Model, revision, window, back end and precision, the version of this code, and the prompts if any."""
        files = self._files
        base = (
            f"{files.name}@{files.digest}:{files.pooling}:{files.max_tokens}"
            f":{self._encoder.description}:{EMBED_VERSION}"
        )
        return f"{base}:{files.prompts_digest}" if files.prompts_digest else base

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._files.dimension

    @property
    def lanes(self) -> int:
        """How many batches of passages run at the same time to use the device fully."""
        return self._encoder.lanes

    @property
    def max_tokens(self) -> int:
        """Tokens of one passage that the model reads."""
        return self._files.max_tokens

    def embed_passages(self, passages: Sequence[Passage]) -> list[PassageVectors]:
        """One answer per passage, in order. Any number; memory is bounded."""
        found: list[PassageVectors] = []
        for start in range(0, len(passages), _TOKENIZE_AHEAD):
            found.extend(self._embed_some(passages[start : start + _TOKENIZE_AHEAD]))
        return found

    def embed_queries(self, texts: Sequence[str]) -> Vector:
        """(len(texts), d); does not wait for passages being embedded."""
        return self.encode_queries(self.read_queries(texts))

    def read_passages(self, passages: Sequence[Passage]) -> list[Tokens]:
        """What the model reads of each passage; `encode_passages` takes it."""
        return self._tokens.passages(passages)

    def read_queries(self, texts: Sequence[str]) -> list[Tokens]:
        """What the model reads of each query; `encode_queries` takes it."""
        return self._tokens.queries(texts)

    def encode_passages(self, inputs: Sequence[Tokens]) -> list[PassageVectors]:
        """One answer per input, in order, on the caller's thread: as many of them as `lanes` use the device fully."""
        vectors = {index: one for batch in self._batches(inputs) for index, one in self._run(inputs, batch)}
        return [vectors[index] for index in range(len(inputs))]

    def encode_queries(self, inputs: Sequence[Tokens]) -> Vector:
        """(len(inputs), d), on the caller's thread, beside `encode_passages`."""
        vectors = np.empty((len(inputs), self.dimension), np.float32)
        for batch in self._batches(inputs):
            states = self._encoder.encode_urgent([inputs[index].ids for index in batch])
            for index, state in zip(batch, states, strict=True):
                vectors[index] = pool_passage(state, self._files.pooling)
        return normalise(vectors)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, without the marks that the model puts around its input."""
        return self._tokens.count(texts)

    def close(self) -> None:
        """Let the threads go. The embedder cannot be used afterwards."""
        self._lanes.shutdown()

    def _embed_some(self, passages: Sequence[Passage]) -> list[PassageVectors]:
        inputs = self.read_passages(passages)
        done = in_turns(self._lanes, partial(self._run, inputs), self._batches(inputs), self.lanes + 1)
        vectors = {index: one for batch in done for index, one in batch}
        return [vectors[index] for index in range(len(passages))]

    def _batches(self, inputs: Sequence[Tokens]) -> list[list[int]]:
        lengths = [len(tokens) for tokens in inputs]
        return batches_by_length(lengths, self._encoder.batch_tokens, _BATCH_ITEMS, self._encoder.call_tokens)

    def _run(self, inputs: Sequence[Tokens], batch: Sequence[int]) -> list[tuple[int, PassageVectors]]:
        states = self._encoder.encode([inputs[index].ids for index in batch])
        return [
            (index, pool(state, inputs[index].sentences, self._files.pooling))
            for index, state in zip(batch, states, strict=True)
        ]


def in_turns(pool: Executor, call: Callable[[A], B], items: Iterable[A], width: int) -> Iterator[B]:
    """`call` of each item, in order, at most `width` of them in the pool at a time: callers of one pool take turns."""
    waiting: deque[Future[B]] = deque()
    for item in items:
        waiting.append(pool.submit(call, item))
        if len(waiting) >= width:
            yield waiting.popleft().result()
    yield from (future.result() for future in waiting)


def build_embedder(options: EmbedOptions) -> TextEmbedder:
    """The embedder for this machine. Raises `NeverWill` (`model_missing`, `model_unsupported`)."""
    files = locate_model(options.model)
    return TextEmbedder(files, _choose(files, options))


def _choose(files: ModelFiles, options: EmbedOptions) -> Encoder:
    threads = options.threads or usable_cores()
    if options.backend == "openvino":
        return _openvino(files, options, threads)
    if options.backend == "auto" and not (has_nvidia_driver() and has_torch()):
        try:
            return _openvino(files, options, threads)
        except (ImportError, NeverWill) as error:
            log.warning("OpenVINO is not used, torch is: %s", error)
    from trivium_inference.torch_encoder import TorchEncoder  # noqa: PLC0415  (loads torch)

    return TorchEncoder(files, threads=threads, precision=options.precision)


def _openvino(files: ModelFiles, options: EmbedOptions, threads: int) -> Encoder:
    from trivium_inference.openvino_encoder import OpenVinoEncoder  # noqa: PLC0415  (not on every platform)

    return OpenVinoEncoder(files, cache_dir=options.cache_dir, threads=threads, precision=options.precision)


def usable_cores() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

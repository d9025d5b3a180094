"""READ FIRST of the reader: it points at the words of passages that answer a question, by the embedder's own model.

The embedder's first layers as they are, its last ones trained to read (`bench/train_reader.py`), a head that scores
each token as an answer's first and last: reader_windows.py -> openvino_bert.py -> reader_spans.py.
"""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from trivium.domain.errors import NeverWill
from trivium.ports.inference import Passage, Reading, ReadSpan, Vector
from trivium_inference.batching import batches_by_length
from trivium_inference.embed import usable_cores
from trivium_inference.encoder import pad
from trivium_inference.model_files import ModelFiles
from trivium_inference.openvino_encoder import ir_path, reader_precision
from trivium_inference.openvino_runtime import load_openvino
from trivium_inference.reader_spans import Scored, best_spans, none_score, spans_of
from trivium_inference.reader_weights import ReaderFacts, find_reader, read_changes
from trivium_inference.reader_windows import Window, WindowMaker

READER_VERSION: Final = 1
_BATCH_TOKENS: Final = 1024  # larger ones are no faster and hold more memory
_BATCH_ITEMS: Final = 16
_STATES_GROUP: Final = "64"  # with 32 a question takes a fifth longer, with 128 scores differ by a half more
_CALL_TOKENS: Final = 32  # what a call costs besides its tokens, as `OpenVinoEncoder.call_tokens`


class SpanReader:
    """`trivium.ports.inference.Reader` in this process; the model is loaded at the first question and kept.

    `cache_dir` holds the converted model. Raises `NeverWill` (`reader_altered`) for weights that are not the shipped
    ones.
    """

    def __init__(
        self,
        files: ModelFiles,
        facts: ReaderFacts,
        folder: Path,
        *,
        cache_dir: Path,
        threads: int = 0,
    ) -> None:
        self._files = files
        self._facts = facts
        self._folder = folder
        self._cache_dir = cache_dir
        self._threads = threads or usable_cores()
        self._turn = threading.Lock()
        self._request: Any = None

    @property
    def fingerprint(self) -> str:
        """Embedder, weights and precision, and the version of this code."""
        return f"{self._files.name}@{self._files.digest}:{self._facts.sha256[:16]}:{self._precision}:{READER_VERSION}"

    async def read(self, question: str, passages: Sequence[Passage]) -> list[Reading]:
        """One reading per passage, in order."""
        return await asyncio.to_thread(self.read_now, question, passages)

    def read_now(self, question: str, passages: Sequence[Passage]) -> list[Reading]:
        """The same on the caller's thread, one call at a time."""
        windows = self.windows(question, passages)
        return self.readings(passages, windows, self.score(windows))

    def windows(self, question: str, passages: Sequence[Passage]) -> list[Window]:
        """What the model reads; `score` takes it."""
        return self._maker.windows(question, passages)

    def score(self, windows: Sequence[Window]) -> list[Vector]:
        """(tokens, 2) of each window, in order; one call at a time."""
        lengths = [len(window) for window in windows]
        found = [np.empty((0, 2), np.float32)] * len(windows)
        with self._turn:
            for batch in batches_by_length(lengths, _BATCH_TOKENS, _BATCH_ITEMS, _CALL_TOKENS):
                for index, scores in zip(batch, self._infer([windows[index] for index in batch]), strict=True):
                    found[index] = scores[: lengths[index]]
        return found

    def readings(
        self, passages: Sequence[Passage], windows: Sequence[Window], scores: Sequence[Vector]
    ) -> list[Reading]:
        """What each passage says, by its windows' scores."""
        of_passage: list[list[tuple[Window, Vector]]] = [[] for _ in passages]
        for window, scored in zip(windows, scores, strict=True):
            of_passage[window.passage].append((window, scored))
        return [self._reading(passage.text, found) for passage, found in zip(passages, of_passage, strict=True)]

    @cached_property
    def _core(self) -> Any:
        return load_openvino().Core()

    @cached_property
    def _precision(self) -> str:
        return reader_precision(self._core)

    @cached_property
    def _maker(self) -> WindowMaker:
        return WindowMaker(self._files)

    def _reading(self, text: str, windows: Sequence[tuple[Window, Vector]]) -> Reading:
        if not windows:
            return Reading((), 0.0)
        none = min(none_score(scores) for _, scores in windows)
        spans = best_spans(_of_windows(text, windows))
        return Reading(tuple(self._span(span, none) for span in spans), none)

    def _span(self, span: Scored, none: float) -> ReadSpan:
        odds = self._facts.slope * (span.score - none) + self._facts.intercept
        return ReadSpan(span.start, span.end, span.score, 1 / (1 + math.exp(-odds)))

    def _infer(self, windows: Sequence[Window]) -> Vector:
        if self._request is None:
            self._request = self._compiled().create_infer_request()
        ids, mask = pad([window.ids for window in windows], self._files)
        marks = np.zeros_like(ids)
        for row, window in enumerate(windows):
            marks[row, : len(window)] = window.marks
        return np.array(self._request.infer([ids, mask, marks])[0], np.float32)

    def _compiled(self) -> Any:
        self._check()
        version = load_openvino().__version__
        name = f"{self._facts.sha256[:16]}-{self._precision}"
        model = ir_path(self._files, self._cache_dir, version, name, (str(self._folder), self._precision))
        options = {
            "INFERENCE_PRECISION_HINT": self._precision,
            "INFERENCE_NUM_THREADS": str(self._threads),
            "ENABLE_CPU_PINNING": False,
        }
        if self._precision == "int8":
            options |= {"INFERENCE_PRECISION_HINT": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": _STATES_GROUP}
        return self._core.compile_model(str(model), "CPU", options)

    def _check(self) -> None:
        try:
            read_changes(self._facts, self._folder)
        except ValueError as error:
            raise NeverWill(
                "reader_altered", f"The reader cannot be used: {error}", "Install trivium-gpu-inference again."
            ) from error


def build_reader(files: ModelFiles, cache_dir: Path, *, threads: int = 0) -> SpanReader | None:
    """The reader that was made of this embedder; None where there is none, or no OpenVINO to run it."""
    found = find_reader(files) if find_spec("openvino") else None
    return SpanReader(files, *found, cache_dir=cache_dir, threads=threads) if found else None


def _of_windows(text: str, windows: Iterable[tuple[Window, Vector]]) -> Iterator[Scored]:
    for window, scores in windows:
        yield from spans_of(window, text, scores)

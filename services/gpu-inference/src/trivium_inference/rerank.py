"""Reranking by a cross-encoder in this process (CORTEX names it as its gap: C15)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from trivium.domain.errors import NeverWill, TryLater
from trivium_inference.tokens import CHARS_PER_TOKEN
from trivium_inference.torch_library import load_torch

_BATCH: Final = 16
Pair = tuple[str, str]


class CrossEncoderReranker:
    """`trivium.ports.inference.Reranker`. The model is loaded at the first call and kept.

    `model` is a local path, or a hub name that was downloaded before; nothing is fetched.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._turn = threading.Lock()
        self._loading = threading.Lock()
        self._encoder: Any = None

    @property
    def name(self) -> str:
        """`cross-encoder:` and the model's name, as answers show it."""
        return f"cross-encoder:{Path(self._model).name}"

    async def score(self, query: str, passages: Sequence[str]) -> list[float]:
        """One score per passage, in order; higher is better.

        Raises `NeverWill` (`model_missing`) when the model is not there, `TryLater` (`reranker_failed`) when it
        ran out of memory.
        """
        if not passages:
            return []
        return await asyncio.to_thread(lambda: self.score_pairs(self.pairs(query, passages)))

    def load(self) -> None:
        """Load the model now rather than at the first call. Raises `NeverWill` (`model_missing`)."""
        self._loaded()

    def pairs(self, query: str, passages: Sequence[str]) -> list[Pair]:
        """What `score_pairs` takes: of each text as much as the model's window may hold. Raises as it does."""
        encoder, _ = self._loaded()
        limit = encoder.tokenizer.model_max_length * CHARS_PER_TOKEN
        return [(query[:limit], passage[:limit]) for passage in passages]

    def count_tokens(self, pairs: Sequence[Pair]) -> list[int]:
        """What the model reads of each pair. Beside `score_pairs`; raises as it does."""
        encoder, counter = self._loaded()
        return [min(len(found), encoder.tokenizer.model_max_length) for found in counter.encode_batch(list(pairs))]

    def score_pairs(self, pairs: Sequence[Pair]) -> list[float]:
        """One score per (query, passage), in order; raises as `score` does. Blocks, one call at a time."""
        encoder, _ = self._loaded()
        with self._turn:
            try:
                scores = encoder.predict(list(pairs), batch_size=_BATCH, show_progress_bar=False)
            except (MemoryError, RuntimeError) as error:
                raise TryLater("reranker_failed", f"The reranker {self._model!r} failed: {error}") from error
        return [float(score) for score in scores]

    def _loaded(self) -> tuple[Any, Any]:
        """The model, and its tokenizer without a window for counting."""
        with self._loading:
            if self._encoder is None:
                from tokenizers import Tokenizer  # noqa: PLC0415

                encoder = self._load()
                counter = Tokenizer.from_str(encoder.tokenizer.backend_tokenizer.to_str())
                counter.no_padding()
                counter.no_truncation()
                self._encoder = encoder, counter
            found: tuple[Any, Any] = self._encoder
            return found

    def _load(self) -> Any:
        torch = load_torch(f"The reranking model {self._model!r}")
        from sentence_transformers import CrossEncoder  # noqa: PLC0415  (seconds, hundreds of megabytes)

        try:
            return CrossEncoder(
                self._model,
                num_labels=1,
                local_files_only=True,
                model_kwargs={"dtype": torch.bfloat16} if torch.cuda.is_available() else None,
            )
        except (OSError, ValueError) as error:
            raise NeverWill(
                "model_missing",
                f"The reranking model {self._model!r} cannot be loaded: {error}",
                "Set TRIVIUM_RERANK_MODEL to a folder that holds a cross-encoder, or set TRIVIUM_RERANK=none.",
            ) from error

"""What a back end does: token ids in, token states out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from trivium.ports.inference import Vector
from trivium_inference.batching import padded
from trivium_inference.model_files import ModelFiles


class Encoder(Protocol):
    """A transformer on some device. Every method may be called from several threads at once.

    The states it answers may be overwritten by the same thread's next call: pool them first.
    """

    @property
    def description(self) -> str:
        """Back end and precision, as the fingerprint shows them: `openvino-bf16`."""
        ...

    @property
    def lanes(self) -> int:
        """How many passage batches run at the same time to use the device fully."""
        ...

    @property
    def batch_tokens(self) -> int:
        """Padded tokens of a call at most."""
        ...

    @property
    def call_tokens(self) -> int:
        """What a call costs besides its padded tokens, in tokens: how much padding is worth one call less."""
        ...

    def encode(self, batch: Sequence[NDArray[np.int64]]) -> list[Vector]:
        """Token states (tokens, d) float32 of each input, for bulk work."""
        ...

    def encode_urgent(self, batch: Sequence[NDArray[np.int64]]) -> list[Vector]:
        """The same, for somebody who waits: never queues behind `encode`."""
        ...


def pad(batch: Sequence[NDArray[np.int64]], files: ModelFiles) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ids and attention mask of shape (inputs, tokens), the shorter inputs padded and masked."""
    width = max(len(ids) for ids in batch)
    width = max(width, min(padded(width), files.max_tokens))
    ids = np.full((len(batch), width), files.pad_token, np.int64)
    mask = np.zeros((len(batch), width), np.int64)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    return ids, mask

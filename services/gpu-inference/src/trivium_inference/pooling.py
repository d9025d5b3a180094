"""Token states to vectors: one for the passage and one per sentence, from the same forward pass.

The sentence vectors are late chunking (Guenther et al. 2024): means of contextual token states.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trivium.ports.inference import PassageVectors, Vector
from trivium_inference.model_files import Pooling

_TINY = np.float32(1e-12)  # as torch.nn.functional.normalize


def pool(states: Vector, sentences: NDArray[np.int64], pooling: Pooling) -> PassageVectors:
    """Vectors of one passage. `states` has shape (tokens, d), without padding; `sentences` (n, 2).

    A sentence without a token in the window gets the passage's vector.
    """
    passage = normalise(pool_passage(states, pooling))
    if len(sentences) == 0:
        return PassageVectors(passage, np.empty((0, states.shape[1]), np.float32))
    # Sums have the means' direction. Added up one by one: for a matrix product BLAS wakes threads, and lets them spin.
    sums = np.stack([states[start:end].sum(axis=0) for start, end in sentences.tolist()])
    empty = sentences[:, 0] >= np.minimum(sentences[:, 1], len(states))
    return PassageVectors(passage, np.where(empty[:, np.newaxis], passage, normalise(sums)))


def pool_passage(states: Vector, pooling: Pooling) -> Vector:
    """The passage's vector before normalisation."""
    if pooling == "cls":
        return np.asarray(states[0], dtype=np.float32)
    if pooling == "lasttoken":
        return np.asarray(states[-1], dtype=np.float32)
    if pooling == "max":
        return np.asarray(states.max(axis=0), dtype=np.float32)
    return np.asarray(states.mean(axis=0), dtype=np.float32)


def normalise(vectors: Vector) -> Vector:
    """Divide each row by its length; a row of zeros stays."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, _TINY), dtype=np.float32)

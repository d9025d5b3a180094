"""Unit vectors in 16 bits: half the disk and half the wire, at a cosine error of some 10^-5."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

Int16Vectors = NDArray[np.int16]

_SCALE = 32767


def quantized_int16(vectors: bytes) -> bytes:
    """float32 components of unit vectors as 16-bit integers.

    float16 is as small and as exact, but NumPy widens it ten times slower than integers.
    """
    values = np.frombuffer(vectors, np.float32)
    return np.rint(np.clip(values, -1, 1) * _SCALE).astype(np.int16).tobytes()


def dequantized(vectors: Int16Vectors) -> NDArray[np.float32]:
    """The components as float32 again."""
    wide = vectors.astype(np.float32)
    wide *= np.float32(1 / _SCALE)
    return wide


def cosines(rows: Mapping[str, Int16Vectors], vector: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
    """The cosine of `vector` with every row, by key; keys without rows are left out. All are computed at once.

    So are keys whose rows are of another length: another model made them.
    """
    filled = [(key, matrix) for key, matrix in rows.items() if len(matrix) and matrix.shape[1] == len(vector)]
    if not filled:
        return {}
    together = np.concatenate([matrix for _, matrix in filled], dtype=np.float32)
    values = np.vecdot(together, vector * np.float32(1 / _SCALE))  # `@` lets BLAS threads spin
    ends = list(accumulate(len(matrix) for _, matrix in filled))
    return {key: values[start:end] for (key, _), start, end in zip(filled, [0, *ends], ends, strict=False)}

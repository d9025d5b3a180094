"""A HyperNode's vector: the centroid of its passages' vectors, weighted by their length (RAGA, equation 2).

RAGA weights by the confidence in an entity. Here the members with vectors are passages, and the weight is the length of
the text: so the centroid is the section's own, however it was cut, and a caption or a line alone in a passage counts
for what it is. A weight that asks other documents (how rare a name is) would change with them: deleting one would
have to move the nodes of all.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium.domain.chunks import ChunkVectors
from trivium.ports.vectors import VectorRow

_EPSILON = 1e-12


class _Sum:
    """The weighted sum of some vectors, and what the rows that they come from share."""

    def __init__(self, row: VectorRow, vector: NDArray[np.float64]) -> None:
        self.first = row
        self.total = vector
        self.kinds = dict.fromkeys(row.kinds)


class Centroids:
    """The HyperNodes of any number of documents of one tenant, from their passages, which come in the documents' order.

    The same passages in the same order give the same bytes.
    """

    def __init__(self) -> None:
        self._sums: dict[str, _Sum] = {}

    def add(self, nodes: Sequence[str], row: VectorRow, text_chars: int) -> None:
        """A passage within `nodes`."""
        vector = np.frombuffer(row.vectors.passage, np.float32).astype(np.float64) * max(text_chars, 1)
        for node in nodes:
            known = self._sums.get(node)
            if known is None:
                self._sums[node] = _Sum(row, vector.copy())
            else:
                known.total += vector
                known.kinds.update(dict.fromkeys(row.kinds))

    def rows(self) -> list[VectorRow]:
        """A row per HyperNode: its id, its vector of length 1, and every kind that one of its passages has."""
        return [
            msgspec.structs.replace(
                known.first, vectors=ChunkVectors(node, _unit(known.total)), kinds=tuple(known.kinds)
            )
            for node, known in self._sums.items()
        ]


def _unit(total: NDArray[np.float64]) -> bytes:
    return (total / max(float(np.linalg.norm(total)), _EPSILON)).astype(np.float32).tobytes()

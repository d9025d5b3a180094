"""Words that mean a column by another name, by the embedder's vectors: "price" where the column is called Cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from trivium.ports.inference import Vector
from trivium_query.answer.tables.asked_words import Word

# Cosines of single words, all-MiniLM-L6-v2: rainfall and rain 0.80, cost and price 0.74, wage and salary 0.72,
# supervisor and manager 0.67; but also buyer and seller 0.83, profit and revenue 0.73. So what rests on one is never
# called sure.
LEAST_COSINE = 0.65
LEAST_LEAD = 0.08  # over the next column


def synonyms_of(words: Sequence[Word], vectors: Vector, labels: Vector) -> Mapping[str, int]:
    """Columns by the words' stems: rows of `vectors` are those of the words, rows of `labels` the columns'."""
    if not len(words) or not len(labels):
        return {}
    cosines = _unit(vectors) @ _unit(labels).T
    return {word.stem: place for word, row in zip(words, cosines, strict=True) if (place := _clear(row)) is not None}


def _clear(row: Vector) -> int | None:
    """The one column that is near and nearer than all others."""
    order = np.argsort(-row)
    best = float(row[order[0]])
    lead = best - float(row[order[1]]) if len(order) > 1 else best
    return int(order[0]) if best >= LEAST_COSINE and lead >= LEAST_LEAD else None


def _unit(rows: Vector) -> Vector:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-9), dtype=np.float32)

"""Which domain a dataset is of: that of another dataset whose relations are alike, or else its own."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from trivium.domain.graph_schema import GraphSchema
from trivium.graph_schema.names import said_by
from trivium.graph_schema.profile import Observed

MIN_ALIKE = 0.7  # cosine of the square roots of how often each type is stated
_NAMED_TYPES = 3


class Domain(msgspec.Struct, frozen=True):
    """`like` is the schema in force of the dataset that has the same domain, if any."""

    label: str
    like: GraphSchema | None = None


def detect(observed: Sequence[Observed], others: Iterable[GraphSchema]) -> Domain:
    """`others` are the tenant's other datasets' schemas."""
    ours = _weights((one.name, one.relations) for one in observed)
    alike = [
        (_cosine(ours, _weights((kind.name, kind.relations) for kind in schema.types)), schema.dataset, schema)
        for schema in others
        if schema.types
    ]
    best = max(alike, default=None, key=lambda each: each[:2])
    if best is not None and best[0] >= MIN_ALIKE:
        return Domain(best[2].domain, best[2])
    return Domain(_own_label(observed))


def _own_label(observed: Sequence[Observed]) -> str:
    """As "person, location: lives in, born in, works for"."""
    ends: Counter[str] = Counter()
    for one in observed:
        for (source, target), count in one.ends.items():
            ends.update({source.value: count, target.value: count} if source is not target else {source.value: count})
    common = ", ".join(kind for kind, _ in sorted(ends.items(), key=lambda item: (-item[1], item[0]))[:_NAMED_TYPES])
    stated = ", ".join(one.name.lower().replace("_", " ") for one in observed[:_NAMED_TYPES])
    return f"{common}: {stated}" if common else ""


def _weights(counts: Iterable[tuple[str, int]]) -> Mapping[str, float]:
    weights: Counter[str] = Counter()
    for name, count in counts:
        weights[said_by(name)] += max(count, 1)
    return {said: math.sqrt(count) for said, count in weights.items()}


def _cosine(left: Mapping[str, float], right: Mapping[str, float]) -> float:
    sizes = math.hypot(*left.values()) * math.hypot(*right.values())
    return sum(weight * right.get(said, 0.0) for said, weight in left.items()) / sizes if sizes else 0.0

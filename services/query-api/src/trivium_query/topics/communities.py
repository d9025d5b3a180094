"""Communities of names at several levels, by Leiden (Traag et al. 2019) over modularity.

Level 0 divides the whole graph; each community of more than `DIVIDE_ABOVE` names is divided again by itself, so levels
nest. The seed is fixed and names come in the order of their keys: the same graph, the same communities.
"""

from __future__ import annotations

import numpy as np
from graspologic_native import leiden_csr
from numpy.typing import NDArray

from trivium_query.topics.ties import Ints, Ties

SEED = 20190326  # any; another gives other ties in the order of equal choices
RESOLUTION = 1.0
MAX_LEVELS = 3
DIVIDE_ABOVE = 40  # names
MIN_NAMES = 3  # of a community that is a topic
MAX_JOINS = 4  # rounds
NOWHERE = -1


def communities(ties: Ties, names: int) -> list[Ints]:
    """Per level (names,) the number of each name's community, `NOWHERE` where it has none.

    A name of a community that is not divided further has `NOWHERE` from there on.
    """
    levels = [_settled(_joined(ties, _divided(ties, names)))]
    while len(levels) < MAX_LEVELS:
        below = _divided_again(ties, levels[-1])
        if (below == NOWHERE).all():
            break
        levels.append(below)
    return [level for level in levels if (level != NOWHERE).any()]


def _divided(ties: Ties, names: int) -> Ints:
    """(names,) the community of each; names without a tie are alone."""
    if not len(ties.left):
        return np.arange(names)
    indptr, indices, weights = _rows(ties, names)
    _, found = leiden_csr(indptr, indices, weights, names, resolution=RESOLUTION, seed=SEED, iterations=2)
    return np.array([found[number] for number in range(names)], np.int64)


def _divided_again(ties: Ties, level: Ints) -> Ints:
    """The level below: each large community by itself."""
    below = np.full(len(level), NOWHERE, np.int64)
    inside = (level[ties.left] == level[ties.right]) & (level[ties.left] != NOWHERE)
    left, right, weight = ties.left[inside], ties.right[inside], ties.weight[inside]
    of = level[left]
    order = np.argsort(of, kind="stable")
    left, right, weight, of = left[order], right[order], weight[order], of[order]
    sizes = np.bincount(level[level != NOWHERE])
    first = 0
    for community in np.flatnonzero(sizes > DIVIDE_ABOVE):
        start, end = np.searchsorted(of, [community, community + 1])
        members, numbers = np.unique(np.concatenate([left[start:end], right[start:end]]), return_inverse=True)
        part = Ties(numbers[: end - start], numbers[end - start :], weight[start:end])
        found = _settled(_joined(part, _divided(part, len(members))))
        if len(set(found.tolist()) - {NOWHERE}) > 1:
            below[members] = np.where(found == NOWHERE, NOWHERE, found + first)
            first += int(found.max()) + 1
    return below


def _joined(ties: Ties, found: Ints) -> Ints:
    """Communities too small to be a topic join the one that they are most tied to; ties: the smaller number."""
    for _ in range(MAX_JOINS):
        _, found = np.unique(found, return_inverse=True)
        small = np.bincount(found) < MIN_NAMES
        one, other = found[ties.left], found[ties.right]
        across = one != other
        here, there = np.concatenate([one, other]), np.concatenate([other, one])
        weight = np.concatenate([ties.weight, ties.weight])
        joins = np.concatenate([across, across]) & small[here]
        if not joins.any():
            break
        width = len(small)
        pairs, numbers = np.unique(here[joins] * width + there[joins], return_inverse=True)
        totals = np.round(np.bincount(numbers, weights=weight[joins]), 9)
        order = np.lexsort((-pairs, totals))  # the best comes last, and stays
        into = np.arange(width)
        into[pairs[order] // width] = pairs[order] % width
        found = _representatives(into)[found]
    return found


def _representatives(into: Ints) -> Ints:
    """Where each ends up that joins another; those that join each other in a circle end up at its smallest."""
    roots = np.arange(len(into))
    for start in range(len(into)):
        path = [start]
        while (target := int(into[path[-1]])) not in path:
            path.append(target)
        roots[start] = min(path[path.index(target) :])
    return roots


def _settled(found: Ints) -> Ints:
    """Communities of fewer than `MIN_NAMES` are none; the others numbered by their first name."""
    _, first, numbers, sizes = np.unique(found, return_index=True, return_inverse=True, return_counts=True)
    large = sizes >= MIN_NAMES
    rank = np.full(len(sizes), NOWHERE, np.int64)
    rank[np.flatnonzero(large)[np.argsort(first[large], kind="stable")]] = np.arange(int(large.sum()))
    return rank[numbers]


def _rows(ties: Ties, names: int) -> tuple[Ints, NDArray[np.int32], NDArray[np.float64]]:
    """The symmetric matrix of weights in compressed sparse rows."""
    rows, columns = np.concatenate([ties.left, ties.right]), np.concatenate([ties.right, ties.left])
    order = np.lexsort((columns, rows))
    indptr = np.zeros(names + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=names), out=indptr[1:])
    return indptr, columns[order].astype(np.int32), np.concatenate([ties.weight, ties.weight])[order]

"""Which statements are compared with each other: those that share a key, never all with all. Pure.

A block is what shares one key (a subject and a slot for a value, or a minimum of hashes of their words). Within a
large block only neighbours in a sorted order meet (the sorted-neighbourhood method, Hernandez and Stolfo 1995), so
that the pairs grow as the statements do: at most `WINDOW` for each key of each.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

WINDOW = 24
Keys = NDArray[np.uint64]
Owners = NDArray[np.int64]


def pairs(keys: Keys, owners: Owners, first_new: int = 0) -> Iterator[tuple[int, int]]:
    """Pairs of owners (one < other), each once, of which the other is `first_new` or later; `owners[n]` has `keys[n]`.

    Within a block the neighbours are those whose owners are near each other in number.
    """
    order = np.lexsort((owners, keys))
    keys, owners = keys[order], owners[order]
    found: list[NDArray[np.int64]] = []
    width = int(owners.max()) + 1 if len(owners) else 1
    for step in range(1, WINDOW + 1):
        same = keys[step:] == keys[:-step]
        if not same.any():
            break
        one, other = owners[:-step][same], owners[step:][same]
        wanted = (one < other) & (other >= first_new)
        found.append(np.unique(one[wanted] * width + other[wanted]))
    for code in np.unique(np.concatenate(found)) if found else ():
        yield divmod(int(code), width)

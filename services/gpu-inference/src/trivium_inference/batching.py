"""Which inputs go through the model together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

# Lengths are padded: engines prepare kernels once per shape, and keep them. From each length on, to a multiple of:
_LENGTH_STEPS: Final = ((129, 32), (65, 16), (0, 8))


def batches_by_length(lengths: Sequence[int], max_tokens: int, max_items: int, call_tokens: int = 0) -> list[list[int]]:
    """Indices of `lengths`, longest first, in the batches of like length that cost least together.

    A batch holds at most `max_items` and, padded to its longest, at most `max_tokens` (but always one item). It costs
    its padded tokens and `call_tokens`. It holds 1, 2, 4, 8... items: engines prepare kernels once per shape.
    Longest first shows a lack of memory at once and leaves small work for the end, where threads run idle.
    """
    order = sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))
    cheapest = [0.0, *[math.inf] * len(order)]  # by how many of the longest are in batches
    last = [0, *[1] * len(order)]  # items of the last batch then
    for start, index in enumerate(order):
        width, count = max(1, padded(lengths[index])), 1
        while count == 1 or count <= min(max_items, len(order) - start, max_tokens // width):
            cost = cheapest[start] + call_tokens + count * width
            if cost < cheapest[start + count]:
                cheapest[start + count], last[start + count] = cost, count
            count *= 2
    batches: list[list[int]] = []
    while order:
        batches.append(order[-last[len(order)] :])
        del order[-len(batches[-1]) :]
    return batches[::-1]


def padded(length: int) -> int:
    """The length an input is padded to."""
    step = next(step for start, step in _LENGTH_STEPS if length >= start)
    return -(-length // step) * step

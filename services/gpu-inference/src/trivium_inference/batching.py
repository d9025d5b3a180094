"""Which inputs go through the model together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

LENGTH_STEP: Final = 8  # lengths are padded to a multiple: engines prepare kernels once per shape


def batches_by_length(lengths: Sequence[int], max_tokens: int, max_items: int) -> list[list[int]]:
    """Indices of `lengths`, longest first, in batches of like length.

    A batch holds at most `max_items` and, padded to its longest, at most `max_tokens` (but always one item).
    Longest first shows a lack of memory at once and leaves small work for the end, where threads run idle.
    """
    batches: list[list[int]] = []
    room = 0
    for index in sorted(range(len(lengths)), key=lambda i: (-lengths[i], i)):
        width = padded(lengths[index])
        if not batches or len(batches[-1]) >= room:
            batches.append([])
            room = max(1, min(max_items, max_tokens // max(1, width)))
        batches[-1].append(index)
    return batches


def padded(length: int) -> int:
    """The length an input is padded to."""
    return -(-length // LENGTH_STEP) * LENGTH_STEP

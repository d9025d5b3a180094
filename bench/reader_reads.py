"""What the reader's network is given: windows with their gold tokens, grouped by question, in memory and in a file.

The file needs none of what made it, so that another machine, one with a GPU, can train (`bench/reader_fit.py`).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trivium_inference.reader_windows import Window, WindowMaker

if TYPE_CHECKING:
    from reader_examples import Question

Reads = list[list["Read"]]  # of each question, its windows


class Read(NamedTuple):
    """A window, and its first and last gold tokens; none where it holds no answer."""

    window: Window
    firsts: tuple[int, ...]
    lasts: tuple[int, ...]


def prepare(questions: Sequence[Question], maker: WindowMaker, chance: random.Random) -> list[list[Read]]:
    """Of each question the windows that hold an answer, and one of each passage that holds none.

    A question whose answer no window holds whole is left out; one that has no answer is not.
    """
    return [reads for question in questions if (reads := _reads(question, maker, chance))]


def _reads(question: Question, maker: WindowMaker, chance: random.Random) -> list[Read]:
    found: list[Read] = []
    for window in maker.windows(question[0].question, [one.passage for one in question]):
        spans = question[window.passage].spans
        places = [place for span in spans if (place := _tokens(window, span))]
        if places or not spans:
            found.append(Read(window, tuple(a for a, _ in places), tuple(b for _, b in places)))
    wrong: dict[int, list[Read]] = {}
    for read in found:
        if not read.firsts:
            wrong.setdefault(read.window.passage, []).append(read)
    right = [read for read in found if read.firsts]
    lost = not right and any(example.spans for example in question)
    return [] if lost else [*right[:3], *(chance.choice(reads) for reads in wrong.values())]


def _tokens(window: Window, span: tuple[int, int]) -> tuple[int, int] | None:
    """First and last token of a span that the window holds whole."""
    starts, ends = window.offsets.T
    inside = np.flatnonzero((ends > span[0]) & (starts < span[1]))
    whole = len(inside) and starts[inside[0]] <= span[0] and ends[inside[-1]] >= span[1]
    return (window.first + int(inside[0]), window.first + int(inside[-1])) if whole else None


def with_one_wrong(groups: Sequence[list[Read]], chance: random.Random) -> list[list[Read]]:
    """Of each question the windows that hold an answer, and one at random of those that hold none."""
    found = []
    for group in groups:
        wrong = [read for read in group if not read.firsts]
        found.append([read for read in group if read.firsts] + ([chance.choice(wrong)] if wrong else []))
    return found


def batches(groups: Sequence[list[Read]], tokens: int, chance: random.Random) -> list[list[list[Read]]]:
    """Questions of like length together, at most `tokens` padded tokens a batch, in random order."""
    order = sorted(groups, key=lambda group: max(len(read.window) for read in group) + chance.random() * 24)
    found: list[list[list[Read]]] = [[]]
    for group in order:
        width = max(len(read.window) for read in group)
        if found[-1] and width * (sum(map(len, found[-1])) + len(group)) > tokens:
            found.append([])
        found[-1].append(group)
    chance.shuffle(found)
    return found


def write_reads(file: Path, reads: Mapping[str, Reads]) -> None:
    """By their source: a set's name, for one."""
    groups = [(number, group) for number, source in enumerate(reads) for group in reads[source]]
    flat = [read for _, group in groups for read in group]
    windows = [read.window for read in flat]
    np.savez_compressed(
        file,
        names=np.array(list(reads)),
        sources=np.array([number for number, _ in groups], np.uint8),
        sizes=np.array([len(group) for _, group in groups], np.uint16),
        lengths=np.array([len(window) for window in windows], np.uint16),
        ids=np.concatenate([window.ids for window in windows]).astype(np.uint16),
        marks=np.concatenate([window.marks for window in windows]).astype(np.uint8),
        told=np.array([(window.first, len(window.offsets)) for window in windows], np.uint16),
        golds=np.array([len(read.firsts) for read in flat], np.uint16),
        firsts=np.array([place for read in flat for place in read.firsts], np.uint16),
        lasts=np.array([place for read in flat for place in read.lasts], np.uint16),
    )


def read_reads(file: Path) -> dict[str, Reads]:
    """The same; the characters of their tokens are not kept, and are 0."""
    with np.load(file) as kept:
        names, sources, sizes, lengths, ids, marks, told, golds, firsts, lasts = (
            kept[name]
            for name in (
                "names",
                "sources",
                "sizes",
                "lengths",
                "ids",
                "marks",
                "told",
                "golds",
                "firsts",
                "lasts",
            )
        )
    ends, ended = np.cumsum(lengths, dtype=np.int64), np.cumsum(golds, dtype=np.int64)
    windows = [
        Window(0, ids[end - length : end], marks[end - length : end], int(first), np.zeros((count, 2), np.int64))
        for length, end, (first, count) in zip(lengths, ends, told, strict=True)
    ]
    flat = [
        Read(window, tuple(map(int, firsts[end - count : end])), tuple(map(int, lasts[end - count : end])))
        for window, count, end in zip(windows, golds, ended, strict=True)
    ]
    found: dict[str, Reads] = {str(name): [] for name in names}
    for source, size, end in zip(sources, sizes, np.cumsum(sizes, dtype=np.int64), strict=True):
        found[str(names[source])].append(flat[end - size : end])
    return found

"""What the reader's network is given: windows with their gold tokens, grouped by question, and batches of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from reader_examples import Question

from trivium_inference.reader_windows import Window, WindowMaker

Reads = list[list["Read"]]  # of each question, its windows
Batch = list[list["Read"]]  # the questions of one step


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


def with_wrong(groups: Reads, count: int, chance: random.Random) -> Reads:
    """Of each question the windows that hold an answer, and at most `count` at random of those that hold none."""
    found = []
    for group in groups:
        wrong = [read for read in group if not read.firsts]
        found.append([read for read in group if read.firsts] + chance.sample(wrong, min(count, len(wrong))))
    return [group for group in found if group]


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

"""From the reader's scores of first and last tokens to the spans of a passage (Devlin et al. 2019, section 4.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from trivium.ports.inference import Vector
from trivium_inference.reader_windows import Window

MAX_ANSWER_TOKENS: Final = 40
SPANS: Final = 5  # of a passage
_CANDIDATES: Final = 200  # looked at for spans that do not overlap: neighbours of the best are mostly parts of it


class Scored(NamedTuple):
    """Characters `start` to `end` of a text, half-open, and their score."""

    start: int
    end: int
    score: float


def best_spans(found: Iterable[Scored]) -> list[Scored]:
    """At most `SPANS`, best first; of two that overlap, the better."""
    kept: list[Scored] = []
    for span in sorted(found, key=lambda span: -span.score):
        if all(span.end <= other.start or other.end <= span.start for other in kept):
            kept.append(span)
        if len(kept) == SPANS:
            break
    return kept


def spans_of(window: Window, text: str, scores: Vector) -> Iterator[Scored]:
    """The window's best spans of whole words, best first; `scores` (tokens, 2) are of each token as first and last."""
    count = len(window.offsets)
    begins, closes = _word_bounds(window, text)
    starts, ends = scores[window.first : window.first + count].T
    ends = np.pad(np.where(closes, ends, -np.inf), (0, MAX_ANSWER_TOKENS - 1), constant_values=-np.inf)
    # Row i, column k: from token i to token i + k.
    pairs = np.where(begins, starts, -np.inf)[:, None] + sliding_window_view(ends, MAX_ANSWER_TOKENS)
    for place in _largest(pairs.ravel(), _CANDIDATES):
        first, length = divmod(place, MAX_ANSWER_TOKENS)
        yield Scored(int(window.offsets[first, 0]), int(window.offsets[first + length, 1]), float(pairs[first, length]))


def none_score(scores: Vector) -> float:
    """Of there being no answer in the window: the first token, which stands before the question, as the span."""
    return float(scores[0].sum())


def _largest(values: Vector, count: int) -> list[int]:
    """Places of the largest finite values, largest first."""
    places = np.argpartition(-values, min(count, len(values)) - 1)[:count]
    ordered: list[int] = places[np.argsort(-values[places])].tolist()
    return [place for place in ordered if np.isfinite(values[place])]


def _word_bounds(window: Window, text: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which tokens begin a word, and which end one."""
    begins = [not _inside_word(text, start) for start in window.offsets[:, 0].tolist()]
    closes = [not _inside_word(text, end) for end in window.offsets[:, 1].tolist()]
    return np.array(begins, bool), np.array(closes, bool)


def _inside_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()

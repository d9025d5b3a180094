"""What a line of pixels says: a quick look at most lines, a careful one at those that it leaves in doubt."""

from __future__ import annotations

from typing import Final

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium_inference.ocr_lines import Image, normalised
from trivium_inference.ocr_models import FAST_HEIGHT, HEIGHT, OcrModels, Run

CLEAR: Final = 0.97  # a quick look with less confidence is followed by a careful one
UPRIGHT: Final = 0.8  # a line that is read with less may stand on its head
_STRETCH: Final = 1.2  # a quick look's lines are drawn wider than they are: width tells letters apart
_ENLARGED: Final = 1.3  # wider than that shows nothing new of a line whose box is tight, without long letters
_TIGHT: Final = 0.8
# Engines prepare kernels once for each width, so a line is drawn to the nearest of few.
_WIDTHS: Final = (
    *(64, 96, 160, 256, 384, 512, 640, 768, 896, 1024, 1184, 1376, 1600, 1856, 2144, 2496, 2912),
    *(3392, 3968, 4608, 5376, 6240),
)
_NEGLIGIBLE: Final = 16.0  # logits below the best: all other classes together add 0.002 to its share


class Said(msgspec.Struct, frozen=True):
    """`confidence` is the mean chance of its characters, 0 where there are none."""

    text: str = ""
    confidence: float = 0.0


def read_line(line: Image, models: OcrModels) -> Said:
    """The text of one line, upright or upside down."""
    first = _glance(line, models.glance, models.characters) if models.glance is not None else Said()
    if first.confidence >= CLEAR:
        return first
    found = max(first, _careful(line, models), key=lambda said: said.confidence)
    if found.confidence >= UPRIGHT:
        return found
    return max(found, _careful(line[::-1, ::-1], models), key=lambda said: said.confidence)


def _glance(line: Image, glance: Run, characters: tuple[str, ...]) -> Said:
    scale = FAST_HEIGHT / line.shape[0] * _STRETCH
    scale = min(scale, max(_ENLARGED, _TIGHT * scale))
    return _look(line, FAST_HEIGHT, line.shape[1] * scale, glance, characters)


def _careful(line: Image, models: OcrModels) -> Said:
    wanted = line.shape[1] * HEIGHT / line.shape[0]
    return _look(line, HEIGHT, wanted, models.recognise, models.characters)


def _look(line: Image, height: int, wanted: float, recognise: Run, characters: tuple[str, ...]) -> Said:
    width = min(_WIDTHS, key=lambda width: max(width / wanted, wanted / width))
    logits = recognise(normalised(cv2.resize(line, (width, height))))
    classes = logits.argmax(axis=1)
    steps = _spoken(classes)
    return _said(classes[steps], [_chance(logits[step], classes[step]) for step in steps], characters)


def _chance(logits: NDArray[np.float32], best: np.int64) -> float:
    """The best class's share of the softmax, from the few classes that matter of 18,710."""
    near = logits[logits > logits[best] - _NEGLIGIBLE]
    return 1 / float(np.exp(near - logits[best]).sum())


def _spoken(classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Steps at which CTC begins a character: neither blank nor the step before."""
    begins = classes != 0
    begins[1:] &= classes[1:] != classes[:-1]
    return np.flatnonzero(begins)


def _said(classes: NDArray[np.int64], chances: list[float], characters: tuple[str, ...]) -> Said:
    if not chances:
        return Said()
    return Said("".join(characters[one] for one in classes).strip(), sum(chances) / len(chances))

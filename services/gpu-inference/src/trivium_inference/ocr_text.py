"""What lines of pixels say: a quick look at most of them, a careful one at those that it leaves in doubt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
# Digits stand closer than letters and no word tells which are missing: in short lines, such as the cells of a table,
# each has room for steps of its own.
_SHORT: Final = 10.0  # at most so many heights long
_GLANCE_STRETCH: Final = 1.5
_CAREFUL_STRETCH: Final = 1.3
# Engines prepare kernels once for each width, so a line is drawn to the nearest of few.
_WIDTHS: Final = (
    *(64, 96, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896),
    *(1024, 1184, 1376, 1600, 1856, 2144, 2496, 2912),
    *(3392, 3968, 4608, 5376, 6240),
)
_NEGLIGIBLE: Final = 16.0  # logits below the best: all other classes together add 0.002 to its share


class Said(msgspec.Struct, frozen=True):
    """`confidence` is the mean chance of its characters, 0 where there are none. `on_head`: it was read upside down."""

    text: str = ""
    confidence: float = 0.0
    on_head: bool = False


def read_lines(lines: Sequence[Image], models: OcrModels) -> list[Said]:
    """The text of each line, upright or upside down, in their order."""
    best = [Said()] * len(lines)
    if models.glance is not None:
        best = _look(lines, FAST_HEIGHT, _glance_width, models.glance, models.characters)
    for least, turn in ((CLEAR, 1), (UPRIGHT, -1)):
        doubtful = [index for index, said in enumerate(best) if said.confidence < least]
        turned = [lines[index][::turn, ::turn] for index in doubtful]
        again = _look(turned, HEIGHT, _careful_width, models.recognise, models.characters)
        for index, said in zip(doubtful, again, strict=True):
            if said.confidence > best[index].confidence:
                best[index] = msgspec.structs.replace(said, on_head=turn < 0)
    return best


def _glance_width(line: Image) -> int:
    scale = FAST_HEIGHT / line.shape[0]
    if _is_short(line):
        return _nearest(line.shape[1] * scale * _GLANCE_STRETCH)
    scale *= _STRETCH
    return _nearest(line.shape[1] * min(scale, max(_ENLARGED, _TIGHT * scale)))


def _careful_width(line: Image) -> int:
    return _nearest(line.shape[1] * HEIGHT / line.shape[0] * (_CAREFUL_STRETCH if _is_short(line) else 1.0))


def _is_short(line: Image) -> bool:
    return bool(line.shape[1] <= _SHORT * line.shape[0])


def _nearest(wanted: float) -> int:
    return min(_WIDTHS, key=lambda width: max(width / wanted, wanted / width))


def _look(
    lines: Sequence[Image], height: int, width_of: Callable[[Image], int], recognise: Run, characters: tuple[str, ...]
) -> list[Said]:
    """Those of one width after another: an engine prepares itself anew, a tenth of its work, whenever that changes."""
    found = [Said()] * len(lines)
    for width, index in sorted((width_of(line), index) for index, line in enumerate(lines)):
        logits = recognise(normalised(cv2.resize(lines[index], (width, height))))
        classes = logits.argmax(axis=1)
        steps = _spoken(classes)
        chances = [_chance(logits[step], classes[step]) for step in steps]
        found[index] = _said(classes[steps], chances, characters)
    return found


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

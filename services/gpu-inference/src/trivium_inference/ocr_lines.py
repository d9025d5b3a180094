"""Where lines of text stand in an image: differentiable binarization (Liao et al. 2020), and their pixels upright."""

from __future__ import annotations

import math
from itertools import islice
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from trivium_inference.ocr_models import Pixels, Run

Image = NDArray[np.uint8]
Corners = NDArray[np.float32]  # (4, 2): top left, top right, bottom right, bottom left, in pixels

# Pixels that the detector looks at: 0.3 of an A4 page at 150 dpi finds what all of it does.
_SHARE: Final = 0.3
_LEAST_PIXELS: Final = 650_000
_MOST_PIXELS: Final = 2_000_000  # at a time
_PAGE: Final = 2.0  # times as high as wide: what is higher, as a screenshot of a whole web page, is more than one page
_MOST_ENLARGED: Final = 2.0
_STEP: Final = 32  # of the detector's input
_MOST_STEPS: Final = (100, 1000)  # across and down
_AROUND: Final = 2 * _STEP  # of its neighbours, that a piece of an image is looked at with

_TEXT: Final = 0.3  # a pixel's chance, and that of a box in the mean; PP-OCR's own
_BOX: Final = 0.5
_UNCLIP: Final = 1.3  # the model finds shrunken lines; PP-OCR's 1.6 leaves margins that cost work
_LEAST_SIDE: Final = 3.0  # of a found line, in the detector's pixels
_MOST_LINES: Final = 2000  # of a page
_TALL: Final = 1.5  # taller than that many widths: the line runs upwards


def find_lines(image: Image, detect: Run) -> list[Corners]:
    """Boxes around lines of text of an RGB image, in no order."""
    height, width = image.shape[:2]
    size = _looked_at(width, height)
    chances = _chances(cv2.resize(image, size, interpolation=cv2.INTER_AREA), detect)
    mask = cv2.dilate((chances > _TEXT).view(np.uint8), np.ones((2, 2), np.uint8))
    outlines, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    scale = np.array([width / size[0], height / size[1]], np.float32)
    edge = np.array([width - 1, height - 1], np.float32)
    boxes = (box for outline in outlines if (box := _box(outline, chances)) is not None)  # empty rows give many specks
    most = _MOST_LINES * max(1, chances.size // _MOST_PIXELS)
    return [np.clip(np.round(box * scale), 0, edge).astype(np.float32) for box in islice(boxes, most)]


def cut_line(image: Image, corners: Corners) -> tuple[Image, int]:
    """The line's pixels, and by how many quarter turns against the clock: what runs upwards is made to run across."""
    top_left, top_right, bottom_right, bottom_left = corners
    width = max(1, int(max(np.hypot(*(top_left - top_right)), np.hypot(*(bottom_right - bottom_left)))))
    height = max(1, int(max(np.hypot(*(top_left - bottom_left)), np.hypot(*(top_right - bottom_right)))))
    if abs(top_left[1] - top_right[1]) <= 1 and abs(top_left[0] - bottom_left[0]) <= 1:
        left, top = int(top_left[0]), int(top_left[1])
        line = image[top : top + height, left : left + width]
    else:
        upright = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        warp = cv2.getPerspectiveTransform(corners, upright)
        line = cv2.warpPerspective(
            image, warp, (width, height), borderMode=cv2.BORDER_REPLICATE, flags=cv2.INTER_CUBIC
        ).astype(np.uint8, copy=False)
    turned = int(line.shape[0] >= _TALL * line.shape[1])
    return np.ascontiguousarray(np.rot90(line, turned)), turned


def normalised(image: NDArray[Any]) -> Pixels:
    """(1, 3, height, width) of BGR, -1 to 1, as PP-OCR's models take it."""
    return np.asarray(cv2.dnn.blobFromImage(image, 1 / 127.5, mean=(127.5, 127.5, 127.5), swapRB=True), np.float32)


def _chances(image: NDArray[Any], detect: Run) -> NDArray[np.float32]:
    """(height, width) of each pixel's chance to be text; more than one page is looked at piece by piece.

    The detector weighs all that it sees, and misses a few lines in thousands of empty rows.
    """
    height, width = image.shape[:2]
    pieces = max(1, round(height * width / _MOST_PIXELS), round(height / width / _PAGE))
    rows = math.ceil(height / pieces / _STEP) * _STEP
    found = np.empty((height, width), np.float32)
    for top in range(0, height, rows):
        first = max(0, top - _AROUND)
        chances = detect(normalised(image[first : top + rows + _AROUND]))[0]
        found[top : top + rows] = chances[top - first : top - first + rows]
    return found


def _looked_at(width: int, height: int) -> tuple[int, int]:
    """(width, height) that the detector looks at, in its steps."""
    area = width * height
    pages = max(1.0, height / width / _PAGE)
    wanted = min(max(_SHARE * area, _LEAST_PIXELS), _MOST_PIXELS * pages)
    scale = min(math.sqrt(wanted / area), _MOST_ENLARGED)
    across, down = (max(1, round(side * scale / _STEP)) for side in (width, height))
    return min(across, _MOST_STEPS[0]) * _STEP, min(down, _MOST_STEPS[1]) * _STEP


def _box(outline: NDArray[Any], chances: NDArray[np.float32]) -> Corners | None:
    found = cv2.minAreaRect(outline)
    centre, (width, height), angle = found
    if min(width, height) < _LEAST_SIDE:
        return None
    left, top, across, down = cv2.boundingRect(outline)
    inside = np.zeros((down, across), np.uint8)
    cv2.fillPoly(inside, [(cv2.boxPoints(found) - (left, top)).astype(np.int32)], (1,))
    if cv2.mean(chances[top : top + down, left : left + across], inside)[0] < _BOX:
        return None
    grown = width * height * _UNCLIP / (width + height)  # twice the distance area x ratio / perimeter
    return _clockwise(cv2.boxPoints((centre, (width + grown, height + grown), angle)))


def _clockwise(points: NDArray[Any]) -> Corners:
    by_x = points[np.argsort(points[:, 0])]
    left, right = (side[np.argsort(side[:, 1])] for side in (by_x[:2], by_x[2:]))
    return np.array([left[0], right[0], right[1], left[1]], np.float32)

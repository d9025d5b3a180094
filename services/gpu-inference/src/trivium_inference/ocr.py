"""Text in images. Lines are found, cut out and read, on the CPU.

ocr_lines.py -> ocr_text.py, with the models of ocr_models.py: PP-OCR's, which lie in RapidOCR's wheel.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from importlib.metadata import version
from typing import Final

import numpy as np
from numpy.typing import NDArray

from trivium.domain.parsed import Box
from trivium.ports.inference import OcrLine
from trivium_inference.ocr_models import OcrModels, load_models

OCR_VERSION: Final = 6
MIN_CONFIDENCE: Final = 0.5
_MIN_SIDE: Final = 8  # smaller images hold no letter
_SAME_LINE: Final = 0.5  # boxes that share half of the lower one's height stand on one line


class RapidOcr:
    """`trivium.ports.inference.Ocr`. The models are loaded at the first image; one image at a time."""

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._turn = threading.Lock()
        self._models: OcrModels | None = None

    @property
    def fingerprint(self) -> str:
        """Library with its models, and the version of this code."""
        return f"rapidocr@{version('rapidocr')}:{OCR_VERSION}"

    def read(self, image: NDArray[np.uint8]) -> list[OcrLine]:
        """Lines, upright or turned, in the order of the image as it lies; none for an image without text."""
        from trivium_inference.ocr_lines import cut_line, find_lines  # noqa: PLC0415 - OpenCV, 10 MB
        from trivium_inference.ocr_text import read_lines  # noqa: PLC0415

        if min(image.shape[:2]) < _MIN_SIDE:
            return []
        with self._turn:
            if self._models is None:
                self._models = load_models(self._threads)
            found = find_lines(image, self._models.detect)
            cut = [cut_line(image, corners) for corners in found]
            read = read_lines([line for line, _ in cut], self._models)
        lines = [
            OcrLine(said.text, _box(corners), said.confidence, (turned + 2 * said.on_head) % 4)
            for corners, (_, turned), said in zip(found, cut, read, strict=True)
            if said.text and said.confidence >= MIN_CONFIDENCE
        ]
        return reading_order(lines)


def rapid_ocr() -> RapidOcr:
    """A factory that a parser's child process can be sent."""
    return RapidOcr()


def reading_order(lines: Iterable[OcrLine]) -> list[OcrLine]:
    """From top to bottom, and from left to right what stands on one line."""
    rows: list[list[OcrLine]] = []
    for line in sorted(lines, key=lambda line: (line.box.top, line.box.left)):
        if rows and _same_row(rows[-1][0].box, line.box):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda line: line.box.left)]


def _same_row(first: Box, other: Box) -> bool:
    shared = min(first.bottom, other.bottom) - max(first.top, other.top)
    lower = min(first.bottom - first.top, other.bottom - other.top)
    return shared > _SAME_LINE * lower


def _box(corners: NDArray[np.float32]) -> Box:
    left, top = corners.min(axis=0)
    right, bottom = corners.max(axis=0)
    return Box(float(left), float(top), float(right), float(bottom))

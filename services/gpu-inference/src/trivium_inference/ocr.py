"""Text in images by RapidOCR: PP-OCR models that lie in its wheel, run by ONNX Runtime on the CPU."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from trivium.domain.parsed import Box
from trivium.ports.inference import OcrLine
from trivium_inference.onnx_runtime import silence_onnx_runtime

OCR_VERSION: Final = 1
MIN_CONFIDENCE: Final = 0.5
MAX_SIDE: Final = 2000  # pixels; larger images are scaled down, A4 at 150 dpi is 1240 x 1754
_MIN_SIDE: Final = 8  # smaller images hold no letter
_SAME_LINE: Final = 0.5  # boxes that share half of the lower one's height stand on one line


class RapidOcr:
    """`trivium.ports.inference.Ocr`. The engine is built at the first image; one image at a time."""

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._turn = threading.Lock()
        self._engine: Any = None

    @property
    def fingerprint(self) -> str:
        """Library with its models, and the version of this code."""
        return f"rapidocr@{version('rapidocr')}:{MAX_SIDE}:{OCR_VERSION}"

    def read(self, image: NDArray[np.uint8]) -> list[OcrLine]:
        """Lines in reading order, upright or turned; none for an image without text."""
        if min(image.shape[:2]) < _MIN_SIDE:
            return []
        with self._turn:
            if self._engine is None:
                self._engine = _build(self._threads)
            found = self._engine(np.ascontiguousarray(image[:, :, ::-1]))  # it expects BGR, as OpenCV does
        if found.boxes is None or not found.txts:
            return []
        lines = [
            OcrLine(text.strip(), _box(corners), float(score))
            for corners, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
            if text.strip()
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


def _build(threads: int) -> Any:
    silence_onnx_runtime()
    from rapidocr import RapidOCR  # noqa: PLC0415  (loads OpenCV and ONNX Runtime)

    return RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.text_score": MIN_CONFIDENCE,
            "Global.max_side_len": MAX_SIDE,
            "EngineConfig.onnxruntime.intra_op_num_threads": threads,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )

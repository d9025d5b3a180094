"""Text in pixels: reads an image upright, and puts the lines into paragraphs."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import Box, Position, UnitKind
from trivium.ports.inference import Ocr, OcrLine
from trivium.ports.parser import ParseLimits
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.images.pictures import MIN_EDGE, frames, open_image, shown
from trivium_ingest.parse.text.clean import one_line

MIN_CONFIDENCE = 0.5
_GOOD_CONFIDENCE = 0.8
_BETTER = 1.1  # times what was read before, where the image was turned by guess
_AS_GOOD = 0.9  # where it was turned as its lines told
_PARAGRAPH_GAP = 0.9  # of a line's height
_LINE_GAP = 3.0
_MARGIN = 16  # pixels


class Paragraph(msgspec.Struct, frozen=True):
    """Lines that belong together, in reading order, and the box around them (pixels)."""

    text: str
    box: Box


class Reader:
    """One document's recogniser: counts what it has read, and stops at `max_ocr_pages`."""

    def __init__(self, ocr: Ocr | None, limits: ParseLimits, out: Collector) -> None:
        self._ocr = ocr
        self._limits = limits
        self._out = out
        self._read = 0

    @property
    def available(self) -> bool:
        """False when there is no engine, or when the document has had its share."""
        return self._ocr is not None and self._read < self._limits.max_ocr_pages

    def refuse(self, where: str) -> None:
        """Say why the image at `where` is not read."""
        if self._ocr is None:
            self._out.warn(f"{where}: text in images was not read (no OCR engine).")
        else:
            self._out.warn(f"Only the first {self._limits.max_ocr_pages} images were read (limit: max_ocr_pages).")

    def paragraphs(self, image: NDArray[np.uint8], where: str) -> list[Paragraph]:
        """What stands in the image. `where` names it in warnings; nothing found gives an empty list."""
        if self._ocr is None or not self.available:
            self.refuse(where)
            return []
        self._read += 1
        return read_upright(self._ocr, image)

    def embedded(self, content: bytes, where: str, position: Position, alt: str = "") -> None:
        """Add a picture inside a document as one IMAGE unit: its description, then the text in it; it can be shown."""
        lines = [one_line(alt)] if alt.strip() else []
        asset = ""
        try:
            image = open_image(content, self._limits, f"picture ({where})")
            if min(image.size) >= MIN_EDGE:
                pixels = next(frames(image, self._limits)).pixels
                lines.extend(paragraph.text for paragraph in self.paragraphs(pixels, where))
                asset = self._out.asset(shown(image, content, pixels))
        except NeverWill as failure:
            self._out.warn(f"{where}: {failure.message}")
        self._out.add(UnitKind.IMAGE, "\n".join(lines), position, ocr=len(lines) > bool(alt.strip()), asset=asset)


def read_upright(ocr: Ocr, image: NDArray[np.uint8]) -> list[Paragraph]:
    """What stands in the image, in the order in which it is read upright; the boxes are in the image as it lies."""
    height, width = image.shape[:2]
    turns, lines = _best_reading(ocr, image)
    return [
        Paragraph(paragraph.text, _turned_back(paragraph.box, turns, width, height)) for paragraph in join_lines(lines)
    ]


def _best_reading(ocr: Ocr, pixels: NDArray[np.uint8]) -> tuple[int, list[OcrLine]]:
    """By how many quarter turns against the clock the image reads best, and what it says then.

    It is turned as its lines are, else, where it reads badly or they stand upright, in every way.
    """
    turns, best = 0, _read_turned(ocr, pixels, 0)
    if told := _most_turned(best):
        upright = _read_turned(ocr, pixels, told)
        if _quality(upright) > _AS_GOOD * _quality(best):
            return told, upright
    if not best or not _suspicious(best):
        return turns, best
    for quarter_turns in (1, 3, 2):
        turned = _read_turned(ocr, pixels, quarter_turns)
        if _quality(turned) > _BETTER * _quality(best):
            turns, best = quarter_turns, turned
            if not _suspicious(turned):
                break
    return turns, best


def _most_turned(lines: list[OcrLine]) -> int:
    """How most of the letters lie."""
    letters = [sum(len(line.text) for line in lines if line.turned == turns) for turns in range(4)]
    return letters.index(max(letters))


def _read_turned(ocr: Ocr, pixels: NDArray[np.uint8], quarter_turns: int) -> list[OcrLine]:
    return _sure(_read_framed(ocr, np.ascontiguousarray(np.rot90(pixels, quarter_turns))))


def _read_framed(ocr: Ocr, pixels: NDArray[np.uint8]) -> list[OcrLine]:
    """Read with a margin of the ground's colour: engines misread letters that touch an image's edge."""
    edges = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    height, width = pixels.shape[:2]
    framed = np.empty((height + 2 * _MARGIN, width + 2 * _MARGIN, 3), dtype=np.uint8)
    framed[:] = np.median(edges, axis=0).astype(np.uint8)
    framed[_MARGIN:-_MARGIN, _MARGIN:-_MARGIN] = pixels
    return [msgspec.structs.replace(line, box=_inside(line.box, width, height)) for line in ocr.read(framed)]


def _inside(box: Box, width: int, height: int) -> Box:
    return Box(
        max(0.0, box.left - _MARGIN),
        max(0.0, box.top - _MARGIN),
        min(float(width), box.right - _MARGIN),
        min(float(height), box.bottom - _MARGIN),
    )


def join_lines(lines: list[OcrLine]) -> list[Paragraph]:
    """Consecutive lines of one column with little space between them make a paragraph."""
    groups: list[list[OcrLine]] = []
    for line in _whole_lines(lines):
        if groups and _continues(groups[-1][-1], line):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [Paragraph(join_words([line.text for line in group]), _around(group)) for group in groups]


def _whole_lines(boxes: list[OcrLine]) -> list[OcrLine]:
    """Boxes that follow each other on one line are one line: wide spaces make engines divide it."""
    lines: list[OcrLine] = []
    # Where there is one row of text there are no columns, however wide the spaces.
    widest = _LINE_GAP if _rows(boxes) > 1 else float("inf")
    for box in boxes:
        if lines and _same_line(lines[-1].box, box.box, widest):
            last = lines.pop()
            text, sure = f"{last.text} {box.text}", min(last.confidence, box.confidence)
            lines.append(OcrLine(text, _around([last, box]), sure))
        else:
            lines.append(box)
    return lines


def _rows(boxes: list[OcrLine]) -> int:
    return sum(not _same_line(above.box, below.box, float("inf")) for above, below in pairwise(boxes)) + 1


def _same_line(first: Box, second: Box, widest: float) -> bool:
    height = min(first.bottom - first.top, second.bottom - second.top)
    overlap = min(first.bottom, second.bottom) - max(first.top, second.top)
    return overlap > 0.6 * height and -0.5 * height < second.left - first.right < widest * height


def join_words(lines: list[str]) -> str:
    """Lines as flowing text; a word divided at a line's end is put together."""
    text = ""
    for line in lines:
        piece = line.strip()
        if len(text) > 1 and text[-1] in "-\u2010" and text[-2].isalpha() and piece[:1].islower():
            text = text[:-1] + piece
        else:
            text = f"{text} {piece}" if text else piece
    return text


def _sure(lines: list[OcrLine]) -> list[OcrLine]:
    return [line for line in lines if line.confidence >= MIN_CONFIDENCE and line.text.strip()]


def _quality(lines: list[OcrLine]) -> float:
    return sum(len(line.text) * line.confidence**2 for line in lines)


def _suspicious(lines: list[OcrLine]) -> bool:
    """Most lines are taller than wide, or hardly any is sure."""
    long = [line for line in lines if len(line.text) > 3] or lines
    upright = sum(line.box.bottom - line.box.top > 1.5 * (line.box.right - line.box.left) for line in long)
    sure = sum(line.confidence for line in lines) / len(lines)
    return upright > 0.5 * len(long) or sure < _GOOD_CONFIDENCE


def _turned_back(box: Box, quarter_turns: int, width: int, height: int) -> Box:
    """The box in the original image, of such a size; `numpy.rot90` turns against the clock."""
    if quarter_turns == 1:
        return Box(width - box.bottom, box.left, width - box.top, box.right)
    if quarter_turns == 2:
        return Box(width - box.right, height - box.bottom, width - box.left, height - box.top)
    if quarter_turns == 3:
        return Box(box.top, height - box.right, box.bottom, height - box.left)
    return box


def _continues(above: OcrLine, below: OcrLine) -> bool:
    height = max(1.0, min(above.box.bottom - above.box.top, below.box.bottom - below.box.top))
    taller = max(above.box.bottom - above.box.top, below.box.bottom - below.box.top)
    gap = below.box.top - above.box.bottom
    overlap = min(above.box.right, below.box.right) - max(above.box.left, below.box.left)
    return -height < gap <= _PARAGRAPH_GAP * height and overlap > 0 and taller < 1.6 * height


def _around(lines: list[OcrLine]) -> Box:
    return Box(
        min(line.box.left for line in lines),
        min(line.box.top for line in lines),
        max(line.box.right for line in lines),
        max(line.box.bottom for line in lines),
    )

"""Figures: the pictures and drawings of a page, with their captions and the words in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec
from PIL import Image

from trivium.domain.parsed import Asset, UnitKind
from trivium.images.rgb import Pixels
from trivium.ports.parser import ParseLimits
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.images import pictures
from trivium_ingest.parse.images.ocr import Reader
from trivium_ingest.parse.pdf.blocks import Block
from trivium_ingest.parse.pdf.page import Page, Picture, picture_pixels, render
from trivium_ingest.parse.pdf.tables import Rect

MIN_PICTURE_SHARE = 0.01  # of the page's area
MIN_PICTURE_EDGE = 60  # pixels
MAX_CAPTION_CHARS = 1_500
MAX_CAPTIONS = 30  # of one page
MAX_DRAWN = 200  # of one document's figures, shown as their part of the page
DRAWN_DPI = 110
_NEAR = 40.0  # points between a figure and its caption
_OVERLAP = 12.0  # points that a figure's box may reach into its caption
_TOGETHER = 14.0  # points between the parts of one figure
_ASIDE = 100.0  # points that the middle of a caption may stand beside a part of its figure
_MIN_DRAWING = 25.0  # points, each way
_PASSES = 8  # over the lines of a page, each of which may add to a drawing
_PROSE_LINES, _PROSE_CHARS = 4, 200  # more than a label in a figure has
_CAPTION = re.compile(
    r"(?:fig(?:ure|\.|s\.)?|abb(?:ildung|\.)|figura|plate|photo|scheme|chart|diagram|exhibit|graph)\s*"
    r"(?:[A-Z]?\d{1,3}(?:[.\-]\d{1,3})*[a-z]?|[A-Z]|[IVX]{1,5})\s*(?P<mark>[.:|\u2013\u2014-]|(?=\())?(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)


class Figure(msgspec.Struct):
    """A picture on the page as shown, the words read in it, and what it looks like."""

    box: Rect
    text: str
    shown: Asset


class Album:
    """The figures of one document: each picture is read and kept once, and their number is bounded."""

    def __init__(self, document: Any, limits: ParseLimits, reader: Reader, out: Collector) -> None:
        self._document = document
        self._limits = limits
        self._reader = reader
        self._out = out
        self._seen: set[tuple[int, int, int]] = set()
        self._drawn = 0

    def figures(self, page: Any, found: Page, number: int) -> list[Figure]:
        """The pictures of a page that has text of its own."""
        area = found.frame.width * found.frame.height
        figures = []
        for picture in found.pictures:
            if not self._worth_reading(picture, area):
                continue
            pixels = picture_pixels(self._document, page, picture)
            if pixels is None:
                continue
            key = (picture.width, picture.height, hash(pixels[::7, ::7].tobytes()))
            if key in self._seen:
                continue
            self._seen.add(key)
            lines = [paragraph.text for paragraph in self._reader.paragraphs(pixels, f"Page {number}")]
            figures.append(Figure(picture.box, "\n".join(lines), _shown(pixels)))
        return figures

    def _worth_reading(self, picture: Picture, page_area: float) -> bool:
        left, top, right, bottom = picture.box
        large = (right - left) * (bottom - top) >= MIN_PICTURE_SHARE * page_area
        edges = min(picture.width, picture.height) >= MIN_PICTURE_EDGE
        return large and edges and picture.width * picture.height <= self._limits.max_pixels

    def caption(self, page: Any, found: Page, blocks: list[Block], figures: list[Figure]) -> None:
        """Make each caption one IMAGE block with its figure and the labels in it, which leave their lists."""
        for block in [block for block in blocks if is_caption(block)][:MAX_CAPTIONS]:
            others = [other for other in blocks if other is not block and _divides(other)]
            parts = _pictures_of(block, figures, others)
            region = _union([part.box for part in parts]) if parts else _drawing(block, found.drawings, others)
            if region is None and not _marked(block.text):
                continue
            block.kind, block.ocr = UnitKind.IMAGE, any(part.text for part in parts)
            texts = [block.text, *(part.text for part in parts if part.text)]
            if region is not None:
                labels = [other for other in blocks if other is not block and _is_label(other, region)]
                blocks[:] = [other for other in blocks if not any(other is label for label in labels)]
                figures[:] = [figure for figure in figures if not any(figure is part for part in parts)]
                texts.extend(label.text for label in labels)
                alone = len(parts) == 1
                block.asset = self._out.asset(parts[0].shown) if alone else self._cut_out(page, found, region)
                block.left, block.top, block.right, block.bottom = _union([_box(block), region])
            block.text = "\n".join(texts)

    def _cut_out(self, page: Any, found: Page, region: Rect) -> str:
        if self._drawn >= MAX_DRAWN:
            return ""
        self._drawn += 1
        pixels, _ = render(page, found.frame, DRAWN_DPI, region)
        return self._out.asset(_shown(pixels))


def _shown(pixels: Pixels) -> Asset:
    return pictures.shown(Image.fromarray(pixels), b"", pixels)


def is_caption(block: Block) -> bool:
    """True for a paragraph that names a figure: "Figure 3: ...", "Fig. 2 The ...", and not "Figure 3 shows ..."."""
    if block.table is not None or block.hidden or len(block.text) > MAX_CAPTION_CHARS:
        return False
    match = _CAPTION.match(block.text)
    if match is None or not block.text[:1].isupper():
        return False
    rest = match["rest"]
    return bool(match["mark"]) or not rest.strip() or (rest[:1].isspace() and rest.strip()[:1].isupper())


def _marked(text: str) -> bool:
    """A number with a colon or a point after it: a caption also where no picture is found."""
    match = _CAPTION.match(text)
    return match is not None and match["mark"] in (":", ".", "|") and bool(match["rest"].strip())


def _divides(block: Block) -> bool:
    """True for what never stands inside a figure: another caption, or prose."""
    return is_caption(block) or _is_prose(block)


def _is_prose(block: Block) -> bool:
    return block.lines >= _PROSE_LINES and len(block.text) > _PROSE_CHARS


def _pictures_of(caption: Block, figures: Sequence[Figure], others: Sequence[Block]) -> list[Figure]:
    """The picture that is nearest to the caption, and those beside it with none of the `others` between them."""
    near = [(distance, n) for n, f in enumerate(figures) if (distance := _distance(caption, f.box)) is not None]
    if not near:
        return []
    nearest = figures[min(near)[1]]
    region, parts = nearest.box, [nearest]
    for figure in sorted(figures, key=lambda other: _gap(other.box, nearest.box)):
        grown = _union([region, figure.box])
        if figure is nearest or _gap(figure.box, region) > _TOGETHER or _holds(grown, others):
            continue
        if not any(_belongs(figure, other, caption) for other in others):
            region = grown
            parts.append(figure)
    return sorted(parts, key=lambda part: (part.box[1], part.box[0]))


def _belongs(figure: Figure, other: Block, caption: Block) -> bool:
    """True when the other block is a caption, and nearer to the figure than this one."""
    if not is_caption(other) or (theirs := _distance(other, figure.box)) is None:
        return False
    ours = _distance(caption, figure.box)
    return ours is None or theirs < ours


def _distance(caption: Block, box: Rect) -> float | None:
    """How far a caption stands under its figure, or (which is rarer) above it; None when it is not its caption."""
    overlap = min(caption.right, box[2]) - max(caption.left, box[0])
    if overlap < 0.3 * min(caption.right - caption.left, box[2] - box[0]):
        return None
    below, above = caption.top - box[3], box[1] - caption.bottom
    if -_OVERLAP <= below <= _NEAR:
        return abs(below)
    return 2 * abs(above) + 1 if -_OVERLAP <= above <= _NEAR else None


def _drawing(caption: Block, strokes: Sequence[Rect], others: Sequence[Block]) -> Rect | None:
    """The box around the lines and shapes that stand together over the caption."""
    middle = (caption.left + caption.right) / 2
    over = [stroke for stroke in strokes if stroke[3] <= caption.top + _OVERLAP]
    nearest = [s for s in over if s[3] >= caption.top - _NEAR and s[0] - _ASIDE < middle < s[2] + _ASIDE]
    if not nearest:
        return None
    region = max(nearest, key=lambda stroke: stroke[3])
    for _ in range(_PASSES):
        before = region
        for stroke in over:
            if _gap(stroke, region) <= _TOGETHER:
                grown = _union([region, stroke])
                region = region if grown != region and _holds(grown, others) else grown
        if region == before:
            break
    large = min(region[2] - region[0], region[3] - region[1]) >= _MIN_DRAWING
    return region if large else None


def _is_label(block: Block, region: Rect) -> bool:
    if block.table is not None or block.hidden or block.kind is not None:
        return False
    if _is_prose(block):
        return False
    x, y = (block.left + block.right) / 2, (block.top + block.bottom) / 2
    inside = region[0] <= x <= region[2] and region[1] <= y <= region[3]
    return inside and block.right - block.left <= 1.1 * (region[2] - region[0])


def _box(block: Block) -> Rect:
    return block.left, block.top, block.right, block.bottom


def _holds(region: Rect, others: Sequence[Block]) -> bool:
    """True when the middle of one of the `others` lies in the region."""
    return any(
        region[0] <= (other.left + other.right) / 2 <= region[2]
        and region[1] <= (other.top + other.bottom) / 2 <= region[3]
        for other in others
    )


def _gap(first: Rect, second: Rect) -> float:
    across = max(first[0], second[0]) - min(first[2], second[2])
    down = max(first[1], second[1]) - min(first[3], second[3])
    return max(across, down, 0.0)


def _union(rects: Sequence[Rect]) -> Rect:
    return min(r[0] for r in rects), min(r[1] for r in rects), max(r[2] for r in rects), max(r[3] for r in rects)

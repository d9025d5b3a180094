"""An image as people see it: RGB, upright, transparency on white, numbers from black to white."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image, ImageOps

from trivium.images.exif import orientation

Pixels = NDArray[np.uint8]
MAX_READ_PIXELS = 12_000_000  # A4 at 350 dpi; larger images are read smaller
_STRIP_PIXELS = 1 << 20


def rgb(image: Image.Image) -> Pixels:
    """Shape (height, width, 3), upright by its EXIF orientation; at most `MAX_READ_PIXELS`.

    JPEGs are already decoded smaller where they are much too large. What Pillow raises for broken files is passed on.
    """
    if image.width * image.height > MAX_READ_PIXELS:
        share = math.sqrt(MAX_READ_PIXELS / (image.width * image.height))
        image.draft(image.mode, (math.ceil(image.width * share), math.ceil(image.height * share)))
    image.load()
    extremes = image.getextrema() if image.mode.startswith(("I", "F")) else (0, 255)

    def rows(top: int, bottom: int) -> Image.Image:
        return _seen(image.crop((0, top, image.width, bottom)), extremes)

    if image.width * image.height <= MAX_READ_PIXELS:
        return _upright(_seen(image, extremes), orientation(image))
    return _upright(thinned(image.width, image.height, rows), orientation(image))


def thinned(width: int, height: int, rows: Callable[[int, int], Image.Image]) -> Image.Image:
    """An image of so many pixels made to fit `MAX_READ_PIXELS`.

    `rows` gives the RGB rows from one number to another: what is large is never copied as a whole.
    """
    share = math.sqrt(MAX_READ_PIXELS / (width * height))
    across, down = max(1, int(width * share)), max(1, int(height * share))
    small = Image.new("RGB", (across, down))
    step = max(1, int(_STRIP_PIXELS * share / width))
    for top in range(0, down, step):
        bottom = min(top + step, down)
        first, last = top * height / down, bottom * height / down
        strip = rows(int(first), min(math.ceil(last), height))
        box = (0, first - int(first), width, min(last - int(first), strip.height))
        small.paste(strip.resize((across, bottom - top), Image.Resampling.BOX, box), (0, top))
    return small


def _upright(seen: Image.Image, turned: int) -> Pixels:
    """By an Exif of its own: that of the file may hold what cannot be written again."""
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = turned
    seen.info = {"exif": exif.tobytes()}
    ImageOps.exif_transpose(seen, in_place=True)
    return np.asarray(seen, dtype=np.uint8)


def _seen(image: Image.Image, extremes: tuple[Any, ...]) -> Image.Image:
    """As RGB: transparency on white, numbers from black for the least of `extremes` to white for the largest."""
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        layers = image.convert("RGBA")
        ground = Image.new("RGBA", layers.size, "white")
        return Image.alpha_composite(ground, layers).convert("RGB")
    if image.mode.startswith("I") or image.mode == "F":
        least, largest = extremes
        span = float(largest - least) or 1.0
        grey = (np.asarray(image, dtype=np.float32) - least) * (255 / span)
        return Image.fromarray(grey.astype(np.uint8)).convert("RGB")
    return image.convert("RGB")

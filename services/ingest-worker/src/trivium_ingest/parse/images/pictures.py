"""Images to pixels, within bounds that are checked before anything is decoded."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import numpy as np
import pi_heif  # type: ignore[import-untyped]
from numpy.typing import NDArray
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from trivium.domain.ids import content_version
from trivium.domain.parsed import Asset
from trivium.ports.parser import ParseLimits
from trivium_ingest.parse.failures import corrupt, too_large
from trivium_ingest.parse.images.exif import orientation

Pixels = NDArray[np.uint8]
# The plugins that may see a stranger's bytes; others (EPS runs a program, for one) never do.
PILLOW_FORMATS = ("PNG", "JPEG", "TIFF", "BMP", "GIF", "WEBP", "HEIF")
pi_heif.register_heif_opener(thumbnails=False)
MIN_EDGE = 16  # smaller pictures are bullets and rules
MAX_SHOWN_BYTES = 1 << 20  # a picture is kept as it came up to here
MAX_SHOWN_EDGE = 1600  # pixels; larger ones are kept at this size
_SHOWN_QUALITY = 85
MAX_READ_PIXELS = 12_000_000  # A4 at 350 dpi; larger images are read smaller
_STRIP_PIXELS = 1 << 20
_BROWSERS_SHOW = {"PNG": "png", "JPEG": "jpeg", "GIF": "gif", "WEBP": "webp"}


def open_image(content: bytes, limits: ParseLimits, what: str = "image") -> Image.Image:
    """The image, its header read and its size checked, its pixels not yet decoded.

    Raises `NeverWill` (`corrupt_file`, `limit_exceeded` naming `max_pixels`).
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image = Image.open(io.BytesIO(content), formats=PILLOW_FORMATS)
    except Image.DecompressionBombError as error:
        raise _too_many_pixels(limits) from error
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, TypeError, OverflowError) as error:
        raise corrupt(what, str(error)[:120].replace("<_io.BytesIO object", "<file")) from error
    _check(image, limits)
    return image


class Frame(msgspec.Struct, frozen=True):
    """One page of an image, and how many of the page's own pixels, each way, one of `pixels` stands for."""

    pixels: Pixels
    scale: float


def frames(image: Image.Image, limits: ParseLimits) -> Iterator[Frame]:
    """Each page as RGB, upright by its EXIF orientation, transparency on white. Animations give one frame.

    A page of more than `MAX_READ_PIXELS` is given smaller.
    """
    count = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
    for index in range(min(count, limits.max_pages)):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if count > 1:
                    image.seek(index)
                    _check(image, limits)
                longest = max(image.size)
                pixels = _rgb(image)
            yield Frame(pixels, longest / max(pixels.shape[:2]))
        except (OSError, ValueError, SyntaxError, EOFError, TypeError, KeyError, Image.DecompressionBombError) as error:
            raise corrupt("image", str(error)[:120]) from error


def shown(image: Image.Image, content: bytes, pixels: Pixels) -> Asset:
    """What is kept of a picture to be shown: as it came where browsers can show that, else a JPEG of its `pixels`.

    `content` is empty where the picture is a part of its file only.
    """
    kind = _BROWSERS_SHOW.get(image.format or "")
    if kind is None or not 0 < len(content) <= MAX_SHOWN_BYTES:
        small = Image.fromarray(pixels)
        small.thumbnail((MAX_SHOWN_EDGE, MAX_SHOWN_EDGE))
        stream = io.BytesIO()
        small.save(stream, "JPEG", quality=_SHOWN_QUALITY)
        kind, content = "jpeg", stream.getvalue()
    return Asset(f"{content_version(content)}.{kind}", f"image/{kind}", content)


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


def _rgb(image: Image.Image) -> Pixels:
    """JPEGs are already decoded smaller where they are much too large."""
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


def _check(image: Image.Image, limits: ParseLimits) -> None:
    if image.width * image.height > limits.max_pixels:
        raise too_large("max_pixels", f"an image of {image.width} x {image.height} pixels")


def _too_many_pixels(limits: ParseLimits) -> Exception:
    return too_large("max_pixels", f"an image of more than {limits.max_pixels:,} pixels")

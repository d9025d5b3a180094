"""Images to pixels, within bounds that are checked before anything is decoded."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress

import msgspec
import pi_heif  # type: ignore[import-untyped]
from PIL import Image

from trivium.domain.errors import NeverWill
from trivium.domain.ids import content_version
from trivium.domain.parsed import Asset
from trivium.images.damaged import DAMAGED
from trivium.images.rgb import Pixels, rgb
from trivium.ports.parser import ParseLimits
from trivium_ingest.parse.failures import corrupt, too_large

# The plugins that may see a stranger's bytes; others (EPS runs a program, for one) never do.
PILLOW_FORMATS = ("PNG", "JPEG", "TIFF", "BMP", "GIF", "WEBP", "HEIF")
pi_heif.register_heif_opener(thumbnails=False)
MIN_EDGE = 16  # smaller pictures are bullets and rules
MAX_SHOWN_BYTES = 1 << 20  # a picture is kept as it came up to here
MAX_SHOWN_EDGE = 1600  # pixels; larger ones are kept at this size
_SHOWN_QUALITY = 85
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
        raise too_large("max_pixels", f"an image of more than {limits.max_pixels:,} pixels") from error
    except DAMAGED as error:
        raise corrupt(what, str(error)[:120].replace("<_io.BytesIO object", "<file")) from error
    _check(image, limits)
    return image


class Frame(msgspec.Struct, frozen=True):
    """One page of an image, and how many of the page's own pixels, each way, one of `pixels` stands for."""

    pixels: Pixels
    scale: float
    number: int = 1  # of the page


def count_pages(image: Image.Image, tell: Callable[[str], None]) -> int:
    """Of a TIFF, as far as they can be found: `tell` hears where it breaks off. Anything else has one."""
    if image.format != "TIFF":
        return 1
    count = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return int(getattr(image, "n_frames", 1))
        except DAMAGED:
            with suppress(*DAMAGED):
                while True:
                    image.seek(count)
                    count += 1
            image.seek(0)
    tell(f"The file breaks off behind page {max(1, count):,}.")
    return max(1, count)


def frames(
    image: Image.Image, limits: ParseLimits, count: int = 1, tell: Callable[[str], None] = lambda _: None
) -> Iterator[Frame]:
    """The first `count` pages as RGB, upright by their EXIF orientation, transparency on white.

    A page of more than `MAX_READ_PIXELS` (`trivium.images.rgb`) is given smaller. One of several that is damaged is
    left out, and `tell` hears of it. Raises `NeverWill` (`corrupt_file`) where all are.
    """
    failures: list[NeverWill] = []
    for number in range(1, min(count, limits.max_pages) + 1):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if count > 1:
                    image.seek(number - 1)
                    _check(image, limits)
                longest = max(image.size)
                pixels = rgb(image)
        except DAMAGED as error:
            failures.append(corrupt("image", str(error)[:120]))
            if len(failures) == count:
                raise failures[0] from error
            tell(f"Page {number}: {failures[-1].message}")
        else:
            yield Frame(pixels, longest / max(pixels.shape[:2]), number)


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


def _check(image: Image.Image, limits: ParseLimits) -> None:
    if image.width * image.height > limits.max_pixels:
        raise too_large("max_pixels", f"an image of {image.width} x {image.height} pixels")

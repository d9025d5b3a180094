"""Images to pixels, within bounds that are checked before anything is decoded."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator

import msgspec
import pi_heif  # type: ignore[import-untyped]
from PIL import Image

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


def frames(image: Image.Image, limits: ParseLimits) -> Iterator[Frame]:
    """Each page as RGB, upright by its EXIF orientation, transparency on white. Animations give one frame.

    A page of more than `MAX_READ_PIXELS` (`trivium.images.rgb`) is given smaller.
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
                pixels = rgb(image)
            yield Frame(pixels, longest / max(pixels.shape[:2]))
        except DAMAGED as error:
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


def _check(image: Image.Image, limits: ParseLimits) -> None:
    if image.width * image.height > limits.max_pixels:
        raise too_large("max_pixels", f"an image of {image.width} x {image.height} pixels")

"""Picture files as a CLIP-class model sees them: decoded within limits, resized, cut to its frame, normalised."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
import numpy as np
from PIL import Image, ImageOps

from trivium.images.rgb import rgb
from trivium.ports.inference import Vector
from trivium_inference.image_child import opened

_FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP")
_CLIP_MEAN: Final = (0.48145466, 0.4578275, 0.40821073)  # of its training pictures; models name their own
_CLIP_STD: Final = (0.26862954, 0.26130258, 0.27577711)


class Frame(msgspec.Struct, frozen=True):
    """`crop`: the shortest side is resized to the frame and the middle is cut out; else all is squeezed into it."""

    width: int
    height: int
    crop: bool
    mean: tuple[float, ...]
    std: tuple[float, ...]

    @staticmethod
    def of(config: Mapping[str, Any]) -> Frame:
        """From a model's preprocessor_config.json."""
        size = config.get("size") or 224
        shortest = size if isinstance(size, int) else size.get("shortest_edge")
        inner = config.get("crop_size") or shortest or size
        width, height = (inner, inner) if isinstance(inner, int) else (inner["width"], inner["height"])
        mean, std = config.get("image_mean") or _CLIP_MEAN, config.get("image_std") or _CLIP_STD
        return Frame(width, height, bool(shortest), tuple(mean), tuple(std))


def prepared(image: bytes, frame: Frame) -> Vector:
    """(3, height, width). Raises `OSError` or `ValueError` for what is no picture or has too many pixels."""
    with opened(image, _FORMATS) as found:
        picture = Image.fromarray(rgb(found))
    size = (frame.width, frame.height)
    if frame.crop:
        fitted = ImageOps.fit(picture, size, Image.Resampling.BICUBIC)
    else:
        fitted = picture.resize(size, Image.Resampling.BICUBIC)
    pixels = (np.asarray(fitted, np.float32) / 255 - np.array(frame.mean)) / np.array(frame.std)
    return np.ascontiguousarray(pixels.transpose(2, 0, 1), np.float32)

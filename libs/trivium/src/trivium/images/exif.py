"""What a camera says of a picture (Exif 2.32): which way up it is held, and when it was taken."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import TypeVar

from PIL import ExifTags, Image

from trivium.images.damaged import DAMAGED

_Told = TypeVar("_Told")
_UPRIGHT = 1
_TURNED = range(2, 9)
# When it was taken, digitised, changed as a file, each with its time zone, under the names that `own_date` reads.
_TIMES = (
    ("date", ExifTags.Base.DateTimeOriginal, ExifTags.Base.OffsetTimeOriginal),
    ("created", ExifTags.Base.DateTimeDigitized, ExifTags.Base.OffsetTimeDigitized),
    ("modified", ExifTags.Base.DateTime, ExifTags.Base.OffsetTime),
)
_ZONE = re.compile(r"[+-](?:0\d|1[0-4]):[0-5]\d|Z")
_BLANK = "\0 "


def orientation(image: Image.Image) -> int:
    """1 to 8 as in Exif, 1 where it is not told. The pixels must be decoded: a PNG tells it behind them."""
    told = _unless_broken(lambda: image.getexif().get(ExifTags.Base.Orientation), None)
    return told if isinstance(told, int) and told in _TURNED else _UPRIGHT


def dates(image: Image.Image) -> dict[str, str]:
    """Its `date`, `created` and `modified`, as they are written there, with their time zones where told."""
    return _unless_broken(lambda: _dates(image.getexif()), {})


def _dates(exif: Image.Exif) -> dict[str, str]:
    told = {**exif, **exif.get_ifd(ExifTags.IFD.Exif)}
    return {name: f"{time}{_zone(told.get(zone))}" for name, tag, zone in _TIMES if (time := _text(told.get(tag)))}


def _text(value: object) -> str:
    return value.strip(_BLANK) if isinstance(value, str) else ""


def _zone(value: object) -> str:
    zone = _text(value)
    return zone if _ZONE.fullmatch(zone) else ""


def _unless_broken(read: Callable[[], _Told], otherwise: _Told) -> _Told:
    """Damaged Exif says nothing, and takes nothing else from its picture."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return read()
    except DAMAGED:
        return otherwise

"""The OCR child: one image after the other from its parent's socket, until that closes.

Started by `ocr_process.py` as `python -m trivium_inference.serving.ocr_child DESCRIPTOR THREADS`.
"""

from __future__ import annotations

import io
import signal
import sys
from multiprocessing.connection import Connection
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from trivium.ports.inference import OcrLine
from trivium_inference.ocr import RapidOcr

MAX_PIXELS: Final = 60_000_000  # as the parsers allow
_FORMATS: Final = ("PNG", "JPEG", "TIFF")


class Answer(msgspec.Struct, frozen=True):
    """The lines, or why the image cannot be read."""

    lines: tuple[OcrLine, ...] = ()
    refused: str = ""


def main() -> None:
    """Serve until the parent goes away."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when this ends
    parent = Connection(int(sys.argv[1]))
    ocr = RapidOcr(threads=int(sys.argv[2]))
    while True:
        try:
            image = parent.recv_bytes()
        except EOFError:
            return
        parent.send_bytes(msgspec.msgpack.encode(_answer(ocr, image)))


def _answer(ocr: RapidOcr, image: bytes) -> Answer:
    try:
        pixels = _decode(image)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        return Answer(refused=f"{error}"[:300])
    return Answer(tuple(ocr.read(pixels)))


def _decode(image: bytes) -> NDArray[np.uint8]:
    Image.MAX_IMAGE_PIXELS = None  # checked here, without its warnings
    with Image.open(io.BytesIO(image), formats=_FORMATS) as opened:
        if opened.width * opened.height > MAX_PIXELS:
            raise ValueError(f"it has {opened.width} x {opened.height} pixels, more than {MAX_PIXELS:,}")
        return np.asarray(opened.convert("RGB"))


if __name__ == "__main__":
    main()

"""The OCR child: one image after the other from its parent's socket, until that closes.

Started by `ocr_process.py` as `python -m trivium_inference.serving.ocr_child DESCRIPTOR THREADS`.
"""

from __future__ import annotations

import sys
from multiprocessing.connection import Connection
from typing import Final

import msgspec
import numpy as np

from trivium_inference.image_child import answer_images, opened
from trivium_inference.ocr import RapidOcr

MEMORY_BYTES: Final = 4 * 1024 * 1024 * 1024  # an image of 59 million pixels takes 2.4 GB, the models' arenas included
_FORMATS: Final = ("PNG", "JPEG", "TIFF")


def main() -> None:
    """Serve until the parent goes away."""
    ocr = RapidOcr(threads=int(sys.argv[2]))

    def read(image: bytes) -> bytes:
        with opened(image, _FORMATS) as picture:
            pixels = np.asarray(picture.convert("RGB"))
        return msgspec.msgpack.encode(ocr.read(pixels))

    answer_images(Connection(int(sys.argv[1])), MEMORY_BYTES, read)


if __name__ == "__main__":
    main()

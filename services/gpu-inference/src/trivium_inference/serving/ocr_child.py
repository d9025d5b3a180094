"""The OCR child: the text of one image after the other.

Started by `ocr_process.py` as `python -m trivium_inference.serving.ocr_child`, with the number of threads; see
`trivium.child_process`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from trivium.child_process.messages import Connection
from trivium.child_process.serve import run_child
from trivium.ports.inference import OcrLine
from trivium_inference.image_child import opened, serve_images
from trivium_inference.ocr import RapidOcr

_FORMATS: Final = ("PNG", "JPEG", "TIFF")


def main(parent: Connection, threads: str) -> None:
    """Serve until the parent goes away."""
    ocr = RapidOcr(threads=int(threads))

    def read(image: bytes) -> list[OcrLine]:
        with opened(image, _FORMATS) as picture:
            pixels = np.asarray(picture.convert("RGB"))
        return ocr.read(pixels)

    serve_images(parent, read)


if __name__ == "__main__":
    run_child(main)

"""OCR in a process of its own: an image that crashes or hangs the engine costs that process and nothing else."""

from __future__ import annotations

from typing import Final

import msgspec

from trivium.domain.errors import NeverWill
from trivium.ports.inference import OcrLine
from trivium_inference.child import Died, Late, RestartingChild
from trivium_inference.image_child import found_by
from trivium_inference.ocr import RapidOcr

WALL_S: Final = 60.0  # for one image, with loading the models at the first


class OcrProcess:
    """Reads one image at a time."""

    def __init__(self, threads: int, wall_s: float = WALL_S) -> None:
        self._wall_s = wall_s
        self._child = RestartingChild(wall_s, "trivium_inference.serving.ocr_child", str(threads))

    @property
    def fingerprint(self) -> str:
        """The engine's."""
        return RapidOcr().fingerprint

    def read(self, image: bytes) -> list[OcrLine]:
        """Lines of a PNG, JPEG or TIFF in reading order.

        Raises `NeverWill` (`corrupt_image`, `ocr_crashed`, `ocr_timeout`).
        """
        try:
            found = found_by(self._child.ask(image))
        except Died:
            raise NeverWill(
                "ocr_crashed", "The text recogniser crashed on this image.", "Save the image again in another format."
            ) from None
        except Late:
            raise NeverWill(
                "ocr_timeout", f"Reading this image takes more than {self._wall_s:g} s.", "Use a smaller image."
            ) from None
        return msgspec.msgpack.decode(found, type=list[OcrLine])

    def close(self) -> None:
        """End the child."""
        self._child.close()

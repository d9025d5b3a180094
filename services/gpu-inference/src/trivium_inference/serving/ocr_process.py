"""OCR in a process of its own: an image that crashes or hangs the engine costs that process and nothing else."""

from __future__ import annotations

from functools import partial
from typing import Final

from trivium.child_process.child import ChildProcess
from trivium.child_process.errors import ChildExited, DeadlineExceeded, MemoryExhausted
from trivium.child_process.pool import ChildPool
from trivium.child_process.reply import Reply
from trivium.domain.errors import NeverWill
from trivium.ports.inference import OcrLine
from trivium_inference.image_child import too_much_memory
from trivium_inference.ocr import RapidOcr

WALL_S: Final = 60.0  # for one image, with loading the models at the first
MEMORY_BYTES: Final = 4 * 1024 * 1024 * 1024  # an image of 59 million pixels takes 2.4 GB, the models' arenas included


class OcrProcess:
    """Reads one image at a time."""

    def __init__(self, threads: int, wall_s: float = WALL_S) -> None:
        self._wall_s = wall_s
        start = partial(ChildProcess, "trivium_inference.serving.ocr_child", str(threads), memory_bytes=MEMORY_BYTES)
        self._children = ChildPool(start, repeats_crashes=True)

    @property
    def fingerprint(self) -> str:
        """The engine's."""
        return RapidOcr().fingerprint

    def read(self, image: bytes) -> list[OcrLine]:
        """Lines of a PNG, JPEG or TIFF in reading order.

        Raises `NeverWill` (`corrupt_image`, `ocr_crashed`, `ocr_timeout`).
        """
        try:
            return self._children.run(lambda child: child.ask(image, Reply[list[OcrLine]], self._wall_s))
        except ChildExited:
            raise NeverWill(
                "ocr_crashed", "The text recogniser crashed on this image.", "Save the image again in another format."
            ) from None
        except DeadlineExceeded:
            raise NeverWill(
                "ocr_timeout", f"Reading this image takes more than {self._wall_s:g} s.", "Use a smaller image."
            ) from None
        except MemoryExhausted:
            raise too_much_memory(MEMORY_BYTES) from None

    def close(self) -> None:
        """End the child."""
        self._children.close()

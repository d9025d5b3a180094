"""OCR in a process of its own: an image that crashes or hangs the engine costs that process and nothing else."""

from __future__ import annotations

from typing import Final

import msgspec

from trivium.domain.errors import NeverWill
from trivium.ports.inference import OcrLine
from trivium_inference.child import Child
from trivium_inference.ocr import RapidOcr
from trivium_inference.serving.ocr_child import Answer

WALL_S: Final = 60.0  # for one image, with loading the models at the first
_TRIES: Final = 2  # a child may die of something else; twice is the image's fault


class OcrProcess:
    """Reads one image at a time. The child starts with the first; one that dies is replaced with the next."""

    def __init__(self, threads: int, wall_s: float = WALL_S) -> None:
        self._threads = threads
        self._wall_s = wall_s
        self._child: Child | None = None

    @property
    def fingerprint(self) -> str:
        """The engine's."""
        return RapidOcr().fingerprint

    def read(self, image: bytes) -> list[OcrLine]:
        """Lines of a PNG, JPEG or TIFF in reading order.

        Raises `NeverWill` (`corrupt_image`, `ocr_crashed`, `ocr_timeout`).
        """
        for _ in range(_TRIES):
            answer = self._ask(image)
            if answer is not None:
                if answer.refused:
                    raise NeverWill("corrupt_image", f"The image cannot be read: {answer.refused}.", "Save it again.")
                return list(answer.lines)
        raise NeverWill(
            "ocr_crashed", "The text recogniser crashed on this image.", "Save the image again in another format."
        )

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.kill()
            self._child = None

    def _ask(self, image: bytes) -> Answer | None:
        """None when the child died."""
        if self._child is None:
            self._child = Child("trivium_inference.serving.ocr_child", str(self._threads))
        try:
            self._child.send(image)
            if (found := self._child.receive(self._wall_s)) is not None:
                return msgspec.msgpack.decode(found, type=Answer)
        except (EOFError, OSError, msgspec.MsgspecError):
            self.close()
            return None
        self.close()
        raise NeverWill(
            "ocr_timeout", f"Reading this image takes more than {self._wall_s:g} s.", "Use a smaller image."
        )

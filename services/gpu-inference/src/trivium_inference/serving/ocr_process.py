"""OCR in a process of its own: an image that crashes or hangs the engine costs that process and nothing else."""

from __future__ import annotations

import socket
import subprocess
import sys
from multiprocessing.connection import Connection
from typing import Final

import msgspec

from trivium.domain.errors import NeverWill
from trivium.ports.inference import OcrLine
from trivium_inference.ocr import RapidOcr
from trivium_inference.serving.ocr_child import Answer

WALL_S: Final = 60.0  # for one image, with loading the models at the first
_TRIES: Final = 2  # a child may die of something else; twice is the image's fault


class OcrProcess:
    """Reads one image at a time. The child starts with the first; one that dies is replaced with the next."""

    def __init__(self, threads: int, wall_s: float = WALL_S) -> None:
        self._threads = threads
        self._wall_s = wall_s
        self._child: _Child | None = None

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
            self._child = _Child(self._threads)
        try:
            if (found := self._child.ask(image, self._wall_s)) is not None:
                return found
        except (EOFError, OSError, msgspec.MsgspecError):
            self.close()
            return None
        self.close()
        raise NeverWill(
            "ocr_timeout", f"Reading this image takes more than {self._wall_s:g} s.", "Use a smaller image."
        )


class _Child:
    def __init__(self, threads: int) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-m", "trivium_inference.serving.ocr_child", str(theirs.fileno()), str(threads)]
            self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()], start_new_session=True)
        self._pipe = Connection(ours.detach())

    def ask(self, image: bytes, wall_s: float) -> Answer | None:
        """The child's answer, None when it takes longer. Raises `EOFError` or `OSError` when the child died."""
        self._pipe.send_bytes(image)
        if not self._pipe.poll(wall_s):
            return None
        return msgspec.msgpack.decode(self._pipe.recv_bytes(), type=Answer)

    def kill(self) -> None:
        self._pipe.close()
        self._process.kill()
        self._process.wait()

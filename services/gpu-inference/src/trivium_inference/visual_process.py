"""Pictures for a CLIP-class model, decoded in a process of its own, because Pillow reads whatever people upload."""

from __future__ import annotations

from functools import partial
from typing import Final

import msgspec
import numpy as np

from trivium.child_process.child import ChildProcess
from trivium.child_process.errors import ChildExited, DeadlineExceeded, MemoryExhausted
from trivium.child_process.pool import ChildPool
from trivium.child_process.reply import Reply
from trivium.ports.inference import Vector
from trivium_inference.image_child import corrupt_image, too_much_memory
from trivium_inference.visual_images import Frame

WALL_S: Final = 60.0  # for one picture, with the child's start at the first
MEMORY_BYTES: Final = 1024 * 1024 * 1024  # 60 million pixels with transparency take two thirds of it


class PictureProcess:
    """Reads up to `size` pictures at a time, for any thread, each in a child of its own."""

    def __init__(self, frame: Frame, size: int = 1) -> None:
        self._shape = (3, frame.height, frame.width)
        argument = msgspec.json.encode(frame).decode()
        start = partial(ChildProcess, "trivium_inference.visual_child", argument, memory_bytes=MEMORY_BYTES)
        self._children = ChildPool(start, size, repeats_crashes=True)

    def read(self, image: bytes) -> Vector:
        """(3, height, width). Raises `NeverWill` (`corrupt_image`)."""
        try:
            found = self._children.run(lambda child: child.ask(image, Reply[bytes], WALL_S))
        except ChildExited:
            raise corrupt_image("it crashes the decoder") from None
        except DeadlineExceeded:
            raise corrupt_image(f"it takes more than {WALL_S:g} s to decode") from None
        except MemoryExhausted:
            raise too_much_memory(MEMORY_BYTES) from None
        return np.frombuffer(found, np.float32).reshape(self._shape)

    def close(self) -> None:
        """End the children."""
        self._children.close()

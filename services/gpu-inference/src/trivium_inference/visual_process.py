"""Pictures for a CLIP-class model, decoded in a process of its own, because Pillow reads whatever people upload."""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np

from trivium.ports.inference import Vector
from trivium_inference.child import Died, Late, RestartingChild
from trivium_inference.image_child import corrupt_image, found_by
from trivium_inference.visual_images import Frame

WALL_S: Final = 60.0  # for one picture, with the child's start at the first


class PictureProcess:
    """Reads one picture at a time, for any thread."""

    def __init__(self, frame: Frame) -> None:
        self._shape = (3, frame.height, frame.width)
        self._child = RestartingChild(WALL_S, "trivium_inference.visual_child", msgspec.json.encode(frame).decode())

    def read(self, image: bytes) -> Vector:
        """(3, height, width). Raises `NeverWill` (`corrupt_image`)."""
        try:
            found = found_by(self._child.ask(image))
        except Died:
            raise corrupt_image("it crashes the decoder") from None
        except Late:
            raise corrupt_image(f"it takes more than {WALL_S:g} s to decode") from None
        return np.frombuffer(found, np.float32).reshape(self._shape)

    def close(self) -> None:
        """End the child; the next picture starts another."""
        self._child.close()

"""The picture child: what a CLIP-class model sees of one picture after the other.

Started by `visual_process.py` as `python -m trivium_inference.visual_child DESCRIPTOR FRAME`, the frame as JSON.
"""

from __future__ import annotations

import sys
from multiprocessing.connection import Connection
from typing import Final

import msgspec

from trivium_inference.image_child import answer_images
from trivium_inference.visual_images import Frame, prepared

MEMORY_BYTES: Final = 1024 * 1024 * 1024  # 60 million pixels with transparency take two thirds of it


def main() -> None:
    """Serve until the parent goes away."""
    frame = msgspec.json.decode(sys.argv[2], type=Frame)
    answer_images(Connection(int(sys.argv[1])), MEMORY_BYTES, lambda image: prepared(image, frame).tobytes())


if __name__ == "__main__":
    main()

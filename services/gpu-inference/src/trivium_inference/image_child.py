"""What children that decode strangers' images have in common."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, Final

from PIL import Image

from trivium.child_process.messages import Connection
from trivium.child_process.restrict import is_out_of_memory
from trivium.child_process.serve import serve
from trivium.domain.errors import NeverWill

MAX_PIXELS: Final = 60_000_000  # as the parsers allow
_UNREADABLE: Final = (OSError, ValueError, SyntaxError, Image.DecompressionBombError)


def serve_images(parent: Connection, read: Callable[[bytes], Any]) -> None:
    """Serve `read`, which raises `OSError` or `ValueError` for what cannot be read."""

    def answer(image: bytes) -> Any:
        try:
            return read(image)
        except _UNREADABLE as error:
            if is_out_of_memory(error):
                raise
            raise corrupt_image(f"{error}"[:300]) from error

    serve(parent, bytes, answer)


def opened(image: bytes, formats: tuple[str, ...]) -> Image.Image:
    """One of `formats`, not decoded yet. Raises `ValueError` for too many pixels."""
    Image.MAX_IMAGE_PIXELS = None  # checked here, without its warnings
    found = Image.open(io.BytesIO(image), formats=formats)
    if found.width * found.height > MAX_PIXELS:
        raise ValueError(f"it has {found.width} x {found.height} pixels, more than {MAX_PIXELS:,}")
    return found


def corrupt_image(reason: str) -> NeverWill:
    """`reason` for a person."""
    return NeverWill("corrupt_image", f"The image cannot be read: {reason}.", "Save it again.")


def too_much_memory(bound: int) -> NeverWill:
    """Decoding it takes more than `bound` bytes."""
    return corrupt_image(f"it takes more than {bound // 1_000_000:,} MB of memory")

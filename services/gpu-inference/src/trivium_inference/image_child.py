"""What children that decode strangers' images have in common: locked in, one image after the other."""

from __future__ import annotations

import io
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Final

import msgspec
from PIL import Image

from trivium.domain.errors import NeverWill
from trivium.locked_in import is_out_of_memory, lock_in

MAX_PIXELS: Final = 60_000_000  # as the parsers allow
_UNREADABLE: Final = (OSError, ValueError, SyntaxError, Image.DecompressionBombError)


class Answer(msgspec.Struct, frozen=True):
    """What was found in an image, or why it cannot be read."""

    found: bytes = b""
    refused: str = ""


def answer_images(parent: Connection, memory_bytes: int, read: Callable[[bytes], bytes]) -> None:
    """Serve `read`, which raises `OSError` or `ValueError` for what cannot be read. Out of memory, the child ends."""
    lock_in(memory_bytes)
    while True:
        try:
            image = parent.recv_bytes()
        except EOFError:
            return
        try:
            answer = Answer(read(image))
        except Exception as error:
            if is_out_of_memory(error):
                refused = Answer(refused=f"it takes more than {memory_bytes // 1_000_000:,} MB of memory")
                parent.send_bytes(msgspec.msgpack.encode(refused))
                return
            if not isinstance(error, _UNREADABLE):
                raise
            answer = Answer(refused=f"{error}"[:300])
        parent.send_bytes(msgspec.msgpack.encode(answer))


def opened(image: bytes, formats: tuple[str, ...]) -> Image.Image:
    """One of `formats`, not decoded yet. Raises `ValueError` for too many pixels."""
    Image.MAX_IMAGE_PIXELS = None  # checked here, without its warnings
    found = Image.open(io.BytesIO(image), formats=formats)
    if found.width * found.height > MAX_PIXELS:
        raise ValueError(f"it has {found.width} x {found.height} pixels, more than {MAX_PIXELS:,}")
    return found


def found_by(answer: bytes) -> bytes:
    """What a child found, from its answer. Raises `NeverWill` (`corrupt_image`)."""
    said = msgspec.msgpack.decode(answer, type=Answer)
    if said.refused:
        raise corrupt_image(said.refused)
    return said.found


def corrupt_image(reason: str) -> NeverWill:
    """`reason` for a person."""
    return NeverWill("corrupt_image", f"The image cannot be read: {reason}.", "Save it again.")

"""What Pillow raises for damaged pictures: not its own errors alone."""

from __future__ import annotations

import struct
from typing import Final

from PIL import Image

DAMAGED: Final = (
    AttributeError,
    EOFError,
    Image.DecompressionBombError,
    LookupError,
    OSError,
    OverflowError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
)

"""Draws one page: an order on standard input, a PNG or a reason on standard output.

`python -m trivium_query.pages.child`, a process of its own for each page, because the original is a stranger's file and
PDFium and Pillow are C libraries.
"""

from __future__ import annotations

import os
import sys

import msgspec

from trivium.domain.errors import TriviumError
from trivium.locked_in import allow_cpu, lock_in
from trivium_query.pages.draw import draw
from trivium_query.pages.order import Drawn, Order

MEMORY_BYTES = 1024 * 1024 * 1024
CPU_S = 20


def main() -> None:
    """One order, one answer."""
    answers = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a library that prints must not write into the answer
    lock_in(MEMORY_BYTES)
    allow_cpu(CPU_S)
    order = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Order)
    try:
        drawn = Drawn(png=draw(order))
    except TriviumError as error:
        drawn = Drawn(b"", error.code, error.message, error.action)
    with os.fdopen(answers, "wb") as out:
        out.write(msgspec.msgpack.encode(drawn))


if __name__ == "__main__":
    main()

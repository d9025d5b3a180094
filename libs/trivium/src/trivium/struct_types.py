"""msgspec's struct types made ready before a process has a second thread.

msgspec works out how a type is decoded when it is first decoded into. It runs Python code half way through, and a
second thread that decodes into the type meanwhile finds it half made: the process dies with a segmentation fault
(seen with msgspec 0.22). So whoever starts threads calls `prepare_struct_types` first.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import msgspec

_ready: set[type[msgspec.Struct]] = set()


def prepare_struct_types() -> None:
    """Make every type ready that is imported by now and was not; about 0.1 ms each."""
    for kind in set(_kinds_of(msgspec.Struct)) - _ready:
        with suppress(TypeError, NameError):  # no type that is ever decoded into
            msgspec.msgpack.Decoder(kind)
        _ready.add(kind)


def _kinds_of(kind: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for each in kind.__subclasses__():
        yield each
        yield from _kinds_of(each)

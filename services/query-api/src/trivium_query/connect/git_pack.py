"""Looks through a pack before anything unpacks it: what each of its objects would take in memory is bounded.

The format: https://git-scm.com/docs/gitformat-pack. An object says its size before its compressed bytes, and may lie; a
delta says at the beginning of its bytes how large the object is that it makes.
"""

from __future__ import annotations

import struct
import zlib
from typing import BinaryIO

from trivium.domain.errors import NeverWill

MAX_OBJECTS = 2_000_000
_PIECE = 64 * 1024
_OFS_DELTA, _REF_DELTA = 6, 7
_TYPES = frozenset({1, 2, 3, 4, _OFS_DELTA, _REF_DELTA})
_ID_BYTES = 20  # of SHA-1
_MAX_SIZE_BYTES = 10


def sends_too_much(max_bytes: int) -> NeverWill:
    """What a server that goes on and on is told as."""
    return NeverWill("too_large", f"The repository sends more than {max_bytes:,} bytes.", "Connect a smaller one.")


def check_pack(file: BinaryIO, max_object_bytes: int) -> None:
    """Raises `NeverWill` (`too_large`, `damaged_pack`); leaves `file` at its end, as it was."""
    end = file.tell()
    file.seek(0)
    if end:
        _Pack(file, max_object_bytes).check()
    file.seek(end)


class _Pack:
    def __init__(self, file: BinaryIO, max_object_bytes: int) -> None:
        self._file, self._max = file, max_object_bytes

    def check(self) -> None:
        head = self._file.read(12)
        if len(head) < 12 or head[:4] != b"PACK":
            raise _damaged()
        (count,) = struct.unpack(">I", head[8:])
        if count > MAX_OBJECTS:
            raise NeverWill("too_large", f"The repository has {count:,} objects.", "Connect a smaller one.")
        for _ in range(count):
            self._object()

    def _object(self) -> None:
        first = self._byte()
        kind, size, shift = (first >> 4) & 7, first & 15, 4
        while first & 0x80:
            first = self._byte()
            size |= (first & 0x7F) << shift
            shift += 7
            if shift > 7 * _MAX_SIZE_BYTES:
                raise _damaged()
        if kind not in _TYPES:
            raise _damaged()
        if kind == _REF_DELTA:
            self._file.read(_ID_BYTES)
        while kind == _OFS_DELTA and self._byte() & 0x80:
            pass
        self._bounded(size)
        self._inflated(size, of_delta=kind in (_OFS_DELTA, _REF_DELTA))

    def _inflated(self, size: int, *, of_delta: bool) -> None:
        """Go past the object's bytes, holding a piece of them at a time."""
        inflate, told, pieces = zlib.decompressobj(), 0, b""
        packed = self._file.read(_PIECE)
        while not inflate.eof:
            try:
                piece = inflate.decompress(packed, _PIECE)
            except zlib.error as error:
                raise _damaged() from error
            told += len(piece)
            if told > size:
                raise _damaged()
            if of_delta and len(pieces) < 2 * _MAX_SIZE_BYTES:
                pieces += piece[: 2 * _MAX_SIZE_BYTES]
            packed = inflate.unconsumed_tail
            if not packed and not inflate.eof and not (packed := self._file.read(_PIECE)) and not piece:
                raise _damaged()
        if of_delta:
            self._bounded(_second_size(pieces))
        self._file.seek(-len(inflate.unused_data), 1)

    def _bounded(self, size: int) -> None:
        if size > self._max:
            raise NeverWill(
                "too_large",
                f"The repository has an object of {size:,} bytes; {self._max:,} are allowed.",
                "Its server cannot leave it out. Connect a branch without it, or raise TRIVIUM_MAX_UPLOAD_BYTES.",
            )

    def _byte(self) -> int:
        read = self._file.read(1)
        if not read:
            raise _damaged()
        return read[0]


def _second_size(delta: bytes) -> int:
    """How large what a delta makes is: after the size of what it is made from."""
    sizes, size, shift = [], 0, 0
    for byte in delta:
        size |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            sizes.append(size)
            size = shift = 0
        if len(sizes) == 2:
            return sizes[1]
    raise _damaged()


def _damaged() -> NeverWill:
    return NeverWill("damaged_pack", "What the repository's server sent is damaged.", "Look again later.")

"""Content encodings (RFC 9110 8.4.1), undone within limits: gzip and deflate, the two that the fetcher asks for."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping

ACCEPTED = b"gzip, deflate"


class UnpacksTooFarError(Exception):
    """More came out than `ceiling` bytes."""

    def __init__(self, ceiling: int) -> None:
        super().__init__()
        self.ceiling = ceiling


class DamagedError(Exception):
    """The packed bytes are not what they say they are."""


class CutOffError(Exception):
    """The packed bytes end before their end."""


class _Gzip:
    """gzip, possibly of several members (RFC 1952 2.2)."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(wbits=31)

    @property
    def finished(self) -> bool:
        return self._member.eof

    def feed(self, piece: bytes, at_most: int) -> bytes:
        """At most `at_most` bytes; a caller that gets that many has its answer and does not go on."""
        unpacked = bytearray()
        while piece and len(unpacked) < at_most:
            if self._member.eof:
                self._member = zlib.decompressobj(wbits=31)
            unpacked += self._member.decompress(piece, at_most - len(unpacked))
            piece = self._member.unused_data
        return bytes(unpacked)


class _Deflate:
    """zlib-wrapped deflate (RFC 9110 8.4.1.2), or the bare form that some servers send for it."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj()
        self._started = False

    @property
    def finished(self) -> bool:
        return self._stream.eof

    def feed(self, piece: bytes, at_most: int) -> bytes:
        """At most `at_most` bytes; a caller that gets that many has its answer and does not go on."""
        try:
            unpacked = self._stream.decompress(piece, at_most)
        except zlib.error:
            if self._started:
                raise
            self._stream = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
            unpacked = self._stream.decompress(piece, at_most)
        self._started = True
        return unpacked


DECODERS: Mapping[str, type[_Gzip] | type[_Deflate]] = {"gzip": _Gzip, "x-gzip": _Gzip, "deflate": _Deflate}


def unpacked(pieces: Iterable[bytes], encoding: str, max_bytes: int, max_ratio: int, free_bytes: int) -> bytes:
    """The decoded body of one of `DECODERS`.

    Bounded by `max_bytes` and, past `free_bytes`, by `max_ratio` times what was received. Raises `UnpacksTooFarError`,
    `DamagedError` or `CutOffError`.
    """
    decoder = DECODERS[encoding]()
    received, body = 0, bytearray()
    try:
        for piece in pieces:
            received += len(piece)
            ceiling = min(max_bytes, max(free_bytes, received * max_ratio))
            body += decoder.feed(piece, ceiling - len(body) + 1)
            if len(body) > ceiling:
                raise UnpacksTooFarError(ceiling)
    except zlib.error as error:
        raise DamagedError(str(error)) from error
    if received and not decoder.finished:
        raise CutOffError
    return bytes(body)

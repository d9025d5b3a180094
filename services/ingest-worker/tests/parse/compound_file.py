"""Writes OLE2 files ([MS-CFB]) of some large streams: just what a reader of old office formats needs."""

from __future__ import annotations

import struct

_SECTOR = 512
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_LEAST = 4096  # smaller streams would lie in another place


def compound_file(streams: dict[str, bytes]) -> bytes:
    """At most three streams, each filled up with zeros to a multiple of a sector and to 4,096 bytes."""
    padded = {name: body.ljust(max(_LEAST, -len(body) % _SECTOR + len(body)), b"\0") for name, body in streams.items()}
    fat, entries, start = [_FAT, _END], [_entry("Root Entry", 5, _END, 0, child=1)], 2
    for number, (name, body) in enumerate(padded.items(), 1):
        count = len(body) // _SECTOR
        fat += [*range(start + 1, start + count), _END]
        right = number + 1 if number < len(padded) else _FREE
        entries.append(_entry(name, 2, start, len(body), right=right))
        start += count
    header = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<IIIIIIIII", 0, 1, 1, 0, _LEAST, _END, 0, _END, 0) + struct.pack("<I", 0)
    header = header.ljust(_SECTOR, b"\xff")
    table = struct.pack(f"<{len(fat)}I", *fat).ljust(_SECTOR, b"\xff")
    directory = b"".join(entries).ljust(_SECTOR, b"\0")
    return header + table + directory + b"".join(padded.values())


def _entry(name: str, kind: int, start: int, size: int, child: int = _FREE, right: int = _FREE) -> bytes:
    wide = name.encode("utf-16-le") + b"\0\0"
    links = struct.pack("<BBIII", kind, 1, _FREE, right, child)
    return wide.ljust(64, b"\0") + struct.pack("<H", len(wide)) + links + bytes(36) + struct.pack("<IQ", start, size)


def word_file(body: str, footnotes: str = "", *, encrypted: bool = False) -> bytes:
    """A Word 97 document: the body in one byte a character, the footnotes in two, as Word keeps them."""
    first, second = body.encode("cp1252"), footnotes.encode("utf-16-le")
    stream = bytearray(2048)
    struct.pack_into("<HH", stream, 0, 0xA5EC, 0x00C1)
    struct.pack_into("<H", stream, 0x0A, 0x0200 | (0x0100 if encrypted else 0))
    struct.pack_into("<8I", stream, 0x4C, len(body), len(footnotes), 0, 0, 0, 0, 0, 0)
    positions = struct.pack("<III", 0, len(body), len(body) + len(footnotes))
    starts = (0x4000_0000 | 2 * len(stream), len(stream) + len(first))
    plc = positions + b"".join(struct.pack("<HIH", 0, start, 0) for start in starts)
    clx = b"\x02" + struct.pack("<I", len(plc)) + plc
    struct.pack_into("<II", stream, 0x01A2, 0, len(clx))
    return compound_file({"WordDocument": bytes(stream) + first + second, "1Table": clx})

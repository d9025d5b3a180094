"""Files as Word and PowerPoint 97-2003 laid them out, as small as their readers allow ([MS-DOC] in [MS-CFB])."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from outlook_files import compound_file

SUMMARY = "\x05SummaryInformation"
NOTHING: Mapping[str, bytes] = {}
_CREATED, _SAVED, _FILETIME = 12, 13, 0x40


def summary(created: int, saved: int) -> dict[str, bytes]:
    """The stream in which OLE2 files say both as FILETIME ([MS-OLEPS] 2.21 and 3.1.2)."""
    header = struct.pack("<HHI16sI", 0xFFFE, 0, 0, b"", 1) + struct.pack("<16sI", b"", 48)
    places = struct.pack("<IIIIII", 56, 2, _CREATED, 24, _SAVED, 36)
    return {SUMMARY: header + places + struct.pack("<IQIQ", _FILETIME, created, _FILETIME, saved)}


def word_file(body: str, footnotes: str = "", *, flags: int = 0, more: Mapping[str, bytes] = NOTHING) -> bytes:
    """A Word 97 document: the body in one byte a character, the footnotes in two, as Word keeps them."""
    stream, table = word_streams(body, footnotes, flags=flags)
    return compound_file({"WordDocument": stream, "1Table": table, **more})


def word_streams(body: str, footnotes: str = "", *, table_at: int = 0, flags: int = 0) -> tuple[bytes, bytes]:
    """Its streams WordDocument and 1Table, without what stands before `table_at` in the second."""
    first, second = body.encode("cp1252"), footnotes.encode("utf-16-le")
    stream = bytearray(2048)
    struct.pack_into("<HH", stream, 0, 0xA5EC, 0x00C1)
    struct.pack_into("<H", stream, 0x0A, 0x0200 | flags)
    struct.pack_into("<8I", stream, 0x4C, len(body), len(footnotes), 0, 0, 0, 0, 0, 0)
    positions = struct.pack("<III", 0, len(body), len(body) + len(footnotes))
    starts = (0x4000_0000 | 2 * len(stream), len(stream) + len(first))
    plc = positions + b"".join(struct.pack("<HIH", 0, start, 0) for start in starts)
    clx = b"\x02" + struct.pack("<I", len(plc)) + plc
    struct.pack_into("<II", stream, 0x01A2, table_at, len(clx))
    return bytes(stream) + first + second, clx


def powerpoint_file(more: Mapping[str, bytes] = NOTHING) -> bytes:
    """Known as a presentation; what is in it, only PowerPoint or LibreOffice would read."""
    return compound_file({"PowerPoint Document": b"slides", **more})

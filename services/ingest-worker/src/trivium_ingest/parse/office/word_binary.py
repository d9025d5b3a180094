"""The text of Word 97-2003 files ([MS-DOC]): what stands in the pieces of the WordDocument stream, without layout."""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Iterator

import msgspec
import olefile  # type: ignore[import-untyped]

from trivium.ports.parser import ParseLimits
from trivium_ingest.parse.failures import corrupt, password_needed, sealed, too_large

WHAT = "Word 97-2003 document"
_MAGIC, _WORD_97 = 0xA5EC, 0x00C1
_FLAGS, _ENCRYPTED, _TABLE_1, _BY_XOR = 0x0A, 0x0100, 0x0200, 0x8000
_LENGTHS = 0x4C  # characters of: body, footnotes, headers, macros, comments, endnotes, text boxes, those in headers
_CLX = 0x01A2
_COMPRESSED = 0x4000_0000  # one byte a character
_FIELD = re.compile("\x13[^\x13\x14\x15]*\x14?([^\x13\x14\x15]*)\x15")  # innermost: code, then what it shows
_MARKS = str.maketrans(
    {"\x07": "\x1f", "\x0b": "\n", "\x0c": "\r", "\x1e": "-", "\x01": "", "\x02": "", "\x05": "", "\x08": ""}
)
_BROKEN = (OSError, ValueError, IndexError, KeyError, struct.error, TypeError, AttributeError, OverflowError)


class WordText(msgspec.Struct, frozen=True):
    """Paragraphs of the body with its text boxes, and of notes, headers and comments. Cells are divided by ` | `."""

    body: tuple[str, ...]
    notes: tuple[str, ...]


def read_word_text(content: bytes, limits: ParseLimits) -> WordText:
    """Raises `NeverWill` (`corrupt_file`, `password_needed`, `encryption_unsupported`, `limit_exceeded`)."""
    try:
        with olefile.OleFileIO(io.BytesIO(content), raise_defects=olefile.DEFECT_FATAL) as ole:
            stream = ole.openstream("WordDocument").read()
            magic, version = struct.unpack_from("<HH", stream)
            (flags,) = struct.unpack_from("<H", stream, _FLAGS)
            if magic != _MAGIC or version < _WORD_97:
                raise corrupt(WHAT, "it has no header that Word 97 or later writes")
            if flags & _ENCRYPTED:
                raise sealed(WHAT) if flags & _BY_XOR else password_needed(WHAT)
            table = ole.openstream("1Table" if flags & _TABLE_1 else "0Table").read()
            lengths = struct.unpack_from("<8I", stream, _LENGTHS)
            text = "".join(_pieces(stream, table, limits))
    except _BROKEN as error:
        raise corrupt(WHAT, str(error)[:120]) from error
    parts, at = [], 0
    for length in lengths:
        parts.append(tuple(_paragraphs(text[at : at + length])))
        at += length
    body, footnotes, headers, _, comments, endnotes, boxes, _ = parts
    return WordText(body + boxes, footnotes + endnotes + comments + tuple(dict.fromkeys(headers)))


def _pieces(stream: bytes, table: bytes, limits: ParseLimits) -> Iterator[str]:
    """The text in its order: a table of character positions, each with the place of its bytes (2.8.35 and 2.9.38)."""
    place, size = struct.unpack_from("<II", stream, _CLX)
    clx = table[place : place + size]
    at = 0
    while clx[at] == 1:  # properties, which text does not need
        at += 3 + struct.unpack_from("<H", clx, at + 1)[0]
    (length,) = struct.unpack_from("<I", clx, at + 1)
    plc = clx[at + 5 : at + 5 + length]
    count = (len(plc) - 4) // 12
    positions = struct.unpack_from(f"<{count + 1}I", plc)
    if positions[-1] > limits.max_text_chars:
        raise too_large("max_text_chars", f"more than {limits.max_text_chars:,} characters of text")
    for number in range(count):
        (start,) = struct.unpack_from("<I", plc, 4 * (count + 1) + 8 * number + 2)
        characters = positions[number + 1] - positions[number]
        if characters < 0:
            raise ValueError("its pieces overlap")
        if start & _COMPRESSED:
            first = (start & ~_COMPRESSED) // 2
            yield stream[first : first + characters].decode("cp1252", "replace")
        else:
            yield stream[start : start + 2 * characters].decode("utf-16-le", "replace")


def _paragraphs(text: str) -> Iterator[str]:
    while (shown := _FIELD.sub(r"\1", text)) != text:
        text = shown
    for paragraph in text.translate(_MARKS).split("\r"):
        for row in paragraph.split("\x1f\x1f"):
            cells = [cell.strip() for cell in row.split("\x1f")]
            if line := " | ".join(filter(None, cells)):
                yield line

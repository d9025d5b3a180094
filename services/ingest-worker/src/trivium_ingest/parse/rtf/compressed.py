"""Rich text as Outlook compresses it ([MS-OXRTFCP]): references into a ring of the last 4,096 bytes."""

from __future__ import annotations

import struct

_COMPRESSED, _PLAIN = 0x75465A4C, 0x414C454D
_HEADER_BYTES = 16
_RING = 4096
_BEFORE = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript "
    b"\\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n"
    b"\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)


def decompressed_rtf(content: bytes, most: int) -> bytes:
    """At most `most` bytes of rich text; nothing for what is no such content, and what is whole of one that is cut."""
    if len(content) < _HEADER_BYTES:
        return b""
    _, size, kind = struct.unpack_from("<III", content)
    if kind == _PLAIN:
        return content[_HEADER_BYTES : _HEADER_BYTES + min(size, most)]
    return _unpacked(content, min(size, most)) if kind == _COMPRESSED else b""


def _unpacked(content: bytes, size: int) -> bytes:
    """Each control byte says of the eight tokens behind it whether they are references or bytes."""
    out, at = bytearray(_BEFORE), _HEADER_BYTES
    whole = len(_BEFORE) + size
    while at < len(content) and len(out) < whole:
        control = content[at]
        at += 1
        for bit in range(8):
            if not control >> bit & 1:
                out += content[at : at + 1]
                at += 1
                continue
            reference = int.from_bytes(content[at : at + 2], "big")
            at += 2
            # The ring's place that would be written next marks the end.
            back = (len(out) - (reference >> 4)) % _RING
            if not back or back > len(out) or at > len(content):
                return bytes(out[len(_BEFORE) : whole])
            for _ in range((reference & 15) + 2):
                out.append(out[-back])
    return bytes(out[len(_BEFORE) : whole])

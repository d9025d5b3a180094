"""The outer shell of CMS (RFC 5652), in BER as mail programs write it: what kind it is, and what is signed in it.

Nothing is verified or decrypted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

_SEQUENCE, _OCTETS, _OCTETS_IN_PIECES, _OID, _EXPLICIT = 0x30, 0x04, 0x24, 0x06, 0xA0
_SIGNED = bytes.fromhex("2a864886f70d010702")
_ENCRYPTED = frozenset(
    [
        bytes.fromhex("2a864886f70d010703"),  # enveloped
        bytes.fromhex("2a864886f70d010706"),  # encrypted
        bytes.fromhex("2a864886f70d0109100117"),  # authenticated and enveloped (RFC 5083)
    ]
)
_MAX_PIECES = 2  # an octet string in pieces, each of which may be one


class Element(NamedTuple):
    """A tag, and where its content stands."""

    tag: int
    begin: int
    end: int


def is_encrypted(content: bytes) -> bool:
    """Whether this is CMS that only a recipient's key opens."""
    return _kind(content)[0] in _ENCRYPTED


def signed_content(content: bytes) -> bytes | None:
    """What is signed, when this is CMS that holds what it signs."""
    kind, body = _kind(content)
    if kind != _SIGNED or body is None:
        return None
    try:
        inside = [element for element in _inside(content, body) if element.tag == _SEQUENCE]
        held = next(element for element in _inside(content, inside[0]) if element.tag == _EXPLICIT)
        return b"".join(_octets(content, held, 0))
    except (IndexError, ValueError, StopIteration):
        return None


def _kind(content: bytes) -> tuple[bytes, Element | None]:
    """The object identifier of a ContentInfo, and its content; nothing for other bytes."""
    if content[:1] != bytes([_SEQUENCE]):
        return b"", None
    try:
        kind, held = list(_inside(content, _element(content, 0)))[:2]
        return content[kind.begin : kind.end] * (kind.tag == _OID), next(_inside(content, held))
    except (IndexError, ValueError, StopIteration):
        return b"", None


def _octets(content: bytes, outer: Element, depth: int) -> Iterator[bytes]:
    for element in _inside(content, outer):
        if element.tag == _OCTETS:
            yield content[element.begin : element.end]
        elif element.tag == _OCTETS_IN_PIECES and depth < _MAX_PIECES:
            yield from _octets(content, element, depth + 1)


def _inside(content: bytes, outer: Element) -> Iterator[Element]:
    place = outer.begin
    while place < outer.end:
        element = _element(content, place)
        if element.tag == 0:
            return
        yield element
        place = element.end + 2 * (content[place + 1] == 0x80)


def _element(content: bytes, place: int) -> Element:
    """Raises `IndexError` and `ValueError` where there is none."""
    begin, length = _length(content, place)
    end = _marked_end(content, begin) if length is None else begin + length
    if end > len(content):
        raise ValueError("it breaks off")
    return Element(content[place], begin, end)


def _length(content: bytes, place: int) -> tuple[int, int | None]:
    """Where the content begins, and how long it is; None where a mark ends it (X.690, 8.1.3.6)."""
    first = content[place + 1]
    if first < 0x80:
        return place + 2, first
    count = first & 0x7F
    begin = place + 2 + count
    return begin, int.from_bytes(content[place + 2 : begin]) if count else None


def _marked_end(content: bytes, begin: int) -> int:
    place, open_marks = begin, 1
    while True:
        if content[place : place + 2] == b"\0\0":
            open_marks -= 1
            if not open_marks:
                return place
            place += 2
            continue
        inner, length = _length(content, place)
        open_marks += length is None
        place = inner + (length or 0)

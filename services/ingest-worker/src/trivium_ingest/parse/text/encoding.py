"""Bytes to characters, for files that do not say how they are encoded."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress

import charset_normalizer

from trivium.text.charsets import charset_of, marked

_DETECT_BYTES = 32_768
_FEW_HIGH_BYTES = 40
_HIGH = re.compile(rb"[\x80-\xff]")
_LETTERS = re.compile(rb"[A-Za-z\x80-\xff]")
# Never seen in prose, and what a wrong Western guess would show.
_CP1252_SYMBOLS = re.compile(rb"[\x81\x8d\x8f\x90\x9d\xa4\xa6\xa8\xac\xaf\xb8]")
FALLBACK = "cp1252"
# What the names of character sets stand for in practice (WHATWG Encoding, 4.2), by Python's names for them.
_LATIN_1 = "iso8859-1"
_WINDOWS_1252 = "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(256))
_WIDER = {
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
_SEVEN_BIT = ("iso2022", "hz")  # ASCII that switches to other characters and back


def decode(content: bytes, declared: str = "") -> tuple[str, str]:
    """Return the text and the name of the encoding used; bytes that fit nowhere become U+FFFD.

    Order: byte order mark, UTF-16 without one, UTF-8, what the file declares, then detection. What is ASCII, and
    declared to switch to other characters, is no UTF-8.
    """
    name, behind = marked(content)
    if name:
        return behind.decode(name, "replace"), name
    if name := _utf16_without_mark(content) or _seven_bit(content, declared):
        return content.decode(name, "replace"), name
    with suppress(UnicodeDecodeError):
        return content.decode("utf-8"), "utf-8"
    if declared and (found := decode_declared(content, declared)) is not None:
        return found
    if _mostly_utf8(content):
        return content.decode("utf-8", "replace"), "utf-8"
    name = _eight_bit(content)
    return content.decode(name, "replace"), name


def decode_declared(content: bytes, declared: str) -> tuple[str, str] | None:
    """As browsers read what is called `declared`, with the encoding's name; None where it does not fit."""
    name = charset_of(declared)
    if name == _LATIN_1:
        return codecs.charmap_decode(content, "strict", _WINDOWS_1252)[0], FALLBACK
    for encoding in filter(None, (_WIDER.get(name), declared)):
        if (text := _try(content, encoding)) is not None:
            return text, encoding
    return None


def decode_as(content: bytes, declared: str) -> str:
    """In the encoding that the file states, which its format says to believe; as `decode` where that does not fit."""
    text = _try(content, declared)
    return decode(content)[0] if text is None else text


def is_wide(content: bytes) -> bool:
    """True for UTF-16 and UTF-32 text, whose bytes look binary."""
    return marked(content[:4])[0] not in ("", "utf-8") or bool(_utf16_without_mark(content))


def _try(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(charset_of(encoding))
    except (LookupError, UnicodeError):
        return None


def _utf16_without_mark(content: bytes) -> str:
    """Western text in UTF-16 has a zero in every second byte; other scripts share their high byte."""
    sample = content[:2048]
    if len(sample) < 4 or len(content) % 2:
        return ""
    half = len(sample) // 2
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > 0.6 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.6 * half and odd < 0.05 * half:
        return "utf-16-be"
    return ""


def _seven_bit(content: bytes, declared: str) -> str:
    """What is declared, where that makes other characters of ASCII."""
    return declared if charset_of(declared).startswith(_SEVEN_BIT) and content.isascii() else ""


def _mostly_utf8(content: bytes) -> bool:
    """A damaged UTF-8 file: many whole multi-byte sequences, few stray bytes."""
    sample = content[:_DETECT_BYTES]
    replaced = sample.decode("utf-8", "replace").count("�")
    whole = len(_HIGH.findall(sample.decode("utf-8", "ignore").encode()))
    return whole >= 8 * max(replaced, 1)


def _eight_bit(content: bytes) -> str:
    high = _HIGH.findall(content[:_DETECT_BYTES])
    letters = len(_LETTERS.findall(content[:_DETECT_BYTES]))
    if len(high) < _FEW_HIGH_BYTES and len(high) <= 0.5 * letters and not _CP1252_SYMBOLS.search(content):
        return FALLBACK  # too little for statistics: a few accented letters among ASCII ones
    best = charset_normalizer.from_bytes(content[:_DETECT_BYTES]).best()
    if best is None or best.encoding.startswith(("utf_16", "utf_32", "utf_7")):
        return FALLBACK
    return best.encoding

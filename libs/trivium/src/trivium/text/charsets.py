"""Character sets, as strangers' files and servers tell them: by name, or by the first bytes."""

from __future__ import annotations

import codecs

# What Python knows besides character sets: codecs of bytes, of host names and of source code. Some take quadratic time.
_BYTES = ("base64", "bz2", "hex", "quopri", "rot-13", "uu", "zlib")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_OTHERS = (*_BYTES, "idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape")


def charset_of(declared: str) -> str:
    """Python's name of the character set that is called `declared`, "" where it is none."""
    try:
        name = codecs.lookup(declared).name
    except (LookupError, ValueError):
        return ""
    return "" if name in _OTHERS else name


def marked(content: bytes) -> tuple[str, bytes]:
    """The character set that a byte order mark tells, and what stands behind it; "" and all of it without one."""
    for mark, name in _MARKS:
        if content.startswith(mark):
            return name, content[len(mark) :]
    return "", content

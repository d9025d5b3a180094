"""Names of character sets, as strangers' files and servers give them."""

from __future__ import annotations

import codecs

# What Python knows besides character sets: codecs of bytes, of host names and of source code. Some take quadratic time.
_BYTES = ("base64", "bz2", "hex", "quopri", "rot-13", "uu", "zlib")
_OTHERS = (*_BYTES, "idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape")


def charset_of(declared: str) -> str:
    """Python's name of the character set that is called `declared`, "" where it is none."""
    try:
        name = codecs.lookup(declared).name
    except (LookupError, ValueError):
        return ""
    return "" if name in _OTHERS else name

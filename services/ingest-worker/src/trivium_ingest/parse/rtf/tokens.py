"""RTF 1.9 as tokens, its code pages, and the words of it that matter for text."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from trivium.text.charsets import charset_of

_TOKEN = re.compile(
    r"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,9})?[ ]?|\\'(?P<hex>[0-9a-fA-F]{2})|\\(?P<symbol>[^a-zA-Z])"
    r"|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)|[\r\n]+|\\"
)
# Font character sets (\fcharset) and the code pages that they stand for.
CHARSETS = {
    77: "mac_roman",
    128: "cp932",
    129: "cp949",
    134: "gbk",
    136: "big5",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
}
SPOKEN = {
    "tab": "\t",
    "line": "\n",
    "emdash": "\u2014",
    "endash": "\u2013",
    "lquote": "\u2018",
    "rquote": "\u2019",
    "ldblquote": "\u201c",
    "rdblquote": "\u201d",
    "bullet": "\u2022",
    "enspace": " ",
    "emspace": " ",
    "nestcell": " ",
    "nestrow": "\n",
}
SYMBOLS = {"~": "\u00a0", "_": "-", "{": "{", "}": "}", "\\": "\\"}


class Token(msgspec.Struct, frozen=True):
    """`kind` is a group of the token pattern; a word's `number` is None when it has none."""

    kind: str
    value: str
    number: int | None = None


def tokens(content: bytes) -> Iterator[Token]:
    """Tokens in order; bytes stand for characters of the same number. Binary data is skipped."""
    source = content.decode("latin-1")
    place = 0
    while match := _TOKEN.match(source, place):
        place = match.end()
        kind = match.lastgroup or ""
        if kind in ("word", "number"):
            number = int(match["number"]) if match["number"] else None
            if match["word"] == "bin":
                place += max(0, number or 0)
            else:
                yield Token("word", match["word"], number)
        elif kind:
            yield Token(kind, match[kind])


def code_page(number: int) -> str:
    """Python's name for a code page, Western when it has none."""
    return charset_of({65001: "utf-8", 10000: "mac_roman"}.get(number, f"cp{number}")) or "cp1252"

"""A workbook's shared strings (ECMA-376, part 1, 18.4): the words that its cells refer to by number."""

from __future__ import annotations

import re
from typing import IO
from xml.parsers import expat

from trivium_ingest.parse.xml.windows import Windows, plain_text

_ESCAPED = re.compile(r"(?:_x[0-9A-Fa-f]{4}_)+")
_STRING = re.compile(r'<si><t(?: xml:space="preserve")?+>([^<]*+)</t></si>')


def shared_strings(part: IO[bytes]) -> list[str]:
    """In their order, without formats and without how they are pronounced; prefixes do not matter.

    Raises `expat.ExpatError` where the part is no XML, `NeverWill` (`unsafe_xml`) for a DOCTYPE.
    """
    strings = _Strings()
    parser = expat.ParserCreate()
    parser.StartElementHandler = strings.start
    parser.EndElementHandler = strings.end
    parser.CharacterDataHandler = strings.text
    Windows(parser, "si", strings.take).read(part)
    return strings.found


def unescaped(text: str) -> str:
    """Text whose characters may be written as `_x000D_` (ECMA-376, part 1, 22.9.2.19): code units of UTF-16."""
    return _ESCAPED.sub(_characters, text).strip() if "_x" in text else text


def _characters(escaped: re.Match[str]) -> str:
    units = bytes.fromhex(escaped[0].replace("_x", "").replace("_", ""))
    return units.decode("utf-16-be", "replace")


class _Strings:
    """What expat has told so far."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._texts: list[str] = []
        self._taking = self._phonetic = False

    def take(self, markup: str) -> bool:
        parts = _STRING.split(markup)
        if any(parts[::2]) or (texts := plain_text(parts[1::2], markup)) is None:
            return False
        self.found += map(unescaped, texts)
        return True

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        if local == "si":
            self._texts.clear()
        self._phonetic = self._phonetic or local == "rPh"
        self._taking = local == "t" and not self._phonetic

    def end(self, name: str) -> None:
        local = name.rpartition(":")[2]
        self._taking = False
        if local == "rPh":
            self._phonetic = False
        elif local == "si":
            self.found.append(unescaped("".join(self._texts).strip()))

    def text(self, text: str) -> None:
        if self._taking:
            self._texts.append(text)

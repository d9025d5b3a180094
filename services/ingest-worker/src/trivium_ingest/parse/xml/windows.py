"""XML parts that are long lists of one small element, read a window at a time: by a pattern where they are plain.

Expat calls Python for every tag. A spreadsheet has a million of them, nearly all of one form, which a regular
expression takes at once. What has another form goes to expat's handlers, as everything would without this.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable
from typing import IO
from xml.parsers import expat

from trivium_ingest.parse.xml.safe import unsafe

_PIECE_BYTES = 1 << 16
_MAX_WINDOW_BYTES = 1 << 20
_UTF_8 = ("utf-8", "us-ascii")
_OTHER_ENTITY = re.compile("&(?!(?:amp|lt|gt|quot|apos);)")


class Windows:
    """One part, read by `parser` but for those windows of whole elements of one name that `take` takes.

    A window is text that has neither numeric character references nor carriage returns. `take` answers False for
    one that it does not know to the last character, and has then done nothing. It is not asked after a comment, a
    CDATA section or an instruction: nobody but the parser knows where these end.
    """

    def __init__(self, parser: expat.XMLParserType, element: str, take: Callable[[str], bool]) -> None:
        self._parser = parser
        self._begin, self._end = f"<{element}".encode(), f"</{element}>".encode()
        self._take = take
        self._plain = True
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = _refuse
        parser.XmlDeclHandler = self._declared

    def read(self, part: IO[bytes]) -> None:
        """Raises `expat.ExpatError` where it is no XML, `NeverWill` (`unsafe_xml`) for a DOCTYPE."""
        rest, inside = b"", False
        while piece := part.read(_PIECE_BYTES):
            window, found, rest = (rest + piece).rpartition(self._end)
            if found and not inside:
                head, begin, window = window.partition(self._begin)
                self._parse(head)
                window, inside = begin + window, True
            if found and not self._taken(window + found):
                self._parse(window + found)
            if len(rest) > _MAX_WINDOW_BYTES or not self._plain:
                self._plain, rest = False, self._parse(rest)
        self._parser.Parse(rest, True)

    def _taken(self, window: bytes) -> bool:
        if not self._plain or b"\r" in window or b"&#" in window:
            return False
        try:
            return self._take(window.decode())
        except UnicodeDecodeError:
            return False

    def _parse(self, markup: bytes) -> bytes:
        """Answers what is left of it: nothing."""
        instructions = markup.count(b"<?") - markup.count(b"<?xml ")
        self._plain = self._plain and not instructions and b"<!" not in markup
        self._parser.Parse(markup, False)
        return b""

    def _declared(self, _version: str, encoding: str | None, _standalone: int) -> None:
        self._plain = self._plain and (encoding or "utf-8").lower() in _UTF_8


def plain_text(texts: Iterable[str], markup: str) -> list[str] | None:
    """Texts as they stand in `markup` without blanks at their ends; None where one refers to an entity of its own."""
    if "&" not in markup:
        return [text.strip() for text in texts]
    if _OTHER_ENTITY.search(markup):
        return None
    return [html.unescape(text).strip() for text in texts]


def _refuse(*_: object) -> None:
    raise unsafe("Excel workbook")

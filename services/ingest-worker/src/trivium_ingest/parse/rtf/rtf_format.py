"""RTF: paragraphs, headings by style, lists, tables, notes and pictures. Objects and fields are never run."""

from __future__ import annotations

import re

import msgspec

from trivium.domain.parsed import ParsedDocument, Position, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.failures import corrupt, too_large
from trivium_ingest.parse.images.ocr import Reader
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.rtf.tokens import CHARSETS, SPOKEN, SYMBOLS, Token, code_page, tokens
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.table import Table, guess_header_rows
from trivium_ingest.parse.text.clean import one_line

MEDIA_TYPE = "application/rtf"
MAX_DEPTH = 100_000  # groups in groups; real ones have a few dozen
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_LINK = re.compile(r"HYPERLINK\s+\"([^\"]{1,2000})\"")
_NOTES = frozenset(["footnote", "annotation"])
_RUNNING = frozenset(f"{kind}{side}" for kind in ("header", "footer") for side in ("", "l", "r", "f"))
_KEPT = frozenset(
    ["fonttbl", "stylesheet", "info", "title", "author", "fldinst", "pict", "listtext", "pntext", "shptxt"]
)
_TIMES = {"creatim": "created", "revtim": "modified"}
_TIME_PARTS = ("yr", "mo", "dy", "hr", "min", "sec")
_TIME_PART = re.compile(rf"({'|'.join(_TIME_PARTS)})(\d+) ")
_SKIPPED = frozenset(
    ["colortbl", "nonshppict", "shprslt", "sp", "objdata", "xe", "tc", "listtable", "upr", "atnid", "atnauthor"]
)
_DESTINATIONS = _NOTES | _RUNNING | _KEPT | _SKIPPED | _TIMES.keys()
_TRANSPARENT = frozenset(["shpinst", "shppict", "shp", "result", "fldrslt"])


class _Group(msgspec.Struct):
    """The state between two braces; inner groups begin with a copy of it."""

    destination: str = "body"
    text: list[str] = []
    encoding: str = ""
    fallback: int = 1  # characters that follow \\u for readers without Unicode
    hidden: bool = False
    style: int = -1
    outline: int = 0
    in_table: bool = False
    starred: bool = False


class _Row(msgspec.Struct):
    """A table row as it is read: its cells, and how each is merged ("left", "above" or "")."""

    cells: list[str] = []
    merged: list[str] = []
    next_merged: str = ""
    header: bool = False


def recognise(sample: Sample) -> Evidence:
    """RTF's signature."""
    return Evidence.SIGNATURE if sample.head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{\\rtf") else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
    """Read the tokens once; a file that breaks off gives what stands before."""
    out = Collector(limits)
    return _Document(limits, out, Reader(models.ocr, limits, out)).read(blob.content)


class _Document:
    """Follows the groups of one document."""

    def __init__(self, limits: ParseLimits, out: Collector, reader: Reader) -> None:
        self._limits = limits
        self._out = out
        self._reader = reader
        self._group = _Group()
        self._stack: list[_Group] = []
        self._bytes = bytearray()  # of one code page, not yet decoded
        self._skip = 0
        self._page = "cp1252"
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._levels: dict[int, int] = {}
        self._row = _Row()
        self._rows: list[_Row] = []
        self._cells = 0
        self._list: list[str] = []
        self._item = False
        self._after: list[tuple[str, str]] = []  # notes, pictures and boxes to come after what they hang at
        self._running: list[str] = []
        self._properties: dict[str, str] = {}

    def read(self, content: bytes) -> ParsedDocument:
        for token in tokens(content):
            self._take(token)
        self._decode()
        if self._stack:
            self._out.warn("The file breaks off before its end.")
            while self._stack:
                self._close()
        self._paragraph()
        self._flush_table()
        self._flush_list()
        self._out.leave_sections()
        self._out.add_running(self._running)
        title = self._properties.pop("title", "") or self._out.first_heading(1)
        return self._out.document(MEDIA_TYPE, title=title, metadata=self._properties)

    def _take(self, token: Token) -> None:
        if token.kind == "hex":
            if self._skip:
                self._skip -= 1
            else:
                self._bytes.append(int(token.value, 16))
        elif token.kind == "text":
            self._bytes += token.value[self._skip :].encode("latin-1")
            self._skip = max(0, self._skip - len(token.value))
        else:
            self._decode()
            if token.kind == "brace":
                self._skip = 0
                (self._open if token.value == "{" else self._close)()
            elif token.kind == "symbol":
                self._symbol(token.value)
            else:
                self._word(token.value, token.number)

    def _decode(self) -> None:
        if self._bytes:
            self._say(self._bytes.decode(self._group.encoding or self._page, "replace"))
            self._bytes.clear()

    def _say(self, text: str) -> None:
        if not self._group.hidden and self._group.destination not in _SKIPPED:
            self._group.text.append(text)

    def _open(self) -> None:
        if len(self._stack) >= MAX_DEPTH:
            raise corrupt("RTF document", "its groups are nested too deeply")
        self._stack.append(self._group)
        self._group = msgspec.structs.replace(self._group, starred=False)
        if self._group.destination in ("fonttbl", "stylesheet"):
            self._group.text = []

    def _close(self) -> None:
        if not self._stack:
            return
        closed, self._group = self._group, self._stack.pop()
        if closed.destination == "stylesheet":
            named = _HEADING.fullmatch("".join(closed.text).strip().rstrip(";"))
            level = int(named.group(1)) if named else closed.outline
            if level:
                self._levels[closed.style] = level
        elif closed.destination != self._group.destination or closed.text is not self._group.text:
            self._finish(closed.destination, "".join(closed.text))

    def _finish(self, destination: str, text: str) -> None:
        """A destination's text is complete."""
        if destination in _NOTES or destination == "pict":
            self._after.append((destination, text))
        elif destination in _RUNNING:
            self._running.append(one_line(text))
        elif destination in ("title", "author"):
            self._properties[destination] = one_line(_paired(text))
        elif destination in _TIMES:
            self._properties[_TIMES[destination]] = _time(text)
        elif destination == "shptxt":
            if self._group.destination == "body":
                self._after.append((destination, text))
            else:
                self._say(f"\n{text}")
        elif destination in ("listtext", "pntext"):
            self._item = self._item or self._group.destination == "body"
        elif destination == "fldinst" and (link := _LINK.search(text)):
            self._out.link(link.group(1))

    def _symbol(self, symbol: str) -> None:
        if symbol == "*":
            self._group.starred = True
        elif symbol in "\r\n":
            self._break()
        else:
            self._say(SYMBOLS.get(symbol, ""))

    def _word(self, word: str, number: int | None) -> None:
        if word in _DESTINATIONS:
            self._group.destination = word if self._group.destination not in _SKIPPED else self._group.destination
            self._group.text = []
        elif self._group.destination in _TIMES:
            self._say(f"{word}{number} ")
        elif word in SPOKEN:
            self._say(SPOKEN[word])
        elif (act := getattr(self, f"_do_{word}", None)) is not None:
            act(number)
        elif self._group.starred and word not in _TRANSPARENT:
            self._group.destination = "colortbl"  # a destination that nobody here knows
        self._group.starred = False

    def _do_ansicpg(self, number: int | None) -> None:
        self._page = code_page(number or 1252)

    def _do_f(self, number: int | None) -> None:
        self._font = number or 0
        if self._group.destination != "fonttbl":
            self._group.encoding = self._fonts.get(self._font, "")

    def _do_fcharset(self, number: int | None) -> None:
        if self._group.destination == "fonttbl":
            self._fonts[self._font] = CHARSETS.get(number or 0, "")

    def _do_uc(self, number: int | None) -> None:
        self._group.fallback = max(0, min(number or 0, 16))

    def _do_u(self, number: int | None) -> None:
        self._say(chr((number or 0) % 65_536))
        self._skip = self._group.fallback

    def _do_v(self, number: int | None) -> None:
        self._group.hidden = number != 0

    _do_deleted = _do_v

    def _do_plain(self, _number: int | None) -> None:
        self._group.hidden = False
        self._group.encoding = ""

    def _do_pard(self, _number: int | None) -> None:
        self._group.style, self._group.outline, self._group.in_table = -1, 0, False

    def _do_s(self, number: int | None) -> None:
        self._group.style = number or 0

    def _do_outlinelevel(self, number: int | None) -> None:
        self._group.outline = (number or 0) + 1 if (number or 0) < 9 else 0

    def _do_ls(self, number: int | None) -> None:
        self._item = self._item or (bool(number) and self._group.destination == "body")

    def _do_intbl(self, _number: int | None) -> None:
        self._group.in_table = True

    def _do_trowd(self, _number: int | None) -> None:
        self._row.merged, self._row.next_merged, self._row.header = [], "", False

    def _do_trhdr(self, _number: int | None) -> None:
        self._row.header = True

    def _do_clmrg(self, _number: int | None) -> None:
        self._row.next_merged = "left"

    def _do_clvmrg(self, _number: int | None) -> None:
        self._row.next_merged = "above"

    def _do_cellx(self, _number: int | None) -> None:
        self._row.merged.append(self._row.next_merged)
        self._row.next_merged = ""

    def _do_cell(self, _number: int | None) -> None:
        if self._group.destination != "body":
            self._say(" ")
            return
        self._cells += 1
        if self._cells > self._limits.max_cells:
            raise too_large("max_cells", f"more than {self._limits.max_cells:,} cells")
        self._row.cells.append(one_line(_paired("".join(self._group.text))))
        self._group.text.clear()
        self._item = False

    def _do_row(self, _number: int | None) -> None:
        if self._group.destination != "body":
            self._say("\n")
            return
        if self._row.cells:
            above = self._rows[-1].cells if self._rows else []
            for place, merged in enumerate(self._row.merged[: len(self._row.cells)]):
                if merged == "left" and place:
                    self._row.cells[place] = self._row.cells[place - 1]
                elif merged == "above" and place < len(above):
                    self._row.cells[place] = above[place]
            self._rows.append(self._row)
        self._row = _Row()

    def _do_par(self, _number: int | None) -> None:
        self._break()

    _do_sect = _do_page = _do_par

    def _break(self) -> None:
        """A paragraph ends: in the body, in a cell, or inside a note."""
        if self._group.destination != "body" or self._group.in_table:
            self._say("\n")
        else:
            self._paragraph()

    def _paragraph(self) -> None:
        text = _paired("".join(self._group.text))
        self._group.text.clear()
        level = self._group.outline or self._levels.get(self._group.style, 0)
        self._flush_table()
        if self._item and not level and text.strip():
            self._list.append(f"- {one_line(text)}")
        else:
            self._flush_list()
            if level:
                self._out.heading(text, level)
            else:
                self._out.add(UnitKind.TEXT, text)
        self._item = False
        self._hanging()

    def _hanging(self) -> None:
        for kind, text in self._after:
            if kind != "pict":
                self._out.add(UnitKind.TEXT if kind == "shptxt" else UnitKind.NOTE, _paired(text))
            elif (content := _picture(text)) is not None:
                self._reader.embedded(content, "A picture", Position())
        self._after.clear()

    def _flush_table(self) -> None:
        rows = [tuple(row.cells) for row in self._rows if any(row.cells)]
        marked = next((n for n, row in enumerate(self._rows) if not row.header), len(self._rows))
        if rows:
            self._out.table(Table(tuple(rows), marked if 0 < marked < len(rows) else guess_header_rows(rows)))
        self._rows = []

    def _flush_list(self) -> None:
        if self._list:
            self._out.add(UnitKind.LIST, "\n".join(self._list), verbatim=True)
            self._list = []


def _paired(text: str) -> str:
    """RTF writes a character beyond the basic plane as two surrogates."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _time(words: str) -> str:
    """In ISO 8601, whether there is such a time or not; RTF has no time zones."""
    told = {"mo": "1", "dy": "1", **dict(_TIME_PART.findall(words))}
    year, month, day, hour, minute, second = (int(told.get(part, "0")) for part in _TIME_PARTS)
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"


def _picture(digits: str) -> bytes | None:
    """PNG or JPEG data, written in hexadecimal; metafiles and bitmaps of Windows are not read."""
    try:
        content = bytes.fromhex(digits)
    except ValueError:
        return None
    return content if content.startswith((b"\x89PNG", b"\xff\xd8\xff")) else None


FORMAT = Format(
    name="RTF",
    media_types=(MEDIA_TYPE, "text/rtf"),
    extensions=("rtf",),
    version=5,
    recognise=recognise,
    read=read,
    cites="section",
    needs="OCR for text in pictures",
)

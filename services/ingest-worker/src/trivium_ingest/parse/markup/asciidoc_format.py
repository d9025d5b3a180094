"""AsciiDoc: sections, lists, tables, listings and formulas, without attributes. Nothing is included or run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

import msgspec

from trivium.domain.parsed import ParsedDocument, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.markup.lines import Block, read_lines
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.text.encoding import decode

MEDIA_TYPE = "text/asciidoc"
_HEADING = re.compile(r"(={1,6})\s+(\S.*?)(?:\s+=+)?\s*$")
_UNDERLINE = re.compile(r"(?:={2,}|-{2,}|~{2,}|\^{2,}|\+{2,})\s*$")  # of a heading in two lines
_LEVELS = "=-~^+"
_FENCE = re.compile(r"(-{4,}|\.{4,}|/{4,}|\+{4,}|`{3,}.*|\|===)\s*$")
_DELIMITER = re.compile(r"(?:={4,}|\*{4,}|_{4,}|--)\s*$")
_SETTING = re.compile(r":!?[\w-]+!?:(?:\s|$)|\[[^\]]*\]\s*$|//(?!/)|include::|ifn?def::|endif::|toc::|'''\s*$|<<<\s*$")
_IMAGE = re.compile(r"image::\S+?\[\"?([^\],\"]*)[^\]]*\]\s*$")
_BLOCK_TITLE = re.compile(r"\.([^\s.].*)$")
_FORMULA = re.compile(r"\[(?:stem|latexmath|asciimath)\b")
_CELL = re.compile(r"(?<!\\)(?:(?<!\S)(?:(?=[\d.])(\d*)(?:\.(\d+))?\+)?[<^>.]*[adehlmsv]?)?\|")
_COLUMNS = re.compile(r"cols=(?:\"([^\"]*)\"|([^,\]\s]+))")
_HEADED = re.compile(r"%header|\bopt(?:ion)?s=[^\]]*\bheader")
MAX_SPAN = 100  # times that a cell is told, and columns of a table
MAX_SETTINGS = 5  # lines above a table that say how it is read
_SIGN = re.compile(r"^={1,5} \S|^\[(?:source|NOTE|cols)[^\]]*\]$|^:[\w-]+: |^-{4,}$|^\|===$", re.MULTILINE)
_LINK = re.compile(r"(?:link:)?((?:https?|mailto):[^\s\[\]]+)\[([^\]]*)\]")
_REFERENCE = re.compile(r"<<[^,>]+(?:,\s*([^>]*))?>>|\[\[[^\]]*\]\]")
_MARKED = re.compile(r"(?<!\w)([*_`+])\1?(\S(?:[^\n]{0,300}?\S)?)\1{1,2}(?!\w)")


def recognise(sample: Sample) -> Evidence:
    """A title and other marks of AsciiDoc; the name is enough for text."""
    if not sample.text.strip():
        return Evidence.NONE
    signs = {match.group()[:3] for match in _SIGN.finditer(sample.text)}
    titled = sample.text.lstrip("\ufeff\r\n").startswith("= ")
    if sample.extension in FORMAT.extensions:
        return Evidence.NAMED_MARKUP
    return Evidence.SIGNS if titled and len(signs) >= 2 else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, _models: ParserModels) -> ParsedDocument:
    """Read the blocks in order. The title is the first heading."""
    text, encoding = decode(blob.content)
    out = Collector(limits)
    read_lines(text, _block, _plain, out)
    return out.document(MEDIA_TYPE, title=out.first_heading(), metadata={"encoding": encoding})


def _block(lines: Sequence[str], place: int) -> Block | None:
    line = lines[place]
    if heading := _HEADING.match(line):
        return Block(1, UnitKind.HEADING, heading.group(2), len(heading.group(1)))
    if _is_underlined(lines, place):
        return Block(2, UnitKind.HEADING, line, 1 + _LEVELS.index(lines[place + 1][0]))
    if fence := _FENCE.match(line):
        return _fenced(lines, place, fence.group(1))
    if image := _IMAGE.match(line):
        return Block(1, UnitKind.IMAGE, image.group(1))
    if title := _BLOCK_TITLE.match(line):
        return Block(1, UnitKind.TEXT, title.group(1))
    return Block(1) if _DELIMITER.match(line) or _SETTING.match(line) else None


def _fenced(lines: Sequence[str], place: int, fence: str) -> Block:
    closing = "```" if fence.startswith("```") else fence
    end = next((n for n in range(place + 1, len(lines)) if lines[n].rstrip() == closing), len(lines))
    inside = lines[place + 1 : end]
    count = end + 1 - place
    if fence == "|===":
        return _table(inside, _settings(lines, place), count)
    if fence[0] == "+":
        formula = place > 0 and _FORMULA.match(lines[place - 1])
        return Block(count, UnitKind.EQUATION, "\n".join(inside)) if formula else Block(count)
    return Block(count) if fence[0] == "/" else Block(count, UnitKind.CODE, "\n".join(inside))


def _is_underlined(lines: Sequence[str], place: int) -> bool:
    """A heading in two lines of like length, as AsciiDoc had them first; what begins a paragraph alone is one."""
    line, below = lines[place], lines[place + 1] if place + 1 < len(lines) else ""
    above = lines[place - 1] if place else ""
    alone = not above or above.startswith("[") or bool(_SETTING.match(above))
    return (
        abs(len(line) - len(below)) <= 1
        and alone
        and bool(_UNDERLINE.match(below))
        and line[:1].isalnum()
        and not _UNDERLINE.match(line)
    )


def _settings(lines: Sequence[str], place: int) -> str:
    """The lines in brackets above a block, its title between them left out."""
    above = reversed(lines[max(0, place - MAX_SETTINGS) : place])
    near = takewhile(lambda line: line.startswith("[") or _BLOCK_TITLE.match(line), above)
    return "\n".join(line for line in near if line.startswith("["))


class _Cell(msgspec.Struct, frozen=True):
    text: str
    columns: int = 1
    rows: int = 1


def _table(lines: Sequence[str], settings: str, count: int) -> Block:
    """`cols`, else the first line, says how many cells a row has; further cells may have lines of their own."""
    shown = [n for n, line in enumerate(lines) if line.strip() and not _SETTING.match(line)]
    written = _written([lines[n] for n in shown])
    if not written:  # its cells are told otherwise, as CSV for one
        return Block(count, UnitKind.TEXT, "\n".join(lines[n] for n in shown))
    cells = [cell for row in written for cell in row]
    first = sum(cell.columns for cell in written[0])
    width = _width(settings) or first
    # A blank line behind the first row makes it the heading.
    parted = first == width and len(shown) > 1 and shown[1] - shown[0] > 1
    rows = _spread(cells, width) or _spread([_Cell(cell.text) for cell in cells], width)
    rows = rows or tuple(tuple(cell.text for cell in row) for row in written)
    header = int((parted or bool(_HEADED.search(settings))) and len(rows) > 1)
    return Block(count, UnitKind.TABLE, rows=rows, header_rows=header)


def _width(settings: str) -> int:
    """How many columns `cols` tells of ("1,2", "3*", "2"), 0 where it is missing."""
    found = _COLUMNS.search(settings)
    if found is None:
        return 0
    said = (found[1] or found[2] or "").strip()
    if said.isdecimal():
        return min(int(said[:4]), MAX_SPAN)
    many = (re.match(r"\s*(\d{1,3})\*", column) for column in re.split(r"[,;]", said))
    return min(sum(int(times[1]) if times else 1 for times in many), MAX_SPAN)


def _written(lines: Sequence[str]) -> list[list[_Cell]]:
    """The cells of each line; a line without a bar goes on in the last one, before any it is left out."""
    rows: list[list[_Cell]] = []
    for line in lines:
        first, *parts = _CELL.split(line)  # each cell's columns, its rows, and its text
        if not parts and not rows:
            continue
        if not parts:
            last = rows[-1][-1]
            rows[-1][-1] = msgspec.structs.replace(last, text=f"{last.text} {first.strip()}".strip())
        else:
            spans = zip(parts[2::3], parts[::3], parts[1::3], strict=True)
            rows.append([_cell(text.strip(), columns, down) for text, columns, down in spans])
    return rows


def _cell(text: str, columns: str | None, rows: str | None) -> _Cell:
    across, down = (max(1, int(said)) if said and len(said) < 3 else 1 for said in (columns, rows))
    return _Cell(text, across, down) if across * down <= MAX_SPAN else _Cell(text)


def _spread(cells: Sequence[_Cell], width: int) -> tuple[tuple[str, ...], ...]:
    """Rows in which a cell stands in all columns and rows that it covers; one that fills a row once. () if uneven."""
    rows: list[list[str]] = [[]]
    whole: set[int] = set()
    above: dict[int, tuple[int, str]] = {}
    for cell in cells:
        line = _row_of_next(rows, above, width)
        if len(line) + cell.columns > width:
            return ()
        whole |= {len(rows) - 1} if cell.columns == width else set()
        for _ in range(cell.columns):
            if cell.rows > 1:
                above[len(line)] = (cell.rows - 1, cell.text)
            line.append(cell.text)
    if _row_of_next(rows, above, width):
        return ()
    return tuple(tuple(line[:1] if n in whole else line) for n, line in enumerate(rows[:-1]))


def _row_of_next(rows: list[list[str]], above: dict[int, tuple[int, str]], width: int) -> list[str]:
    """The row in which the next cell stands, with what comes down from `above` before it."""
    while True:
        line = rows[-1]
        while len(line) < width and len(line) in above:
            left, text = above.pop(len(line))
            if left > 1:
                above[len(line)] = (left - 1, text)
            line.append(text)
        if len(line) < width:
            return line
        rows.append([])


def _plain(text: str, out: Collector) -> str:
    for target, _ in _LINK.findall(text):
        out.link(target)
    text = _LINK.sub(lambda match: match.group(2) or match.group(1), text)
    return _MARKED.sub(r"\2", _REFERENCE.sub(lambda match: match.group(1) or "", text))


FORMAT = Format(
    name="AsciiDoc",
    media_types=(MEDIA_TYPE, "text/x-asciidoc"),
    extensions=("adoc", "asciidoc"),
    version=3,
    recognise=recognise,
    read=read,
    cites="section; characters in the text",
)

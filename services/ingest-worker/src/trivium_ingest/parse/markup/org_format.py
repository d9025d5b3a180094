"""Org mode: headings, lists, tables and blocks, without drawers, tags and settings. No block is run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trivium.domain.parsed import ParsedDocument, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.markup.lines import Block, dedented, read_lines, until
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.text.encoding import decode

MEDIA_TYPE = "text/x-org"
MAX_DRAWER_LINES = 40
_HEADING = re.compile(r"(\*+)\s+(?:(?:TODO|DONE)\s+)?(?:\[#\w\]\s+)?(.*?)(?:\s+:[\w@#%:]+:)?\s*$")
_BEGIN = re.compile(r"\s*#\+begin_(\w+)", re.IGNORECASE)
_END = re.compile(r"\s*#\+end_", re.IGNORECASE)
_KEYWORD = re.compile(r"\s*#\+(\w+):\s*(.*)$")
_COMMENT = re.compile(r"\s*#(?:\s|$)|\s*#\+")
_PLANNED = re.compile(r"\s*(?:SCHEDULED|DEADLINE|CLOSED):")
_DRAWER = re.compile(r"\s*:[A-Za-z_-]+:\s*$")
_DRAWER_END = re.compile(r"\s*:END:\s*$", re.IGNORECASE)
_ROW = re.compile(r"\s*\|")
_NO_ROW = re.compile(r"(?!\s*\|)")
_FORMULA = re.compile(r"\s*(?:\\begin\{(?:equation|align|gather|displaymath)|\\\[)")
_FORMULA_END = re.compile(r".*(?:\\end\{|\\\])")
_SIGN = re.compile(r"^#\+(?:title|author|begin_src|options|startup):?", re.IGNORECASE | re.MULTILINE)
_LINK = re.compile(r"\[\[([^\]\[]+)\](?:\[([^\]]+)\])?\]")
_MARKED = re.compile(r"(?<![\w*/=~+])([*/=~+])(\S(?:[^\n]{0,300}?\S)?)\1(?![\w*/=~+])")


def recognise(sample: Sample) -> Evidence:
    """Org's settings or source blocks; a star at a line's start may as well be a list."""
    if not sample.text.strip():
        return Evidence.NONE
    if _SIGN.search(sample.text):
        return Evidence.OWN_MARKS
    return Evidence.NAMED_OUTLINE if sample.extension in FORMAT.extensions else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, _models: ParserModels) -> ParsedDocument:
    """Read the blocks in order. The title is the file's own setting, else the first heading."""
    text, encoding = decode(blob.content)
    out = Collector(limits)
    read_lines(text, _block, _plain, out)
    stated = {
        match.group(1).lower(): match.group(2) for match in map(_KEYWORD.match, text[:4096].splitlines()) if match
    }
    metadata = {"author": stated.get("author", ""), "date": stated.get("date", ""), "encoding": encoding}
    return out.document(MEDIA_TYPE, title=stated.get("title", "") or out.first_heading(), metadata=metadata)


def _block(lines: Sequence[str], place: int) -> Block | None:
    line = lines[place]
    if heading := _HEADING.match(line):
        return Block(1, UnitKind.HEADING, heading.group(2), len(heading.group(1)))
    if _PLANNED.match(line):
        return Block(1, UnitKind.TEXT, line)
    if begin := _BEGIN.match(line):
        return _fenced(lines, place, begin.group(1).lower())
    if _ROW.match(line):
        return _table(lines, place)
    if _FORMULA.match(line):
        end = min(until(lines, place, _FORMULA_END) + 1, len(lines))
        return Block(end - place, UnitKind.EQUATION, "\n".join(lines[place:end]).strip())
    return _unseen(lines, place)


def _unseen(lines: Sequence[str], place: int) -> Block | None:
    """Drawers, settings and comments; of the settings, captions are seen."""
    line = lines[place]
    if _DRAWER.match(line):
        count = until(lines[place : place + MAX_DRAWER_LINES], 0, _DRAWER_END) + 1
        return Block(count) if count <= min(MAX_DRAWER_LINES, len(lines) - place) else None
    caption = _KEYWORD.match(line)
    if caption and caption.group(1).lower() == "caption":
        return Block(1, UnitKind.TEXT, caption.group(2))
    return Block(1) if _COMMENT.match(line) else None


def _fenced(lines: Sequence[str], place: int, name: str) -> Block:
    end = until(lines, place + 1, _END)
    if name in ("src", "example", "export"):
        return Block(end + 1 - place, UnitKind.CODE, dedented(lines[place + 1 : end]))
    return Block(end + 1 - place) if name == "comment" else Block(1)


def _table(lines: Sequence[str], place: int) -> Block:
    end = until(lines, place, _NO_ROW)
    rows: list[tuple[str, ...]] = []
    header = 0
    for line in lines[place:end]:
        if line.strip().startswith("|-"):
            header = header or len(rows)
        else:
            rows.append(tuple(cell.strip() for cell in line.strip().strip("|").split("|")))
    return Block(end - place, UnitKind.TABLE, rows=tuple(rows), header_rows=header if header < len(rows) else 0)


def _plain(text: str, out: Collector) -> str:
    for target, _ in _LINK.findall(text):
        out.link(target)
    text = _LINK.sub(lambda match: match.group(2) or match.group(1), text)
    return _MARKED.sub(r"\2", text)


FORMAT = Format(
    name="Org",
    media_types=(MEDIA_TYPE,),
    extensions=("org",),
    version=2,
    recognise=recognise,
    read=read,
    cites="section; characters in the text",
)

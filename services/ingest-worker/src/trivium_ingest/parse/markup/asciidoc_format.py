"""AsciiDoc: sections, lists, tables, listings and formulas, without attributes. Nothing is included or run."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
_FENCE = re.compile(r"(-{4,}|\.{4,}|/{4,}|\+{4,}|`{3,}.*|\|===)\s*$")
_DELIMITER = re.compile(r"(?:={4,}|\*{4,}|_{4,}|--)\s*$")
_SETTING = re.compile(r":!?[\w-]+!?:(?:\s|$)|\[[^\]]*\]\s*$|//(?!/)|include::|ifn?def::|endif::|toc::|'''\s*$|<<<\s*$")
_IMAGE = re.compile(r"image::\S+?\[\"?([^\],\"]*)[^\]]*\]\s*$")
_BLOCK_TITLE = re.compile(r"\.([^\s.].*)$")
_FORMULA = re.compile(r"\[(?:stem|latexmath|asciimath)\b")
_CELL = re.compile(r"(?<!\\)(?:(?<!\S)(?:(?:\d+|\d*\.\d+)\+)?[<^>.]*[adehlmsv]?)?\|")
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
        return Block(count, UnitKind.TABLE, rows=_rows(inside), header_rows=_header(inside))
    if fence[0] == "+":
        formula = place > 0 and _FORMULA.match(lines[place - 1])
        return Block(count, UnitKind.EQUATION, "\n".join(inside)) if formula else Block(count)
    return Block(count) if fence[0] == "/" else Block(count, UnitKind.CODE, "\n".join(inside))


def _rows(lines: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The first line says how many cells a row has; further cells may have lines of their own."""
    rows: list[list[str]] = []
    for line in filter(str.strip, lines):
        cells = [cell.strip() for cell in _CELL.split(line)]
        if len(cells) == 1 and rows:
            rows[-1][-1] = f"{rows[-1][-1]} {cells[0]}".strip()
        else:
            rows.append(cells[1:])
    cells = [cell for row in rows for cell in row]
    width = len(rows[0]) if rows else 1
    if width > 1 and len(cells) % width == 0:
        return tuple(tuple(cells[n : n + width]) for n in range(0, len(cells), width))
    return tuple(map(tuple, rows))


def _header(lines: Sequence[str]) -> int:
    """A blank line behind the first row makes it the heading."""
    shown = [n for n, line in enumerate(lines) if line.strip()]
    return int(len(shown) > 1 and shown[1] - shown[0] > 1)


def _plain(text: str, out: Collector) -> str:
    for target, _ in _LINK.findall(text):
        out.link(target)
    text = _LINK.sub(lambda match: match.group(2) or match.group(1), text)
    return _MARKED.sub(r"\2", _REFERENCE.sub(lambda match: match.group(1) or "", text))


FORMAT = Format(
    name="AsciiDoc",
    media_types=(MEDIA_TYPE, "text/x-asciidoc"),
    extensions=("adoc", "asciidoc"),
    version=2,
    recognise=recognise,
    read=read,
    cites="section; characters in the text",
)

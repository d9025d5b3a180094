"""reStructuredText: sections, lists, tables, code and formulas. Directives are never run, nothing is included."""

from __future__ import annotations

import csv
import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from trivium.domain.parsed import ParsedDocument, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.markup.lines import Block, dedented, read_lines
from trivium_ingest.parse.markup.rst_grid import read_grid
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.text.encoding import decode

MEDIA_TYPE = "text/x-rst"
_RULE = re.compile(r"([=\-`:'\"~^_*+#<>.])\1{1,}\s*$")
_DIRECTIVE = re.compile(r"(\s*)\.\.\s+([\w-]+(?:[:.+][\w-]+)*)::\s*(.*)$")
_EXPLICIT = re.compile(r"(\s*)\.\.(?:\s|$)")
_NOTE = re.compile(r"\s*\.\.\s+\[[^\]]+\]\s+(.*)")
_OPTION = re.compile(r"\s*:([\w-]+):\s*(.*)$")
_GRID = re.compile(r"\s*\+(?:[-=]+\+)+\s*$")
_SIMPLE = re.compile(r"\s*=+(?:\s+=+)+\s*$")
_SPANNING = re.compile(r"\s*-{2,}(?:\s+-{2,})*\s*$")  # below a line whose cells span columns
_STROKE = re.compile(r"=+|-+")
_SIGN = re.compile(r"^\.\. [\w-]+::|^\S.*\n([=~^-])\1{3,}$|:[a-z]+:`[^`]+`", re.MULTILINE)
_CODE = frozenset(["code", "code-block", "sourcecode", "highlight", "parsed-literal", "doctest"])
_DROPPED = frozenset(["toctree", "contents", "include", "raw", "index", "meta", "only", "literalinclude", "sectnum"])
# Directives whose argument says nothing without their name, as Sphinx writes them.
_SAID = {
    "versionadded": "New in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
}
_BODIES = _CODE | _DROPPED | {"math", "image", "figure", "csv-table"}
_LINK = re.compile(r"`([^`<]*?)\s*<([^>`]+)>`__?")
_ROLE = re.compile(r":[\w:-]+:`(?:([^`<]+?)\s*<[^>`]*>|([^`]+))`")
_MARKED = re.compile(
    r"``(.{1,500}?)``|\*\*(\S.{0,500}?)\*\*|(?<!\w)\*(\S(?:[^*]*[^\s*])?)\*(?!\w)|`([^`]+)`_{0,2}", re.DOTALL
)


def recognise(sample: Sample) -> Evidence:
    """Directives, roles and underlined headings; one kind of them is not enough without the name."""
    if not sample.text.strip():
        return Evidence.NONE
    signs = len({match.group()[:2] for match in _SIGN.finditer(sample.text)})
    if sample.extension in FORMAT.extensions:
        return Evidence.NAMED_MARKUP
    return Evidence.SIGNS if signs >= 2 else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, _models: ParserModels) -> ParsedDocument:
    """Read the blocks in order. The title is the first section's."""
    text, encoding = decode(blob.content)
    out = Collector(limits)
    read_lines(text, _Blocks().at, _plain, out)
    return out.document(MEDIA_TYPE, title=out.first_heading(), metadata={"encoding": encoding})


class _Blocks:
    """Finds blocks; a heading's level is the rank of its underline among those seen."""

    def __init__(self) -> None:
        self._ranks: list[str] = []

    def at(self, lines: Sequence[str], place: int) -> Block | None:
        line = lines[place]
        if _GRID.match(line):
            return _grid(lines, place)
        if _SIMPLE.match(line):
            return _simple(lines, place)
        if directive := _DIRECTIVE.match(line):
            return _directive(lines, place, directive)
        if note := _NOTE.match(line):
            end = _indented(lines, place + 1, len(line) - len(line.lstrip()))
            return Block(end - place, UnitKind.NOTE, " ".join([note.group(1), *map(str.strip, lines[place + 1 : end])]))
        if explicit := _EXPLICIT.match(line):
            return Block(_indented(lines, place + 1, len(explicit.group(1))) - place)
        return self._heading(lines, place) or _literal(lines, place)

    def _heading(self, lines: Sequence[str], place: int) -> Block | None:
        line = lines[place]
        if over := _RULE.match(line):
            if place + 2 < len(lines) and lines[place + 2] == line and lines[place + 1].strip():
                return Block(3, UnitKind.HEADING, lines[place + 1].strip(), self._level(f"over{over.group(1)}"))
            return Block(1)  # a transition
        under = _RULE.match(lines[place + 1]) if place + 1 < len(lines) else None
        if (
            under
            and line.strip()
            and not line[:1].isspace()
            and len(lines[place + 1].rstrip()) >= len(line.rstrip()) - 1
        ):
            return Block(2, UnitKind.HEADING, line.strip(), self._level(under.group(1)))
        return None

    def _level(self, mark: str) -> int:
        if mark not in self._ranks:
            self._ranks.append(mark)
        return self._ranks.index(mark) + 1


def _indented(lines: Sequence[str], begin: int, margin: int) -> int:
    """The index behind the block that is indented by more than `margin`, blank lines at its end left out."""
    end = begin
    for place in range(begin, len(lines)):
        line = lines[place]
        if line.strip():
            if len(line) - len(line.lstrip()) <= margin:
                break
            end = place + 1
    return end


def _directive(lines: Sequence[str], place: int, match: re.Match[str]) -> Block:
    name, argument, margin = match.group(2).lower(), match.group(3).strip(), len(match.group(1))
    options, begin = {}, place + 1
    while begin < len(lines) and lines[begin][: margin + 1].isspace() and (option := _OPTION.match(lines[begin])):
        options[option.group(1)] = option.group(2)
        begin += 1
    if name not in _BODIES:
        if name in _SAID:
            argument = f"{_SAID[name]} {argument}"
        return Block(begin - place, UnitKind.TEXT, argument)  # an admonition: what stands in it follows as text
    end = _indented(lines, begin, margin)
    body = dedented(lines[begin:end])
    if name in _CODE:
        return Block(end - place, UnitKind.CODE, body)
    if name == "math":
        return Block(end - place, UnitKind.EQUATION, "\n".join(filter(None, [argument, body])))
    if name in ("image", "figure"):
        words = "\n".join(filter(None, [options.get("alt", ""), body]))
        return Block(end - place, UnitKind.IMAGE, words)
    if name == "csv-table":
        rows = tuple(tuple(row) for row in csv.reader(filter(None, [options.get("header", ""), *body.splitlines()])))
        return Block(end - place, UnitKind.TABLE, rows=rows, header_rows=int(bool(options.get("header"))))
    return Block(end - place)


def _literal(lines: Sequence[str], place: int) -> Block | None:
    """An indented block behind a line that ends in `::`."""
    before = next((line for line in reversed(lines[max(0, place - 3) : place]) if line.strip()), "")
    if not before.rstrip().endswith("::") or _DIRECTIVE.match(before) or lines[place - 1].strip():
        return None
    margin = len(before) - len(before.lstrip())
    end = _indented(lines, place, margin)
    return Block(end - place, UnitKind.CODE, dedented(lines[place:end])) if end > place else None


def _grid(lines: Sequence[str], place: int) -> Block:
    end = place
    while end < len(lines) and lines[end].lstrip()[:1] in ("+", "|"):
        end += 1
    rows, header = read_grid(lines[place:end])
    return Block(end - place, UnitKind.TABLE, rows=rows, header_rows=header)


def _simple(lines: Sequence[str], place: int) -> Block:
    """A simple table: columns stand under the rules of its first line."""
    starts = [match.start() for match in _STROKE.finditer(lines[place])]
    rules = [place]
    for end in range(place + 1, len(lines)):
        if _SIMPLE.match(lines[end]):
            rules.append(end)
            if len(rules) == 3 or end + 1 == len(lines) or not lines[end + 1].strip():
                break
    rows: list[tuple[str, ...]] = []
    header = 0
    for number in range(place + 1, rules[-1]):
        if number == rules[1]:
            header = len(rows)
            continue
        drawn = lines[number + 1] if _SPANNING.match(lines[number + 1]) else lines[place]
        cells = _columns(lines[number], drawn, starts)
        if not any(cells) or _SPANNING.match(lines[number]):
            continue
        if rows and not cells[0] and number - 1 not in rules:  # it goes on with the row above
            rows[-1] = tuple(f"{above} {cell}".strip() for above, cell in zip(rows[-1], cells, strict=True))
        else:
            rows.append(cells)
    return Block(rules[-1] + 1 - place, UnitKind.TABLE, rows=tuple(rows), header_rows=header)


def _columns(line: str, drawn: str, starts: Sequence[int]) -> tuple[str, ...]:
    """A line's cells by the rule that is `drawn` for it; what spans columns, which begin at `starts`, is in each."""
    cuts = [match.start() for match in _STROKE.finditer(drawn)]
    cells = [line[first:last].strip() for first, last in pairwise([*cuts, None])]
    return tuple(cells[max(0, bisect_right(cuts, start) - 1)] for start in starts)


def _plain(text: str, out: Collector) -> str:
    for _, target in _LINK.findall(text):
        out.link(target)
    text = _ROLE.sub(lambda match: match.group(1) or match.group(2), _LINK.sub(r"\1", text))
    text = _MARKED.sub(lambda match: next(filter(None, match.groups())), text)
    return re.sub(r"[ \t]{0,20}::(?=[ \t]{0,20}$)", ":", text)


FORMAT = Format(
    name="reStructuredText",
    media_types=(MEDIA_TYPE, "text/prs.fallenstein.rst"),
    extensions=("rst", "rest"),
    version=3,
    recognise=recognise,
    read=read,
    cites="section; characters in the text",
)

"""LaTeX source: sections, text without commands, lists, tables, listings; formulas stay as LaTeX. Nothing is run."""

from __future__ import annotations

import re

from trivium.domain.parsed import ParsedDocument, Position, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.markup.latex_front import Front, front_matter
from trivium_ingest.parse.markup.latex_text import argument, links, readable, without_comments
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.table import Table, guess_header_rows
from trivium_ingest.parse.text.clean import one_line
from trivium_ingest.parse.text.encoding import decode

MEDIA_TYPE = "application/x-tex"
_LEVELS = {
    name: level
    for level, name in enumerate(
        ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"), 1
    )
}
_ENVIRONMENTS = {
    UnitKind.EQUATION: "equation|align|gather|multline|eqnarray|displaymath|math|alignat|flalign",
    UnitKind.CODE: "verbatim|lstlisting|minted|alltt",
    UnitKind.TABLE: "tabular|tabularx|longtable|tabulary",
    UnitKind.LIST: "itemize|enumerate|description",
}
_BREAK = re.compile(
    r"\n[ \t\r]*\n\s*|\\bibitem(?:\[[^\]\n]{0,200}\])?\{[^{}\n]{0,200}\}"
    r"|\\(?P<section>part|chapter|(?:sub){0,2}section|(?:sub)?paragraph)\*?(?:\[[^\]\n]{0,300}\])?(?=\{)"
    rf"|\\begin\{{(?P<name>(?:{'|'.join(_ENVIRONMENTS.values())})\*?)\}}|(?P<open>\\\[|\$\$)"
)
_SIGN = re.compile(r"\\(?:documentclass|begin|section|usepackage|chapter|subsection|title|label|input)\b")
_BEGIN = "\\begin{document}"
_RULES = re.compile(r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfoot|endfirsthead|endlastfoot)\b")
_LABEL = re.compile(r"\\label\{[^{}\n]{0,200}\}")
_ROW = re.compile(r"\\\\(?:\[[^\]\n]{0,30}\])?|\\tabularnewline")
_OPTION = re.compile(r"\A\[[^\]\n]{0,300}\]")  # of a list
_PLACED = re.compile(r"\[[^\]\n]{0,30}\](?=\{)")  # where a table stands, before its columns
_COLUMNS = re.compile(r"\\multicolumn\s*\{\s*(\d{1,2})\s*\}\s*(?=\{)")
_ROWS = re.compile(
    r"\\multirow(?:\[\w*\])?\{\s*(-?\d{1,2})\s*\}(?:\[[^\]\n]{0,30}\])?(?:\*|\{[^{}\n]{0,50}\})(?:\[[^\]\n]{0,30}\])?"
)
_STACKED = re.compile(r"\\(?:makecell|shortstack|thead)(?:\[\w*\])?\{[^{}]{0,500}\}")


def recognise(sample: Sample) -> Evidence:
    """A document class, or several of LaTeX's commands."""
    if "\\documentclass" in sample.text or "\\begin{document}" in sample.text:
        return Evidence.STRUCTURE
    signs = len(_SIGN.findall(sample.text))
    named = sample.extension in FORMAT.extensions and bool(sample.text.strip())
    if signs >= 3:
        return Evidence.OWN_MARKS
    return Evidence.NAMED_SOURCE if named else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, _models: ParserModels) -> ParsedDocument:
    """Title, authors and date, wherever they are stated; then the body in order."""
    text, encoding = decode(blob.content)
    source = without_comments(text)
    out = Collector(limits)
    for target in links(source):
        out.link(target)
    begin = max(0, source.find(_BEGIN))
    front = front_matter(source, begin)
    _write_front(front, out)
    _Body(text, front.blanked(source), out).read()
    stated = {"author": front.stated("author"), "date": front.stated("date")}
    return out.document(MEDIA_TYPE, title=out.first_heading(), metadata={**stated, "encoding": encoding})


def _write_front(front: Front, out: Collector) -> None:
    """Title, authors, date, and what is thanked for; the sections of the text stand under none of it."""
    for part in front.parts:
        if part.name == "title":
            out.heading(part.words, 1, Position(offset=(part.start, part.end)))
    if authors := front.authors:
        place = Position(offset=(authors[0].start, authors[-1].end))
        out.add(UnitKind.TEXT, "\n".join(part.words for part in authors), place)
    for part in front.parts:
        place = Position(offset=(part.start, part.end))
        if part.name in ("subtitle", "date", "abstract", "keywords"):
            out.add(UnitKind.TEXT, part.words, place)
        for note in part.notes:
            out.add(UnitKind.NOTE, note, place)
    out.leave_sections()


class _Body:
    """Cuts the source at headings, environments and blank lines."""

    def __init__(self, text: str, source: str, out: Collector) -> None:
        self._original = text
        self._source = source  # as long as the text, without its comments
        self._missing: set[str] = set()
        self._out = out
        begin, end = source.find(_BEGIN), source.find("\\end{document}")
        self._begin = begin + len(_BEGIN) if begin >= 0 else 0
        self._end = end if end > self._begin else len(source)

    def read(self) -> None:
        place = self._begin
        while match := _BREAK.search(self._source, place, self._end):
            self._text(place, match.start())
            if match["section"]:
                place = self._heading(match)
            elif match["name"]:
                name = match["name"].rstrip("*")
                kind = next(kind for kind, names in _ENVIRONMENTS.items() if name in names.split("|"))
                place = self._inside(match, f"\\end{{{match['name']}}}", kind)
            elif match["open"]:
                closing = "\\]" if match["open"] == "\\[" else "$$"
                place = self._inside(match, closing, UnitKind.EQUATION)
            else:
                place = match.end()
        self._text(place, self._end)

    def _heading(self, match: re.Match[str]) -> int:
        words, end = argument(self._source, match.end())
        self._out.heading(readable(words), _LEVELS[match["section"]], Position(offset=(match.start(), end)))
        return max(end, match.end())

    def _inside(self, match: re.Match[str], closing: str, kind: UnitKind) -> int:
        """Add what stands up to `closing`; a list in a list ends with the outer one."""
        end = -1 if closing in self._missing else self._source.find(closing, match.end(), self._end)
        depth = self._source.count(match.group(), match.end(), end) if kind == UnitKind.LIST and end >= 0 else 0
        while depth and (further := self._source.find(closing, end + 1, self._end)) >= 0:
            end, depth = further, depth - 1
        if end < 0:
            self._missing.add(closing)
            self._out.warn(f"{match.group()} has no end.")
            return match.end()
        position = Position(offset=(match.start(), end + len(closing)))
        inside = self._source[match.end() : end]
        if kind == UnitKind.TABLE:
            self._out.table(_table(inside), position)
        elif kind == UnitKind.LIST:
            lines = filter(None, map(one_line, readable(_OPTION.sub("", inside)).split("\n-")))
            self._out.add(kind, "\n".join(f"- {line}" for line in lines), position, verbatim=True)
        elif kind == UnitKind.CODE:
            self._out.add(kind, self._original[match.end() : end], position, verbatim=True)
        else:
            self._out.add(kind, _LABEL.sub("", inside).strip(), position, verbatim=True)
        return end + len(closing)

    def _text(self, start: int, end: int) -> None:
        piece = self._source[start:end]
        stripped = piece.strip()
        if stripped:
            first = start + piece.index(stripped)
            self._out.add(UnitKind.TEXT, readable(stripped), Position(offset=(first, first + len(stripped))))


def _table(inside: str) -> Table:
    """Rows and cells as LaTeX ends them; what stands before the first row are the columns' settings."""
    begin = 0
    for _ in range(2):
        placed = _PLACED.match(inside, begin)
        _, begin = argument(inside, placed.end() if placed else begin)
    first, again, rest = inside[begin:].partition("\\endfirsthead")  # what follows heads the table's further pages
    body = first + rest.partition("\\endhead")[2] if again and "\\endhead" in rest else inside[begin:]
    body = _STACKED.sub(lambda match: _ROW.sub(" ", match.group()), _RULES.sub("", body))
    above: dict[int, tuple[int, str]] = {}
    rows = [_row(row, above) for row in _ROW.split(body)]
    kept = tuple(row for row in rows if any(row))
    return Table(kept, guess_header_rows(kept))


def _row(row: str, above: dict[int, tuple[int, str]]) -> tuple[str, ...]:
    """Its cells, each in all columns that it covers; one alone is said once. `above` tells what comes down, how far."""
    if not one_line(readable(row)):  # behind the last row, for one
        return ()
    cells: list[str] = []
    written = re.split(r"(?<!\\)&", row)
    for cell in written:
        columns, rows = _COLUMNS.search(cell), _ROWS.search(cell)
        shown = cell[: columns.start()] + cell[argument(cell, columns.end())[1] :] if columns else cell
        said = one_line(readable(_ROWS.sub("", shown)))
        for _ in range(int(columns[1]) if columns and len(written) > 1 else 1):
            left, text = above.pop(len(cells), (0, ""))
            if rows and int(rows[1]) > 1:
                above[len(cells)] = (int(rows[1]) - 1, said)
            elif left > 1:
                above[len(cells)] = (left - 1, text)
            cells.append(said or text)
    return tuple(cells)


FORMAT = Format(
    name="LaTeX",
    media_types=(MEDIA_TYPE, "text/x-tex", "application/x-latex"),
    extensions=("tex", "latex", "ltx"),
    version=4,
    recognise=recognise,
    read=read,
    cites="section; characters in the text",
)

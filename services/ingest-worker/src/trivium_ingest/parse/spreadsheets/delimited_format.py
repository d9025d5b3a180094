"""CSV and TSV: each row in words (`Header: value; Header: value`), with its number and its place in the text."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator

import msgspec

from trivium.domain.parsed import ParsedDocument
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.failures import too_large
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.spreadsheets.sheet import Row, add_rows
from trivium_ingest.parse.text.encoding import decode

MEDIA_TYPE = "text/csv"
DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_LINES = 50
_MAX_FIELD_CHARS = 1_000_000
_DIVIDING_COMMA = re.compile(r",(?=[^\s\d])|(?<!\d),(?=\d)")  # commas stand in numbers and names too
_SEP_LINE = re.compile(r"\Asep=(.)\r?\n")


class _Dialect(msgspec.Struct, frozen=True):
    """How rows are divided: no `delimiter` where there is one column.

    With `blanks_skipped` a quote also begins a field behind blanks. `agreeing` rows, `agreement` of all, have as many
    fields as `fields` says.
    """

    delimiter: str = ""
    blanks_skipped: bool = False
    fields: int = 1
    agreeing: int = 0
    agreement: float = 0.0


def recognise(sample: Sample) -> Evidence:
    """The same number of fields in every line, for some delimiter."""
    text = sample.text
    if text.lstrip()[:1] == "#" and sample.extension in FORMAT.extensions:
        return Evidence.IF_NAMED  # rows below comments, which look like headings of Markdown
    if not text or text.lstrip()[:1] in ("<", "{", "[", "#"):
        return Evidence.UNLIKELY if text and sample.extension in FORMAT.extensions else Evidence.NONE
    dialect = _dialect(text)
    if not dialect.delimiter:
        return Evidence.LEAST  # one column: only the name can tell
    if dialect.agreement < 0.9 or text.count("\n") < 2:
        return Evidence.DOUBTFUL
    if dialect.fields >= 3:
        return Evidence.SHAPE
    return Evidence.FEW_SIGNS if dialect.delimiter != "," else Evidence.DOUBTFUL


def read(blob: Blob, limits: ParseLimits, _models: ParserModels) -> ParsedDocument:
    """Find the dialect and the header, then say every row in words."""
    text, encoding = decode(blob.content)
    out = Collector(limits)
    begin = 0
    dialect = _dialect(text[:65_536])
    if told := _SEP_LINE.match(text):
        dialect, begin = _Dialect(told.group(1)), told.end()
    rows: list[Row] = []
    cells = 0
    for row in _rows(text, begin, dialect, limits):
        cells += len(row.cells)
        if cells > limits.max_cells:
            raise too_large("max_cells", f"more than {limits.max_cells:,} cells")
        rows.append(row)
    add_rows(out, rows)
    media_type = "text/tab-separated-values" if dialect.delimiter == "\t" else MEDIA_TYPE
    return out.document(media_type, metadata={"encoding": encoding, "rows": str(len(rows))})


def _rows(text: str, begin: int, dialect: _Dialect, limits: ParseLimits) -> Iterator[Row]:
    """Rows with the line they start on (from 1) and their character range, quoted line breaks respected."""
    csv.field_size_limit(min(_MAX_FIELD_CHARS, limits.max_text_chars))
    lines = _Lines(text, begin)
    reader = csv.reader(lines, delimiter=dialect.delimiter or "\0", skipinitialspace=dialect.blanks_skipped)
    number = 0
    while True:
        start = lines.offset
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            cells = [text[start : lines.offset].strip()]
        number += 1
        if any(cell.strip() for cell in cells):
            yield Row(number=number, cells=tuple(cells), offset=(start, _trimmed(text, start, lines.offset)))


class _Lines:
    """Lines for the csv reader, and how far it has read."""

    def __init__(self, text: str, begin: int) -> None:
        self._stream = io.StringIO(text[begin:], newline="")
        self.offset = begin

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self._stream.readline()
        if not line:
            raise StopIteration
        self.offset += len(line)
        return line.replace("\0", "")


def _trimmed(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1] in "\r\n":
        end -= 1
    return end


def _dialect(text: str) -> _Dialect:
    """The one in which the rows agree best, and have the most fields."""
    lines = [line for line in text.splitlines()[: _SAMPLE_LINES + 1] if line.strip()]
    if len(lines) > 2 and len(text) > 4000:
        lines = lines[:-1]  # the last line may be cut off
    tried = [
        max((_tried(lines, delimiter, skipped) for skipped in (False, True)), key=_trust) for delimiter in DELIMITERS
    ]
    comma, *others = (one if one.fields > 1 and one.agreement >= 0.5 else _Dialect() for one in tried)
    if any(other.agreement >= max(comma.agreement, 0.5) for other in others):
        within = sum(_DIVIDING_COMMA.search(line) is None for line in lines)
        comma = _Dialect() if within > 0.5 * len(lines) else comma
    return max(comma, *others, key=lambda one: one.agreement * min(one.fields, 12))


def _tried(lines: list[str], delimiter: str, blanks_skipped: bool) -> _Dialect:
    try:
        read = csv.reader(lines, delimiter=delimiter, skipinitialspace=blanks_skipped)
        widths = Counter(len(row) for row in read if row)
    except csv.Error:
        return _Dialect()
    fields, count = max(widths.items(), key=lambda item: (item[1], item[0]), default=(1, 0))
    return _Dialect(delimiter, blanks_skipped, fields, count, count / max(1, sum(widths.values())))


def _trust(tried: _Dialect) -> tuple[bool, int, float]:
    """Whether rows, more than one, are divided; how many agree, which a stray quote makes fewer; and their share."""
    return tried.fields > 1 and tried.agreeing > 1, tried.agreeing, tried.agreement


FORMAT = Format(
    name="CSV",
    media_types=(MEDIA_TYPE, "text/tab-separated-values", "application/csv"),
    extensions=("csv", "tsv", "tab"),
    version=5,
    recognise=recognise,
    read=read,
    cites="rows; characters in the text",
)

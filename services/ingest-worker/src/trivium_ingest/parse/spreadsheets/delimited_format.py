"""CSV and TSV: each row in words (`Header: value; Header: value`), with its number and its place in the text."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator

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
_SEP_LINE = re.compile(r"\Asep=(.)\r?\n")


def recognise(sample: Sample) -> Evidence:
    """The same number of fields in every line, for some delimiter."""
    text = sample.text
    if not text or text.lstrip()[:1] in ("<", "{", "[", "#"):
        return Evidence.UNLIKELY if text and sample.extension in FORMAT.extensions else Evidence.NONE
    delimiter, fields, agreement = _dialect(text)
    lines = text.count("\n") + 1
    if not delimiter:
        return Evidence.LEAST  # one column: only the name can tell
    if agreement >= 0.9 and fields >= 3 and lines >= 3:
        return Evidence.SHAPE
    return Evidence.FEW_SIGNS if agreement >= 0.9 and lines >= 3 and delimiter != "," else Evidence.DOUBTFUL


def read(blob: Blob, limits: ParseLimits, _models: ParserModels) -> ParsedDocument:
    """Find the dialect and the header, then say every row in words."""
    text, encoding = decode(blob.content)
    out = Collector(limits)
    begin = 0
    delimiter, _, _ = _dialect(text[:65_536])
    if told := _SEP_LINE.match(text):
        delimiter, begin = told.group(1), told.end()
    rows: list[Row] = []
    cells = 0
    for row in _rows(text, begin, delimiter or "\0", limits):
        cells += len(row.cells)
        if cells > limits.max_cells:
            raise too_large("max_cells", f"more than {limits.max_cells:,} cells")
        rows.append(row)
    add_rows(out, rows)
    media_type = "text/tab-separated-values" if delimiter == "\t" else MEDIA_TYPE
    return out.document(media_type, metadata={"encoding": encoding, "rows": str(len(rows))})


def _rows(text: str, begin: int, delimiter: str, limits: ParseLimits) -> Iterator[Row]:
    """Rows with the line they start on (from 1) and their character range, quoted line breaks respected."""
    csv.field_size_limit(min(_MAX_FIELD_CHARS, limits.max_text_chars))
    lines = _Lines(text, begin)
    reader = csv.reader(lines, delimiter=delimiter, strict=False)
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


def _dialect(text: str) -> tuple[str, int, float]:
    """(delimiter, fields per row, share of rows that have that many); "" when there is one column."""
    lines = [line for line in text.splitlines()[: _SAMPLE_LINES + 1] if line.strip()]
    if len(lines) > 2 and len(text) > 4000:
        lines = lines[:-1]  # the last line may be cut off
    best = ("", 1, 0.0)
    best_score = 0.0
    for delimiter in DELIMITERS:
        try:
            widths = Counter(len(row) for row in csv.reader(lines, delimiter=delimiter) if row)
        except csv.Error:
            continue
        width, count = max(widths.items(), key=lambda item: (item[1], item[0]), default=(1, 0))
        agreement = count / max(1, sum(widths.values()))
        score = agreement * min(width, 12) if width > 1 else 0.0
        if score > best_score and agreement >= 0.5:
            best, best_score = (delimiter, width, agreement), score
    return best


FORMAT = Format(
    name="CSV",
    media_types=(MEDIA_TYPE, "text/tab-separated-values", "application/csv"),
    extensions=("csv", "tsv", "tab"),
    version=2,
    recognise=recognise,
    read=read,
    cites="rows; characters in the text",
)

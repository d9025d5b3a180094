"""Jupyter notebooks: prose, code and the text of outputs, cell by cell; nothing is run.

A citation points to the cell by its number from 1, under the headings above it.
"""

from __future__ import annotations

import base64
import re

import msgspec

from trivium.domain.parsed import ParsedDocument, Position, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.failures import corrupt, too_large
from trivium_ingest.parse.images.ocr import Reader
from trivium_ingest.parse.markup.markdown_text import MarkdownReader
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.text.encoding import decode
from trivium_ingest.parse.web.html_text import add_fragment

MEDIA_TYPE = "application/x-ipynb+json"
_START = re.compile(r'\s*\{\s*"(?:cells|metadata|nbformat|nbformat_minor|worksheets)"\s*:')
_CELL = re.compile(r'"(?:cell_type|nbformat|worksheets)"\s*:')
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_NAMED_ONLY = re.compile(r"<IPython\.core\.display\.\w+ object>")  # that another form shows
_Source = str | list[str] | None


class _Output(msgspec.Struct):
    """What a cell printed, showed or raised."""

    output_type: str = ""
    text: _Source = ""
    data: dict[str, object] = {}
    ename: str = ""
    evalue: str = ""


class _Cell(msgspec.Struct):
    cell_type: str = "raw"
    source: _Source = ""
    input: _Source = ""  # the name of a code cell's source in format 3
    level: int = 1
    outputs: list[_Output] = []


class _Worksheet(msgspec.Struct):
    cells: list[_Cell] = []


class _Notebook(msgspec.Struct):
    """Formats 4 and 3 (whose cells stand in worksheets)."""

    cells: list[_Cell] = []
    worksheets: list[_Worksheet] = []
    metadata: dict[str, object] = {}


def recognise(sample: Sample) -> Evidence:
    """JSON that begins with a notebook's own keys."""
    text = sample.text
    if not _START.match(text):
        return Evidence.NONE
    return Evidence.STRUCTURE if _CELL.search(text) else Evidence.IF_NAMED


def read(blob: Blob, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
    """Cells in order, each followed by its outputs."""
    try:
        notebook = msgspec.json.decode(decode(blob.content)[0], type=_Notebook)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise corrupt("notebook", str(error)[:120]) from error
    cells = notebook.cells or [cell for sheet in notebook.worksheets for cell in sheet.cells]
    if len(cells) > limits.max_cells:
        raise too_large("max_cells", f"{len(cells):,} cells")
    out = Collector(limits)
    reader = Reader(models.ocr, limits, out)
    for number, cell in enumerate(cells, 1):
        out.within = (f"Cell {number}",)
        _cell(cell, out)
        for output in cell.outputs:
            _output(output, f"Cell {number}", out, reader)
    first = next((unit.text for unit in out.units if unit.kind == UnitKind.HEADING and unit.level == 1), "")
    kernel = notebook.metadata.get("kernelspec")
    language = str(kernel.get("language", "")) if isinstance(kernel, dict) else ""
    return out.document(MEDIA_TYPE, title=first, metadata={"programming language": language, "cells": str(len(cells))})


def _cell(cell: _Cell, out: Collector) -> None:
    source = _joined(cell.source) or _joined(cell.input)
    if cell.cell_type == "markdown":
        MarkdownReader(source, 0, out, placed=False).read()
    elif cell.cell_type == "heading":
        out.heading(source, max(1, min(cell.level, 6)))
    else:
        out.add(UnitKind.CODE if cell.cell_type == "code" else UnitKind.TEXT, source, verbatim=True)


def _output(output: _Output, where: str, out: Collector, reader: Reader) -> None:
    """The richest form that can be read: a table, a picture with text in it, else plain text, Markdown or HTML."""
    if output.output_type in ("error", "pyerr"):
        out.add(UnitKind.TEXT, f"{output.ename}: {_ESCAPES.sub('', output.evalue)}")
        return
    markup = _shown(output, "text/html")
    if "<table" in markup and add_fragment(markup, out):
        return
    for media_type in ("image/png", "image/jpeg"):
        if picture := _shown(output, media_type):
            try:
                content = base64.b64decode(picture)
            except ValueError:
                out.warn(f"{where}: a picture in the output is damaged.")
            else:
                reader.embedded(content, where, Position())
            return
    text = _joined(output.text) or _NAMED_ONLY.sub("", _shown(output, "text/plain"))
    if text.strip():
        lines = _ESCAPES.sub("", text).split("\n")
        shown = (line.rstrip("\r").rpartition("\r")[2] for line in lines)  # a bar of progress is overwritten
        out.add(UnitKind.TEXT, "\n".join(shown), verbatim=True)
    elif marked := _shown(output, "text/markdown"):
        MarkdownReader(marked, 0, out, placed=False).read()
    else:
        add_fragment(markup, out)


def _shown(output: _Output, media_type: str) -> str:
    value = output.data.get(media_type, "")
    return _joined(value) if isinstance(value, str | list) else ""


def _joined(source: str | list[str] | list[object] | None) -> str:
    return source if isinstance(source, str) else "".join(map(str, source or ()))


FORMAT = Format(
    name="Jupyter notebook",
    media_types=(MEDIA_TYPE,),
    extensions=("ipynb",),
    version=4,
    recognise=recognise,
    read=read,
    cites="section and cell",
    needs="OCR for text in pictures",
)

"""XLS, XLSB and ODS through calamine: rows in words, with sheet and row numbers."""

from __future__ import annotations

import datetime
import io
import re
from collections.abc import Iterable, Iterator

import python_calamine

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import ParsedDocument
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.failures import corrupt, password_needed, too_large
from trivium_ingest.parse.office.encryption import is_encrypted_of_97
from trivium_ingest.parse.office.file_times import own_times
from trivium_ingest.parse.office.package import Package
from trivium_ingest.parse.open_document.content import open_package, properties
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import OLE2_MAGIC, Sample
from trivium_ingest.parse.spreadsheets.cells import duration, plain_number
from trivium_ingest.parse.spreadsheets.merged import Merged, Range, merged_in_binary, merged_in_open_document
from trivium_ingest.parse.spreadsheets.sheet import Row, add_rows

_WHAT = "workbook"
_XLS = "application/vnd.ms-excel"
_ODS = "application/vnd.oasis.opendocument.spreadsheet"
_OVER_A_DAY = re.compile(  # what calamine makes no time of
    r"(?P<sign>-?)PT(?P<hours>\d{1,9})H(?:(?P<minutes>\d{1,2})M)?(?:(?P<seconds>\d{1,2}(?:\.\d+)?)S)?"
)
_XLSB = "application/vnd.ms-excel.sheet.binary.macroenabled.12"
_MERGED = {_XLSB: merged_in_binary, _ODS: merged_in_open_document}


def recognise(sample: Sample) -> Evidence:
    """An OLE2 workbook stream, or a zip with the parts of XLSB or ODS."""
    if sample.streams & {"Workbook", "Book"}:
        return Evidence.STRUCTURE if "WordDocument" not in sample.streams else Evidence.NONE
    if "xl/workbook.bin" in sample.members:
        return Evidence.CONTAINER_TYPE
    return Evidence.CONTAINER_TYPE if sample.member("mimetype").startswith(_ODS.encode()) else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, _models: ParserModels) -> ParsedDocument:
    """Every sheet in order; hidden ones are read too, and said to be hidden."""
    out = Collector(limits)
    media_type, told, package = _told(blob.content, limits, out)
    merged = _MERGED[media_type](package) if package else {}
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(blob.content))
        names = book.sheet_names
        cells = 0
        for described in book.sheets_metadata:
            name = described.name
            sheet = book.get_sheet_by_name(name)
            if described.visible != python_calamine.SheetVisibleEnum.Visible:
                out.warn(f"The sheet {name} is hidden in the workbook.")
            over = Merged(_from_its_first_column(sheet, merged.get(name) or _merged_in_xls(sheet)))
            rows = []
            for number, row in enumerate(sheet.iter_rows(), 1):
                texts = over.filled(number, tuple(_shown(value, media_type) for value in row))
                cells += len(texts)
                if cells > limits.max_cells:
                    raise too_large("max_cells", f"more than {limits.max_cells:,} cells")
                if any(texts):
                    rows.append(Row(number, texts))
            add_rows(out, rows, name)
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        raise corrupt(_WHAT, str(error)[:120]) from error
    return out.document(media_type, metadata={**told, "sheets": ", ".join(names)})


def _told(content: bytes, limits: ParseLimits, out: Collector) -> tuple[str, dict[str, str], Package | None]:
    """The media type, what the file says of itself, and its package where it is one."""
    if content.startswith(OLE2_MAGIC):
        if is_encrypted_of_97(content):  # calamine would take what stands under XOR for text
            raise password_needed(_WHAT)
        return _XLS, own_times(content), None
    package = open_package(content, limits, _WHAT)  # checks sizes before calamine unpacks
    media_type = _XLSB if "xl/workbook.bin" in package else _ODS
    try:
        told = package.core_properties(out.warn) if media_type == _XLSB else properties(package)[1]
    except NeverWill as failure:  # the sheets can be read without
        out.warn(f"Its properties: {failure.message}")
        told = {}
    return media_type, told, package


def _merged_in_xls(sheet: python_calamine.CalamineSheet) -> Iterator[Range]:
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
        yield top + 1, left + 1, bottom + 1, right + 1


def _from_its_first_column(sheet: python_calamine.CalamineSheet, ranges: Iterable[Range]) -> Iterator[Range]:
    """Calamine's rows begin with the first column that holds something."""
    _, empty = sheet.start or (0, 0)
    for top, left, bottom, right in ranges:
        yield top, left - empty, bottom, right - empty


def _shown(value: object, media_type: str) -> str:
    if isinstance(value, datetime.timedelta):
        return duration(value.total_seconds())
    if isinstance(value, str) and media_type == _ODS and (told := _OVER_A_DAY.fullmatch(value)):
        seconds = int(told["hours"]) * 3600 + int(told["minutes"] or 0) * 60 + float(told["seconds"] or 0)
        return duration(-seconds if told["sign"] else seconds)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return plain_number(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ") if value.time() != datetime.time() else value.date().isoformat()
    return str(value).strip()


FORMAT = Format(
    name="XLS, XLSB, ODS",
    media_types=(_XLS, _XLSB, _ODS),
    extensions=("xls", "xlsb", "ods"),
    version=10,
    recognise=recognise,
    read=read,
    cites="sheet and rows",
)

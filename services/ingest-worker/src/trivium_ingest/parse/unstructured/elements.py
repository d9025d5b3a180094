"""What the library `unstructured` calls elements, as units: kinds, headings, tables, pages and sheets."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from lxml import html

from trivium.domain.parsed import ParsedDocument, Position, UnitKind
from trivium.ports.parser import Blob, ParseLimits
from trivium_ingest.parse.collector import NOWHERE, Collector
from trivium_ingest.parse.failures import corrupt, unsupported
from trivium_ingest.parse.table import Table
from trivium_ingest.parse.unstructured.library import partitioning

KINDS = {
    "ListItem": UnitKind.LIST,
    "CodeSnippet": UnitKind.CODE,
    "Formula": UnitKind.EQUATION,
    "Footer": UnitKind.NOTE,
    "Header": UnitKind.NOTE,
    "PageNumber": UnitKind.NOTE,
}
"""Elements of other kinds are text, but titles and tables."""
STRATEGY = "fast"  # the others ask models that are not installed
UNKNOWN_TYPE = "application/octet-stream"


def read_elements(blob: Blob, limits: ParseLimits, model: str) -> ParsedDocument:
    """Read one file by the library. Raises `NeverWill`: as `partitioning`, `unsupported_format`, `corrupt_file`."""
    auto = partitioning(model)
    try:
        elements = auto.partition(
            file=io.BytesIO(blob.content),
            metadata_filename=blob.name.rpartition("/")[2] or None,
            strategy=STRATEGY,
        )
    except (ImportError, ValueError) as error:  # a format of another extra, or none that it knows
        what = f"nothing that `unstructured` reads here ({_brief(error)})"
        raise unsupported(what, "those of its documentation, but PDF and pictures") from error
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # it stands on many libraries, each with failures of its own
        raise corrupt("file", _brief(error)) from error
    return _document(elements, limits)


def _document(elements: Sequence[Any], limits: ParseLimits) -> ParsedDocument:
    out = Collector(limits)
    media_type = next((element.metadata.filetype for element in elements if element.metadata.filetype), UNKNOWN_TYPE)
    for element in elements:
        _add(out, element)
    first = elements[0] if elements else None
    title = first.text if first is not None and first.category == "Title" else ""
    pages = max((element.metadata.page_number or 0 for element in elements), default=0)
    return out.document(media_type, title=title, pages=pages)


def _add(out: Collector, element: Any) -> None:
    kind, where = element.category, _position(element.metadata)
    if kind == "PageBreak":
        return
    if kind == "Title":
        out.heading(element.text, 1 + (element.metadata.category_depth or 0), where)
    elif kind == "Table" and (rows := _rows(element.metadata.text_as_html)):
        out.table(Table(rows), where)
    else:
        out.add(KINDS.get(kind, UnitKind.TEXT), element.text, where, verbatim=kind == "CodeSnippet")


def _position(metadata: Any) -> Position:
    if metadata.page_name:
        return Position(sheet=metadata.page_name)
    return Position(page=metadata.page_number) if metadata.page_number else NOWHERE


def _rows(text: str | None) -> tuple[tuple[str, ...], ...]:
    """The cells of a table that is told as HTML; none where it is not."""
    if not text:
        return ()
    rows = html.fragment_fromstring(text, create_parent="div").iter("tr")
    return tuple(tuple(" ".join(cell.text_content().split()) for cell in row.iter("td", "th")) for row in rows)


def _brief(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:200]

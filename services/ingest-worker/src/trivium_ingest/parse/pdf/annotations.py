"""What readers wrote on a PDF, what was filled into its form, and where it links to; nothing is followed or run."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import msgspec
import pypdfium2.raw as pdfium

from trivium.domain.parsed import UnitKind
from trivium_ingest.parse.archives.members import Members
from trivium_ingest.parse.pdf.attachments import pinned_file
from trivium_ingest.parse.pdf.tables import Rect
from trivium_ingest.parse.pdf.words import Frame

MAX_ANNOTATIONS = 500  # of a page
_MAX_STRING_BYTES = 65_536
_BUTTONS = (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON)
_COMMENTS = frozenset(
    [
        pdfium.FPDF_ANNOT_TEXT,
        pdfium.FPDF_ANNOT_FREETEXT,
        pdfium.FPDF_ANNOT_HIGHLIGHT,
        pdfium.FPDF_ANNOT_UNDERLINE,
        pdfium.FPDF_ANNOT_SQUIGGLY,
        pdfium.FPDF_ANNOT_STRIKEOUT,
        pdfium.FPDF_ANNOT_STAMP,
        pdfium.FPDF_ANNOT_CARET,
        pdfium.FPDF_ANNOT_INK,
        pdfium.FPDF_ANNOT_LINE,
        pdfium.FPDF_ANNOT_SQUARE,
        pdfium.FPDF_ANNOT_CIRCLE,
        pdfium.FPDF_ANNOT_POLYGON,
        pdfium.FPDF_ANNOT_POLYLINE,
    ]
)
_UNSEEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW


class Remark(msgspec.Struct, frozen=True):
    """Text that stands in an annotation, and its place on the page as shown: a comment (NOTE) or a field (TEXT)."""

    kind: UnitKind
    text: str
    box: Rect
    hidden: bool = False


def read_annotations(
    document: Any, form: Any, page: Any, frame: Frame, members: Members
) -> tuple[list[Remark], list[str]]:
    """Comments and filled fields in the file's order, and the addresses that the page links to.

    Files that are pinned to the page go to `members`. `form` is None where the document has no form.
    """
    remarks: list[Remark] = []
    links: list[str] = []
    for number in range(min(pdfium.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS)):
        annotation = pdfium.FPDFPage_GetAnnot(page, number)
        if not annotation:
            continue
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        if kind == pdfium.FPDF_ANNOT_LINK:
            links.extend(filter(None, [_address(document, annotation)]))
        elif kind == pdfium.FPDF_ANNOT_FILEATTACHMENT:
            pinned_file(annotation, members)
        elif kind in _COMMENTS:
            remarks.extend(_remark(annotation, UnitKind.NOTE, _comment(annotation), frame))
        elif kind == pdfium.FPDF_ANNOT_WIDGET and form is not None:
            remarks.extend(_remark(annotation, UnitKind.TEXT, _field(form, annotation), frame))
        pdfium.FPDFPage_CloseAnnot(annotation)
    return remarks, links


def _remark(annotation: Any, kind: UnitKind, text: str, frame: Frame) -> list[Remark]:
    rect = pdfium.FS_RECTF()
    if not text or not pdfium.FPDFAnnot_GetRect(annotation, rect):
        return []
    box = frame.place(rect.left, rect.bottom, rect.right, rect.top)
    return [Remark(kind, text, box, bool(pdfium.FPDFAnnot_GetFlags(annotation) & _UNSEEN))]


def _comment(annotation: Any) -> str:
    """`Author: text`, or the text where nobody signed it."""
    text = _string(pdfium.FPDFAnnot_GetStringValue, annotation, b"Contents").strip()
    author = _string(pdfium.FPDFAnnot_GetStringValue, annotation, b"T").strip()
    return f"{author}: {text}" if author and text else text


def _address(document: Any, annotation: Any) -> str:
    link = pdfium.FPDFAnnot_GetLink(annotation)
    action = pdfium.FPDFLink_GetAction(link) if link else None
    if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
        return ""
    length = pdfium.FPDFAction_GetURIPath(document, action, None, 0)
    if not 1 < length <= _MAX_STRING_BYTES:
        return ""
    buffer = ctypes.create_string_buffer(length)
    pdfium.FPDFAction_GetURIPath(document, action, buffer, length)
    return buffer.value.decode("utf-8", "replace")


def _field(form: Any, annotation: Any) -> str:
    """`Name: value` of a filled field, "" for an empty one."""
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind == pdfium.FPDF_FORMFIELD_PUSHBUTTON:
        return ""
    name = _string(pdfium.FPDFAnnot_GetFormFieldAlternateName, form, annotation)
    name = name or _string(pdfium.FPDFAnnot_GetFormFieldName, form, annotation)
    if kind in _BUTTONS:
        if not name or not pdfium.FPDFAnnot_IsChecked(form, annotation):
            return ""
        choice = _string(pdfium.FPDFAnnot_GetFormFieldExportValue, form, annotation).strip()
        return f"{name}: {choice if choice and kind == pdfium.FPDF_FORMFIELD_RADIOBUTTON else 'yes'}"
    value = _string(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation).strip()
    return f"{name}: {value}" if name and value else value


def _string(get: Callable[..., int], *of: Any) -> str:
    """A string in PDFium's way: UTF-16, the length in bytes with its terminator."""
    length = get(*of, None, 0)
    if not 2 < length <= _MAX_STRING_BYTES:
        return ""
    buffer = (ctypes.c_ushort * (length // 2 + 1))()
    get(*of, buffer, length)
    return bytes(buffer)[: length - 2].decode("utf-16-le", "replace")

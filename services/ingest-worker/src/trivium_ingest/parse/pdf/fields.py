"""What was filled into a PDF form: values stand in annotations, not in the page's text."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import pypdfium2.raw as pdfium

from trivium_ingest.parse.pdf.tables import Rect
from trivium_ingest.parse.pdf.words import Frame

MAX_FIELDS = 500
_BUTTONS = (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON)


def form_fields(form: Any, page: Any, frame: Frame) -> list[tuple[str, Rect]]:
    """`Name: value` of each filled field, and its place on the page as shown."""
    found = []
    for number in range(min(pdfium.FPDFPage_GetAnnotCount(page), MAX_FIELDS)):
        annotation = pdfium.FPDFPage_GetAnnot(page, number)
        if not annotation:
            continue
        if pdfium.FPDFAnnot_GetSubtype(annotation) == pdfium.FPDF_ANNOT_WIDGET:
            text = _field(form, annotation)
            rect = pdfium.FS_RECTF()
            if text and pdfium.FPDFAnnot_GetRect(annotation, rect):
                found.append((text, frame.place(rect.left, rect.bottom, rect.right, rect.top)))
        pdfium.FPDFPage_CloseAnnot(annotation)
    return found


def _field(form: Any, annotation: Any) -> str:
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind == pdfium.FPDF_FORMFIELD_PUSHBUTTON:
        return ""
    name = _string(pdfium.FPDFAnnot_GetFormFieldAlternateName, form, annotation)
    name = name or _string(pdfium.FPDFAnnot_GetFormFieldName, form, annotation)
    if kind in _BUTTONS:
        return f"{name}: yes" if name and pdfium.FPDFAnnot_IsChecked(form, annotation) else ""
    value = _string(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation).strip()
    return f"{name}: {value}" if name and value else value


def _string(get: Callable[..., int], form: Any, annotation: Any) -> str:
    """A string in PDFium's way: UTF-16, the length in bytes with its terminator."""
    length = get(form, annotation, None, 0)
    if not 2 < length <= 65_536:
        return ""
    buffer = (ctypes.c_ushort * (length // 2 + 1))()
    get(form, annotation, buffer, length)
    return bytes(buffer)[: length - 2].decode("utf-16-le", "replace")

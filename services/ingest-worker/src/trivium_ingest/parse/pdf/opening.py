"""Bytes to an open PDF, also where the file lost its end."""

from __future__ import annotations

import re

import pypdfium2
import pypdfium2.raw as pdfium

from trivium.domain.password import Password
from trivium_ingest.parse.failures import corrupt, password_needed, password_wrong, sealed

HEADER_WITHIN = 1024  # ISO 32000-1, annex H: readers accept the header anywhere in the first 1024 bytes
_CATALOG = re.compile(rb"(?<!\d)(\d{1,8})\s+0\s+obj\s*<<[^>]{0,300}?/Type\s*/Catalog")


def open_document(content: bytes, password: Password | None) -> tuple[pypdfium2.PdfDocument, bool]:
    """The document, and whether its lost end had to be replaced.

    Raises `NeverWill` (`corrupt_file`, `password_needed`, `password_wrong`, `encryption_unsupported`).
    """
    start = max(0, content.find(b"%PDF-", 0, HEADER_WITHIN))
    content = content[start:] if start else content
    try:
        return pypdfium2.PdfDocument(content, password=password.text if password else None), False
    except pypdfium2.PdfiumError as error:
        code = getattr(error, "err_code", None)
        if code == pdfium.FPDF_ERR_PASSWORD:
            raise (password_wrong if password else password_needed)("PDF") from error
        if code == pdfium.FPDF_ERR_SECURITY:
            raise sealed("PDF") from error
        if (mended := _with_trailer(content)) is None:
            raise corrupt("PDF") from error
    try:
        return pypdfium2.PdfDocument(mended), True
    except pypdfium2.PdfiumError as error:
        raise corrupt("PDF") from error


def _with_trailer(content: bytes) -> bytes | None:
    """A file cut before its trailer, with one that names the catalog; None when there is no catalog in it."""
    catalog = None
    for catalog in _CATALOG.finditer(content):  # noqa: B007 - the last one counts
        pass
    if catalog is None:
        return None
    return content + b"\nendobj\ntrailer\n<< /Root %d 0 R >>\nstartxref\n0\n%%%%EOF\n" % int(catalog.group(1))

"""The files that a PDF carries: in its list of them, and pinned to its pages."""

from __future__ import annotations

import ctypes
from typing import Any

import pypdfium2.raw as pdfium

from trivium_ingest.parse.archives.members import Members

_SLASHES = str.maketrans("/\\", "__")
_MAX_NAME_BYTES = 2_000


def listed_files(document: Any, members: Members) -> None:
    """Take the files of the document's list."""
    for number in range(pdfium.FPDFDoc_GetAttachmentCount(document)):
        _take(pdfium.FPDFDoc_GetAttachment(document, number), members)


def pinned_file(annotation: Any, members: Members) -> None:
    """Take the file of a paper clip on a page."""
    _take(pdfium.FPDFAnnot_GetFileAttachment(annotation), members)


def _take(attachment: Any, members: Members) -> None:
    if not attachment:
        return
    name = _name(attachment) or "attachment"
    if not members.admit(name):
        return
    size = ctypes.c_ulong()
    if not pdfium.FPDFAttachment_GetFile(attachment, None, 0, size):
        members.skip(name, "it cannot be unpacked")
    elif members.fits(name, size.value):
        content = ctypes.create_string_buffer(size.value)
        pdfium.FPDFAttachment_GetFile(attachment, content, size.value, size)
        if not any((child.name, child.content) == (name, content.raw) for child in members.children):
            members.take(name, content.raw)  # some are listed as well as pinned


def _name(attachment: Any) -> str:
    """What the list calls the file; a name, never a path."""
    buffer = (ctypes.c_ushort * (_MAX_NAME_BYTES // 2))()
    length = min(pdfium.FPDFAttachment_GetName(attachment, buffer, _MAX_NAME_BYTES), _MAX_NAME_BYTES)
    return bytes(buffer)[: max(0, length - 2)].decode("utf-16-le", "replace").translate(_SLASHES)

"""PPT: PowerPoint 97-2003 through LibreOffice."""

from __future__ import annotations

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import ParsedDocument
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.failures import password_needed
from trivium_ingest.parse.office import pptx_format
from trivium_ingest.parse.office.encryption import is_encrypted_of_97
from trivium_ingest.parse.office.file_times import as_original
from trivium_ingest.parse.office.libre_office import convert, program
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample

MEDIA_TYPE = "application/vnd.ms-powerpoint"
_WHAT = "PowerPoint 97-2003 presentation"


def recognise(sample: Sample) -> Evidence:
    """An OLE2 file with PowerPoint's stream."""
    return Evidence.STRUCTURE if "PowerPoint Document" in sample.streams else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
    """What the converted presentation holds."""
    if not program():
        raise NeverWill(
            "needs_libreoffice",
            f"A {_WHAT} is read through LibreOffice, which is not installed where files are parsed.",
            "Install LibreOffice there (its command is soffice), or save the file as .pptx and upload that.",
        )
    if is_encrypted_of_97(blob.content):
        raise password_needed(_WHAT)
    content = convert(blob.content, "ppt", "pptx", limits, _WHAT)
    slides = pptx_format.read(Blob("slides.pptx", content), limits, models)
    return as_original(slides, MEDIA_TYPE, blob.content)


FORMAT = Format(
    name="PPT",
    media_types=(MEDIA_TYPE,),
    extensions=("ppt", "pps", "pot"),
    version=4,
    recognise=recognise,
    read=read,
    cites="slide",
    needs="LibreOffice",
)

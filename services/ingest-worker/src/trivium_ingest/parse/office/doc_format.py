"""DOC: Word 97-2003 through LibreOffice; where it is not installed, the text alone."""

from __future__ import annotations

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import ParsedDocument, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.office import docx_format
from trivium_ingest.parse.office.file_times import as_original, own_times
from trivium_ingest.parse.office.libre_office import convert, program
from trivium_ingest.parse.office.word_binary import WHAT, read_word_text
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample

MEDIA_TYPE = "application/msword"
TEXT_ONLY = (
    "Read as text alone, without headings, tables and pictures: LibreOffice is not installed where files are parsed."
    " Install it, or save the document as .docx."
)


def recognise(sample: Sample) -> Evidence:
    """An OLE2 file with Word's stream."""
    return Evidence.STRUCTURE if "WordDocument" in sample.streams else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
    """What the converted document holds, or the text that stands in the file."""
    if program():
        return _converted(blob, limits, models)
    words = read_word_text(blob.content, limits)
    out = Collector(limits)
    for paragraph in words.body:
        out.add(UnitKind.TEXT, paragraph)
    for note in words.notes:
        out.add(UnitKind.NOTE, note)
    if out.units:
        out.warn(TEXT_ONLY)
    return out.document(MEDIA_TYPE, metadata=own_times(blob.content))


def _converted(blob: Blob, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
    try:
        content = convert(blob.content, "doc", "docx", limits, WHAT)
    except NeverWill:
        read_word_text(blob.content, limits)  # where it can, it says better what is wrong: a password
        raise
    document = docx_format.read(Blob("document.docx", content), limits, models)
    return as_original(document, MEDIA_TYPE, blob.content)


FORMAT = Format(
    name="DOC",
    media_types=(MEDIA_TYPE,),
    extensions=("doc", "dot"),
    version=6,
    recognise=recognise,
    read=read,
    cites="section",
    needs="LibreOffice for headings, tables and pictures",
)

"""7-Zip archives: a list of the members, each of which is read as a document of its own."""

from __future__ import annotations

from trivium.domain.parsed import ParsedDocument
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.archives.members import Members
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample

MEDIA_TYPE = "application/x-7z-compressed"
_MAGIC = b"7z\xbc\xaf\x27\x1c"


def recognise(sample: Sample) -> Evidence:
    """The signature."""
    return Evidence.SIGNATURE if sample.head.startswith(_MAGIC) else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, _models: ParserModels) -> ParsedDocument:
    """Unpack what may be unpacked. What is packed together is unpacked together, so the bounds are on the whole."""
    from trivium_ingest.parse.archives.seven_zip_members import take_members  # noqa: PLC0415 - its codecs are slow to load

    members = Members(blob, limits)
    take_members(blob.content, members, blob.password)
    return members.document(MEDIA_TYPE)


FORMAT = Format(
    name="7-Zip archives",
    media_types=(MEDIA_TYPE,),
    extensions=("7z",),
    version=3,
    recognise=recognise,
    read=read,
    cites="the archive's list; in members, as their own format does",
)

"""Tar archives: a list of the members, each of which is read as a document of its own."""

from __future__ import annotations

import io

from trivium.domain.parsed import ParsedDocument
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.archives.members import Members
from trivium_ingest.parse.archives.tar_members import is_tar, take_tar_members
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample

MEDIA_TYPE = "application/x-tar"


def recognise(sample: Sample) -> Evidence:
    """The mark that every tar since 1988 has in its first header."""
    return Evidence.SHORT_SIGNATURE if is_tar(sample.head) else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, _models: ParserModels) -> ParsedDocument:
    """Unpack what may be unpacked."""
    members = Members(blob, limits)
    take_tar_members(io.BytesIO(blob.content), members)
    return members.document(MEDIA_TYPE)


FORMAT = Format(
    name="tar archives",
    media_types=(MEDIA_TYPE,),
    extensions=("tar",),
    version=1,
    recognise=recognise,
    read=read,
    cites="the archive's list; in members, as their own format does",
)

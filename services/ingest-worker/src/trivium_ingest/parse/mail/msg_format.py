"""Outlook messages: senders, recipients, date and subject, the writer's own words; attachments as documents."""

from __future__ import annotations

from trivium.domain.parsed import ParsedDocument
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.mail.mail import write_mail
from trivium_ingest.parse.mail.outlook import read_outlook
from trivium_ingest.parse.mail.smime import opened
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample

MEDIA_TYPE = "application/vnd.ms-outlook"


def recognise(sample: Sample) -> Evidence:
    """The names that Outlook gives to properties."""
    return Evidence.SHORT_SIGNATURE if "__substg1.0_" in sample.streams else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
    """Take the message apart; what is quoted in an answer (it is told) and the signature are left out."""
    return write_mail(opened(read_outlook(blob.content)), MEDIA_TYPE, limits, models)


FORMAT = Format(
    name="Outlook messages",
    media_types=(MEDIA_TYPE,),
    extensions=("msg",),
    version=9,
    recognise=recognise,
    read=read,
    cites="the mail; in attachments, as their own format does",
    needs="OCR for pictures",
)

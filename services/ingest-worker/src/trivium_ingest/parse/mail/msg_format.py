"""Outlook messages: senders, recipients, date, subject, words, those of quoted mails; attachments as documents."""

from __future__ import annotations

from trivium.domain.parsed import ParsedDocument
from trivium.domain.quoted_mails import quoted_levels
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.mail.mail import write_mail
from trivium_ingest.parse.mail.outlook import MEDIA_TYPE, read_outlook
from trivium_ingest.parse.mail.smime import opened
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample


def recognise(sample: Sample) -> Evidence:
    """The names that Outlook gives to properties."""
    return Evidence.SHORT_SIGNATURE if "__substg1.0_" in sample.streams else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
    """Take the message apart, as a mail."""
    levels = quoted_levels(blob.declared_type)
    return write_mail(opened(read_outlook(blob.content)), MEDIA_TYPE, limits, models, levels)


FORMAT = Format(
    name="Outlook messages",
    media_types=(MEDIA_TYPE,),
    extensions=("msg",),
    version=10,
    recognise=recognise,
    read=read,
    cites="the mail, and which quoted one; in attachments, as their own format does",
    needs="OCR for pictures",
)

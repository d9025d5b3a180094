"""Mails: senders, recipients, date and subject, the writer's own words, pictures (by OCR); attachments as documents."""

from __future__ import annotations

import re

from trivium.domain.parsed import ParsedDocument
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.mail.mail import write_mail
from trivium_ingest.parse.mail.message import read_message
from trivium_ingest.parse.mail.smime import opened
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample

MEDIA_TYPE = "message/rfc822"
_NAME = re.compile(r"[A-Z][A-Za-z0-9-]*:(?:[ \t]|$)")
_KNOWN = re.compile(
    r"^(From|To|Cc|Date|Subject|Message-I[Dd]|Received|Return-Path|Delivered-To|MIME-Version|Mime-Version|Reply-To"
    r"|Content-Type|DKIM-Signature):",
    re.MULTILINE,
)


def recognise(sample: Sample) -> Evidence:
    """A block of headers at the top, several of them a mail's."""
    text = sample.text.lstrip("\ufeff\r\n")
    if not _NAME.match(text):
        return Evidence.NONE
    known = len({name.lower() for name in _KNOWN.findall(re.split(r"\r?\n\r?\n", text, maxsplit=1)[0])})
    if known >= 3:
        return Evidence.STRUCTURE
    return Evidence.SHAPE if known and sample.extension in FORMAT.extensions else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
    """Take the mail apart; what is quoted in an answer (it is told) and the signature are left out."""
    return write_mail(opened(read_message(blob.content.lstrip(b"\xef\xbb\xbf\r\n"))), MEDIA_TYPE, limits, models)


FORMAT = Format(
    name="mails",
    media_types=(MEDIA_TYPE,),
    extensions=("eml",),
    version=7,
    recognise=recognise,
    read=read,
    cites="the mail; in attachments, as their own format does",
    needs="OCR for pictures",
)

"""Mails: senders, recipients, date, subject, words, those of quoted mails, pictures (OCR); attachments as documents."""

from __future__ import annotations

import re

from trivium.domain.parsed import ParsedDocument
from trivium.domain.quoted_mails import MAIL, quoted_levels
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.mail.mail import write_mail
from trivium_ingest.parse.mail.message import content_of, read_message
from trivium_ingest.parse.mail.smime import opened
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample

_NAME = re.compile(r"[A-Z][A-Za-z0-9-]*:(?:[ \t]|$)")
_LENGTH = r"\A\d{1,10}[ \t]*\r?\n"  # of `.emlx`
_KNOWN = re.compile(
    r"^(From|To|Cc|Date|Subject|Message-I[Dd]|Received|Return-Path|Delivered-To|MIME-Version|Mime-Version|Reply-To"
    r"|Content-Type|DKIM-Signature):",
    re.MULTILINE,
)


def recognise(sample: Sample) -> Evidence:
    """A block of headers at the top, several of them a mail's; Apple Mail has the mail's length above them."""
    text = re.sub(_LENGTH, "", sample.text.lstrip("\ufeff\r\n"))
    if not _NAME.match(text):
        return Evidence.NONE
    known = len({name.lower() for name in _KNOWN.findall(re.split(r"\r?\n\r?\n", text, maxsplit=1)[0])})
    if known >= 3:
        return Evidence.STRUCTURE
    return Evidence.SHAPE if known and sample.extension in FORMAT.extensions else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
    """Take the mail apart; the signature is left out, and of what an answer quotes what lies elsewhere (it is told)."""
    levels = quoted_levels(blob.declared_type)
    mail = opened(read_message(content_of(blob.content)))
    return write_mail(mail, MAIL, limits, models, levels)


FORMAT = Format(
    name="mails",
    media_types=(MAIL,),
    extensions=("eml", "emlx"),
    version=8,
    recognise=recognise,
    read=read,
    cites="the mail, and which quoted one; in attachments, as their own format does",
    needs="OCR for pictures",
)

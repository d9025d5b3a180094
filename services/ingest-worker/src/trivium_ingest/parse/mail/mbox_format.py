"""Mailboxes (mbox): a list of the mails, each of which is read as a document of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import Message
from email.utils import parsedate_to_datetime

from trivium.domain.parsed import ParsedDocument
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.archives.members import Members
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.mail.message import header, headers_of
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample

MEDIA_TYPE = "application/mbox"
# "From ada@example.org Mon Mar  3 10:00:00 2025", after a blank line.
_FROM = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\r\n]{1,500}\d{4}[^\r\n]{0,20}\r?\n(?=[!-9;-~]+:)")
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_STATUS = re.compile(r"[0-9A-Fa-f]{4}")
_EXPUNGED = 0x0008  # of Thunderbird's flags: deleted or moved away, and there until the folder is compacted
_MAX_SUBJECT_CHARS = 100
_SLASHES = re.compile(r"[/\\]+")
_DRIVE = re.compile(r"(?<=\A[A-Za-z]):")  # "R: Offer", which as a path would lead out of the box


def recognise(sample: Sample) -> Evidence:
    """A separator line, and a header below."""
    return Evidence.SHORT_SIGNATURE if _FROM.match(sample.head) else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, _models: ParserModels) -> ParsedDocument:
    """Divide the box; a mail is named by its date and subject, so that it stays the same when others come and go."""
    out = Collector(limits)
    members = Members(blob, limits, out)
    deleted = 0
    for mail in _mails(blob.content):
        headers = headers_of(mail)
        if _is_deleted(headers):
            deleted += 1
        elif members.admit(name := _name(headers)):
            members.take(name, mail, "message/rfc822")
    if deleted:
        out.warn(f"Mails that were deleted, and wait for their folder to be compacted, were left out: {deleted:,}.")
    return members.document(MEDIA_TYPE)


def _mails(content: bytes) -> Iterator[bytes]:
    """One after the other; lines that were escaped because they looked like a separator are as they were."""
    start = -1
    for separator in _FROM.finditer(content):
        if start >= 0:
            yield _ESCAPED.sub(rb"\1", content[start : separator.start()])
        start = separator.end()
    if start >= 0:
        yield _ESCAPED.sub(rb"\1", content[start:])


def _is_deleted(message: Message) -> bool:
    status = header(message, "X-Mozilla-Status")
    return bool(_STATUS.fullmatch(status)) and bool(int(status, 16) & _EXPUNGED)


def _name(message: Message) -> str:
    subject = _SLASHES.sub("_", header(message, "Subject"))[:_MAX_SUBJECT_CHARS] or "mail"
    try:
        return f"{parsedate_to_datetime(header(message, 'Date')):%Y-%m-%d} {subject}.eml"
    except (ValueError, TypeError, OverflowError):
        return _DRIVE.sub("_", f"{subject}.eml")


FORMAT = Format(
    name="mailboxes (mbox)",
    media_types=(MEDIA_TYPE,),
    extensions=("mbox", "mbx"),
    version=3,
    recognise=recognise,
    read=read,
    cites="the list; in mails, as there",
)

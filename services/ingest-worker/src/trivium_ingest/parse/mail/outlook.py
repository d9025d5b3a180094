"""Outlook's message files: properties in the streams of an OLE2 file ([MS-OXMSG]), read into a `Mail`.

A message that is attached to another is no file in there but a folder of properties; it becomes an Internet mail.
"""

from __future__ import annotations

import io
import struct
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime
from functools import cached_property

import olefile  # type: ignore[import-untyped]
from olefile import OleFileIO

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import Child
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.failures import corrupt
from trivium_ingest.parse.mail.mail import Body, Mail
from trivium_ingest.parse.office.file_times import instant
from trivium_ingest.parse.rtf import rtf_format
from trivium_ingest.parse.rtf.compressed import decompressed_rtf
from trivium_ingest.parse.text.clean import one_line
from trivium_ingest.parse.text.encoding import decode
from trivium_ingest.parse.web.about import charset

WHAT = "Outlook message"
MEDIA_TYPE = "application/vnd.ms-outlook"
MAX_PARTS = 2_000  # recipients and attachments of one message
MAX_RICH_TEXT_BYTES = 20_000_000
MAX_NAME_CHARS = 255  # Windows'; the library takes its time to write a longer one
# Property ids ([MS-OXPROPS]).
_SUBJECT, _BODY, _RICH_TEXT, _HTML, _SENT, _REPLY_TO_ID = 0x0037, 0x1000, 0x1009, 0x1013, 0x0039, 0x1042
_ID, _REFERENCES = 0x1035, 0x1039
_SENDER_NAME, _SENDER_ADDRESS, _SENDER_SMTP = 0x0C1A, 0x0C1F, 0x5D01
_TO, _CC, _NAME, _ADDRESS, _SMTP = 0x0E04, 0x0E03, 0x3001, 0x3003, 0x39FE
_DATA, _LONG_NAME, _SHORT_NAME, _MIME_TYPE, _CONTENT_ID = 0x3701, 0x3707, 0x3704, 0x370E, 0x3712
_INTERNET_CODE_PAGE, _MESSAGE_CODE_PAGE = 0x3FDE, 0x3FFD
_UNICODE, _STRING8, _BINARY, _OBJECT, _TIME, _INTEGER = 0x001F, 0x001E, 0x0102, 0x000D, 0x0040, 0x0003
# Windows' code pages whose names are not "cp" and the number.
_CODE_PAGES = {
    **{28590 + part: f"iso-8859-{part}" for part in range(1, 17)},
    **dict.fromkeys((50220, 50221, 50222), "iso-2022-jp"),
    **dict.fromkeys((20932, 51932), "euc-jp"),
    20866: "koi8-r",
    21866: "koi8-u",
    50225: "iso-2022-kr",
    51936: "gb2312",
    51949: "euc-kr",
    52936: "hz",
    54936: "gb18030",
}
_HEADER_BYTES = {"": 32, "embedded": 24, "part": 8}
_BROKEN = (OSError, ValueError, IndexError, KeyError, struct.error, TypeError, AttributeError, OverflowError)


def read_outlook(content: bytes) -> Mail:
    """Raises `NeverWill` (`corrupt_file`)."""
    try:
        with OleFileIO(io.BytesIO(content), raise_defects=olefile.DEFECT_FATAL) as ole:
            return _mail(_Folder(ole, (), _HEADER_BYTES[""]))
    except _BROKEN as error:
        raise corrupt(WHAT, str(error)[:120]) from error


def thread_of(content: bytes) -> tuple[str, str, str, str, float]:
    """Of a message: its id, that of the one it answers, those of its thread, its subject, when it was sent (Unix time).

    Nothing of what is no Outlook message.
    """
    try:
        with OleFileIO(io.BytesIO(content), raise_defects=olefile.DEFECT_FATAL) as ole:
            folder = _Folder(ole, (), _HEADER_BYTES[""])
            sent = folder.time(_SENT)
            id_, parent, before, subject = map(one_line, map(folder.text, (_ID, _REPLY_TO_ID, _REFERENCES, _SUBJECT)))
            return id_, parent, before, subject, sent.timestamp() if sent else 0.0
    except _BROKEN:
        return "", "", "", "", 0.0


class _Folder:
    """One message, recipient or attachment: its properties by id. `around` is the encoding of what it is a part of."""

    def __init__(self, ole: OleFileIO, path: tuple[str, ...], header_bytes: int, around: str = "") -> None:
        self._ole, self._path, self._header_bytes, self._around = ole, path, header_bytes, around

    @cached_property
    def encoding(self) -> str:
        """Of strings that are not Unicode, "" where nothing says it."""
        return self.code_page(_MESSAGE_CODE_PAGE) or self._around

    def text(self, tag: int) -> str:
        """A string property, "" when it is missing."""
        wide = self._stream(f"__substg1.0_{tag:04X}{_UNICODE:04X}")
        if wide is not None:
            return wide.decode("utf-16-le", "replace").rstrip("\0")
        narrow = self._stream(f"__substg1.0_{tag:04X}{_STRING8:04X}")
        return decode(narrow, self.encoding)[0].rstrip("\0") if narrow else ""

    def binary(self, tag: int) -> bytes:
        """A property of bytes, empty when it is missing."""
        return self._stream(f"__substg1.0_{tag:04X}{_BINARY:04X}") or b""

    def time(self, tag: int) -> datetime | None:
        """A time, None when it is missing."""
        ticks = self._fixed(_TIME, tag)
        return None if ticks is None else instant(ticks)

    def code_page(self, tag: int) -> str:
        """An encoding, "" when it is missing."""
        number = (self._fixed(_INTEGER, tag) or 0) & 0xFFFFFFFF  # the rest of its eight bytes is reserved
        return _CODE_PAGES.get(number, f"cp{number}") if number else ""

    def parts(self, prefix: str) -> list[_Folder]:
        """Recipients (`__recip`) or attachments (`__attach`), in order."""
        depth = len(self._path)
        names = {
            tuple(entry[: depth + 1])
            for entry in self._ole.listdir(streams=True, storages=False)
            if len(entry) > depth + 1 and tuple(entry[:depth]) == self._path and entry[depth].startswith(prefix)
        }
        size = _HEADER_BYTES["part"]
        return [_Folder(self._ole, path, size, self.encoding) for path in sorted(names)[:MAX_PARTS]]

    def message(self) -> _Folder | None:
        """The message that this attachment is."""
        path = (*self._path, f"__substg1.0_{_DATA:04X}{_OBJECT:04X}")
        inside = self._ole.exists([*path, "__properties_version1.0"])
        return _Folder(self._ole, path, _HEADER_BYTES["embedded"], self.encoding) if inside else None

    def _fixed(self, kind: int, tag: int) -> int | None:
        """One of the properties of fixed size, which stand together."""
        fixed = (self._stream("__properties_version1.0") or b"")[self._header_bytes :]
        for at in range(0, len(fixed) - 15, 16):
            found_kind, found, _, value = struct.unpack_from("<HHIQ", fixed, at)
            if (found_kind, found) == (kind, tag):
                return int(value)
        return None

    def _stream(self, name: str) -> bytes | None:
        path = [*self._path, name]
        if not self._ole.exists(path) or self._ole.get_type(path) != olefile.STGTY_STREAM:
            return None
        with self._ole.openstream(path) as stream:
            content: bytes = stream.read()
        return content


def _mail(folder: _Folder) -> Mail:
    sent = folder.time(_SENT)
    files: list[Child] = []
    pictures: list[tuple[str, bytes]] = []
    for attachment in folder.parts("__attach_version1.0_"):
        _take(attachment, files, pictures)
    return Mail(
        subject=one_line(folder.text(_SUBJECT)),
        headers={
            "From": _address(folder.text(_SENDER_NAME), folder.text(_SENDER_SMTP) or folder.text(_SENDER_ADDRESS)),
            "To": _recipients(folder, folder.text(_TO)),
            "Cc": _recipients(folder, folder.text(_CC)),
            "Date": format_datetime(sent) if sent else "",
        },
        bodies=(Body(folder.text(_BODY), _html(folder)),),
        rich_text=decompressed_rtf(folder.binary(_RICH_TEXT), MAX_RICH_TEXT_BYTES),
        pictures=tuple(pictures),
        files=tuple(files),
        answers=bool(folder.text(_REPLY_TO_ID)),
    )


def _take(attachment: _Folder, files: list[Child], pictures: list[tuple[str, bytes]]) -> None:
    name = one_line(attachment.text(_LONG_NAME) or attachment.text(_SHORT_NAME))[-MAX_NAME_CHARS:]
    name = name.replace("/", "_").replace("\\", "_")
    message = attachment.message()
    if message is not None:
        mail = _mail(message)
        subject = (mail.subject or name or "mail")[:MAX_NAME_CHARS].replace("/", "_")
        files.append(Child(f"{subject}.eml", _as_internet_mail(mail)))
        return
    content, kind = attachment.binary(_DATA), attachment.text(_MIME_TYPE)
    if attachment.text(_CONTENT_ID) and kind.startswith("image/"):
        pictures.append((name or "picture", content))
    else:
        files.append(Child(name or f"attachment {len(files) + 1}", content, kind))


def _html(folder: _Folder) -> str:
    raw = folder.binary(_HTML)
    declared = charset(raw) or folder.code_page(_INTERNET_CODE_PAGE) or folder.encoding
    return decode(raw, declared)[0] if raw else folder.text(_HTML)


def _recipients(folder: _Folder, shown: str) -> str:
    """The names that the message shows, with the addresses behind them."""
    addresses = {
        one_line(part.text(_NAME)): one_line(part.text(_SMTP) or part.text(_ADDRESS))
        for part in folder.parts("__recip_version1.0_")
    }
    names = [one_line(name) for name in shown.split(";")]
    return ", ".join(_address(name, addresses.get(name, "")) for name in names if name)


def _address(name: str, address: str) -> str:
    name, address = one_line(name), one_line(address)
    return f"{name} <{address}>" if name and "@" in address and address != name else name or address


def _as_internet_mail(mail: Mail) -> bytes:
    """The same as a file that any mail program reads. Rich text alone becomes plain; a file, where it has no words.

    Headers are UTF-8 (RFC 6532): the standard library, which would encode them, fails at some of people's names.
    """
    headers = {**mail.headers, "Subject": mail.subject, "In-Reply-To": "<unknown>" if mail.answers else ""}
    head = "".join(f"{name}: {value}\n" for name, value in headers.items() if value)
    message = EmailMessage()
    (body,) = mail.bodies
    rich = mail.rich_text if not (body.text.strip() or body.html.strip()) else b""
    words = _words(rich) if rich else ""
    message.set_content(words or body.text)
    if body.html:
        message.add_alternative(body.html, subtype="html")
    for picture, content in mail.pictures:
        message.add_attachment(content, maintype="image", subtype="x-any", filename=picture, disposition="inline")
    files = [*mail.files, Child("body.rtf", rich)] if rich and not words else mail.files
    for file in files:
        message.add_attachment(file.content, maintype="application", subtype="octet-stream", filename=file.name)
    return head.encode() + message.as_bytes()


def _words(rich_text: bytes) -> str:
    try:
        units = rtf_format.read(Blob("body.rtf", rich_text), ParseLimits(), ParserModels()).units
    except NeverWill:
        return ""
    return "\n\n".join(unit.text for unit in units)

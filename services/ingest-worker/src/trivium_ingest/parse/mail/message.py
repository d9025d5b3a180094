"""An Internet mail (RFC 5322, MIME) taken apart. Mails inside it stay as they are: each is a file of its own."""

from __future__ import annotations

import re
from binascii import a2b_base64
from collections import defaultdict
from collections.abc import Iterator
from email import utils
from email.message import Message
from email.parser import BytesHeaderParser, BytesParser
from email.policy import Compat32
from email.quoprimime import header_decode
from functools import lru_cache
from itertools import count, groupby
from operator import itemgetter
from typing import Any

from trivium.domain.parsed import Child
from trivium.text.charsets import charset_of
from trivium_ingest.parse.failures import too_large
from trivium_ingest.parse.mail.body import unwrapped
from trivium_ingest.parse.mail.mail import Body, Mail
from trivium_ingest.parse.text.clean import one_line
from trivium_ingest.parse.text.encoding import decode, decode_declared

SHOWN = ("From", "To", "Cc", "Date")
PKCS7 = ("application/pkcs7-mime", "application/x-pkcs7-mime")
_SEALED = "multipart/encrypted"  # by PGP (RFC 3156)
_ALTERNATIVE = "multipart/alternative"
_TEXTS = ("text/plain", "text/rfc822-headers")
_OTHER_FORMS = ("text/x-amp-html", "text/watch-html")  # for some programs, of what is there as HTML too
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")
MAX_DEPTH = 10  # of parts in parts; those of programs have four or five
MAX_PARTS = 10_000
_MAX_NAME_CHARS = 120
_SHORT_CHARS = 200
_LENGTH = re.compile(rb"(\d{1,10})[ \t]*\r?\n")
_SLASHES = re.compile(r"[/\\]+")
_PIECE = re.compile(r"(?:\d{1,9}\*?)?", re.ASCII)  # of a parameter, behind its name and "*" (RFC 2231, 3)
_FOLD = re.compile(r"\r?\n(?=[ \t])")
_ENCODED = r"=\?([^?]*)\?([bqBQ])\?(.*?)\?="  # however long: many programs write a whole subject as one word
_WORD = re.compile(_ENCODED)
_ENCODED_WORDS = re.compile(rf"{_ENCODED}(?:\s*{_ENCODED})*")


class _Headers(Compat32):
    """Values on one line (RFC 5322, 2.2.3), raw UTF-8 (RFC 6532) and other bytes as text."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        """As the parser asks."""
        name, value = super().header_source_parse(sourcelines)
        return name, _FOLD.sub("", value)

    def header_fetch_parse(self, name: str, value: str) -> str:
        """As who reads the header asks: to find out what bytes mean costs too much for all that nobody reads."""
        if value.isascii():
            return value
        return _short_of_bytes(value) if len(value) <= _SHORT_CHARS else _of_bytes(value)


def _of_bytes(value: str) -> str:
    return decode(value.encode("ascii", "surrogateescape"))[0]


_short_of_bytes = lru_cache(maxsize=4096)(_of_bytes)  # the headers of parts are asked for again and again
_HEADERS = _Headers()


class _Part(Message):
    """A part that is a mail itself, or lies too deep, is left in one piece: nothing inside it is parsed."""

    def __init__(self, policy: Compat32 = _HEADERS) -> None:
        super().__init__(policy)
        self._depth, self._numbers = 0, count(1)

    def attach(self, payload: Any) -> None:
        """As the parser does with each part. Raises `NeverWill` (`limit_exceeded`)."""
        payload._depth, payload._numbers = self._depth + 1, self._numbers
        if next(self._numbers) > MAX_PARTS:
            raise too_large("max_members", f"more than {MAX_PARTS:,} parts")
        super().attach(payload)

    def get_content_maintype(self) -> str:
        """As the parser asks, which would parse what is a `message`."""
        maintype = super().get_content_maintype()
        return "application" if maintype == "message" else maintype

    def get_content_type(self) -> str:
        """The same for a delivery report, which is text, and for parts in parts without end."""
        content_type = super().get_content_type()
        if self._depth > MAX_DEPTH and content_type.startswith("multipart/"):
            return "application/octet-stream"
        return "text/rfc822-headers" if content_type == "message/delivery-status" else content_type

    def get_param(self, param: str, failobj: Any = None, header: str = "content-type", unquote: bool = True) -> Any:
        """As who decodes it asks: the value, or charset, language and value (RFC 2231); in pieces only where not whole.

        The library's own takes quadratic time, any codec of Python's for a character set, and fails at some numbers.
        """
        forms = defaultdict(list)
        for parameter in _parameters(self.get(header, "")):
            name, _, value = parameter.partition("=")
            base, star, number = name.strip().lower().partition("*")
            if base == param and _PIECE.fullmatch(number):
                forms[star, number != ""].append((f"{base}{star}{number}", value.strip()))
        if not forms:
            return failobj
        said = utils.decode_params([("", ""), *forms[min(forms)]])[1][1]
        if isinstance(said, tuple):
            return charset_of(said[0] or ""), said[1], utils.unquote(said[2])
        return utils.unquote(said)


def _parameters(header: str) -> Iterator[str]:
    """Divided as the library does: by the semicolons before which quotes are even in number."""
    held: list[str] = []
    quoted = False
    for piece in header.split(";"):
        held.append(piece)
        quoted ^= (piece.count('"') - piece.count('\\"')) % 2 == 1
        if not quoted:
            yield ";".join(held)
            held = []
    yield ";".join(held)


def content_of(file: bytes) -> bytes:
    """The mail in a file: one of Apple Mail has its length above it, and below it what the program notes of it."""
    content = file.lstrip(b"\xef\xbb\xbf\r\n")
    length = _LENGTH.match(content)
    return content[length.end() : length.end() + int(length[1])] if length else content


def read_message(content: bytes) -> Mail:
    """Take a mail apart. What is no mail gives one without headers, whose text is all there is.

    Raises `NeverWill` (`limit_exceeded`) for one of more than `MAX_PARTS` parts.
    """
    message = BytesParser(_Part, policy=_HEADERS).parsebytes(content)
    taken = _Taken()
    for part, choice in _leaves(message):
        taken.take(part, choice)
    return Mail(
        header(message, "Subject"),
        {name: header(message, name) for name in SHOWN},
        tuple(Body("\n\n".join(body.texts), "\n".join(body.pages)) for body in taken.bodies),
        tuple(taken.pictures),
        tuple(taken.files),
        answers="In-Reply-To" in message or "References" in message,
        sealed=taken.sealed,
    )


class _Words:
    """Parts of one `choice` between plain text and HTML; of none: parts of one kind that follow each other."""

    def __init__(self, choice: Message | None) -> None:
        self.choice = choice
        self.texts: list[str] = []
        self.pages: list[str] = []


class _Taken:
    """What was found so far."""

    def __init__(self) -> None:
        self.bodies: list[_Words] = []
        self.pictures: list[tuple[str, bytes]] = []
        self.files: list[Child] = []
        self.sealed = False

    def take(self, part: Message, choice: Message | None) -> None:
        """Put a leaf where it belongs; `choice` is the alternative in which it stands."""
        kind, name = part.get_content_type(), file_name(part)
        attached = part.get_content_disposition() == "attachment"
        if kind == _SEALED:
            self.sealed = True
        elif kind in _SIGNATURES or name.lower().endswith(".p7s") or (choice and kind in _OTHER_FORMS):
            return
        elif kind == "message/rfc822":
            content = _bytes(part)
            self.files.append(Child(name or f"{_subject(content) or 'mail'}.eml", content, kind))
        elif kind in (*_TEXTS, "text/html") and not attached and not name:
            self._say(_text(part), choice, as_html=kind == "text/html")
        elif kind.startswith("image/") and not attached and ("Content-ID" in part or not name):
            self.pictures.append((name or "picture", _bytes(part)))
        else:
            self.files.append(Child(name or f"attachment {len(self.files) + 1}", _bytes(part), kind))

    def _say(self, words: str, choice: Message | None, *, as_html: bool) -> None:
        last = self.bodies[-1] if self.bodies else None
        if last is None or last.choice is not choice or (choice is None and bool(last.pages) != as_html):
            last = _Words(choice)
            self.bodies.append(last)
        (last.pages if as_html else last.texts).append(words)


def headers_of(content: bytes) -> Message:
    """Of a mail, without its body."""
    return BytesHeaderParser(policy=_HEADERS).parsebytes(content)


def header(message: Message, name: str) -> str:
    """A header's decoded value, "" when it is missing; what is wrongly encoded stays as it is."""
    return one_line(_decoded(str(message.get(name, ""))))


def file_name(part: Message) -> str:
    """What the sender called a part; a name, never a path."""
    return _SLASHES.sub("_", one_line(_decoded(part.get_filename("") or "")))[-_MAX_NAME_CHARS:]


def _subject(content: bytes) -> str:
    """Of a mail, for a name."""
    subject = header(headers_of(content), "Subject")
    return _SLASHES.sub("_", subject)[:_MAX_NAME_CHARS]


def _leaves(message: Message) -> Iterator[tuple[Message, Message | None]]:
    """Parts that are not made of parts, in order, each with the outermost alternative around it."""
    waiting: list[tuple[Message, Message | None]] = [(message, None)]
    while waiting:
        part, choice = waiting.pop()
        payload: Any = part.get_payload() if part.is_multipart() else None  # one of bytes it decodes, by any codec
        if payload is None or part.get_content_type() == _SEALED:
            yield part, choice
        else:
            if choice is None and part.get_content_type() == _ALTERNATIVE:
                choice = part
            waiting += [(inner, choice) for inner in reversed(payload) if isinstance(inner, Message)]


def _bytes(part: Message) -> bytes:
    """A part's content, transfer encoding undone."""
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _text(part: Message) -> str:
    content, declared = _bytes(part), part.get_content_charset("")
    text, _ = decode_declared(content, declared or "utf-8") or decode(content, declared)
    if str(part.get_param("format", "")).lower() == "flowed":
        return unwrapped(text, delete_space=str(part.get_param("delsp", "")).lower() == "yes")
    return text


def _decoded(value: str) -> str:
    """On one line, with the words of RFC 2047 decoded; those in a row are one text, whose characters they may cut."""
    value = " ".join(value.splitlines())
    end = value.rfind("?=") + 2  # a word that begins before has an end: none is looked for in vain, which takes long
    return _ENCODED_WORDS.sub(_words, value[:end]) + value[end:]


def _words(found: re.Match[str]) -> str:
    try:
        words = [(charset.lower(), _bytes_of(text, code)) for charset, code, text in _WORD.findall(found.group())]
    except ValueError:
        return found.group()
    said = []
    for charset, run in groupby(words, itemgetter(0)):
        piece = b"".join(part for _, part in run)
        said.append((decode_declared(piece, charset) or decode(piece, charset))[0])
    return "".join(said)


def _bytes_of(word: str, code: str) -> bytes:
    """Of an encoded word, whose padding may be missing. Raises `ValueError`."""
    if code in "qQ":
        return header_decode(word).encode("raw-unicode-escape")
    return a2b_base64(word.encode("ascii", "ignore") + b"==")

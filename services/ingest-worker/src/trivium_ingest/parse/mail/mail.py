"""A mail as its reader sees it, whatever it was stored as: headers, the writer's own words, pictures and files."""

from __future__ import annotations

import re
from copy import deepcopy

import msgspec
from lxml import etree

from trivium.domain.parsed import Child, ParsedDocument, Position, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.archives.members import unreadable, with_children
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.failures import sealed_for_recipients, too_large
from trivium_ingest.parse.images.ocr import Reader
from trivium_ingest.parse.mail.body import left_out, own_words
from trivium_ingest.parse.rtf import rtf_format
from trivium_ingest.parse.text.clean import one_line
from trivium_ingest.parse.web.html_text import Walker, parse_html
from trivium_ingest.parse.web.visibility import hidden_selectors

_FORWARDED = re.compile(r"\s*(?:fwd?|wg|tr|rv|i|doorst|vs|enc)\s*:", re.IGNORECASE)
_ANSWERED = re.compile(r"\s*(?:re|aw|sv|antw|odp|rif|res|ref|vs)\s*:", re.IGNORECASE)
_STUB = 5  # a text this much shorter than the HTML beside it only says "your program shows no HTML"
# How mail programs mark what they quote, and their users' signatures.
_QUOTES = (
    ".//blockquote[@type='cite']",
    ".//*[@class='gmail_attr']",
    ".//*[@class='yahoo_quoted']",
    ".//*[@class='moz-cite-prefix']",
)
_GMAIL_QUOTES = (".//*[@class='gmail_quote']", ".//*[@class='gmail_quote gmail_quote_container']")
_OUTLOOK_QUOTE = ".//*[@id='divRplyFwdMsg']"  # what follows it is the quotation
_SIGNATURES = (".//*[@class='gmail_signature']", ".//*[@class='moz-signature']", ".//*[@id='Signature']")


class Body(msgspec.Struct, frozen=True):
    """The same words as plain text and as HTML, as far as they are there."""

    text: str = ""
    html: str = ""


class Mail(msgspec.Struct, frozen=True):
    """Decoded. `headers` are shown in this order; `answers` tells that it names the mail that it answers.

    `bodies` are read in order; `rich_text` (RTF) has the same words as all of them. `pictures` stand in the text.
    `sealed`: it, or a part of it, is encrypted for its recipients.
    """

    subject: str
    headers: dict[str, str]
    bodies: tuple[Body, ...]
    pictures: tuple[tuple[str, bytes], ...] = ()
    files: tuple[Child, ...] = ()
    answers: bool = False
    rich_text: bytes = b""
    sealed: bool = False

    @property
    def is_answer(self) -> bool:
        """Whether what it quotes was a mail of its own."""
        return not _FORWARDED.match(self.subject) and (self.answers or bool(_ANSWERED.match(self.subject)))


def write_mail(mail: Mail, media_type: str, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
    """Headers, body, pictures, the names of the files; the files that a parser reads are the document's children.

    Without a body and pictures there are no units: the mail is empty, whatever came with it.
    Raises `NeverWill` (`encryption_unsupported`) where all of it is encrypted for its recipients.
    """
    out = Collector(limits)
    if mail.sealed:
        _tell_sealed(mail, out)
    for body in mail.bodies:
        _write_body(body, out, answers=mail.is_answer)
        out.leave_sections()
    if not out.units and mail.rich_text:
        out.units += rtf_format.read(Blob("body.rtf", mail.rich_text), limits, models).units
    reader = Reader(models.ocr, limits, out)
    for name, content in mail.pictures:
        reader.embedded(content, one_line(name), Position())
    children = _children(mail.files, limits, out)
    if not out.units:
        out.warn("The mail has no text of its own.")
    else:
        if mail.files:
            out.add(UnitKind.LIST, "Attachments: " + ", ".join(one_line(file.name) for file in mail.files))
        lines = [
            f"{name}: {one_line(value)}" for name, value in {**mail.headers, "Subject": mail.subject}.items() if value
        ]
        words, out.units = out.units, []
        out.add(UnitKind.TEXT, "\n".join(lines))
        out.units += words
    document = out.document(media_type, title=mail.subject, metadata={k.lower(): v for k, v in mail.headers.items()})
    return with_children(document, children)


def _tell_sealed(mail: Mail, out: Collector) -> None:
    failure = sealed_for_recipients("mail")
    has_words = any(body.text.strip() or body.html.strip() for body in mail.bodies)
    if not (has_words or mail.rich_text or mail.pictures or mail.files):
        raise failure
    out.warn(f"A part was not read: {failure.message} {failure.action}")


def _children(files: tuple[Child, ...], limits: ParseLimits, out: Collector) -> list[Child]:
    if len(files) > limits.max_members:
        raise too_large("max_members", f"{len(files):,} attachments")
    children = []
    for file in files:
        reason = unreadable(Blob(file.name, file.content, file.media_type)) if file.content else "it is empty"
        if reason:
            out.warn(f"{one_line(file.name)[:200]} was not read: {reason}.")
        else:
            children.append(file)
    return children


def _write_body(body: Body, out: Collector, *, answers: bool) -> None:
    """The plain text, else the HTML."""
    root = parse_html(body.html, out) if body.html.strip() else None
    if root is None or len(body.text.split()) * _STUB > len(_said(root).split()):
        own, told = own_words(body.text, answers=answers)
        for paragraph in re.split(r"\n\s*\n", own):
            out.add(UnitKind.TEXT, paragraph)
    else:
        page = _own_html(root, answers=answers)
        _walk(page, out)
        told = left_out(_said(_own_html(root, answers=False)), _said(page)) if answers and out.units else ""
        if not out.units:
            _walk(root, out)
    if told:
        out.warn(told)


def _walk(page: etree._Element, out: Collector) -> None:
    Walker(out, hidden_selectors(page), keep_chrome=True).walk(page)


def _own_html(root: etree._Element, *, answers: bool) -> etree._Element:
    """As `own_words`, by the marks of mail programs."""
    own = deepcopy(root)
    marked = [
        node for path in (*_QUOTES, *_SIGNATURES) if answers or path in _SIGNATURES for node in own.iterfind(path)
    ]
    for node in own.iterfind(_OUTLOOK_QUOTE) if answers else ():
        marked += [node, *node.itersiblings()]
    for block in [node for path in _GMAIL_QUOTES for node in own.iterfind(path)] if answers else ():
        marked += _quotations(block)
    for node in marked:
        _clear(node)
    return own


def _quotations(block: etree._Element) -> list[etree._Element]:
    """What Gmail quotes in its block. What says whose it is goes at once; answers stand behind and between them."""
    found = list(block.iter("blockquote"))
    if not found or found[0] is block:
        return [block]
    block.text = None
    for node in found[0].itersiblings(preceding=True):
        node.clear()
    return found


def _said(root: etree._Element) -> str:
    """All that there is to read: style sheets and programs are not."""
    pieces = root.xpath(".//text()[not(parent::style or parent::script)]")
    return " ".join(map(str, pieces)) if isinstance(pieces, list) else ""


def _clear(node: etree._Element) -> None:
    """Empty an element; what follows it stays."""
    tail = node.tail
    node.clear()
    node.tail = tail

"""A mail as its reader sees it, whatever it was stored as: headers, the writer's own words, pictures and files."""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Iterator
from copy import deepcopy

import msgspec
from lxml import etree

from trivium.domain.parsed import Child, ParsedDocument, Position, Unit, UnitKind
from trivium.domain.quoted_mails import QUOTED
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.archives.members import unreadable, with_children
from trivium_ingest.parse.collector import MAX_HEADING_CHARS, Collector
from trivium_ingest.parse.failures import sealed_for_recipients, too_large
from trivium_ingest.parse.images.ocr import Reader
from trivium_ingest.parse.mail.body import Block, paragraphs, without_signature
from trivium_ingest.parse.mail.quotes import Quoted, Said, by_mail
from trivium_ingest.parse.rtf import rtf_format
from trivium_ingest.parse.text.clean import one_line
from trivium_ingest.parse.web.html_text import Walker, parse_html
from trivium_ingest.parse.web.visibility import hidden_selectors

_FORWARDED = re.compile(r"\s*(?:fwd?|wg|tr|rv|i|doorst|vs|enc)\s*:", re.IGNORECASE)
_ANSWERED = re.compile(r"\s*(?:re|aw|sv|antw|odp|rif|res|ref|vs)\s*:", re.IGNORECASE)
_PREFIXES = re.compile(rf"\A(?:{_ANSWERED.pattern}|{_FORWARDED.pattern})+", re.IGNORECASE)
_STUB = 5  # a text this much shorter than the HTML beside it only says "your program shows no HTML"
# How mail programs mark what they quote, what says whose it is, and their users' signatures.
_QUOTES = (".//blockquote[@type='cite']", ".//*[@class='yahoo_quoted']")
_GMAIL_QUOTES = (".//*[@class='gmail_quote']", ".//*[@class='gmail_quote gmail_quote_container']")
_INTRODUCTIONS = (".//*[@class='gmail_attr']", ".//*[@class='moz-cite-prefix']")
_OUTLOOK_HEADERS = ".//*[@id='divRplyFwdMsg']"  # what follows it is the quotation
_SIGNATURES = (".//*[@class='gmail_signature']", ".//*[@class='moz-signature']", ".//*[@id='Signature']")
_BEGINNING_WORDS = 8  # of what was left out, by which a reader finds it
_BEGINNING_CHARS = 100


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


def bare_subject(subject: str) -> str:
    """Without what programs put before it when they answer or forward."""
    return _PREFIXES.sub("", subject, count=1).strip()


def write_mail(
    mail: Mail, media_type: str, limits: ParseLimits, models: ParserModels, levels: int | None = None
) -> ParsedDocument:
    """Headers, body, pictures, the names of the files; the files that a parser reads are the document's children.

    Each mail that it quotes is a section, headed by who wrote it and when. Of an answer whose `levels` are given, so
    many mails are kept: those that it answers, one before the other. What is left out is told.
    Without a body and pictures there are no units: the mail is empty, whatever came with it.
    Raises `NeverWill` (`encryption_unsupported`) where all of it is encrypted for its recipients.
    """
    out = Collector(limits)
    if mail.sealed:
        _tell_sealed(mail, out)
    for body in mail.bodies:
        _write_said(_said_in(body, out), out, levels, answers=mail.is_answer)
    if not out.units and mail.rich_text:
        units = rtf_format.read(Blob("body.rtf", mail.rich_text), limits, models).units
        blocks = [block for unit in units for block in _blocks_of(unit, 0, None)]
        _write_said(by_mail(blocks), out, levels, answers=mail.is_answer)
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


def _said_in(body: Body, out: Collector) -> list[Said]:
    """Who says what in the plain text, else in the HTML."""
    root = parse_html(body.html, out) if body.html.strip() else None
    if root is None or len(body.text.split()) * _STUB > len(_said(root).split()):
        return by_mail(paragraphs(body.text))
    return by_mail(_page_blocks(root, out))


def _write_said(said: list[Said], out: Collector, levels: int | None, *, answers: bool) -> None:
    """Without signatures, but that of a mail that is forwarded, and those of all where there is nothing else."""
    most = levels if answers and levels is not None else math.inf
    kept = [one for one in said if one.of is None or one.of.level <= most] or said
    left = [one for one in said if one.of is not None and one.of.level > most] if kept is not said else []
    signed = [Said(one.of, without_signature(one.blocks) if answers or one.of is None else one.blocks) for one in kept]
    if not any(one.blocks for one in signed):
        signed = kept
    for one, is_first in _with_first(signed):
        _write(one, out, is_first=is_first, answers=answers)
    out.leave_sections()
    if left:
        out.warn(_left_out(left))


def _with_first(said: list[Said]) -> Iterator[tuple[Said, bool]]:
    """Each, and whether it is the first of its mail."""
    seen: set[Quoted | None] = set()
    for one in said:
        yield one, one.of not in seen
        seen.add(one.of)


def _write(said: Said, out: Collector, *, is_first: bool, answers: bool) -> None:
    """Under who wrote it and when, where it is quoted."""
    out.leave_sections()
    title = said.of.title if said.of is not None else ""
    around = () if said.of is None else tuple(filter(None, (QUOTED if answers else "", title)))
    titles = tuple(section[:MAX_HEADING_CHARS] for section in around)
    for level, section in enumerate(around, 1):
        out.begin_section(section, level)
    if said.of is not None and title and is_first:
        out.heading(title, len(around))
        out.add(UnitKind.TEXT, said.of.headers)
    as_written = said.of is not None and not around  # it quotes what is no mail
    for block in said.blocks:
        text = block.written if as_written else "\n".join(block.lines)
        if block.unit is None:
            out.add(UnitKind.TEXT, text)
        else:
            place = block.unit.position
            position = msgspec.structs.replace(place, section=(*titles, *place.section))
            out.units.append(msgspec.structs.replace(block.unit, text=text, position=position))


def _left_out(said: list[Said]) -> str:
    """A remark on the words of other mails that an answer quotes."""
    lines = [line for one, is_first in _with_first(said) for line in _lines(one, is_first=is_first)]
    words = " ".join(lines).split()
    beginning = " ".join(words[:_BEGINNING_WORDS])[:_BEGINNING_CHARS]
    return f"What it quotes of other mails was left out ({len(words):,} words, “{beginning}”)."


def _lines(said: Said, *, is_first: bool) -> list[str]:
    head = said.of.written if said.of is not None and is_first else []
    return [*head, *(line for block in said.blocks for line in block.lines)]


class _Mark(enum.Enum):
    """What a program says of an element of its page."""

    QUOTE = enum.auto()
    INTRODUCTION = enum.auto()
    HEADERS = enum.auto()


class _Page(Walker):
    """Notes of each unit how often it is quoted, and what the page says of it."""

    def __init__(self, out: Collector, page: etree._Element) -> None:
        super().__init__(out, hidden_selectors(page), keep_chrome=True)
        self._units = out
        self._marks = _marks(page)
        self._depth = 0
        self._says: _Mark | None = None
        self.notes: list[tuple[int, _Mark | None]] = []

    def note(self) -> None:
        """Of the units that came since."""
        self.notes += [(self._depth, self._says)] * (len(self._units.units) - len(self.notes))

    def _block(self, node: etree._Element, depth: int) -> None:
        mark = self._marks.get(node)
        if mark is None:
            super()._block(node, depth)
            return
        self.note()
        before = self._depth, self._says
        self._depth, self._says = self._depth + (mark is _Mark.QUOTE), None if mark is _Mark.QUOTE else mark
        with self._units.elsewhere():
            super()._block(node, depth)
        self.note()
        self._depth, self._says = before


def _page_blocks(root: etree._Element, out: Collector) -> list[Block]:
    """What stands on the page, without signatures unless there is nothing else."""
    own = deepcopy(root)
    for node in [node for path in _SIGNATURES for node in own.iterfind(path)]:
        _clear(node)
    return _walked(own, out) or _walked(root, out)


def _walked(page: etree._Element, out: Collector) -> list[Block]:
    before, out.units = out.units, []
    walker = _Page(out, page)
    walker.walk(page)
    walker.note()
    units, out.units = out.units, before
    blocks: list[Block] = []
    for unit, (depth, mark) in zip(units, walker.notes, strict=True):
        blocks += _blocks_of(unit, depth, mark)
    return blocks


def _blocks_of(unit: Unit, depth: int, mark: _Mark | None) -> Iterator[Block]:
    """One, or as many as a text has whose lines are quoted as in plain text."""
    lines = unit.text.split("\n")
    if unit.kind is UnitKind.TEXT and any(line.startswith(">") for line in lines):
        yield from (msgspec.structs.replace(block, unit=unit) for block in paragraphs(unit.text, depth))
    else:
        introduces, heads = mark is _Mark.INTRODUCTION, mark is _Mark.HEADERS
        yield Block(depth, tuple(lines), unit.text, unit, introduces, heads)


def _marks(page: etree._Element) -> dict[etree._Element, _Mark]:
    marks = {node: _Mark.INTRODUCTION for path in _INTRODUCTIONS for node in page.iterfind(path)}
    marks |= {node: _Mark.HEADERS for node in page.iterfind(_OUTLOOK_HEADERS)}
    marks |= {node: _Mark.QUOTE for path in _QUOTES for node in page.iterfind(path)}
    for block in [node for path in _GMAIL_QUOTES for node in page.iterfind(path)]:
        marks |= {node: _Mark.QUOTE for node in list(block.iter("blockquote")) or [block]}
    return marks


def _said(root: etree._Element) -> str:
    """All that there is to read: style sheets and programs are not."""
    pieces = root.xpath(".//text()[not(parent::style or parent::script)]")
    return " ".join(map(str, pieces)) if isinstance(pieces, list) else ""


def _clear(node: etree._Element) -> None:
    """Empty an element; what follows it stays."""
    tail = node.tail
    node.clear()
    node.tail = tail

"""Who wrote what in a mail: its own words and those of the mails that it quotes or forwards, in order.

Programs mark them by `>` or by elements of HTML, below a line that says whose they are ("On Mon, 3 Mar 2025, Ada
wrote:"), or append the mail whole, below its headers ("From: … Sent: … Subject: …").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

import msgspec

from trivium_ingest.parse.mail.body import Block, cut, joined
from trivium_ingest.parse.text.clean import one_line

_WROTE = (
    r"\b(?:wrote|writes|schrie?b|schrieben|schreibt|écrit|escribi[óo]|escreveu|scritto|schreef|skrev|napisał\w*|pisze"
    r"|napsal\w*|kirjoitti|написал\w*|пишет|писал\w*)\b"
)
# "On Mon, 3 Mar 2025, Ada wrote:", in any language: it ends in a colon and has a date or an address.
_INTRODUCTION = re.compile(rf"(?=.*(?:\d{{1,4}}[.:/-]\d|\d{{4}}|@|{_WROTE})).{{1,300}}:\s*")
_INTRODUCTION_LINES = 3  # programs wrap it
# The same where it follows upon other lines, which are no part of it.
_OPENING = re.compile(rf"(?=.*{_WROTE})(?:On|Am|Le|El|Il|Op|Em|Den|Dne|W dniu|\d)\b")
_EXACT = re.compile(r"(?=.*(?:\b\d{4}\b|\d[./-]\d))(?=.*(?:\d[:.]\d\d|\S@\S))")  # programs give a date with its year
# "-----Original Message-----" of Outlook, in the languages of the headers that it writes without that line.
_DASHED = re.compile(r"\s*-{3,}([^-\n][^\n]{1,58}[^-\n])-{3,}\s*")
_RULE = re.compile(r"\s*_{10,}\s*")  # what newer ones draw there
_ORIGINAL = re.compile(
    r"(?=.*(?:origin|ursprüng|ursprung|oorspronk|oprindel|opprinn|orygin|původní|исходн|оригинал|forwarded|weitergeleit"
    r"|transf[eé]r|reenviad|encaminhad|inoltrat|doorgestuurd|vidarebefordra|videresend|przekazan|przesłan|přeposlan"
    r"|пересл|пересыл|перенаправ))"
    r".*(?:messag|mensa[jg]e|nachricht|bericht|meddelande|meddelelse|melding|besked|wiadomo|zpráv|сообщени"
    r"|письмо|mail|courriel|appointment|termin\b|forwarded by|weitergeleitet von)",
    re.IGNORECASE,
)
_HEADER_BLOCK = re.compile(r"\*?(?:From|Von|De|Da|Van|Från|Fra|Od|От)\s?:\*?\s.*")
_HEADER = re.compile(r"\*?[^\W\d_][\w \-]{0,20}\s?:\*?\s.*")
_SENT = r"Sent|Gesendet|Envoyé|Enviad[oa]|Inviato|Verzonden|Skickat|Sendt|Wysłan[oe]|Odesláno|Отправлено"
_DATED = re.compile(rf"\*?(?:Date|Datum|Fecha|Data|Dato|Дата|{_SENT})[\w ]{{0,10}}:")
# Of those headers one is like this; "From: Berlin", "To: Paris", "Date: 3 May 2025 10:00" is a journey.
_OF_A_MAIL = re.compile(
    r"\S@\S"
    r"|^\*?(?:Subject|Betreff|Objet|Asunto|Assunto|Oggetto|Onderwerp|Ämne|Emne|Temat|Předmět|Тема)\s?:"
    rf"|^\*?(?:{_SENT})[\w ]{{0,10}}:.*?\d:\d\d"
)
_HEADERS = 8  # lines that belong to the headers of a mail at most


class Quoted(msgspec.Struct, eq=False):
    """A mail that is quoted: `level` 1 is the one that is answered, 2 the one that that answers.

    `title` tells by whom and when it was written, in the words of the mail, "" where nothing does; `headers` are what
    more is said of it, and `written` are the lines of all that. `speaks`: some of its own words are known.
    """

    level: int
    depth: int
    title: str = ""
    headers: str = ""
    written: list[str] = []
    speaks: bool = False


class Said(msgspec.Struct):
    """A stretch of one mail: of one that is quoted, or (None) of the mail itself."""

    of: Quoted | None
    blocks: list[Block]


def by_mail(blocks: Iterable[Block]) -> list[Said]:
    """The blocks of a mail in order, by the mail that they are words of; a quoted one may come again."""
    reader = _Reader()
    waiting = list(_with_whole_headers(blocks))
    for at, block in enumerate(waiting):
        reader.read(block, nests=at + 1 < len(waiting) and waiting[at + 1].depth > block.depth)
    return [said for said in reader.said if said.blocks or (said.of is not None and said.of.written)]


class _Reader:
    """`_open` are the quoted mails around what comes next, `_left` those that were left, by their depth."""

    def __init__(self) -> None:
        self.said = [Said(None, [])]
        self._open: list[Quoted] = []
        self._left: dict[int, Quoted] = {}

    def read(self, block: Block, *, nests: bool) -> None:
        """Put a block where it belongs; `nests`: the next one is quoted in it."""
        self._leave(block.depth)
        fresh = block.depth > (self._open[-1].depth if self._open else 0) and self._enter(block.depth)
        if count := _headers(block):
            self._begin_whole(block, count)
            block = cut(block, count)[1]
        elif not nests and _introduction(block) == len(block.lines) and (fresh or _begins_a_mail(block)):
            self._introduce(self._open[-1] if fresh else self._next(block.depth), block.lines)
            return
        if block.lines:
            now = self._open[-1] if self._open else None
            if now is not None:
                now.speaks = True
            self._words_of(now).append(block)

    def _leave(self, depth: int) -> None:
        while self._open and self._open[-1].depth > depth:
            quoted = self._open.pop()
            self._left.setdefault(quoted.depth, quoted)

    def _enter(self, depth: int) -> bool:
        """Open the mail that is quoted from here on; tells whether nothing is said of it yet."""
        last = self.said[-1].blocks[-1:]
        count = _introduction(last[0]) if last and last[0].depth < depth else 0
        if not count and depth in self._left:
            self._open.append(self._left.pop(depth))
            return False
        around = self._open[-1] if self._open else Quoted(0, 0)
        self._left = {deep: quoted for deep, quoted in self._left.items() if deep < depth}
        self._open.append(Quoted(around.level + depth - around.depth, depth))
        if count:
            above, introduction = cut(last[0], len(last[0].lines) - count)
            self.said[-1].blocks[-1:] = [above] if above.lines else []
            self._introduce(self._open[-1], introduction.lines)
        return not count

    def _next(self, depth: int) -> Quoted:
        """The mail that is answered by what is read now, where no marks tell them apart."""
        self._open.append(Quoted((self._open[-1].level if self._open else 0) + 1, depth))
        return self._open[-1]

    def _introduce(self, quoted: Quoted, lines: Sequence[str]) -> None:
        quoted.title, quoted.written = one_line(" ".join(lines)).removesuffix(":").rstrip(), list(lines)
        self._words_of(quoted)

    def _begin_whole(self, block: Block, count: int) -> None:
        """A mail that is appended whole; what was opened for it without a word is that mail."""
        last = self.said[-1].blocks
        if last and _is_line(last[-1], _RULE):
            last.pop()
        now = self._open[-1] if self._open else None
        if now is None or now.headers or now.speaks:
            now = self._next(block.depth)
        lines = [line for line in block.lines[:count] if not _DASHED.fullmatch(line)]
        first = [line for number, line in enumerate(lines) if not number or _DATED.match(line)]
        dashed = _DASHED.fullmatch(block.lines[0])
        now.title = one_line(", ".join(first)) or (dashed[1].strip() if dashed else "")
        introduced = now.written if now.written and not _DASHED.fullmatch(now.written[-1]) else []
        now.headers = "\n".join((*introduced, *(line for line in lines if line not in first)))
        now.written += block.lines[:count]
        self._words_of(now)

    def _words_of(self, quoted: Quoted | None) -> list[Block]:
        if self.said[-1].of is not quoted:
            self.said.append(Said(quoted, []))
        return self.said[-1].blocks


def _with_whole_headers(blocks: Iterable[Block]) -> Iterator[Block]:
    """The same blocks, where the headers of an appended mail begin one of their own and stand in it together."""
    held: list[Block] = []
    for block in (part for whole in blocks for part in _divided(whole)):
        goes_on = bool(held) and len(held) < _HEADERS and block.depth == held[0].depth and _is_line(block, _HEADER)
        if not goes_on:
            yield from _together(held)
            held = []
        if goes_on or _is_line(block, _HEADER_BLOCK):
            held.append(block)
        else:
            yield block
    yield from _together(held)


def _is_line(block: Block, pattern: re.Pattern[str]) -> bool:
    return block.is_prose and len(block.lines) == 1 and pattern.fullmatch(block.lines[0]) is not None


def _together(lines: Sequence[Block]) -> Sequence[Block]:
    """As one block where they are headers of a mail."""
    whole = [reduce(joined, lines)] if lines else []
    return whole if whole and _headers(whole[0]) else lines


def _divided(block: Block) -> list[Block]:
    """Before each line at which an appended mail begins."""
    lines, at = block.lines, _headers(block)
    places = []
    while block.is_prose and not block.heads and at < len(lines):
        count = _header_lines(lines[at : at + _HEADERS + 1])
        if count and at:
            places.append(at)
        at += count or 1
    return cut(block, *places) if places else [block]


def _introduction(block: Block) -> int:
    """How many of its last lines tell who wrote what is quoted below."""
    if block.introduces or not block.is_prose:
        return len(block.lines) if block.introduces else 0
    for count in range(1, min(_INTRODUCTION_LINES, len(block.lines)) + 1):
        line = " ".join(block.lines[-count:])
        if _INTRODUCTION.fullmatch(line) and (count == len(block.lines) or _OPENING.match(line)):
            return count
    return 0


def _begins_a_mail(block: Block) -> bool:
    """Whether what follows is another mail, though it is not quoted any deeper."""
    line = " ".join(block.lines)
    return bool(_OPENING.match(line) and (block.depth or _EXACT.match(line)))


def _headers(block: Block) -> int:
    """How many lines at its beginning are headers of a mail that is appended whole, with the line above them."""
    if block.heads:
        return len(block.lines)
    return _header_lines(block.lines[: _HEADERS + 1]) if block.is_prose else 0


def _header_lines(lines: Sequence[str]) -> int:
    dashed = _DASHED.fullmatch(lines[0])
    above = 1 if dashed and _ORIGINAL.match(dashed[1]) else 0
    if not _are_headers(lines[above : above + 4]):
        return above
    return above + max(count for count, line in enumerate(lines[above:], 1) if _HEADER.fullmatch(line))


def _are_headers(block: Sequence[str]) -> bool:
    """Whether a mail's headers begin here."""
    if not block or not _HEADER_BLOCK.fullmatch(block[0]):
        return False
    headers = [line for line in block if _HEADER.fullmatch(line)]
    return len(headers) >= 3 and any(map(_OF_A_MAIL.search, headers))

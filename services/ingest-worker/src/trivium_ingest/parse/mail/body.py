"""What the writer of a mail wrote: without the mail that is answered, and without the signature."""

from __future__ import annotations

import re

_QUOTED = re.compile(r"\s{0,3}>")
_SIGNATURE = re.compile(r"-- ?")
_SIGNATURE_LINE = "-- "  # RFC 3676, 4.3; two dashes without the blank part what is written
_SIGNATURE_LINES = 20
# "On Mon, 3 Mar 2025, Ada wrote:", in any language: it ends in a colon and has a date or an address.
_INTRODUCTION = re.compile(r"(?=.*(?:\d{1,4}[.:/-]\d|\d{4}|@)).{1,300}:\s*")
_INTRODUCTION_LINES = 3
_BEGINNING_WORDS = 8  # of what was left out, by which a reader finds it
_BEGINNING_CHARS = 100
# "-----Original Message-----" of Outlook, in the languages of the headers that it writes without that line.
_DASHED = re.compile(r"\s*-{3,}([^-\n][^\n]{1,58}[^-\n])-{3,}\s*")
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
# Of those headers one is like this; "From: Berlin", "To: Paris", "Date: 3 May 2025" is a journey.
_OF_A_MAIL = re.compile(
    r"\S@\S"
    r"|^\*?(?:Subject|Betreff|Objet|Asunto|Assunto|Oggetto|Onderwerp|Ämne|Emne|Temat|Předmět|Тема)\s?:"
    r"|^\*?(?:Date|Sent|Datum|Gesendet|Envoyé|Fecha|Enviad[oa]|Data|Inviato|Verzonden|Skickat|Dato|Sendt|Wysłan[oe]"
    r"|Odesláno|Дата|Отправлено)[\w ]{0,10}:.*?\d:\d\d"
)


def own_words(text: str, *, answers: bool) -> tuple[str, str]:
    """The text without quoted lines and signature, and what of it was `left_out`; all when nothing else is there.

    `answers`: it is the answer to another mail, which programs append whole. A forwarded mail, or what a mail that
    answers none quotes, is not removed: it is what the writer sends.
    """
    written = text.replace("\r\n", "\n").split("\n")
    told = ""
    lines = [line if line == _SIGNATURE_LINE else line.rstrip() for line in written]
    if answers:
        own = _without_quotes(lines[: _original(lines)])
        kept, told = _without_signature(own), left_out("\n".join(lines), "\n".join(own))
    else:
        forwarded = _original([_QUOTED.sub("", line).strip() for line in lines])
        kept = [*_without_signature(lines[:forwarded]), *lines[forwarded:]]
    if any(line.strip() for line in kept):
        return "\n".join(kept), told
    return "\n".join(_QUOTED.sub("", line) for line in lines), ""


def left_out(whole: str, own: str) -> str:
    """A remark on the words of other mails that an answer quotes, `own` being without them; "" where it has none."""
    words, kept = (said.replace(">", " ").split() for said in (whole, own))
    if len(words) == len(kept):
        return ""
    first = next((at for at, (one, other) in enumerate(zip(words, kept, strict=False)) if one != other), len(kept))
    count = len(words) - len(kept)
    beginning = " ".join(words[first : first + min(count, _BEGINNING_WORDS)])
    return f"What it quotes of other mails was left out ({count:,} words, “{beginning[:_BEGINNING_CHARS]}”)."


def unwrapped(text: str, *, delete_space: bool) -> str:
    """Text in `format=flowed` (RFC 3676): lines that end in a space go on in the next."""
    joined: list[list[str]] = []
    open_line = False
    for line in text.replace("\r\n", "\n").split("\n"):
        stuffed = line[1:] if line.startswith(" ") else line
        quoted = stuffed.startswith(">")
        if open_line and not quoted and not _SIGNATURE.fullmatch(stuffed):
            joined[-1].append(stuffed)
        else:
            joined.append([stuffed])
        open_line = stuffed.endswith(" ") and not quoted and not _SIGNATURE.fullmatch(stuffed)
        if open_line and delete_space:
            joined[-1][-1] = stuffed[:-1]
    return "\n".join(map("".join, joined))


def _original(lines: list[str]) -> int:
    """Where another mail begins that a program appended: the number of lines where there is none."""
    for number, line in enumerate(lines):
        dashed = _DASHED.fullmatch(line)
        if (dashed and _ORIGINAL.match(dashed[1])) or _are_headers(lines[number : number + 4]):
            return number
    return len(lines)


def _are_headers(block: list[str]) -> bool:
    """Whether a mail's headers begin here."""
    if not _HEADER_BLOCK.fullmatch(block[0]):
        return False
    headers = [line for line in block if _HEADER.fullmatch(line)]
    return len(headers) >= 3 and any(map(_OF_A_MAIL.search, headers))


def _without_quotes(lines: list[str]) -> list[str]:
    kept: list[str] = []
    quoting = False
    for line in lines:
        quoted = bool(_QUOTED.match(line))
        if quoted and not quoting:
            _drop_introduction(kept)
        if not quoted:
            kept.append(line)
        quoting = quoted or (quoting and not line)
    return kept


def _drop_introduction(kept: list[str]) -> None:
    """Take away the line above a quotation that says whose it is; programs wrap it."""
    while kept and not kept[-1]:
        kept.pop()
    for count in range(1, _INTRODUCTION_LINES + 1):
        if _INTRODUCTION.fullmatch(" ".join(kept[-count:])) and (len(kept) <= count or not kept[-count - 1]):
            del kept[-count:]
            return


def _without_signature(lines: list[str]) -> list[str]:
    for number in range(len(lines) - 1, max(-1, len(lines) - _SIGNATURE_LINES - 2), -1):
        if lines[number] == _SIGNATURE_LINE:
            return lines[:number]
    return lines

"""What the writer of a mail wrote: without the mail that is answered, and without the signature."""

from __future__ import annotations

import re

_QUOTED = re.compile(r"\s{0,3}>")
_SIGNATURE = re.compile(r"-- ?")
_SIGNATURE_LINES = 20
# "On Mon, 3 Mar 2025, Ada wrote:", in any language: it ends in a colon and has a date or an address.
_INTRODUCTION = re.compile(r"(?=.*(?:\d{1,4}[.:/-]\d|\d{4}|@)).{1,300}:\s*")
_INTRODUCTION_LINES = 3
# "-----Original Message-----" of Outlook, in any language, and the headers it writes without that line.
_ORIGINAL = re.compile(r"\s*-{3,}[^-\n]{3,60}-{3,}\s*")
_HEADER_BLOCK = re.compile(r"\*?(?:From|Von|De|Da|Van|Från|Fra|Od|От)\s?:\*?\s.*")
_HEADER = re.compile(r"\*?[^\W\d_][\w \-]{0,20}\s?:\*?\s.*")


def own_words(text: str, *, answers: bool) -> str:
    """The text without quoted lines and signature; all of it when nothing else is there.

    `answers`: it is the answer to another mail, which programs append whole. A forwarded mail is not removed: it is
    what the writer sends.
    """
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    kept = _without_signature(_without_quotes(_before_original(lines) if answers else lines))
    if any(line.strip() for line in kept):
        return "\n".join(kept)
    return "\n".join(_QUOTED.sub("", line) for line in lines)


def unwrapped(text: str, *, delete_space: bool) -> str:
    """Text in `format=flowed` (RFC 3676): lines that end in a space go on in the next."""
    joined: list[str] = []
    open_line = False
    for line in text.replace("\r\n", "\n").split("\n"):
        stuffed = line[1:] if line.startswith(" ") else line
        quoted = stuffed.startswith(">")
        if open_line and not quoted and not _SIGNATURE.fullmatch(stuffed):
            joined[-1] += stuffed
        else:
            joined.append(stuffed)
        open_line = stuffed.endswith(" ") and not quoted and not _SIGNATURE.fullmatch(stuffed)
        if open_line and delete_space:
            joined[-1] = joined[-1][:-1]
    return "\n".join(joined)


def _before_original(lines: list[str]) -> list[str]:
    for number, line in enumerate(lines):
        block = lines[number : number + 4]
        headers = _HEADER_BLOCK.fullmatch(line) and sum(bool(_HEADER.fullmatch(each)) for each in block) >= 3
        if headers or _ORIGINAL.fullmatch(line):
            return lines[:number]
    return lines


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
        if _SIGNATURE.fullmatch(lines[number]):
            return lines[:number]
    return lines

"""Statements of source code and of settings, as spans: a line each, and the sentences of comments and docstrings.

A comment over several lines is a paragraph, whatever mark stands before each of them. Rules only, for any language
whose comments begin with `#`, `//`, `;` or `--`, or stand between `/*` and `*/` or three quotes. A comment of
one sentence right above a setting or a constant is one statement with it: it says what its value is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from trivium.domain.chunks import Span
from trivium.text.sentences import MAX_SENTENCE_CHARS, split_sentences

_WRAP_MIN_CHARS: Final = 40  # a narrower line ends where its writer wanted
_SLACK: Final = 4  # characters by which a line may be broken too early

_LINE = re.compile(r"[^\n]+\n?|\n")
_LINE_MARK = re.compile(r"[ \t]*(#+:?(?=\s|$)|//[/!]*|;+|--+(?=\s|$))")
_STAR = re.compile(r"[ \t]*\*(?=\s|$)")
_OPENING = re.compile(r"(?:(?<=\s)|^)/\*+!?(?=\s|$)", re.MULTILINE)
_QUOTES = re.compile(r"\"\"\"|'''")
_QUOTED = re.compile(r"[ \t]*[rRbBuUfF]{0,2}(?:\"\"\"|''')")
# Behind code, no quotes within others: of '"""', or of SQL's '''' and 'the keeper'''.
_BEGUN = re.compile(rf"^{_QUOTED.pattern}|(?<![\w\"'\\])[rRbBuUfF]{{0,2}}(?:\"\"\"|''')(?![\"'])")
_STARS = re.compile(rf"^{_STAR.pattern}|{_OPENING.pattern}|\*+/", re.MULTILINE)
_MARKS = re.compile(rf"^{_LINE_MARK.pattern}|{_STARS.pattern}|{_QUOTES.pattern}", re.MULTILINE)
_SETTING = re.compile(r"[ \t]*[\w.\"'-]+(?:\[[^\]\n]*\])?[ \t]*=")
# With what may stand before and behind its name: "static final int IDLE = 90", "IDLE: Final = 90".
_CONSTANT = re.compile(r"(?:\w+[ \t]+){0,4}[\w.\"'-]+(?:\[[^\]\n]*\])?[ \t]*(?::[^=\n]{0,60})?=(?!=)")
_EXAMPLE = re.compile(r"[ \t]*(?:>>>|[\w.\[\], ]+ [-+]?= |[\w.]+\([^\n]*\)[ \t]*(?:#|$))")  # code in a comment
_ITEM = re.compile(r"[ \t]*(?:[-*+•‣◦▪\u2013\u2014]|\d{1,3}[.)]|[A-Za-z][)])\s")


class _Line(NamedTuple):
    """Where it stands, and of which comment it is with what marks it there; code is of none."""

    start: int
    end: int
    comment: str = ""
    marks: re.Pattern[str] = _MARKS


def split_source_code(text: str) -> tuple[Span, ...]:
    """Spans in order, not overlapping, without surrounding space; every visible character lies in exactly one.

    What holds neither letter nor digit goes with what stands before it, up to `MAX_SENTENCE_CHARS`. Takes linear time.
    """
    spans: list[Span] = []
    run, mark = 0, ""  # what stands above: its first span, and of which comment it is
    for comment, lines in groupby(_lines(text), key=lambda line: line.comment):
        above, run = run, len(spans)
        for span in _sentences(text, list(lines)) if comment else _statements(text, lines):
            joined = bool(spans) and span.end - spans[-1].start <= MAX_SENTENCE_CHARS
            if joined and not any(map(str.isalnum, span.of(text))):
                spans[-1] = Span(spans[-1].start, span.end)
                mark = mark if len(spans) > run else ""  # a bracket below the comment
            else:
                spans.append(span)
        if len(mark) == 1 and run - above == 1 and run < len(spans) and _is_of(text, spans[above], spans[run]):
            spans[above : run + 1] = [Span(spans[above].start, spans[run].end)]
        mark = comment
    return tuple(spans)


def without_marks(text: str) -> str:
    """The same text, as long as it was, with blanks for what marks its comments and docstrings."""
    return _MARKS.sub(_blanks, text)


def _is_of(text: str, comment: Span, setting: Span) -> bool:
    """Whether the comment stands right above a setting that begins its line."""
    if setting.end - comment.start > MAX_SENTENCE_CHARS or not _CONSTANT.match(text, setting.start):
        return False
    return re.fullmatch(r"[ \t\r]*\n", text[comment.end : setting.start]) is not None


def _lines(text: str) -> Iterator[_Line]:
    last_closing = text.rfind("*/")
    closing, comments = "", 0  # what ends the comment that the lines are in, and how many such there were
    for match in _LINE.finditer(text):
        line, start, end = match.group(), *match.span()
        if closing:
            yield _Line(start, end, f"{closing}{comments}", _STARS if closing == "*/" else _QUOTES)
            closing = "" if closing in line else closing
        elif mark := _LINE_MARK.match(line):
            yield _Line(start, end) if _SETTING.match(line, mark.end()) else _Line(start, end, mark[1][0], _LINE_MARK)
        else:
            begun, closing = _opened(line, closable=start <= last_closing)
            comments += bool(begun)
            marks = _STARS if begun == "*/" else _QUOTES
            yield _Line(start, end, f"{begun}{comments}", marks) if begun else _Line(start, end)


def _opened(line: str, *, closable: bool) -> tuple[str, str]:
    """What ends the comment that the line begins with or that goes on behind it, "" for none; again if it goes on."""
    if quotes := _BEGUN.search(line):
        mark = quotes.group()[-3:]
        closing = mark if line.count(mark) % 2 else ""
        return closing or (mark if _QUOTED.match(line) else ""), closing
    opening = max((match.start() for match in _OPENING.finditer(line)), default=-1)
    if opening < 0 or not closable:
        return "", ""
    closing = "*/" if line.find("*/", opening) < 0 else ""
    return closing or ("*/" if not line[:opening].strip() else ""), closing


def _statements(text: str, lines: Iterable[_Line]) -> Iterator[Span]:
    for line in lines:
        if line.end - line.start > MAX_SENTENCE_CHARS:
            said = split_sentences(text[line.start : line.end])
            yield from (Span(line.start + span.start, line.start + span.end) for span in said)
        else:
            yield from _trimmed(text, line.start, line.end)


def _sentences(text: str, lines: Sequence[_Line]) -> Iterator[Span]:
    """Of one comment. Each begins with the marks that stand before it, the last one ends with those behind it."""
    words = [line.marks.sub(_blanks, text[line.start : line.end]) for line in lines]
    width = max(len(line.rstrip()) for line in words)
    start = begin = lines[0].start
    paragraph = ""
    for line, after in pairwise([*words, ""]):
        if line.endswith("\n") and _goes_on(line.rstrip(), after, width):
            paragraph += f"{line[:-1]} "
            continue
        paragraph += line
        ends = [start + span.end for span in split_sentences(paragraph)]
        start += len(paragraph)
        for stop in (*ends[:-1], start) if ends else ():
            yield from _trimmed(text, begin, stop)
            begin = stop
        paragraph = ""
    yield from _trimmed(text, begin, start)


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    """None where there is nothing but space."""
    said = Span(start, end).trimmed(text)
    if said.of(text):
        yield said


def _goes_on(line: str, after: str, width: int) -> bool:
    """Whether the next line is of the same paragraph: in small letters, or too long for this line."""
    following = after.lstrip()[:1]
    if not following or len(line.strip()) < _WRAP_MIN_CHARS or line[-1] in ".!?|":
        return False
    if _ITEM.match(after) or _EXAMPLE.match(line) or _EXAMPLE.match(after):
        return False
    if following.islower():
        return True
    full = len(line) + 1 + len(after.split(maxsplit=1)[0]) > width - _SLACK
    return full and (line[-1] not in ":;" or following.isdigit())


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match.group())

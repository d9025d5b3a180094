"""SubRip and WebVTT as cues. WebVTT: https://www.w3.org/TR/webvtt1/; SubRip has no standard, so what players take."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import zip_longest

from trivium_ingest.parse.media.timeline import Cue

_CLOCK = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[,.](\d{1,3})"
TIMING = re.compile(rf"^[ \t]*{_CLOCK}[ \t]*-->[ \t]*{_CLOCK}", re.MULTILINE)
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?[ \t]+([^>]{1,200})>")
_DASHED = re.compile(r"^[-\u2013\u2014](?!\.?\d)[ \t]*", re.MULTILINE)  # who speaks changes; not a minus sign
_TAG = re.compile(
    r"</?(?:b|br|c|em|i|rt|ruby|s|strong|u)(?:\.[^\s<>]{0,200})?\s{0,9}/?>"  # WebVTT's, SubRip's, and HTML's for them
    r"|</?(?:font|lang|span|v)(?:[.\s][^<>]{0,200})?>"  # that say more behind a blank
    r"|<(?:\d{1,4}:)?\d{1,2}:\d{1,2}[,.]\d{1,3}>"  # when a word is said
    r"|\{\\[^{}]{0,200}\}",
    re.IGNORECASE,
)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_NUMBER_OF_NEXT = re.compile(r"(?:^|\n)\d{1,6}\s*\Z")
_LINE_END = re.compile(r"\r*\n|\r")  # "\r\r\n" is what Windows makes of "\r\n" that is written as text


def cues_of(text: str, *, vtt: bool) -> Iterator[Cue]:
    """The cues of a file in its order; what stands before the first is left out.

    In WebVTT a cue ends at a blank line, and what follows are notes; in SubRip, which has none, at the next cue.
    """
    lines = with_line_feeds(text)
    timings = list(TIMING.finditer(lines))
    numbered = bool(timings) and _NUMBER_OF_NEXT.search(lines, 0, timings[0].start())
    for timing, after in zip_longest(timings, timings[1:]):
        begins = lines.find("\n", timing.end())
        if begins < 0:
            return
        body = lines[begins + 1 : after.start() if after else len(lines)]
        if vtt and (blank := _BLANK_LINE.search("\n" + body)):
            body = body[: max(0, blank.start() - 1)]
        elif after and numbered:
            body = _NUMBER_OF_NEXT.sub("", body)
        start_s, end_s = _seconds(timing.groups()[:4]), _seconds(timing.groups()[4:])
        yield cue(max(0.0, start_s), max(start_s, end_s), body)


def with_line_feeds(text: str) -> str:
    """The text with line feeds where its lines end."""
    return _LINE_END.sub("\n", text)


def cue(start_s: float, end_s: float, markup: str) -> Cue:
    """One cue: its speaker from `<v Name>`, other tags and positions removed, entities as characters.

    Where several speak in one cue, each stands before what is theirs.
    """
    voices = _VOICE.findall(markup)
    speaker = ""
    if len(set(voices)) == 1:
        speaker = html.unescape(voices[0]).strip()
        markup = _VOICE.sub("", markup)
    elif voices:
        markup = _VOICE.sub(lambda voice: f"\n{voice[1].strip()}: ", markup)
    return Cue(start_s, end_s, _DASHED.sub("", html.unescape(_TAG.sub("", markup))).strip(), speaker)


def _seconds(clock: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = (part or "0" for part in clock)
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds) + int(fraction.ljust(3, "0")) / 1000

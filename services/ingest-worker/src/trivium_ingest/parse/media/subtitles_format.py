"""Subtitles (SubRip, WebVTT): what is said, with times and speakers; repetitions, tags and positions are removed."""

from __future__ import annotations

import re

import msgspec

from trivium.domain.parsed import ParsedDocument, Position, UnitKind
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.failures import corrupt
from trivium_ingest.parse.media.cue_text import TIMING, cues_of, with_line_feeds
from trivium_ingest.parse.media.timeline import passages, unrolled
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample
from trivium_ingest.parse.text.encoding import decode

_VTT, _SRT = "text/vtt", "application/x-subrip"
_SIGNATURE = re.compile(r"WEBVTT(?:[ \t\n\r]|$)")
_LANGUAGE = re.compile(r"^Language:[ \t]*([A-Za-z-]{2,35})[ \t]*$", re.MULTILINE)
_TITLE = re.compile(r"WEBVTT[ \t]+(?:-[ \t]*)?(\S[^\n]*)")
_SRT_BEGINS = re.compile(rf"\s*(?:\d{{1,6}}\s*\n)?{TIMING.pattern.removeprefix('^')}")


def recognise(sample: Sample) -> Evidence:
    """WebVTT's signature, or a SubRip cue at the beginning."""
    text = sample.text
    if _SIGNATURE.match(text):
        return Evidence.SIGNATURE
    return Evidence.STRUCTURE if _SRT_BEGINS.match(with_line_feeds(text)) else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, _models: ParserModels) -> ParsedDocument:
    """Cues in order of time, put together into passages."""
    text, encoding = decode(blob.content)
    out = Collector(limits)
    if "\ufffd" in text:
        out.warn(f"Some bytes are not valid {encoding} and are shown as U+FFFD.")
    vtt = bool(_SIGNATURE.match(text))
    cues = list(cues_of(text, vtt=vtt))
    if not cues and not vtt:
        raise corrupt("subtitle file", "it holds no cue")
    for passage in passages(unrolled(cues)):
        out.add(UnitKind.TEXT, passage.text, Position(seconds=(passage.start_s, passage.end_s)))
    head = text[: text.find("-->")] if vtt else ""
    title, language = _TITLE.match(head), _LANGUAGE.search(head)
    document = out.document(_VTT if vtt else _SRT, title=title[1] if title else "", metadata={"encoding": encoding})
    return msgspec.structs.replace(document, language=language[1] if language else "")


FORMAT = Format(
    name="subtitles (SRT, WebVTT)",
    media_types=(_SRT, _VTT, "text/srt", "application/srt"),
    extensions=("srt", "vtt"),
    version=3,
    recognise=recognise,
    read=read,
    cites="time range",
)

"""Audio (WAV, MP3, FLAC, M4A, Ogg, Opus): what is said, with its times; title, artist, chapters."""

from __future__ import annotations

from trivium.domain.parsed import ParsedDocument
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.failures import corrupt
from trivium_ingest.parse.media.recording import examine, listen
from trivium_ingest.parse.media.story import tell
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample

_WHAT = "recording"
_WAV, _MP3, _FLAC, _OGG, _M4A = "audio/wav", "audio/mpeg", "audio/flac", "audio/ogg", "audio/mp4"
_M4A_BRANDS = (b"M4A ", b"M4B ", b"M4P ", b"F4A ")
_EXTENSIONS = ("wav", "mp3", "flac", "m4a", "m4b", "ogg", "oga", "opus")


def media_type_of(head: bytes) -> str:
    """The recording's media type by its signature, or ""."""
    if head[:4] in {b"RIFF", b"RF64"} and head[8:12] == b"WAVE":
        return _WAV
    if head.startswith((b"fLaC", b"OggS")):
        return _FLAC if head.startswith(b"f") else _OGG
    if head[4:8] == b"ftyp" and head[8:12] in _M4A_BRANDS:
        return _M4A
    return _MP3 if head.startswith(b"ID3") or _begins_mp3(head) else ""


def _begins_mp3(head: bytes) -> bool:
    """A frame header of MPEG audio, layer III, with a bit rate and a sample rate (ISO/IEC 11172-3, 2.4.1.3)."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE6 != 0xE2 or head[1] & 0x18 == 0x08:
        return False
    return 0 < head[2] >> 4 < 15 and head[2] >> 2 & 3 != 3


def recognise(sample: Sample) -> Evidence:
    """A known signature; an MP4 file by its name; a recording's name on anything else, so that it fails as one."""
    if media_type_of(sample.head):
        return Evidence.SIGNATURE if not sample.head.startswith(b"\xff") else Evidence.DECLARATION
    if sample.extension not in _EXTENSIONS:
        return Evidence.NONE
    return Evidence.STRUCTURE if sample.head[4:8] == b"ftyp" else Evidence.IF_NAMED


def read(blob: Blob, limits: ParseLimits, models: ParserModels) -> ParsedDocument:
    """Headers first, then the speech, as far as there is a model that hears it."""
    media_type = media_type_of(blob.content[:64]) or (_M4A if blob.content[4:8] == b"ftyp" else "")
    if not media_type:
        raise corrupt(_WHAT, "it does not begin as one")
    out = Collector(limits)
    recording = examine(blob.content, _WHAT, limits)
    if recording.sound is False:
        raise corrupt(_WHAT, "it holds no sound")
    return tell(recording, listen(recording, blob, models, out, models.progress), [], out, media_type)


FORMAT = Format(
    name="audio (WAV, MP3, FLAC, M4A, Ogg, Opus)",
    media_types=(_WAV, _MP3, _FLAC, _OGG, _M4A, "audio/x-wav", "audio/x-flac", "audio/x-m4a", "audio/opus"),
    extensions=_EXTENSIONS,
    version=2,
    recognise=recognise,
    read=read,
    cites="time range",
    needs="a speech model; the extra `media` of trivium-ingest-worker for chapters",
)

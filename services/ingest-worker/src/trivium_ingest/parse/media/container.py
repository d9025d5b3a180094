"""What a container holds beside its sound and pictures, by FFmpeg (PyAV): names, length, chapters, subtitles.

PyAV comes with the extra `media`: its wheels hold encoders under the GPL, so nobody gets it unasked.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from trivium_ingest.parse.failures import corrupt
from trivium_ingest.parse.media.cue_text import cue
from trivium_ingest.parse.media.timeline import Cue
from trivium_ingest.parse.text.clean import one_line

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.subtitles.stream import SubtitleStream

# Files that hold what they play. Playlists (hls, dash, concat, sdp) are missing: they would open other addresses.
FORMATS = "aac,aiff,avi,caf,flac,matroska,mov,mp3,ogg,wav"
_OPTIONS = {"format_whitelist": FORMATS, "protocol_whitelist": "none", "max_streams": "64"}
_TEXT_CODECS = frozenset({"subrip", "srt", "webvtt", "mov_text", "ass", "ssa", "text"})
_TECHNICAL = frozenset({"major_brand", "minor_version", "compatible_brands"})
_MAX_CHAPTERS = 1_000
_MAX_CUES = 200_000
_QUARTER = 90  # degrees; FFmpeg counts them against the clock
_ASS_FIELDS = 8  # before the text of an event: order, layer, style, name, three margins, effect
MICROSECONDS = 1_000_000


class Chapter(msgspec.Struct, frozen=True):
    """A named part of a recording that begins at `start_s`."""

    start_s: float
    title: str


class Inside(msgspec.Struct, frozen=True):
    """`duration_s` is 0 where it is not told. `tags` have lower-case names. `language` is that of `cues`, if told."""

    sound: bool
    pictures: bool
    duration_s: float = 0.0
    tags: dict[str, str] = {}
    chapters: tuple[Chapter, ...] = ()
    cues: tuple[Cue, ...] = ()
    language: str = ""


def installed() -> bool:
    """Whether PyAV is here."""
    try:
        import av  # noqa: F401, PLC0415 - an extra
    except ImportError:
        return False
    return True


def look_inside(content: bytes, what: str) -> Inside:
    """Read the headers, and the first stream of subtitles. Raises `NeverWill` (`corrupt_file`)."""
    import av  # noqa: PLC0415 - an extra

    try:
        with av.open(io.BytesIO(content), mode="r", metadata_errors="ignore", options=_OPTIONS) as container:
            words = next(filter(_is_text, container.streams.subtitles), None)
            return Inside(
                sound=bool(container.streams.audio),
                pictures=any(not _is_cover(stream) for stream in container.streams.video),
                duration_s=max(0, container.duration or 0) / MICROSECONDS,
                tags={name.lower(): text for name, text in container.metadata.items() if name not in _TECHNICAL},
                chapters=tuple(_chapters(container)),
                cues=tuple(_cues(container, words)) if words else (),
                language=_language(words) if words else "",
            )
    except (av.error.FFmpegError, ValueError, OSError, OverflowError) as error:
        raise corrupt(what, (getattr(error, "strerror", "") or str(error))[:120]) from error


def decoded_frames(
    content: bytes, *, by_key_frames: bool
) -> Iterator[tuple[float, Callable[[], NDArray[np.uint8] | None]]]:
    """Each picture's time in seconds, and what makes its RGB pixels, as far as they can be decoded."""
    import av  # noqa: PLC0415 - an extra

    with (
        suppress(av.error.FFmpegError, ValueError, OSError),
        av.open(io.BytesIO(content), mode="r", metadata_errors="ignore", options=_OPTIONS) as container,
    ):
        for stream in container.streams.video[:1]:
            for packet in container.demux(stream):
                if packet.is_keyframe or packet.size == 0 or not by_key_frames:
                    for frame in packet.decode():
                        yield max(0.0, frame.time or 0.0), partial(_rgb, frame)


def _rgb(frame: Any) -> NDArray[np.uint8]:
    """The way up that the container says, by quarter turns, as OpenCV shows it."""
    return np.rot90(frame.to_ndarray(format="rgb24"), round(frame.rotation / _QUARTER))


def _is_text(stream: SubtitleStream) -> bool:
    return stream.codec_context is not None and stream.codec_context.name in _TEXT_CODECS


def _is_cover(stream: Any) -> bool:
    """A picture of a record's sleeve is no film."""
    return "ATTACHED_PIC" in str(stream.disposition).upper()


def _language(stream: SubtitleStream) -> str:
    return stream.language if stream.language and stream.language != "und" else ""


def _chapters(container: InputContainer) -> Iterator[Chapter]:
    for chapter in container.chapters()[:_MAX_CHAPTERS]:
        title = one_line(str(chapter["metadata"].get("title", "")))
        if title:
            yield Chapter(max(0.0, float(chapter["start"] * (chapter["time_base"] or 0))), title)


def _cues(container: InputContainer, stream: SubtitleStream) -> Iterator[Cue]:
    name = stream.codec_context.name
    count = 0
    for packet in container.demux(stream):
        if packet.pts is None or packet.time_base is None or count >= _MAX_CUES:
            continue
        count += 1
        start_s = max(0.0, float(packet.pts * Fraction(packet.time_base)))
        end_s = start_s + max(0.0, float((packet.duration or 0) * Fraction(packet.time_base)))
        yield cue(start_s, end_s, _words(bytes(packet), name))


def _words(content: bytes, codec: str) -> str:
    if codec == "mov_text":
        content = content[2 : 2 + int.from_bytes(content[:2], "big")]
    text = content.decode("utf-8", "replace")
    if codec in {"ass", "ssa"}:
        return text.split(",", _ASS_FIELDS)[-1].replace("\\N", "\n").replace("\\n", "\n")
    return text

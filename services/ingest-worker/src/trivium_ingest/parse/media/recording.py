"""A recording or a film as its file describes it, and what is said in it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from trivium.domain.errors import NeverWill
from trivium.ports.inference import Transcript
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.failures import corrupt, too_large
from trivium_ingest.parse.media.container import Chapter, Inside, installed, look_inside
from trivium_ingest.parse.media.tags import read_tags
from trivium_ingest.parse.media.timeline import Cue, heard, unrolled

_LEAST_BYTES_PER_S = 10.0  # silence and a still picture take more
_NOT_CONFIGURED = frozenset({"no_speech_model", "not_served"})
_NOT_HEARD = (
    "The speech in it was not read: no speech model is configured. Set TRIVIUM_SPEECH_MODEL to a Whisper model, and"
    " install trivium-gpu-inference[speech], which runs it."
)


class Recording(msgspec.Struct, frozen=True):
    """`sound` is None where nobody can tell without decoding. `cues` are subtitles in the file."""

    what: str
    duration_s: float
    tags: dict[str, str]
    sound: bool | None = None
    pictures: bool | None = None
    chapters: tuple[Chapter, ...] = ()
    cues: tuple[Cue, ...] = ()
    language: str = ""


class Speech(msgspec.Struct, frozen=True):
    """What is said, in order of time, and in which language (ISO 639-1, "" where nobody knows)."""

    cues: list[Cue] = []
    language: str = ""


def examine(content: bytes, what: str, limits: ParseLimits) -> Recording:
    """Read the headers. Raises `NeverWill` (`corrupt_file`, `limit_exceeded` naming `max_media_s`)."""
    told = read_tags(content)
    inside = look_inside(content, what) if installed() else Inside(sound=False, pictures=False)
    known = installed()
    recording = Recording(
        what,
        inside.duration_s or told.duration_s,
        inside.tags | told.named,
        inside.sound if known else None,
        inside.pictures if known else None,
        inside.chapters,
        inside.cues,
        inside.language,
    )
    check_length(recording.what, recording.duration_s, len(content), limits)
    return recording


def check_length(what: str, duration_s: float, size: int, limits: ParseLimits) -> None:
    """Refuse what is too long, and what says that it is longer than its bytes can be."""
    if duration_s * _LEAST_BYTES_PER_S > size:
        raise corrupt(what, f"it says that it lasts {duration_s:,.0f} s, and holds {size:,} bytes")
    if duration_s > limits.max_media_s:
        raise too_large("max_media_s", f"{duration_s:,.0f} s of sound or film")


def listen(
    recording: Recording, blob: Blob, models: ParserModels, out: Collector, progress: Callable[[float], None]
) -> Speech:
    """Subtitles in the file, else what a speech model hears; why there is neither becomes a warning.

    `progress` is told the share that was heard. Raises what the engine raises about the recording itself.
    """
    if recording.cues:
        return Speech(unrolled(recording.cues), recording.language)
    if recording.sound is False:
        return Speech()
    if models.transcriber is None:
        out.warn(_NOT_HEARD)
        return Speech()
    try:
        transcript = models.transcriber.transcribe(blob.content, progress=_shares(recording.duration_s, progress))
    except NeverWill as failure:
        if failure.code == "no_audio":
            return Speech()
        if failure.code not in _NOT_CONFIGURED:
            raise
        out.warn(f"The speech in it was not read: {failure.message} {failure.action}")
        return Speech()
    if not transcript.segments:
        out.warn("Nobody is heard speaking in it.")
    return Speech(heard(transcript.segments), transcript.language)


def _shares(duration_s: float, progress: Callable[[float], None]) -> Callable[[Transcript], None]:
    return lambda heard: progress(min(1.0, heard.duration_s / max(duration_s, heard.duration_s, 1.0)))

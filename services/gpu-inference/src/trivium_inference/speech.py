"""Transcription by Whisper in CTranslate2 (faster-whisper), of the stretches in which Silero hears a voice.

Needs the extra `speech`. Radford et al. 2022, "Robust Speech Recognition via Large-Scale Weak Supervision".
"""

from __future__ import annotations

import hashlib
import math
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import msgspec

from trivium.domain.errors import NeverWill
from trivium.ports.inference import Segment, Transcript
from trivium_inference.audio import RATE_HZ, Recording, Samples, Window
from trivium_inference.onnx_runtime import silence_onnx_runtime

SPEECH_VERSION: Final = 2
BEAM: Final = 5  # Whisper's own
MAX_STRETCH_S: Final = 29.0  # with its margins one view of the model
_FILES: Final = ("model.bin", "config.json", "tokenizer.json")  # without the last, the library would fetch one


class Heard(msgspec.Struct, frozen=True):
    """What one window holds. `language` is "" when nobody speaks."""

    language: str
    segments: tuple[Segment, ...] = ()


class WhisperTranscriber:
    """`trivium.ports.inference.Transcriber`. The model is loaded at the first use and kept; one window at a time.

    `model` is a folder, or a hub name that was downloaded before; nothing is fetched.
    """

    def __init__(self, model: str, *, threads: int = 0) -> None:
        self._name = model
        self._threads = threads
        self._turn = threading.Lock()

    @cached_property
    def fingerprint(self) -> str:
        """Library, weights, precision, and the version of this code. Raises `NeverWill` (`no_speech_model`)."""
        with (self._folder / "model.bin").open("rb") as weights:
            digest = hashlib.file_digest(weights, "sha256").hexdigest()[:16]
        return f"faster-whisper@{version('faster-whisper')}:{digest}:{_device()[1]}:{SPEECH_VERSION}"

    def load(self) -> None:
        """Load the model and find its fingerprint now. Raises `NeverWill` (`no_speech_model`)."""
        with self._turn:
            self._model, self.fingerprint  # noqa: B018

    def transcribe(
        self,
        audio: bytes,
        language: str = "",
        progress: Callable[[Transcript], None] | None = None,
        before: Transcript | None = None,
    ) -> Transcript:
        """All that is said in a file."""
        so_far = before or Transcript(language, 0.0)
        with tempfile.TemporaryFile() as file:
            file.write(audio)
            file.flush()
            with closing(Recording(file)) as recording:
                for window in recording.windows(so_far.duration_s):
                    heard = self.hear(window, so_far.language)
                    so_far = Transcript(heard.language, window.end_s, (*so_far.segments, *heard.segments))
                    if progress is not None:
                        progress(so_far)
        return so_far.whole()

    def hear(self, window: Window, language: str = "") -> Heard:
        """What is said in one window; `language` as for a recording, so that a window's answer serves the next.

        Raises `NeverWill` (`unknown_language`, `no_speech_model`).
        """
        with self._turn:
            if language and language not in self._model.supported_languages:
                raise NeverWill(
                    "unknown_language", f"The model does not know the language {language!r}.", "Give none, or its code."
                )
            segments: list[Segment] = []
            for first, last in _voiced(window.samples):
                language, found = self._read(window.samples[first:last], language)
                start_s = window.start_s + first / RATE_HZ
                segments.extend(_placed(found, start_s, window.start_s + last / RATE_HZ))
            return Heard(language, tuple(segments))

    def _read(self, samples: Samples, language: str) -> tuple[str, list[Any]]:
        found, info = self._model.transcribe(
            samples,
            language=language or None,
            beam_size=BEAM,
            temperature=0.0,  # no sampling: the same sound gives the same text, and a window takes a bounded time
            condition_on_previous_text=False,  # else a repetition, once begun, never ends
        )
        return info.language, list(found)

    @cached_property
    def _model(self) -> Any:
        folder = str(self._folder)
        silence_onnx_runtime()
        from faster_whisper import WhisperModel  # noqa: PLC0415 - part of the extra, and takes a second

        device, precision = _device()
        try:
            return WhisperModel(
                folder, device=device, compute_type=precision, cpu_threads=self._threads, local_files_only=True
            )
        except (RuntimeError, ValueError, OSError) as error:
            raise _missing(self._name, f"{error}"[:300]) from error

    @cached_property
    def _folder(self) -> Path:
        try:
            version("faster-whisper")
        except PackageNotFoundError as error:
            raise NeverWill(
                "no_speech_model",
                "faster-whisper is not installed here.",
                "Install trivium-gpu-inference[speech] (in a checkout: make speech), or unset TRIVIUM_SPEECH_MODEL.",
            ) from error
        folder = Path(self._name).expanduser()
        if not folder.is_dir():
            folder = _downloaded(self._name)
        for name in _FILES:
            if not (folder / name).is_file():
                raise _missing(self._name, f"{folder} has no {name}")
        return folder


def _downloaded(name: str) -> Path:
    silence_onnx_runtime()
    from faster_whisper import download_model  # noqa: PLC0415 - part of the extra

    try:
        return Path(download_model(name, local_files_only=True))
    except (OSError, ValueError) as error:
        raise _missing(name, "it is neither a folder nor in the local hub cache") from error


def _voiced(samples: Samples) -> Iterator[tuple[int, int]]:
    """Stretches with a voice, as (first, last) samples; silence of less than two seconds belongs to them."""
    silence_onnx_runtime()
    from faster_whisper.vad import VadOptions, get_speech_timestamps  # noqa: PLC0415 - part of the extra

    for stretch in get_speech_timestamps(samples, VadOptions(max_speech_duration_s=MAX_STRETCH_S)):
        yield stretch["start"], stretch["end"]


def _placed(found: list[Any], start_s: float, end_s: float) -> Iterator[Segment]:
    """A model's segments of one stretch, in order and inside it; it may place them beyond."""
    for one in sorted(found, key=lambda one: float(one.start)):
        begins = min(start_s + float(one.start), end_s)
        ends = min(start_s + float(one.end), end_s)
        if begins < ends:
            yield Segment(begins, ends, one.text.strip(), min(1.0, math.exp(one.avg_logprob)))


def _device() -> tuple[str, str]:
    """Where it runs, and with which numbers."""
    import ctranslate2  # noqa: PLC0415 - part of the extra

    return ("cuda", "float16") if ctranslate2.get_cuda_device_count() else ("cpu", "int8")


def _missing(name: str, reason: str) -> NeverWill:
    return NeverWill(
        "no_speech_model",
        f"The speech model {name!r} cannot be used: {reason}.",
        "Set TRIVIUM_SPEECH_MODEL to a folder that holds a Whisper model for CTranslate2 (model.bin, config.json,"
        " tokenizer.json), or unset it.",
    )

"""Plumbing with a model of random weights: what it writes is noise, when and how often it is asked is not."""

from __future__ import annotations

import itertools
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import numpy as np
import pytest
from sounds import Samples, encoded, silence, tone

from trivium.config import Settings
from trivium.domain.errors import NeverWill
from trivium.ports.inference import Segment, Transcript
from trivium_inference import speech
from trivium_inference.audio import Window
from trivium_inference.local import local_models
from trivium_inference.serving.vowels import vowels
from trivium_inference.speech import WhisperTranscriber

pytestmark = pytest.mark.models

MARGIN_S = 0.5  # what the voice detector adds to a stretch


@pytest.fixture(scope="module")
def transcriber(tiny_whisper: Path) -> WhisperTranscriber:
    return WhisperTranscriber(str(tiny_whisper), threads=1)


def check_order(segments: tuple[Segment, ...], duration_s: float) -> None:
    times = list(itertools.chain.from_iterable((one.start_s, one.end_s) for one in segments))
    assert all(one.start_s < one.end_s for one in segments)
    assert [one.start_s for one in segments] == sorted(one.start_s for one in segments)
    assert min(times) >= 0
    assert max(times) <= duration_s
    assert all(0 < one.confidence <= 1 for one in segments)
    assert all(one.text == one.text.strip() != "" for one in segments)


def test_only_stretches_with_a_voice_are_written_down(transcriber: WhisperTranscriber) -> None:
    sound = np.concatenate([silence(8), vowels(5), silence(10), vowels(4), silence(3)])
    heard = transcriber.hear(Window(100, sound))
    voiced = [(108 - MARGIN_S, 113 + MARGIN_S), (123 - MARGIN_S, 127 + MARGIN_S)]
    inside = [
        [first <= one.start_s < one.end_s <= last for first, last in voiced].index(True) for one in heard.segments
    ]
    assert set(inside) == {0, 1}
    assert transcriber.hear(Window(100, sound)) == heard


@pytest.mark.parametrize("sound", [silence(5), tone(5), np.random.default_rng(1).normal(0, 0.1, 80_000).astype("f4")])
def test_silence_tones_and_noise_are_no_speech(transcriber: WhisperTranscriber, sound: Samples) -> None:
    found = transcriber.transcribe(encoded(sound))
    assert (found.language, found.segments) == ("", ())
    assert found.duration_s == pytest.approx(5, abs=0.1)


def test_a_long_recording_is_read_in_windows_with_rising_times(transcriber: WhisperTranscriber) -> None:
    sound = np.concatenate([part for _ in range(6) for part in (vowels(12), silence(3))])
    told: list[float] = []
    found = transcriber.transcribe(encoded(sound, "flac", "flac"), progress=lambda heard: told.append(heard.duration_s))
    check_order(found.segments, found.duration_s)
    assert found.duration_s == told[-1] == pytest.approx(90, abs=0.1)
    assert told == sorted(told)
    assert len(told) >= 3
    assert found.segments[-1].end_s > 75  # the last voice begins there
    assert len(found.language) == 2


def test_the_language_that_is_given_is_taken(transcriber: WhisperTranscriber) -> None:
    content = encoded(vowels(4))
    assert transcriber.transcribe(content, "sv").language == "sv"
    with pytest.raises(NeverWill) as failure:
        transcriber.transcribe(content, "xx")
    assert failure.value.code == "unknown_language"


def test_what_progress_raises_ends_the_work(transcriber: WhisperTranscriber) -> None:
    told: list[Transcript] = []

    def leave(heard: Transcript) -> None:
        told.append(heard)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        transcriber.transcribe(encoded(silence(200), "flac", "flac"), progress=leave)
    assert len(told) == 1


def test_a_file_that_is_no_recording_is_told(transcriber: WhisperTranscriber) -> None:
    with pytest.raises(NeverWill) as failure:
        transcriber.transcribe(b"%PDF-1.7")
    assert failure.value.code == "corrupt_audio"


@pytest.mark.parametrize("missing", ["", "model.bin", "config.json", "tokenizer.json"])
def test_a_model_that_is_not_there_is_told_and_none_is_fetched(
    tiny_whisper: Path, tmp_path: Path, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("something is fetched"))
    for file in tiny_whisper.iterdir():
        if missing and file.name != missing:
            (tmp_path / file.name).symlink_to(file)
    for name in [str(tmp_path)] if missing else ["no/such-model", "tiny", "not a name", str(tmp_path / "none")]:
        with pytest.raises(NeverWill) as failure:
            WhisperTranscriber(name).load()
        assert failure.value.code == "no_speech_model"
        assert missing in failure.value.message
        assert "TRIVIUM_SPEECH_MODEL" in failure.value.action


def test_a_broken_model_is_told(tiny_whisper: Path, tmp_path: Path) -> None:
    for file in tiny_whisper.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes()[: 1000 if file.name == "model.bin" else None])
    with pytest.raises(NeverWill) as failure:
        WhisperTranscriber(str(tmp_path)).load()
    assert failure.value.code == "no_speech_model"


def test_without_the_extra_it_says_what_to_install(tiny_whisper: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(speech, "version", absent)
    with pytest.raises(NeverWill) as failure:
        WhisperTranscriber(str(tiny_whisper)).transcribe(encoded(vowels(1)))
    assert "trivium-gpu-inference[speech]" in failure.value.action


def test_the_fingerprint_names_the_weights(transcriber: WhisperTranscriber, tiny_whisper: Path, tmp_path: Path) -> None:
    for file in tiny_whisper.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes() + (b"." if file.name == "model.bin" else b""))
    assert transcriber.fingerprint.startswith("faster-whisper@")
    assert WhisperTranscriber(str(tmp_path)).fingerprint != transcriber.fingerprint


def test_a_model_is_run_here_when_the_settings_name_one(tiny_whisper: Path) -> None:
    assert local_models(Settings()).transcriber is None
    made = local_models(Settings(speech_model=str(tiny_whisper))).transcriber
    assert made is not None
    assert made.transcribe(encoded(vowels(3))).segments

"""What a `Transcriber` (`trivium.ports.inference`) promises: here, and behind the service."""

from __future__ import annotations

import numpy as np
import pytest
from media_files import media, slide
from sounds import encoded, silence

from trivium.adapters.distributed.inference.models import RemoteTranscriber
from trivium.adapters.distributed.inference.server import Inference
from trivium.domain.errors import NeverWill
from trivium.ports.inference import Transcriber, Transcript
from trivium_inference.serving.vowels import vowels
from trivium_inference.speech import WhisperTranscriber

from .conftest import TinyModels

pytestmark = pytest.mark.models

SPOKEN_S = 19


@pytest.fixture(scope="module")
def embedded(tiny_models: TinyModels) -> Transcriber:
    return WhisperTranscriber(str(tiny_models.speech))


@pytest.fixture(scope="module")
def remote(inference: Inference) -> Transcriber:
    return RemoteTranscriber(inference)


@pytest.fixture(params=["embedded", "remote"])
def transcriber(request: pytest.FixtureRequest) -> Transcriber:
    found: Transcriber = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="module")
def talk() -> bytes:
    return encoded(np.concatenate([silence(2), vowels(5), silence(7), vowels(5)]), "flac", "flac")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "corrupt_audio"),
        (b"no sound", "corrupt_audio"),
        (media("mp4", [slide("Silent")] * 4), "no_audio"),
    ],
)
def test_missing_a_file_without_sound_is_told(transcriber: Transcriber, content: bytes, code: str) -> None:
    with pytest.raises(NeverWill) as failure:
        transcriber.transcribe(content)
    assert failure.value.code == code


def test_missing_a_language_that_nobody_knows_is_told(transcriber: Transcriber) -> None:
    with pytest.raises(NeverWill) as failure:
        transcriber.transcribe(encoded(vowels(2)), "xx")
    assert failure.value.code == "unknown_language"


def test_empty_a_recording_in_which_nobody_speaks_has_no_segments(transcriber: Transcriber) -> None:
    heard = transcriber.transcribe(encoded(silence(3)))
    assert (heard.language, heard.segments) == ("", ())
    assert heard.duration_s == pytest.approx(3, abs=0.1)


def test_order_segments_follow_one_another_within_the_recording(transcriber: Transcriber, talk: bytes) -> None:
    heard = transcriber.transcribe(talk)
    assert heard.duration_s == pytest.approx(SPOKEN_S, abs=0.1)
    assert len(heard.segments) >= 2
    ends = [0.0]
    for segment in heard.segments:
        assert ends[-1] <= segment.start_s <= segment.end_s <= heard.duration_s
        assert 0 <= segment.confidence <= 1
        ends.append(segment.end_s)


def test_progress_rises_to_the_whole(transcriber: Transcriber, talk: bytes) -> None:
    told: list[Transcript] = []
    heard = transcriber.transcribe(talk, "en", told.append)
    assert [so_far.duration_s for so_far in told] == sorted(so_far.duration_s for so_far in told)
    assert told[-1] == heard
    assert heard.language == "en"


def test_half_done_what_progress_raises_ends_the_work_and_the_next_is_heard(
    transcriber: Transcriber, talk: bytes
) -> None:
    def leave(_: Transcript) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        transcriber.transcribe(talk, "", leave)
    assert transcriber.transcribe(talk).segments


def test_half_done_the_rest_of_a_recording_gives_the_transcript_of_one_go(transcriber: Transcriber) -> None:
    content = encoded(np.concatenate([part for _ in range(4) for part in (vowels(10), silence(10))]), "flac", "flac")
    told: list[Transcript] = []
    whole = transcriber.transcribe(content, progress=told.append)
    assert len(told) >= 3
    for so_far in told:
        rest: list[Transcript] = []
        assert transcriber.transcribe(content, "", rest.append, so_far) == whole
        assert rest == told[told.index(so_far) + 1 :]


def test_transcripts_are_shared_between_both(embedded: Transcriber, remote: Transcriber, talk: bytes) -> None:
    assert remote.fingerprint == embedded.fingerprint
    assert remote.transcribe(talk, "sv") == embedded.transcribe(talk, "sv")

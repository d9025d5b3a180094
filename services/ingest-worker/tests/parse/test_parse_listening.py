"""The sandbox and a speech engine of the worker's own process: asked by children, and waited for while it goes on."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing

import pytest
from media_files import tone, wav

from trivium.domain.errors import NeverWill, TriviumError, TryLater
from trivium.flow.in_turns import GoesOn
from trivium.ports.inference import Segment, Transcript
from trivium.ports.parser import Blob, Hearing, ParserModels
from trivium.stopping import Stopped
from trivium_ingest.parse.sandbox import Bounds, Sandbox

RECORDING = Blob("talk.wav", wav(tone(4)))
OTHER = Blob("other.wav", wav(tone(5)))
SAID = Transcript("en", 4.0, (Segment(0.5, 3.5, "The otter swims at dusk.", 0.9),))


class Listening:
    """Hears what it is told to say, in steps of a second, each after `wait_s`."""

    def __init__(self, wait_s: float = 0, failure: Exception | None = None, fingerprint: str = "listening") -> None:
        self._fingerprint = fingerprint
        self.wait_s, self.failure = wait_s, failure
        self.heard: list[bytes] = []
        self.seconds: list[int] = []

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def transcribe(
        self,
        audio: bytes,
        language: str = "",
        progress: Callable[[Transcript], None] | None = None,
        before: Transcript | None = None,
    ) -> Transcript:
        self.heard.append(audio)
        for second in range(int(before.duration_s) if before else 0, 4):
            time.sleep(self.wait_s)
            self.seconds.append(second)
            if progress is not None:
                progress(Transcript(language, second + 1.0))
        if self.failure is not None:
            raise self.failure
        return SAID


def test_a_child_asks_the_parents_engine_which_hears_the_file_itself() -> None:
    engine = Listening()
    with closing(Sandbox(models=ParserModels(transcriber=engine))) as made:
        (unit,) = made.parse(RECORDING).units
        assert (unit.text, unit.position.seconds) == ("The otter swims at dusk.", (0.5, 3.5))
        assert engine.heard == [RECORDING.content]
        assert made.parse(Blob("note.txt", b"The heron waits.")).text == "The heron waits."


class Remembering(Hearing):
    """Keeps all; `failure` ends the work at the second second."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.failure = failure
        self.kept: dict[str, Transcript] = {}

    def before(self, recording: str) -> Transcript | None:
        return self.kept.get(recording)

    def keep(self, recording: str, heard: Transcript) -> None:
        self.kept[recording] = heard
        if self.failure is not None and heard.duration_s == 2.0:
            raise self.failure


@pytest.mark.parametrize("failure", [GoesOn(0.5), Stopped()])
def test_a_recording_that_was_left_goes_on_where_it_was(failure: TriviumError) -> None:
    engine, hearing = Listening(), Remembering(failure)
    with closing(Sandbox(models=ParserModels(transcriber=engine))) as made:
        with pytest.raises(type(failure)):
            made.parse(RECORDING, hearing=hearing)
        hearing.failure = None
        (unit,) = made.parse(RECORDING, hearing=hearing).units
    assert unit.text == "The otter swims at dusk."
    assert engine.seconds == [0, 1, 2, 3]


def test_a_recording_that_is_longer_than_it_says_is_left_at_the_end_of_a_turn() -> None:
    engine, hearing = Listening(), Remembering()

    def tell(_: float) -> None:
        if any(heard.duration_s >= 3.0 for heard in hearing.kept.values()):
            raise GoesOn(0.5)

    with closing(Sandbox(models=ParserModels(transcriber=engine))) as made, pytest.raises(GoesOn):
        made.parse(Blob("short.wav", wav(tone(1))), tell, hearing=hearing)
    assert engine.seconds == [0, 1, 2]


def test_another_recording_and_another_engine_take_up_nothing_that_was_heard() -> None:
    hearing = Remembering()
    for engine, recordings in [(Listening(), [RECORDING, OTHER]), (Listening(fingerprint="another"), [RECORDING])]:
        with closing(Sandbox(models=ParserModels(transcriber=engine))) as made:
            for recording in recordings:
                made.parse(recording, hearing=hearing)
        assert engine.seconds == [0, 1, 2, 3] * len(recordings)


class Absent(Listening):
    """Has no model."""

    @property
    def fingerprint(self) -> str:
        raise NeverWill("no_speech_model", "There is no model.", "Name one.")

    def transcribe(self, *_: object) -> Transcript:
        return Transcript(self.fingerprint, 0.0)


def test_a_recording_that_nobody_can_hear_costs_a_warning() -> None:
    with closing(Sandbox(models=ParserModels(transcriber=Absent()))) as made:
        assert "There is no model. Name one." in made.parse(RECORDING).warnings[0]


def test_progress_is_told_as_shares_of_the_recording() -> None:
    shares: list[float] = []
    with closing(Sandbox(models=ParserModels(transcriber=Listening()))) as made:
        made.parse(RECORDING, shares.append)
    assert [share for share in dict.fromkeys(shares) if share] == pytest.approx([0.25, 0.5, 0.75, 1.0])


def test_no_bound_on_time_ends_a_talk_that_is_still_heard() -> None:
    with closing(Sandbox(models=ParserModels(transcriber=Listening(wait_s=0.4)), bounds=Bounds(wall_s=1))) as made:
        assert made.parse(RECORDING).units


def test_a_recording_that_is_heard_makes_no_other_file_wait() -> None:
    engine = Listening()
    with closing(Sandbox(models=ParserModels(transcriber=engine), size=1)) as made:
        meanwhile: dict[float, str] = {}

        def read_a_note(share: float) -> None:
            if share and share not in meanwhile:  # it is heard, and another share of it
                meanwhile[share] = made.parse(Blob("note.txt", b"The heron waits.")).text

        made.parse(RECORDING, read_a_note)
        assert list(meanwhile.values()) == ["The heron waits."] * 4
        assert made.parse(RECORDING).units


@pytest.mark.parametrize("family", [NeverWill, TryLater])
def test_a_failure_of_the_engine_keeps_its_family(family: type[TriviumError]) -> None:
    engine = Listening(failure=family("engine", "It does not.", "Help it."))
    with closing(Sandbox(models=ParserModels(transcriber=engine))) as made:
        with pytest.raises(family) as failure:
            made.parse(RECORDING)
        assert (failure.value.code, failure.value.action) == ("engine", "Help it.")

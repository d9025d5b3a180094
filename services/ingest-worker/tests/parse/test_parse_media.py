"""Recordings and films: speech, pictures, chapters and subtitles on one time line, and what could not be read."""

from __future__ import annotations

import io
import random
import struct
from collections.abc import Callable
from contextlib import closing
from typing import Any

import numpy as np
import pytest
from media_files import Picture, media, recorded, slide, tone, wav
from numpy.typing import NDArray
from PIL import Image

from trivium.domain.errors import NeverWill, TriviumError
from trivium.domain.parsed import Box, ParsedDocument, UnitKind
from trivium.flow.in_turns import GoesOn
from trivium.flow.queues import RECORDINGS
from trivium.ports.inference import OcrLine, Segment, Transcript
from trivium.ports.parser import Blob, ParseLimits
from trivium_ingest.parse.media import audio_format, container, keyframes, recording, video_format
from trivium_ingest.parse.sandbox import Sandbox

from .conftest import Parse, texts, units

COLOURS = {"white": (255, 255, 255), "yellow": (255, 255, 0), "cyan": (0, 255, 255)}
FORMS = [
    ("wav", "pcm_s16le", 16_000, "audio/wav"),
    ("mp3", "libmp3lame", 44_100, "audio/mpeg"),
    ("flac", "flac", 44_100, "audio/flac"),
    ("ipod", "aac", 44_100, "audio/mp4"),
    ("ogg", "libopus", 48_000, "audio/ogg"),
]


class ColourOcr:
    """Reads which colour a slide's ground has."""

    fingerprint = "colour"

    def __init__(self) -> None:
        self.looks = 0

    def read(self, image: NDArray[np.uint8]) -> list[OcrLine]:
        self.looks += 1
        ground = np.median(image[16:-16, 16:-16].reshape(-1, 3), axis=0)
        name = min(COLOURS, key=lambda colour: float(np.abs(ground - COLOURS[colour]).sum()))
        return [OcrLine(f"the {name} slide", Box(20, 20, 120, 40), 0.99)]


class Speaker:
    """Hears the same words in every recording, or fails."""

    fingerprint = "speaker"

    def __init__(self, *segments: Segment, failure: TriviumError | None = None) -> None:
        self._segments, self._failure = segments, failure

    def transcribe(
        self, _audio: bytes, _language: str = "", progress: Callable[[Transcript], None] | None = None, *_: object
    ) -> Transcript:
        if self._failure is not None:
            raise self._failure
        if progress is not None:
            progress(Transcript("en", 3.0))
        return Transcript("en" if self._segments else "", 3.0, self._segments)


# How a telephone's film is to be turned, as MP4 has it but for the scale, and by how many quarters against the clock.
MATRICES = [((0, 1, 0, -1, 0, 0, 0, 0), 3), ((0, -1, 0, 1, 0, 0, 0, 0), 1), ((-1, 0, 0, 0, -1, 0, 0, 0), 2)]
UPRIGHT = (1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30)
WORDS = Speaker(Segment(0.5, 1.5, "We open the sluice.", 0.9), Segment(6.5, 7.5, "Then the water falls.", 0.9))


def slides(*colours: str, frames: int = 12) -> list[Picture]:
    return [slide(colour.title(), ground=colour) for colour in colours for _ in range(frames)]


def told(document: ParsedDocument, kind: UnitKind) -> list[tuple[str, tuple[float, float] | None]]:
    return [(unit.text, unit.position.seconds) for unit in units(document, kind)]


@pytest.mark.parametrize(("form", "codec", "rate_hz", "media_type"), FORMS)
def test_a_recording_is_its_speech_with_seconds(
    parse: Parse, form: str, codec: str, rate_hz: int, media_type: str
) -> None:
    document = parse(recorded(form, codec, rate_hz=rate_hz), "upload", transcriber=WORDS)
    assert (document.media_type, document.language) == (media_type, "en")
    assert told(document, UnitKind.TEXT) == [
        ("We open the sluice.", (0.5, 1.5)),
        ("Then the water falls.", (6.5, 7.5)),
    ]
    assert float(document.metadata["duration_s"]) == pytest.approx(3, abs=0.2)
    assert document.warnings == ()


@pytest.mark.parametrize(("form", "codec", "rate_hz"), [form[:3] for form in FORMS])
def test_without_a_speech_model_a_recordings_names_are_found_and_the_gap_is_told(
    parse: Parse, form: str, codec: str, rate_hz: int
) -> None:
    document = parse(recorded(form, codec, rate_hz=rate_hz, title="The Weir", artist="Ilse Brandt"), "upload")
    assert document.title == "The Weir"
    assert document.units[0].text == "Title: The Weir\nArtist: Ilse Brandt"
    assert "TRIVIUM_SPEECH_MODEL" in document.warnings[0]


def test_silence_is_no_text_and_says_so(parse: Parse) -> None:
    silent = wav(np.zeros(16_000, np.int16))
    for transcriber in (None, Speaker()):
        document = parse(silent, "silence.wav", transcriber=transcriber)
        assert document.units == ()
        assert document.warnings


def test_a_model_that_cannot_be_used_costs_the_speech_and_not_the_document(parse: Parse) -> None:
    failure = NeverWill("no_speech_model", "The model is not there.", "Set TRIVIUM_SPEECH_MODEL.")
    document = parse(recorded("mp3", "libmp3lame", title="The Weir"), "a.mp3", transcriber=Speaker(failure=failure))
    assert document.title == "The Weir"
    assert document.warnings == ("The speech in it was not read: The model is not there. Set TRIVIUM_SPEECH_MODEL.",)


def test_what_the_engine_says_of_the_recording_is_its_failure(parse: Parse) -> None:
    failure = NeverWill("audio_too_long", "The recording lasts longer than 4 hours.", "Divide it.")
    with pytest.raises(NeverWill) as raised:
        parse(wav(tone(1)), "a.wav", transcriber=Speaker(failure=failure))
    assert raised.value is failure


def test_chapters_are_headings(parse: Parse) -> None:
    book = media("ipod", sound="aac", rate_hz=44_100, chapters=[(0, 5, "The dam"), (5, 9, "The river")])
    document = parse(book, "book.m4b", transcriber=WORDS)
    assert [unit.text for unit in document.units] == [
        "The dam",
        "We open the sluice.",
        "The river",
        "Then the water falls.",
    ]
    assert units(document, UnitKind.TEXT)[1].position.section == ("The river",)


@pytest.mark.parametrize(
    ("form", "codec", "media_type"),
    [
        ("mp4", "mpeg4", "video/mp4"),
        ("mp4", "libx264", "video/mp4"),
        ("mov", "mjpeg", "video/quicktime"),
        ("matroska", "libx264", "video/x-matroska"),
        ("webm", "libvpx-vp9", "video/webm"),
        ("webm", "libsvtav1", "video/webm"),
        ("avi", "mpeg4", "video/x-msvideo"),
    ],
)
def test_a_films_slides_are_read_with_their_seconds_and_shown(
    parse: Parse, form: str, codec: str, media_type: str
) -> None:
    film = media(form, slides("white", "yellow", "cyan"), codec=codec)
    document = parse(film, "upload", ocr=ColourOcr())
    assert document.media_type == media_type
    assert texts(document, UnitKind.IMAGE) == ["the white slide", "the yellow slide", "the cyan slide"]
    seconds = [unit.position.seconds or (0, 0) for unit in units(document, UnitKind.IMAGE)]
    assert [start for start, _ in seconds] == pytest.approx([0, 3, 6], abs=0.6)
    assert [end for _, end in seconds] == pytest.approx([3, 6, 9], abs=0.6)
    shown = {asset.name: asset for asset in document.assets}
    for unit, colour in zip(units(document, UnitKind.IMAGE), ("white", "yellow", "cyan"), strict=True):
        with Image.open(io.BytesIO(shown[unit.asset].content)) as picture:
            assert picture.getpixel((5, 5)) == pytest.approx(COLOURS[colour], abs=12)


@pytest.mark.parametrize("pyav", [True, False])
@pytest.mark.parametrize(("form", "codec"), [("mp4", "mpeg4"), ("webm", "libvpx-vp9")])
def test_a_long_film_is_read_by_its_own_key_frames(
    parse: Parse, form: str, codec: str, pyav: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyframes, "_EVERY_FRAME_PIXELS", 0)
    monkeypatch.setattr(keyframes, "installed", lambda: pyav)
    film = media(form, slides("white", "yellow", "cyan"), codec=codec)
    document = parse(film, "upload", ocr=ColourOcr())
    found = [text.split()[1] for text in texts(document, UnitKind.IMAGE)]
    assert found[0] == "white"
    assert found == [colour for colour in COLOURS if colour in found]
    if codec == "mpeg4":  # with a key frame every twelve
        assert len(found) == 3


@pytest.mark.parametrize(("matrix", "turns"), MATRICES)
def test_a_long_film_that_was_held_upright_is_seen_upright(
    monkeypatch: pytest.MonkeyPatch, matrix: tuple[int, ...], turns: int
) -> None:
    monkeypatch.setattr(keyframes, "_EVERY_FRAME_PIXELS", 1)
    film = media("mp4", slides("white"))
    across, down = struct.pack(">9i", *UPRIGHT), struct.pack(">9i", *(number << 16 for number in matrix), 1 << 30)
    movie, track = film.split(b"tkhd")
    held = movie + b"tkhd" + track.replace(across, down)
    (as_filmed,), (seen,) = (
        list(keyframes.Film(one, ParseLimits()).key_frames(lambda _: None)) for one in (film, held)
    )
    assert np.array_equal(seen.pixels, np.rot90(as_filmed.pixels, turns))


def test_speech_and_slides_stand_on_one_time_line_and_speech_knows_its_slide(parse: Parse) -> None:
    film = media("mp4", slides("white", "yellow"), sound="aac", seconds=6, rate_hz=44_100)
    document = parse(film, "talk.mp4", ocr=ColourOcr(), transcriber=WORDS)
    assert [unit.text for unit in document.units] == [
        "the white slide",
        "We open the sluice.",
        "the yellow slide",
        "Then the water falls.",
    ]
    white, opened, yellow, falls = document.units
    assert (opened.asset, falls.asset) == (white.asset, yellow.asset)
    assert white.asset != yellow.asset


def test_the_pictures_of_a_film_are_read_once_all_is_heard_in_it(parse: Parse) -> None:
    ocr, film = ColourOcr(), media("mp4", slides("white"), sound="aac", rate_hz=44_100)
    with pytest.raises(GoesOn):
        parse(film, "talk.mp4", ocr=ocr, transcriber=Speaker(failure=GoesOn()))
    assert not ocr.looks


def test_without_a_speech_model_a_film_is_its_slides_and_says_what_was_not_read(parse: Parse) -> None:
    film = media("mp4", slides("white"), sound="aac", rate_hz=44_100)
    document = parse(film, "talk.mp4", ocr=ColourOcr())
    assert document.text == "the white slide"
    assert any("TRIVIUM_SPEECH_MODEL" in warning for warning in document.warnings)
    assert not parse(media("mp4", slides("white")), "mute.mp4", ocr=ColourOcr()).warnings


def test_a_slide_that_comes_back_is_read_once_and_shown_again(parse: Parse) -> None:
    ocr = ColourOcr()
    film = media("mp4", slides("white", "yellow", "white"), sound="aac", seconds=9, rate_hz=44_100)
    document = parse(film, "talk.mp4", ocr=ocr, transcriber=Speaker(Segment(8, 9, "As before.", 0.9)))
    assert texts(document, UnitKind.IMAGE) == ["the white slide", "the yellow slide"]
    assert units(document, UnitKind.TEXT)[0].asset == units(document, UnitKind.IMAGE)[0].asset
    assert len(document.assets) == ocr.looks == 2


def test_a_film_in_motion_gives_few_frames(parse: Parse) -> None:
    moving = [np.roll(slide("Otter", "Heron"), 7 * step, axis=1) for step in range(40)]
    document = parse(media("mp4", moving), "pan.mp4", ocr=ColourOcr())
    assert 2 <= len(document.assets) <= 8
    limited = parse(media("mp4", moving), "pan.mp4", ocr=ColourOcr(), limits={"max_ocr_pages": 2})
    assert len(limited.assets) == 2


def test_a_black_film_shows_nothing(parse: Parse) -> None:
    black = [np.zeros((90, 160, 3), np.uint8)] * 8
    document = parse(media("mp4", black), "black.mp4", ocr=ColourOcr())
    assert (document.units, document.assets) == ((), ())
    assert document.warnings


@pytest.mark.parametrize(("form", "name"), [("matroska", "film.mkv"), ("mp4", "film.mp4")])
def test_subtitles_inside_a_film_are_what_is_said(parse: Parse, form: str, name: str) -> None:
    words = [(0.5, 1.5, "<i>Hello there.</i>" if form == "matroska" else "Hello there."), (6.5, 7.5, "Goodbye.")]
    film = media(form, slides("white"), subtitles=words, tags={"title": "The Weir"})
    document = parse(film, name, ocr=ColourOcr())
    assert told(document, UnitKind.TEXT)[1:] == [("Hello there.", (0.5, 1.5)), ("Goodbye.", (6.5, 7.5))]
    assert document.title == "The Weir"
    assert document.warnings == ()


def test_sound_alone_in_a_films_container_is_a_recording(parse: Parse) -> None:
    for form in ("mp4", "matroska"):
        document = parse(media(form, sound="aac", rate_hz=44_100), "upload", transcriber=WORDS)
        assert texts(document, UnitKind.TEXT) == ["We open the sluice.", "Then the water falls."]


def test_without_pyav_recordings_and_films_are_read_all_the_same(parse: Parse, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (container, recording):
        monkeypatch.setattr(module, "installed", lambda: False)
    monkeypatch.setattr("trivium_ingest.parse.media.video_format.installed", lambda: False)
    song = recorded("mp3", "libmp3lame", title="The Weir")
    assert parse(song, "a.mp3", transcriber=WORDS).title == "The Weir"
    film = parse(media("matroska", slides("white"), sound="libopus"), "a.mkv", ocr=ColourOcr(), transcriber=WORDS)
    assert len(film.units) == 3
    assert any("trivium-ingest-worker[media]" in warning for warning in film.warnings)


def test_every_name_of_a_recording_or_film_is_known_to_the_queues() -> None:
    assert frozenset(audio_format.FORMAT.extensions) | frozenset(video_format.FORMAT.extensions) == RECORDINGS


GOOD_FILM = media("mp4", slides("white"), sound="aac", rate_hz=44_100)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"a text and no film", "note.mp4"),
        (b"a text and no song", "note.mp3"),
        (GOOD_FILM[: len(GOOD_FILM) // 2], "cut.mp4"),
        (GOOD_FILM[:74], "cut.m4a"),
        (b"\0\0\0\x18ftypmp42" + bytes(4000), "zeros.mp4"),
        (b"\x1aE\xdf\xa3" + bytes(range(256)) * 16, "noise.mkv"),
        (b"RIFF\xff\xff\xff\xffWAVEfmt ", "head.wav"),
        (b"OggS" + bytes(3000), "zeros.ogg"),
        (b"fLaC" + bytes(3000), "zeros.flac"),
        (b"ID3\x04\0\0\0\0\0\0" + bytes(3000), "zeros.mp3"),
    ],
)
def test_what_is_no_recording_or_film_fails_with_its_reason(parse: Parse, content: bytes, name: str) -> None:
    with pytest.raises(NeverWill) as failure:
        parse(content, name, ocr=ColourOcr())
    assert failure.value.code == "corrupt_file"
    assert failure.value.action


@pytest.mark.parametrize("form", ["mp4", "matroska", "avi"])
def test_no_damage_to_a_film_crashes_its_parser(form: str) -> None:
    whole = media(form, slides("white", "yellow", frames=6), sound="aac" if form == "mp4" else "libmp3lame")
    chance, codes = random.Random(form), set[str]()
    with closing(Sandbox()) as sandbox:
        for _ in range(30):
            damaged = bytearray(whole)
            for _ in range(chance.randrange(1, 20)):
                damaged[chance.randrange(12, len(whole) if chance.random() < 0.5 else 600)] = chance.randrange(256)
            try:
                sandbox.parse(Blob("film", bytes(damaged[: chance.randrange(len(whole) // 2, len(whole) + 1)])))
            except NeverWill as failure:
                codes.add(failure.code)
    assert codes == {"corrupt_file"}


def test_a_picture_or_page_under_a_films_name_is_read_as_what_it_is(parse: Parse) -> None:
    assert parse("<html><body><p>Not found</p></body></html>", "film.mp4").media_type == "text/html"


@pytest.mark.parametrize(
    ("content", "limits", "bound"),
    [
        (wav(tone(3)), {"max_media_s": 2.0}, "max_media_s"),
        (GOOD_FILM, {"max_media_s": 2.0}, "max_media_s"),
        (GOOD_FILM, {"max_pixels": 1000}, "max_pixels"),
    ],
)
def test_what_is_too_long_or_too_large_names_the_bound(
    parse: Parse, content: bytes, limits: dict[str, Any], bound: str
) -> None:
    with pytest.raises(NeverWill) as failure:
        parse(content, "upload", limits=limits)
    assert failure.value.code == "limit_exceeded"
    assert bound in failure.value.message

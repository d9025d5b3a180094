"""A real Whisper hears what was really said, in this process and through the inference service."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from inference_peer import inference_service
from media_files import RATE_HZ, heard, media, slide
from real_models import WHISPER, real_file, real_model

from .conftest import Server

pytestmark = pytest.mark.models

SPOKEN = "and so my fellow americans ask not what your country can do for you ask what you can do for your country"
SECONDS = 11


@pytest.fixture(scope="module")
def speech() -> bytes:
    return real_file("documents/good/jfk.flac")


@pytest.fixture(scope="module", params=["embedded", "inference-service"])
def listener(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that hears by itself, and one that asks."""
    model = str(real_model(WHISPER))
    folder = tmp_path_factory.mktemp("speech") / "data"
    with ExitStack() as stack:
        if request.param == "embedded":
            server = Server(folder, TRIVIUM_SPEECH_MODEL=model)
        else:
            service = stack.enter_context(inference_service(speech_model=model))
            server = Server(folder, TRIVIUM_INFERENCE_URL=service.address)
        server.start()
        stack.callback(server.stop)
        yield server


def words_of(server: Server, name: str, content: bytes) -> tuple[str, tuple[float, float]]:
    """What was heard in a file, and from when to when."""
    taken = server.take(name, content)
    assert (taken["state"], taken["warnings"]) == ("ready", []), taken
    with server.http() as client:
        chunks = client.get(f"/v1/sources/{taken['id']}/chunks").json()["chunks"]
    spoken = [chunk for chunk in chunks if "country" in chunk["text"]]
    text = " ".join(chunk["text"] for chunk in spoken).lower()
    seconds = [position["seconds"] for chunk in spoken for position in chunk["positions"] if position.get("seconds")]
    return " ".join(re.findall(r"[a-z]+", text)), (min(start for start, _ in seconds), max(end for _, end in seconds))


def test_a_recording_is_written_down_word_for_word(listener: Server, speech: bytes) -> None:
    words, (start_s, end_s) = words_of(listener, "jfk.flac", speech)
    assert words == SPOKEN
    assert 0 <= start_s < 1
    assert end_s == pytest.approx(SECONDS, abs=1)
    cited = listener.ask("What should you ask you can do for your country?")
    assert "jfk.flac" in cited["citations"][0]["source"]


def test_a_films_sound_track_is_written_down_word_for_word(listener: Server, speech: bytes) -> None:
    pictures = [slide("Inauguration", "January 1961", size=(1280, 720))] * (4 * SECONDS)
    film = media("mp4", pictures, sound="aac", voice=heard(speech), rate_hz=RATE_HZ)
    words, _ = words_of(listener, "inauguration.mp4", film)
    assert SPOKEN in words

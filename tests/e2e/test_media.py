"""Recordings, films and subtitles from the upload to an answer that names the second."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from media_files import media, slide, wav
from tiny_whisper import write_tiny_whisper

from trivium_inference.serving.vowels import vowels

from .conftest import Server

SRT = """1
00:00:02,000 --> 00:00:05,000
Welcome to the evening of the Tarn Hollow society.

2
00:12:41,500 --> 00:12:46,000
The lamp of Tarn Hollow was lit by Odalys Prant in 1974.

3
00:31:00,000 --> 00:31:04,000
Tea is served in the boat house.
"""
HD = (1280, 720)


def only_place(citation: dict[str, Any]) -> tuple[float, float]:
    (position,) = citation["positions"]
    start_s, end_s = position["seconds"]
    return start_s, end_s


def test_subtitles_answer_with_the_second(server: Server) -> None:
    assert server.take("evening.srt", SRT)["state"] == "ready"
    given = server.ask("Who lit the lamp of Tarn Hollow?")
    assert "Odalys Prant" in given["text"]
    citation = next(one for one in given["citations"] if one["source"] == "evening.srt")
    start_s, end_s = only_place(citation)
    assert (start_s, end_s) == (761.5, 766.0)
    assert "evening.srt, chunk 1 (12:41-12:46)" in server.cli("ask", "Who lit the lamp of Tarn Hollow?").stdout


def test_a_slide_in_a_film_answers_with_the_second_and_the_frame(server: Server) -> None:
    slides = [
        slide("Marrow Reservoir", "Budget: 48,300 euros", size=HD),
        slide("Vessel inspector", "Tibor Wessel", size=HD),
    ]
    film = media("mp4", [picture for picture in slides for _ in range(16)], sound="aac", seconds=8, rate_hz=44_100)
    taken = server.take("committee.mp4", film)
    assert taken["state"] == "ready"
    assert taken["media_type"] == "video/mp4"
    assert any("TRIVIUM_SPEECH_MODEL" in warning for warning in taken["warnings"])
    given = server.ask("Who is the vessel inspector?")
    assert "Tibor Wessel" in given["text"]
    start_s, end_s = only_place(next(one for one in given["citations"] if one["source"] == "committee.mp4"))
    assert (start_s, end_s) == pytest.approx((4, 8), abs=0.6)
    with server.http() as client:
        chunks = client.get(f"/v1/sources/{taken['id']}/chunks").json()["chunks"]
    (chunk,) = [chunk for chunk in chunks if "Tibor Wessel" in chunk["text"]]
    assert "frame-0002.jpg" in chunk["assets"]


@pytest.mark.models
@pytest.mark.slow  # building the model loads torch
def test_a_recording_is_heard_by_the_configured_model(start_server: Callable[..., Server], tmp_path: Path) -> None:
    folder = tmp_path / "whisper"
    folder.mkdir()
    write_tiny_whisper(folder)
    server = start_server(TRIVIUM_SPEECH_MODEL=str(folder))
    spoken = np.concatenate([np.zeros(16_000), vowels(4), np.zeros(8_000)])
    taken = server.take("noise.wav", wav((spoken * 32767).astype(np.int16)))
    assert (taken["state"], taken["media_type"], taken["warnings"]) == ("ready", "audio/wav", [])
    with server.http() as client:
        chunks = client.get(f"/v1/sources/{taken['id']}/chunks").json()["chunks"]
    start_s, end_s = chunks[0]["positions"][0]["seconds"]
    assert 0 <= start_s < end_s <= 5.5

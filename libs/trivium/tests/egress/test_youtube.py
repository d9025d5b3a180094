"""A video's transcript, from a peer that speaks YouTube's protocol: watch page, player, caption track, oEmbed."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from web_peer import SITE, Internet, page, site

from trivium.domain.errors import NeverWill, TryLater
from trivium.egress.pages import WebPages
from trivium.ports.web import Page

CERTIFICATE = Path(__file__).parent / "tls" / "self_signed_youtube.pem"
VIDEO = "dQw4w9WgXcQ"
CAPTIONS = (
    '<?xml version="1.0" encoding="utf-8" ?><transcript><text start="0.5" dur="2.25">The weir is open.</text>'
    '<text start="3671" dur="4">Fish &amp;amp; gauges\n2 &amp;lt; 3</text></transcript>'
)


def track(language: str, kind: str = "") -> dict[str, Any]:
    return {
        "baseUrl": f"https://www.youtube.com/api/timedtext?lang={language}&kind={kind}",
        "name": {"runs": [{"text": language}]},
        "languageCode": language,
        **({"kind": kind} if kind else {}),
    }


class YouTube:
    """What the peer says, and what it was asked."""

    def __init__(self) -> None:
        self.player: dict[str, Any] = {"playabilityStatus": {"status": "OK"}}
        self.offer(track("en", "asr"))
        self.watch = b'<html>"INNERTUBE_API_KEY": "key_1"</html>'
        self.about = page(json.dumps({"title": "The weir"}).encode(), "Content-Type: application/json")
        self.heads: list[str] = []

    def offer(self, *tracks: dict[str, Any]) -> None:
        self.player["captions"] = {"playerCaptionsTracklistRenderer": {"captionTracks": list(tracks)}}

    def __call__(self, stream: socket.socket, head: bytes) -> None:
        self.heads.append(head.decode())
        path = head.split(b" ")[1].decode()
        if path.startswith("/watch?"):
            page(self.watch, "Set-Cookie: VISITOR=1")(stream, head)
        elif path.startswith("/youtubei/v1/player?key=key_1"):
            page(json.dumps(self.player).encode(), "Content-Type: application/json")(stream, head)
        elif path.startswith("/api/timedtext"):
            page(CAPTIONS.encode(), "Content-Type: text/xml; charset=utf-8")(stream, head)
        else:
            self.about(stream, head)


@pytest.fixture
def youtube(internet: Internet) -> Iterator[YouTube]:
    peer = YouTube()
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(CERTIFICATE)
    internet.names["www.youtube.com"] = [SITE]
    with site(internet, peer, server):
        yield peer


@pytest.fixture
def internet() -> Internet:
    return Internet()


def read(internet: Internet, url: str = f"https://www.youtube.com/watch?v={VIDEO}&t=9s") -> Page:
    fetched = WebPages(internet.fetcher(tls=ssl.create_default_context(cafile=CERTIFICATE)))(url)
    assert fetched is not None
    return fetched


def test_a_video_becomes_its_captions_with_their_times(internet: Internet, youtube: YouTube) -> None:
    got = read(internet)
    assert (got.title, got.declared_type) == ("The weir", "text/vtt; charset=utf-8")
    assert got.content.decode() == (
        "WEBVTT\nKind: captions\nLanguage: en\n\n00:00:00.500 --> 00:00:02.750\nThe weir is open.\n\n"
        "01:01:11.000 --> 01:01:15.000\nFish &amp; gauges 2 &lt; 3\n"
    )


def test_every_request_for_a_video_goes_through_the_fetcher(internet: Internet, youtube: YouTube) -> None:
    read(internet)
    assert len(youtube.heads) == 4
    assert internet.dialled == [SITE] * 4
    assert not any("cookie:" in head.lower() for head in youtube.heads)


@pytest.mark.parametrize(
    ("tracks", "taken"),
    [
        ([track("de"), track("en"), track("en", "asr")], "lang=en&kind= "),
        ([track("de"), track("en", "asr")], "lang=en&kind=asr "),
        ([track("fr", "asr")], "lang=fr&kind=asr "),
        ([track("de")], "lang=de&kind= "),
    ],
)
def test_captions_are_those_of_the_spoken_language_and_written_ones_before_recognised_ones(
    internet: Internet, youtube: YouTube, tracks: list[dict[str, Any]], taken: str
) -> None:
    youtube.offer(*tracks)
    read(internet)
    assert taken in youtube.heads[2].partition("HTTP/")[0]


def test_a_video_without_captions_says_what_to_do(internet: Internet, youtube: YouTube) -> None:
    del youtube.player["captions"]
    with pytest.raises(NeverWill, match="has no captions") as failure:
        read(internet)
    assert failure.value.code == "no_transcript"
    assert "TRIVIUM_SPEECH_MODEL" in failure.value.action


@pytest.mark.parametrize(
    ("status", "family", "code"),
    [
        ({"status": "ERROR", "reason": "This video is unavailable"}, NeverWill, "fetch_failed"),
        ({"status": "UNPLAYABLE", "reason": "Private video"}, NeverWill, "fetch_failed"),
        ({"status": "LOGIN_REQUIRED", "reason": "Sign in to confirm you\u2019re not a bot"}, TryLater, "fetch_refused"),
    ],
)
def test_a_video_that_cannot_be_had_says_why(
    internet: Internet, youtube: YouTube, status: dict[str, str], family: type[Exception], code: str
) -> None:
    youtube.player["playabilityStatus"] = status
    with pytest.raises(family) as failure:
        read(internet)
    assert getattr(failure.value, "code", "") == code


def test_an_answer_of_another_shape_is_a_clear_failure(internet: Internet, youtube: YouTube) -> None:
    youtube.offer({"languageCode": "en"})
    with pytest.raises(NeverWill) as failure:
        read(internet)
    assert failure.value.code == "fetch_failed"


def test_a_title_that_cannot_be_had_costs_no_transcript(internet: Internet, youtube: YouTube) -> None:
    youtube.about = page(b"", status="401 Unauthorized")
    assert read(internet).title == ""


def test_the_address_of_a_video_that_leads_inside_is_refused(internet: Internet) -> None:
    internet.names["www.youtube.com"] = ["127.0.0.1"]
    with pytest.raises(Exception, match="loopback"):
        read(internet)
    assert internet.dialled == []

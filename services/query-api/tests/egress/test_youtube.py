"""A video's transcript, from a peer that speaks YouTube's protocol: watch page, player, caption track, oEmbed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from web_peer import SITE, Internet, page
from youtube_peer import VIDEO, YouTube, on_air, track

from trivium.domain.errors import NeverWill, Refused, TryLater
from trivium.ports.web import Page
from trivium_query.egress.pages import WebPages


@pytest.fixture
def internet() -> Internet:
    return Internet()


@pytest.fixture
def youtube() -> YouTube:
    return YouTube()


@pytest.fixture
def pages(internet: Internet, youtube: YouTube) -> Iterator[WebPages]:
    with on_air(internet, youtube) as fetching:
        yield fetching


def read(pages: WebPages, url: str = f"https://www.youtube.com/watch?v={VIDEO}&t=9s") -> Page:
    fetched = pages(url)
    assert fetched is not None
    return fetched


def test_a_video_becomes_its_captions_with_their_times(pages: WebPages, youtube: YouTube) -> None:
    got = read(pages)
    assert (got.title, got.declared_type) == ("The weir", "text/vtt; charset=utf-8")
    assert got.content.decode() == (
        "WEBVTT\nKind: captions\nLanguage: en\n\n00:00:00.500 --> 00:00:02.750\nThe weir is open.\n\n"
        "01:01:11.000 --> 01:01:15.000\nFish &amp; gauges 2 &lt; 3\n"
    )


def test_every_request_for_a_video_goes_through_the_fetcher(
    internet: Internet, pages: WebPages, youtube: YouTube
) -> None:
    read(pages)
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
    pages: WebPages, youtube: YouTube, tracks: list[dict[str, Any]], taken: str
) -> None:
    youtube.offer(*tracks)
    read(pages)
    assert taken in youtube.heads[2].partition("HTTP/")[0]


def test_a_video_without_captions_says_what_to_do(pages: WebPages, youtube: YouTube) -> None:
    del youtube.player["captions"]
    with pytest.raises(NeverWill, match="has no captions") as failure:
        read(pages)
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
    pages: WebPages, youtube: YouTube, status: dict[str, str], family: type[Exception], code: str
) -> None:
    youtube.player["playabilityStatus"] = status
    with pytest.raises(family) as failure:
        read(pages)
    assert getattr(failure.value, "code", "") == code


def test_an_answer_of_another_shape_is_a_clear_failure(pages: WebPages, youtube: YouTube) -> None:
    youtube.offer({"languageCode": "en"})
    with pytest.raises(NeverWill) as failure:
        read(pages)
    assert failure.value.code == "fetch_failed"


def test_a_title_that_cannot_be_had_costs_no_transcript(pages: WebPages, youtube: YouTube) -> None:
    youtube.about = page(b"", status="401 Unauthorized")
    assert read(pages).title == ""


def test_the_address_of_a_video_that_leads_inside_is_refused(internet: Internet) -> None:
    internet.names["www.youtube.com"] = ["127.0.0.1"]
    with pytest.raises(Refused, match="loopback"):
        read(WebPages(internet.fetcher()))
    assert internet.dialled == []

"""A video's transcript, as WebVTT: its captions with their times.

`youtube-transcript-api` knows YouTube's ways; every request of it goes out through the egress fetcher.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import ParseError

import msgspec
import requests
from requests.adapters import BaseAdapter
from requests.structures import CaseInsensitiveDict

from trivium.domain.errors import NeverWill, TriviumError, TryLater
from trivium.ports.web import Page, Validators
from trivium_query.egress.fetch import Fetcher

if TYPE_CHECKING:
    from youtube_transcript_api import FetchedTranscript, Transcript

MEDIA_TYPE = "text/vtt; charset=utf-8"
_ABOUT = "https://www.youtube.com/oembed?format=json&url=https://www.youtube.com/watch?v="
_INSTEAD = "Download the video and upload it: its speech is read where TRIVIUM_SPEECH_MODEL names a model."


class _About(msgspec.Struct):
    """What oEmbed says of a video."""

    title: str = ""


def transcript(fetcher: Fetcher, video: str) -> Page:
    """The captions of a video in the language it is spoken in, written by people where there are such.

    Raises as `Fetcher.get`, and `NeverWill` (`no_transcript`) for a video without captions.
    """
    from youtube_transcript_api import YouTubeTranscriptApi  # noqa: PLC0415 - only who meets a video needs it
    from youtube_transcript_api import YouTubeTranscriptApiException as NotGiven  # noqa: PLC0415

    address = f"https://youtu.be/{video}"
    try:
        found = _best(YouTubeTranscriptApi(http_client=_session(fetcher)).list(video)).fetch()
    except NotGiven as error:
        raise _told(address, error) from error
    except (LookupError, TypeError, ValueError, ParseError, requests.RequestException) as error:
        raise NeverWill("fetch_failed", f"YouTube's answer for {address} cannot be read.", _INSTEAD) from error
    if not found.snippets:
        raise _no_captions(address)
    return Page(_webvtt(found).encode(), MEDIA_TYPE, _title(fetcher, video), Validators(address))


def _best(tracks: Iterable[Transcript]) -> Transcript:
    """The captions that were recognised are in the spoken language; written ones of that language are better."""
    known = list(tracks)
    spoken = next((track.language_code for track in known if track.is_generated), "")
    return min(known, key=lambda track: (track.language_code != spoken and bool(spoken), track.is_generated))


def _title(fetcher: Fetcher, video: str) -> str:
    """The video's title; "" when it cannot be had, which costs no transcript."""
    try:
        return msgspec.json.decode(fetcher.send("GET", f"{_ABOUT}{video}").content, type=_About).title
    except (TriviumError, msgspec.DecodeError):
        return ""


def _webvtt(found: FetchedTranscript) -> str:
    """WebVTT (W3C): a cue for each caption; what could be markup is escaped."""
    cues = []
    for snippet in found.snippets:
        words = escape(" ".join(snippet.text.split()), quote=False)
        if words:
            cues.append(f"{_clock(snippet.start)} --> {_clock(snippet.start + snippet.duration)}\n{words}\n")
    return "\n".join((f"WEBVTT\nKind: captions\nLanguage: {found.language_code}\n", *cues))


def _clock(seconds: float) -> str:
    milliseconds = round(seconds * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}.{rest % 1000:03}"


def _told(address: str, error: Exception) -> TriviumError:
    from youtube_transcript_api import NoTranscriptFound, RequestBlocked, TranscriptsDisabled  # noqa: PLC0415

    if isinstance(error, TranscriptsDisabled | NoTranscriptFound):
        return _no_captions(address)
    if isinstance(error, RequestBlocked):
        return TryLater("fetch_refused", "YouTube refuses requests from this network.", f"Try again later. {_INSTEAD}")
    cause = " ".join(str(getattr(error, "cause", "") or type(error).__name__).split())[:300]
    return NeverWill("fetch_failed", f"YouTube does not give the captions of {address}: {cause}", _INSTEAD)


def _no_captions(address: str) -> NeverWill:
    return NeverWill("no_transcript", f"The video {address} has no captions.", _INSTEAD)


def _session(fetcher: Fetcher) -> requests.Session:
    session = requests.Session()
    session.trust_env = False
    session.adapters.clear()
    session.mount("https://", _EgressAdapter(fetcher))
    return session


class _EgressAdapter(BaseAdapter):
    """Lets `requests` speak through the egress fetcher; redirects come back to it one by one."""

    def __init__(self, fetcher: Fetcher) -> None:
        super().__init__()
        self._fetcher = fetcher

    def send(self, request: requests.PreparedRequest, *_rest: Any, **_named: Any) -> requests.Response:
        """One exchange."""
        body = request.body if isinstance(request.body, bytes | str) else b""
        reply = self._fetcher.send(
            request.method or "GET",
            request.url or "",
            [(name, value) for name, value in request.headers.items() if isinstance(value, str)],
            body.encode() if isinstance(body, str) else body,
        )
        response = requests.Response()
        response.status_code = reply.status
        response.headers = CaseInsensitiveDict(reply.headers)
        response.encoding = requests.utils.get_encoding_from_headers(response.headers)
        response.url, response.request = reply.url, request
        response._content, response._content_consumed = reply.content, True
        return response

    def close(self) -> None:
        """Nothing is kept open."""

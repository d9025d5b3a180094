"""YouTube in small: watch page, player, caption track and oEmbed, as `youtube-transcript-api` speaks with them."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from web_peer import SITE, Internet, page, site

from trivium_query.egress.pages import WebPages

_CERTIFICATE = Path(__file__).parent / "tls" / "youtube.pem"
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
        self.captions = CAPTIONS

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
            page(self.captions.encode(), "Content-Type: text/xml; charset=utf-8")(stream, head)
        else:
            self.about(stream, head)


@contextmanager
def on_air(internet: Internet, peer: YouTube) -> Iterator[WebPages]:
    """The peer as www.youtube.com, and what fetches from it, through the egress fetcher."""
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(_CERTIFICATE)
    internet.names["www.youtube.com"] = [SITE]
    with site(internet, peer, server):
        yield WebPages(internet.fetcher(tls=ssl.create_default_context(cafile=_CERTIFICATE)))

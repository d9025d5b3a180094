"""Places that connections lead to, in small and on loopback: an S3, and a site that says what it was asked."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.sax.saxutils import escape

POLL_S = 0.05
"""How soon a server notices that it shall end."""


class Asked(BaseHTTPRequestHandler):
    """Answers as a subclass has it, and says nothing."""

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """On a free port; its base URL."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(POLL_S,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class S3Peer:
    """One bucket, of whoever has the key; lists `page` objects at a time. `asked_at` is told by `clock`."""

    def __init__(self, key: str = "reader", page: int = 2, clock: Callable[[], float] = time.monotonic) -> None:
        self.objects: dict[str, bytes] = {}
        self.failing: dict[str, str] = {}
        """Codes with which objects are not given."""
        self.key, self.page, self.clock = key, page, clock
        self.asked_at: list[float] = []
        self.read: list[str] = []
        self.listings = 0

    @contextmanager
    def serving(self) -> Iterator[str]:
        peer = self

        class Handler(Asked):
            def do_GET(self) -> None:
                peer.asked_at.append(peer.clock())
                url = urlsplit(self.path)
                bucket, _, key = unquote(url.path).lstrip("/").partition("/")
                query = {name: values[0] for name, values in parse_qs(url.query, keep_blank_values=True).items()}
                if f"Credential={peer.key}/" not in self.headers.get("Authorization", ""):
                    self.fail(403, "InvalidAccessKeyId")
                elif bucket != "shelf":
                    self.fail(404, "NoSuchBucket")
                elif "location" in query:
                    self.answer(200, b"<LocationConstraint/>", Content_Type="application/xml")
                elif not key:
                    self.answer(200, peer.listing(query), Content_Type="application/xml")
                elif key in peer.failing:
                    self.fail(403, peer.failing[key])
                elif key in peer.objects:
                    peer.read.append(key)
                    self.answer(200, peer.objects[key], Content_Type="text/plain")
                else:
                    self.fail(404, "NoSuchKey")

            def fail(self, status: int, code: str) -> None:
                self.answer(status, f"<Error><Code>{code}</Code></Error>".encode(), Content_Type="application/xml")

        with serving(Handler) as url:
            yield url

    def listing(self, query: dict[str, str]) -> bytes:
        self.listings += 1
        after = query.get("continuation-token", "")
        keys = sorted(key for key in self.objects if key.startswith(query.get("prefix", "")) and key > after)
        page = keys[: self.page]
        told = "".join(
            f"<Contents><Key>{escape(quote(key))}</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified>"
            f'<ETag>"{hashlib.md5(self.objects[key]).hexdigest()}"</ETag><Size>{len(self.objects[key])}</Size></Contents>'
            for key in page
        )
        more = len(keys) > len(page)
        following = f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>" if more else ""
        return (
            f"<ListBucketResult><Name>shelf</Name><Prefix/><EncodingType>url</EncodingType>"
            f"<IsTruncated>{str(more).lower()}</IsTruncated>{following}{told}</ListBucketResult>"
        ).encode()


class SitePeer:
    """Pages by path, each with a tag; `asked` are the paths, `sent` those whose content went out."""

    endless: ClassVar[bytes] = b"<item><title>again</title></item>" * 1000

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.asked_at: list[float] = []
        self.pages: dict[str, tuple[str, bytes]] = {}
        self.moved: dict[str, str] = {}
        self.busy: dict[str, str] = {}
        """Paths that are answered once with 503 and this `Retry-After`."""
        self.asked: list[str] = []
        self.sent: list[str] = []
        self.logins: list[str] = []

    @contextmanager
    def serving(self) -> Iterator[str]:
        peer = self

        class Handler(Asked):
            def do_GET(self) -> None:
                peer.asked_at.append(peer.clock())
                peer.asked.append(self.path)
                peer.logins.append(self.headers.get("Authorization", ""))
                if self.path == "/endless":
                    self.go_on()
                elif self.path in peer.busy:
                    self.answer(503, Retry_After=peer.busy.pop(self.path))
                elif self.path in peer.moved:
                    self.answer(302, Location=peer.moved[self.path])
                elif self.path not in peer.pages:
                    self.answer(404)
                else:
                    kind, content = peer.pages[self.path]
                    tag = f'"{hashlib.md5(content).hexdigest()}"'
                    if self.headers.get("If-None-Match") == tag:
                        self.answer(304)
                    else:
                        peer.sent.append(self.path)
                        self.answer(200, content, Content_Type=kind, ETag=tag)

            def go_on(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "application/rss+xml")
                self.end_headers()
                try:
                    self.wfile.write(b"<rss version='2.0'><channel>")
                    while True:
                        self.wfile.write(peer.endless)
                except OSError:
                    pass  # the client has had enough

        with serving(Handler) as url:
            yield url


class OddDav(Asked):
    """A WebDAV server that lists whatever `lists` says, of a folder that may have `moved` elsewhere.

    Of `refused` folders it tells a status alone.
    """

    asked: ClassVar[list[str]] = []
    busy: ClassVar[set[str]] = set()
    lists: ClassVar[Any] = None
    moved: ClassVar[dict[str, str]] = {}
    refused: ClassVar[dict[str, int]] = {}

    def do_PROPFIND(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.asked.append(self.path)
        if self.path in self.refused:
            self.answer(self.refused[self.path])
        elif self.path in self.moved:
            self.answer(301, Location=self.moved[self.path])
        else:
            self.answer(207, self.lists(self.path), Content_Type="application/xml")

    def do_GET(self) -> None:
        self.answer(503 if self.path in self.busy else 200, b"A file.")

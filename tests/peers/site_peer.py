"""A small site in memory, as a `trivium.ports.web.Fetch` or served on loopback."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from trivium.domain.errors import NeverWill, TriviumError
from trivium.ports.web import Page, Validators

HTML = "text/html; charset=utf-8"


def html(body: str, head: str = "") -> bytes:
    return f"<!doctype html><html><head>{head}</head><body>{body}</body></html>".encode()


class SitePeer:
    """Pages by address; each has a tag. `moved` are redirects, `failing` what an address raises."""

    def __init__(self, pages: Mapping[str, bytes | str], moved: Mapping[str, str] | None = None) -> None:
        self.pages = {url: content if isinstance(content, bytes) else html(content) for url, content in pages.items()}
        self.moved = dict(moved or {})
        self.failing: dict[str, TriviumError] = {}
        self.types: dict[str, str] = {}
        self.asked: list[str] = []
        self.sent: list[str] = []

    def __call__(self, url: str, known: Validators | None = None) -> Page | None:
        self.asked.append(url)
        final = self.moved.get(url, url)
        if final in self.failing:
            raise self.failing[final]
        if final not in self.pages:
            raise NeverWill("fetch_failed", f"There is no page at {final} (404).", "Check the URL.")
        content = self.pages[final]
        now = Validators(final, f'"{hashlib.sha256(content).hexdigest()[:16]}"')
        if known == now:
            return None
        self.sent.append(url)
        return Page(content, self.types.get(final, HTML), validators=now)


@contextmanager
def serving(site: SitePeer) -> Iterator[str]:
    """The site's pages whose addresses begin with `/`, on a free loopback port; its base URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append(self.path)
            content = site.pages.get(self.path)
            if content is None:
                self.send_error(404)
                return
            tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
            unchanged = self.headers.get("If-None-Match") == tag
            self.send_response(304 if unchanged else 200)
            self.send_header("ETag", tag)
            self.send_header("Content-Type", site.types.get(self.path, HTML))
            self.send_header("Content-Length", str(len(b"" if unchanged else content)))
            self.end_headers()
            if not unchanged:
                site.sent.append(self.path)
                self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()

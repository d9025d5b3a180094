"""What looks like an Elasticsearch that has no room for writes (429) for a while."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class BusyElastic:
    """Turns away the first requests; of the bulk requests after them it takes every change."""

    def __init__(self, turns_away: int) -> None:
        self.requests = 0
        self.mappings = 0  # changes of a mapping: the first is turned away, and none counts among the requests
        self.stored: set[str] = set()
        self._turns_away = turns_away
        peer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.reply(*peer.answer(self.path, body.decode()))

            def do_GET(self) -> None:  # of an alias, which nobody made
                self.reply(404, {"error": "alias missing", "status": 404})

            def reply(self, status: int, answer: dict[str, Any]) -> None:
                raw = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("X-Elastic-Product", "Elasticsearch")
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            do_PUT = do_POST  # noqa: N815 - the name that the server looks for

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, body: str) -> tuple[int, dict[str, Any]]:
        """Every second refusal is of the whole request, the others of each change in it, as the real one does both."""
        error = {"type": "es_rejected_execution_exception", "reason": "rejected"}
        if path.endswith("/_mapping"):
            self.mappings += 1
            return (429, {"error": error, "status": 429}) if self.mappings == 1 else (200, {"acknowledged": True})
        self.requests += 1
        if self.requests <= self._turns_away and ("_bulk" not in path or self.requests % 2):
            return 429, {"error": error, "status": 429}
        ids = [line["index"]["_id"] for line in map(json.loads, body.splitlines()) if "index" in line]
        if self.requests <= self._turns_away:
            return 200, {"errors": True, "items": [{"index": {"_id": i, "status": 429, "error": error}} for i in ids]}
        self.stored.update(ids)
        return 200, {"errors": False, "items": [{"index": {"_id": i, "status": 201, "result": "created"}} for i in ids]}

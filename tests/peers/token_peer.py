"""An OAuth 2 token endpoint (RFC 6749, section 6) in small, for one client and one user."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl

from places_peer import Asked, serving

Odd = Callable[[Asked], None]


class TokenPeer:
    """`refresh_token` is the one that it takes; `given` are the access tokens it gave.

    `told` is what else it says of them. `odd`, where there is one, answers instead.
    """

    def __init__(self) -> None:
        self.refresh_token = "refresh-1-hush"
        self.client: tuple[str, str | None] = ("app-7", "client-hush")
        self.given: list[str] = []
        self.asked: list[dict[str, str]] = []
        self.told: dict[str, Any] = {"token_type": "Bearer", "expires_in": 3600}
        self.odd: Odd | None = None
        self.rotates = False
        """Whether each answer brings a new refresh token, and the one before is not taken any more."""

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Its address."""
        peer = self

        class Handler(Asked):
            def do_POST(self) -> None:  # noqa: N802
                form = self.rfile.read(int(self.headers["Content-Length"])).decode()
                assert self.headers["Content-Type"] == "application/x-www-form-urlencoded"
                peer.asked.append(dict(parse_qsl(form, strict_parsing=True)))
                if peer.odd is not None:
                    peer.odd(self)
                else:
                    status, told = peer.answer(peer.asked[-1])
                    self.answer(status, json.dumps(told).encode(), Content_Type="application/json")

        with serving(Handler) as url:
            yield f"{url}/token"

    def answer(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """Status and body."""
        if (form["client_id"], form.get("client_secret")) != self.client:
            return 401, {"error": "invalid_client", "error_description": form.get("client_secret")}
        if form["grant_type"] != "refresh_token" or form["refresh_token"] != self.refresh_token:
            return 400, {"error": "invalid_grant", "error_description": form["refresh_token"]}
        self.given.append(f"access-{len(self.given) + 1}-hush")
        told = {"access_token": self.given[-1], **self.told}
        if self.rotates:
            self.refresh_token = told["refresh_token"] = f"refresh-{len(self.given) + 1}-hush"
        return 200, told

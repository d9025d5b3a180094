"""What browsers are told of every answer: which pages may ask, and what an answer may do in them."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trivium_query.http.docs import PATH as DOCS

_ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_POLICY = b"content-security-policy"
_NOTHING = b"default-src 'none'; frame-ancestors 'none'"
_DOCS = (
    b"default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
    b" frame-ancestors 'none'"
)
_ONLY_TLS = (b"strict-transport-security", b"max-age=31536000")
_METHODS = ("GET", "POST", "DELETE")
_SENT = ("*",)  # OpenAI's and MCP's clients add headers of their own, more with each release
_READ = ("x-request-id", "retry-after", "location")


class Guarded:
    """Adds the headers; what an answer says of itself stays, as the sandbox of an original does."""

    def __init__(self, app: ASGIApp, *, tls: bool, shared: bool, told: Mapping[str, str]) -> None:
        """With `tls` browsers are told to stay with it; with `shared` pages of other origins may read answers.

        `told` goes before all of that, "" leaving a header out; the page of the documentation keeps its own policy.
        """
        self.app = app
        headers = dict(_ALWAYS) | {_POLICY: _NOTHING} | dict((_ONLY_TLS,) if tls else ())
        if shared:
            del headers[b"cross-origin-resource-policy"]
        headers |= {name.encode(): value.encode() for name, value in told.items()}
        self._headers = {name: value for name, value in headers.items() if value}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the class."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = self._headers | ({_POLICY: _DOCS} if scope["path"] == DOCS else {})

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                said = {name for name, _ in message["headers"]}
                more = [pair for pair in headers.items() if pair[0] not in said]
                message["headers"] = [*message["headers"], *more]
            await send(message)

        await self.app(scope, receive, sending)


def across_origins(app: ASGIApp, origins: tuple[str, ...]) -> ASGIApp:
    """Pages of `origins` may ask, with a key of their own; never with cookies."""
    return CORSMiddleware(
        app, allow_origins=origins, allow_methods=_METHODS, allow_headers=_SENT, expose_headers=_READ, max_age=600
    )

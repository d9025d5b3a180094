"""What every request passes, outermost first: `Delimited`, `Observed`, `Identified`, `Bounded`.

Pure ASGI: a search must not pay for it (a few microseconds each).
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time

import structlog
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trivium.config import Settings
from trivium.domain.access import Caller
from trivium.domain.errors import Refused, TriviumError
from trivium.logs.context import of_request
from trivium.telemetry import REQUEST_SECONDS, REQUESTS, REQUESTS_INFLIGHT, told_fault
from trivium.tracing import spans
from trivium.watching.labels import method_label
from trivium_query import pace
from trivium_query.access.authenticate import Authenticator, Credentials
from trivium_query.access.limiter import Limiter, settle
from trivium_query.access.local_only import check_local
from trivium_query.access.signed_links import SignedLinks, signed_request
from trivium_query.failures import body_late, deadline_passed
from trivium_query.handlers.sources import too_large
from trivium_query.http.problems import REQUEST_ID, of_error

TENANT = "trivium.tenant"
CALLER = "trivium.caller"
LINK = "trivium.link"
"""In the scope of what a signed link opens."""
OPEN_PATHS = ("/healthz", "/readyz", "/metrics", "/openapi.json", "/docs")
UPLOAD_PATH = "/v1/sources"
FORM = "multipart/form-data"
MAX_JSON_BYTES = 1024 * 1024
FORM_OVERHEAD_BYTES = 1024 * 1024  # boundaries, part headers and fields around the files
DRAIN_BYTES = 4 * 1024 * 1024  # read past a refusal, so that the client sees the answer and not a reset
DRAIN_S = 2.0
CLIENT_GONE = 499  # nginx's word for it; nobody receives it, metrics count it
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


def header(scope: Scope, name: bytes) -> str:
    """The first header of that (lower-case) name, "" when absent."""
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")


def media_type(content_type: str) -> str:
    """Without its parameters, in lower case."""
    return content_type.partition(";")[0].strip().lower()


class Delimited:
    """Whoever answers a request whose end is not certain, the connection ends with it (RFC 9112, section 6.1)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the class."""
        uncertain = scope["type"] == "http" and _has_two_lengths(scope)
        await self.app(scope, receive, _closing(send) if uncertain else send)


class Observed:
    """Request id, metrics by route template, and the last word on faults of ours."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the class."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        with spans.serving("HTTP", header(scope, b"traceparent") if spans.listening() else "") as span:
            await self._observed(scope, receive, send, span)

    async def _observed(self, scope: Scope, receive: Receive, send: Send, span: spans.Span) -> None:
        given = header(scope, b"x-request-id")
        request_id = given if _REQUEST_ID.fullmatch(given) else spans.current_trace_id() or secrets.token_hex(8)
        scope[REQUEST_ID] = request_id
        status = 0
        started = time.perf_counter()

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", request_id.encode())]
                if traceparent := spans.current_traceparent():
                    message["headers"].append((b"traceresponse", traceparent.encode()))
            await send(message)

        with REQUESTS_INFLIGHT.track_inprogress(), structlog.contextvars.bound_contextvars(**of_request(request_id)):
            try:
                await self.app(scope, receive, sending)
            except ClientDisconnect:
                status = CLIENT_GONE
            except Exception as error:  # noqa: BLE001  the boundary: nothing of it may reach the caller
                told = told_fault(error, request_id)
                if status == 0:
                    await of_error(told, request_id)(scope, receive, sending)
            finally:
                _count(scope, status, time.perf_counter() - started, span)


def _count(scope: Scope, status: int, seconds: float, span: spans.Span) -> None:
    template = getattr(scope.get("route"), "path", "unmatched")
    method = method_label(scope["method"], template) if template != "unmatched" else template
    span.rename(method)
    span.tell(http__route=template, http__response__status_code=status or CLIENT_GONE)
    if status >= 500:
        span.fail(str(status))
    REQUESTS.labels("http", method, str(status or CLIENT_GONE)).inc()
    REQUEST_SECONDS.labels("http", method).observe(seconds)


class Identified:
    """Puts the caller and its tenant into the scope, or refuses."""

    def __init__(self, app: ASGIApp, authenticator: Authenticator, limiter: Limiter, links: SignedLinks) -> None:
        self.app = app
        self.limiter = limiter
        self.links = links
        self.authenticator = authenticator

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the class."""
        if scope["type"] == "http":
            try:
                await self._identify(scope)
            except TriviumError as error:
                await of_error(error, scope[REQUEST_ID])(scope, receive, send)
                return
        known = {"tenant": scope[TENANT].name, "key": scope[CALLER].key_id} if CALLER in scope else {}
        with structlog.contextvars.bound_contextvars(**known):
            try:
                await self.app(scope, receive, send)
            finally:
                await settle()

    async def _identify(self, scope: Scope) -> None:
        if self.authenticator.open:
            check_local(header(scope, b"host"), header(scope, b"origin"))
        path = scope["path"]
        if not any(path == known or path.startswith(known + "/") for known in OPEN_PATHS):
            scope[CALLER] = await self._caller(scope)
            scope[TENANT] = scope[CALLER].tenant
            await self.limiter.admit(scope[CALLER])

    async def _caller(self, scope: Scope) -> Caller:
        """By a key or, without one, by a signed link; what a link adds to its address no route sees."""
        given = Credentials(header(scope, b"authorization"), header(scope, b"x-api-key"))
        link = signed_request(scope["method"], scope["path"], scope["query_string"])
        if link is not None:
            scope["query_string"] = link.unsigned_query.encode()
            if self.links and not given.token:
                scope[LINK] = True
                return await self.links.open(link)
        caller = await self.authenticator.authenticate(given)
        self.links.begin(caller)
        return caller


class Bounded:
    """Bounds a request's body and time.

    The body is counted as it streams, and keeps the `pace`. The clock of `request_timeout_s` starts when the body is
    complete, and stops when the answer starts: a stream has a deadline of its own.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the class."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if _has_two_lengths(scope):
            await of_error(_two_lengths(), scope[REQUEST_ID])(scope, receive, send)
            return
        upload = scope["path"] == UPLOAD_PATH and media_type(header(scope, b"content-type")) == FORM
        limit = self.settings.max_upload_bytes + FORM_OVERHEAD_BYTES if upload else MAX_JSON_BYTES
        exchange = _Exchange(receive, send, limit, self.settings.request_timeout_s)
        declared = header(scope, b"content-length")
        refusal: TriviumError | None = None
        try:
            if declared.isdecimal() and int(declared) > limit:
                raise _OverError
            has_body = bool(declared and declared != "0") or bool(header(scope, b"transfer-encoding"))
            exchange.complete = not has_body
            async with asyncio.timeout(pace.IDLE_S if has_body else self.settings.request_timeout_s) as exchange.clock:
                await self.app(scope, exchange.receive, exchange.send)
        except _OverError:
            refusal = too_large(self.settings.max_upload_bytes) if upload else _json_too_large()
        except TimeoutError:
            if exchange.started:
                raise
            late = deadline_passed(self.settings.request_timeout_s, "TRIVIUM_REQUEST_TIMEOUT_S")
            refusal = late if exchange.complete else body_late()
        if exchange.over:
            refusal = too_large(self.settings.max_upload_bytes) if upload else _json_too_large()
        if refusal is not None and not exchange.started:
            await _drain(receive)
            await of_error(refusal, scope[REQUEST_ID])(scope, receive, send)


class _OverError(Exception):
    """The body passed its bound."""


class _Exchange:
    """One request on its way: what came in so far, and whether the answer began."""

    def __init__(self, receive: Receive, send: Send, limit: int, timeout_s: float) -> None:
        self.clock: asyncio.Timeout | None = None
        self.complete = False
        self.started = False
        self.over = False
        self._receive, self._send = receive, send
        self._limit, self._timeout_s = limit, timeout_s
        self._size = 0
        self._began = asyncio.get_running_loop().time()

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._size += len(message.get("body", b""))
            if self._size > self._limit:
                self.over = True
                raise _OverError
            self.complete = not message.get("more_body", False)
            if not self.started:
                now = asyncio.get_running_loop().time()
                self._allow(now + self._timeout_s if self.complete else pace.deadline(self._began, now, self._size))
        return message

    async def send(self, message: Message) -> None:
        if self.over:
            return  # the framework's own words for a body that broke off; ours follow
        if message["type"] == "http.response.start":
            self.started = True
            self._allow(None)
        await self._send(message)

    def _allow(self, until: float | None) -> None:
        if self.clock is not None:
            self.clock.reschedule(until)


async def _drain(receive: Receive) -> None:
    size = 0
    try:
        async with asyncio.timeout(DRAIN_S):
            while size < DRAIN_BYTES:
                message = await receive()
                size += len(message.get("body", b""))
                if message["type"] != "http.request" or not message.get("more_body", False):
                    return
    except TimeoutError:
        return


def _has_two_lengths(scope: Scope) -> bool:
    return bool(header(scope, b"content-length") and header(scope, b"transfer-encoding"))


def _two_lengths() -> Refused:
    why = "The request has both Content-Length and Transfer-Encoding, so its end is not certain."
    return Refused("two_lengths", why, "Send one of them.")


def _closing(send: Send) -> Send:
    """The connection ends with the answer."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
        await send(message)

    return sending


def _json_too_large() -> Refused:
    why = f"A request that uploads no files has at most {MAX_JSON_BYTES} bytes."
    return Refused("too_large", why, f"Upload text as a source instead, as {FORM}.")

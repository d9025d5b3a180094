"""Requests with a deadline, retries inside it, bounded bodies, and our own errors instead of a driver's."""

from __future__ import annotations

import asyncio
import contextlib
import email.utils
import random
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

import httpx2
import msgspec

from trivium.authorities import ACTION, distrust, trusted
from trivium.domain.errors import NeverWill, TriviumError, TryLater

T = TypeVar("T")

SLOW = "llm_slow"
_TOO_LONG = re.compile(
    r"context.{0,10}(length|window|size)|(prompt|input|request).{0,20}too (long|large)|maximum.{0,30}tokens", re.I
)
_SPENT = re.compile(r"insufficient_quota|credit balance", re.I)
_NO_CREDIT = re.compile(rf"{_SPENT.pattern}|billing", re.I)  # a busy server's advice may name its billing page, too
_NO_MODEL = re.compile(r"model.{0,80}(not found|does not exist|not exist|unknown)|unknown model", re.I)
_SHOWN_CHARS = 300  # of a provider's own words in our message
_PASSING = frozenset({408, 409, 425, 429})


class LlmLimits(msgspec.Struct, frozen=True):
    """Bounds of the client. Back-off doubles from `backoff_s` to `max_backoff_s`, with full jitter.

    `timeout_s` bounds every call, retries included; a caller may allow less.
    """

    timeout_s: float = 60.0
    concurrency: int = 8
    attempts: int = 4
    backoff_s: float = 0.5
    max_backoff_s: float = 8.0
    connect_s: float = 5.0
    max_body_bytes: int = 8 * 1024 * 1024


class BadRequest(NeverWill):
    """HTTP 400 or 422: perhaps a parameter that this server does not know (`complaint` is its body)."""

    def __init__(self, code: str, message: str, action: str, complaint: str) -> None:
        super().__init__(code, message, action)
        self.complaint = complaint


class RetryAfter(TryLater):
    """A passing fault; `wait_s` is what the server asked for (None when it did not say)."""

    def __init__(self, code: str, message: str, action: str, wait_s: float | None = None) -> None:
        super().__init__(code, message, action)
        self.wait_s = wait_s


class Transport:
    """One provider's address. Every call is inside `deadline`, a time of `time.monotonic()`."""

    def __init__(
        self, name: str, url: str, headers: dict[str, str], secret: str, limits: LlmLimits, ca_file: str = ""
    ) -> None:
        address = httpx2.URL(url)
        self.limits = limits
        self._name = name
        self._url = url
        self._place = f"{address.host}:{address.port}" if address.port else address.host
        self._secret = secret
        self._slots = asyncio.Semaphore(limits.concurrency)
        self._client = httpx2.AsyncClient(
            headers={"content-type": "application/json", "accept-encoding": "identity", **headers},
            limits=httpx2.Limits(max_connections=limits.concurrency),
            trust_env=address.host not in ("localhost", "127.0.0.1", "::1"),
            verify=trusted(ca_file),
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def post(self, body: bytes, deadline: float, sent: Callable[[], None]) -> bytes:
        """The response's whole body, retried while that can help; `sent` is called when its turn has come."""
        async with self._response(body, deadline, sent) as response:
            return b"".join([part async for part in self._parts(response, deadline)])

    async def lines(self, body: bytes, deadline: float, sent: Callable[[], None]) -> AsyncIterator[str]:
        """The response's lines as they come. Only what precedes the response is retried. `sent` as for `post`."""
        begun: list[bytes] = []
        async with self._response(body, deadline, sent) as response:
            async for part in self._parts(response, deadline):
                *ends, begins = part.split(b"\n")
                for end in ends:
                    yield b"".join((*begun, end)).decode("utf-8", "replace").rstrip("\r")
                    begun.clear()
                begun.append(begins)
        if rest := b"".join(begun):
            yield rest.decode("utf-8", "replace")

    @contextlib.asynccontextmanager
    async def _response(self, body: bytes, deadline: float, sent: Callable[[], None]) -> AsyncIterator[httpx2.Response]:
        await self._within(self._slots.acquire(), deadline, None)
        try:
            sent()
            response = await self._send(body, deadline)
            try:
                yield response
            finally:
                await response.aclose()
        finally:
            self._slots.release()

    async def _send(self, body: bytes, deadline: float) -> httpx2.Response:
        """A response with status 200, or the last error once attempts or time are spent."""
        fault: RetryAfter | None = None
        for attempt in range(self.limits.attempts):
            if fault is not None:
                await self._back_off(attempt, fault, deadline)
            try:
                return await self._within(self._attempt(body, deadline), deadline, fault)
            except RetryAfter as passing:
                fault = passing
        raise fault or self._slow()

    async def _back_off(self, attempt: int, fault: RetryAfter, deadline: float) -> None:
        ceiling = min(self.limits.max_backoff_s, self.limits.backoff_s * 2 ** (attempt - 1))
        jittered = random.uniform(0, ceiling)  # noqa: S311  # spreads callers, hides nothing
        wait_s = jittered if fault.wait_s is None else fault.wait_s + min(jittered, 1.0)
        if time.monotonic() + wait_s >= deadline:
            raise fault
        await asyncio.sleep(wait_s)

    async def _attempt(self, body: bytes, deadline: float) -> httpx2.Response:
        remaining = max(0.001, deadline - time.monotonic())
        timeout = httpx2.Timeout(remaining, connect=min(self.limits.connect_s, remaining))
        request = self._client.build_request("POST", self._url, content=body, timeout=timeout)
        try:
            response = await self._client.send(request, stream=True)
        except httpx2.HTTPError as error:
            raise self._unreachable(error) from error
        if response.status_code == 200:
            return response
        try:
            raise self._status_error(response, await self._beginning(response))
        finally:
            await response.aclose()

    async def _beginning(self, response: httpx2.Response) -> str:
        """The first few kilobytes of an error's body."""
        raw = b""
        try:
            async for part in response.aiter_bytes():
                raw += part
                if len(raw) > 8192:
                    break
        except httpx2.HTTPError:
            pass  # the status alone tells enough
        return raw[:8192].decode("utf-8", "replace")

    async def _parts(self, response: httpx2.Response, deadline: float) -> AsyncIterator[bytes]:
        """The body piece by piece; neither a trickle nor a flood outlives its bound."""
        total = 0
        parts = response.aiter_bytes()
        try:
            while part := await self._within(anext(parts, b""), deadline, None):
                total += len(part)
                if total > self.limits.max_body_bytes:
                    raise NeverWill(
                        "llm_too_much",
                        f"{self._name} sent more than {self.limits.max_body_bytes} bytes for one answer.",
                        "Check the model and its server, or ask for fewer tokens.",
                    )
                yield part
                await asyncio.sleep(0)  # parts that have come already would keep the event loop from everybody else
        except httpx2.HTTPError as error:
            raise TryLater(
                "stream_cut", f"{self._name} broke off in the middle of its answer.", "Ask again."
            ) from error

    async def _within(self, work: Awaitable[T], deadline: float, fault: TryLater | None) -> T:
        """Await `work` until the deadline; then raise what went wrong before, or that it is slow."""
        try:
            async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
                return await work
        except TimeoutError as late:
            raise fault or self._slow() from late

    def _slow(self) -> TryLater:
        return TryLater(
            SLOW,
            f"{self._name} did not finish in time.",
            "Raise the time limit, ask for less, or check the server's load.",
        )

    def _unreachable(self, error: httpx2.HTTPError) -> RetryAfter:
        if isinstance(error, httpx2.ReadTimeout):
            return RetryAfter(SLOW, f"{self._name} did not answer in time.", "Check the server's load.")
        if why := distrust(error):
            told = f"{self._name} at {self._place} shows a certificate that is not trusted: {why}."
            return RetryAfter("certificate_not_trusted", told, ACTION)
        return RetryAfter(
            "llm_unreachable",
            f"{self._name} cannot be reached at {self._place} ({type(error).__name__}).",
            "Check that the server runs and that its address is right.",
        )

    def _status_error(self, response: httpx2.Response, body: str) -> TriviumError:
        status = response.status_code
        said = self._quote(body)
        if status in _PASSING and not _SPENT.search(body):
            wait_s = _retry_after_s(response.headers.get("retry-after", ""))
            return RetryAfter("llm_busy", f"{self._name} is busy (HTTP {status}).", "Try again later.", wait_s)
        if status >= 500:
            wait_s = _retry_after_s(response.headers.get("retry-after", ""))
            return RetryAfter("llm_failing", f"{self._name} failed (HTTP {status}).{said}", "Try again later.", wait_s)
        return self._final_error(status, body, said)

    def _final_error(self, status: int, body: str, said: str) -> NeverWill:
        if status in (401, 403):
            return NeverWill(
                "llm_unauthorized",
                f"{self._name} does not accept the key (HTTP {status}).",
                "Check the API key and what it may use.",
            )
        if _NO_CREDIT.search(body):
            return NeverWill("llm_quota", f"{self._name} has no credit left (HTTP {status}).", "Check the account.")
        if status == 404 or _NO_MODEL.search(body):
            return NeverWill(
                "llm_not_found",
                f"{self._name}: no such model or address at {self._place} (HTTP {status}).{said}",
                "Check the model's name and the base address.",
            )
        if status == 413 or _TOO_LONG.search(body):
            return NeverWill(
                "llm_too_long",
                f"The request is longer than {self._name} reads (HTTP {status}).{said}",
                "Use fewer sources (top_k), or a model with a longer context.",
            )
        message = f"{self._name} refused the request (HTTP {status}).{said}"
        action = "Check the model and the provider's settings."
        if status in (400, 422):
            return BadRequest("llm_refused", message, action, body)
        return NeverWill("llm_refused", message, action)

    def _quote(self, body: str) -> str:
        """What the provider said, in short, without the key should it repeat it."""
        plain = " ".join(body.split())
        if self._secret:
            plain = plain.replace(self._secret, "***")
        return f" It said: {plain[:_SHOWN_CHARS]}" if plain else ""


def _retry_after_s(value: str) -> float | None:
    """Seconds to wait, from either form of the header (RFC 9110, 10.2.3); None when there is none."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None

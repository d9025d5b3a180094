"""What both clients of the HTTP interface share: how a request is written, and what an answer or a failure says."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import quote

import httpx2
import msgspec

from trivium import api
from trivium.authorities import distrust, trusted
from trivium.config import LOOPBACK
from trivium.domain.answers import Kind
from trivium.domain.edits import Actor
from trivium.domain.errors import Conflict, NeverWill, NotFound, Refused, TriviumError, TryLater
from trivium.domain.retrieval import Mode, Rerank
from trivium.retrying import seconds_of
from trivium.within import Within

CONNECT_TIMEOUT_S = 5.0
_LINE_END = re.compile(rb"\r\n|\r|\n")
_TRUST = (
    "Name its authority's file (PEM) in TRIVIUM_CA_FILE, in Python as ca_file, and the server as its certificate does."
)

T = TypeVar("T")


class _Problem(msgspec.Struct):
    """The fields of a problem report that a client needs."""

    detail: str = ""
    code: str = ""
    action: str = ""
    status: int = 0


@contextmanager
def failures(url: str) -> Iterator[None]:
    """Httpx's own failures in our words."""
    try:
        yield
    except httpx2.ConnectError as error:
        if why := distrust(error):
            raise Refused(
                "certificate_not_trusted", f"The certificate of {url} is not trusted: {why}.", _TRUST
            ) from error
        raise TryLater(
            "server_unreachable",
            f"No Trivium server answers at {url}.",
            "Start one with: trivium serve. Or point TRIVIUM_URL at one that runs.",
        ) from error
    except httpx2.TimeoutException as error:
        raise TryLater("server_slow", f"The server at {url} did not answer in time.", "Try again later.") from error
    except httpx2.LocalProtocolError:
        raise Refused(  # its own words are left out: they quote headers, and so the API key
            "bad_request",
            f"What was to be sent to {url} cannot be written as HTTP.",
            "Look for line ends and other control characters in what the client was given.",
        ) from None
    except httpx2.TransportError as error:
        why = str(error).rstrip(".") or type(error).__name__
        other = "" if url.startswith("https:") else " A server with TLS is named https://..."
        raise TryLater("connection_lost", f"The connection to {url} was lost: {why}.", f"Try again.{other}") from error


@contextmanager
def in_unicode() -> Iterator[None]:
    """What is written within is text. Raises `Refused` (`bad_request`) where it is none, and does not quote it."""
    try:
        yield
    except UnicodeEncodeError:
        raise Refused(
            "bad_request", "What was to be sent holds what is no text in UTF-8.", "Write it in UTF-8."
        ) from None


def connection(url: str, api_key: str, timeout_s: float, ca_file: str) -> dict[str, Any]:
    """What both of httpx2's clients are made with. Raises `Refused` (`bad_setting`)."""
    base, key = base_url(url), _sendable(api_key)
    return {
        "base_url": base,
        "headers": {"Authorization": f"Bearer {key}"} if key else {},
        "timeout": httpx2.Timeout(timeout_s, connect=CONNECT_TIMEOUT_S),
        "trust_env": base.host not in LOOPBACK,  # a proxy cannot reach this machine's own loopback
        "verify": _verifying(base, ca_file),
    }


def _sendable(api_key: str) -> str:
    """The key without the space around it. Raises `Refused` for what no header can hold, and does not quote it."""
    key = api_key.strip()
    if not (key.isascii() and key.isprintable()):
        raise Refused(
            "bad_setting",
            "The API key has characters other than printable ASCII.",
            "Copy it again: a key begins and ends on one line.",
        )
    return key


def _verifying(base: httpx2.URL, ca_file: str) -> ssl.SSLContext:
    """Without TLS it believes nobody, which is made sooner."""
    if base.scheme == "http":
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return trusted(ca_file)


def base_url(url: str) -> httpx2.URL:
    """Raises `Refused` (`bad_setting`) for what is no address of a server."""
    try:
        base = httpx2.URL(url)
    except httpx2.InvalidURL:
        base = httpx2.URL("")
    if base.scheme not in ("http", "https") or not base.host:
        told = url.rpartition("@")[2]  # what stands before may be a password
        raise Refused("bad_setting", f"{told!r} is not the address of a server.", "Write it as http://127.0.0.1:8080.")
    return base


def shown_url(url: str) -> str:
    """The address of a server without the user and password in it. Raises `Refused` (`bad_setting`)."""
    return str(base_url(url).copy_with(userinfo=b"")).rstrip("/")


def decided_by(actor: Actor) -> dict[str, str]:
    """Parameters that name who decides; none for nobody."""
    return {"actor": actor.name, "actor_kind": actor.kind.value} if actor.name else {}


def part(identifier: str) -> str:
    """As one part of a path, also where plain dots would lead elsewhere. Raises as `in_unicode`."""
    with in_unicode():
        return identifier.replace(".", "%2E") if identifier in {".", ".."} else quote(identifier, safe="")


def question_body(
    question: str,
    mode: Mode | None,
    top_k: int | None,
    conversation: str,
    kind: Kind | None,
    within: Within,
    rerank: Rerank | None,
    *,
    stream: bool = False,
) -> api.QueryRequest:
    """A question as it is sent."""
    return api.QueryRequest(
        query=question,
        mode=mode,
        top_k=or_default(top_k),
        filters=within.filters(),
        stream=stream,
        kind=kind,
        rerank=rerank,
        conversation_id=conversation or None,
    )


def or_default(top_k: int | None) -> int:
    """How many passages are asked for."""
    return api.DEFAULT_TOP_K if top_k is None else top_k


def json_body(body: api.Input) -> dict[str, Any]:
    """What httpx2 is told to send. Raises as `in_unicode`."""
    with in_unicode():
        return {"content": msgspec.json.encode(body), "headers": {"content-type": "application/json"}}


def taken(accepted: api.Accepted) -> api.Source:
    """The one source that was handed over. Raises `Refused` where it was not taken."""
    if accepted.sources:
        return accepted.sources[0]
    if not accepted.refused:
        raise Refused("refused", "The server took nothing.")
    refused = accepted.refused[0]
    raise Refused(refused.code, refused.message, refused.action)


def decoded(content: bytes, kind: type[T]) -> T:
    """An answer as a value. Raises `NeverWill` (`foreign_answer`)."""
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NeverWill(
            "foreign_answer",
            f"The server's answer is not one of Trivium's: {error}.",
            "Check TRIVIUM_URL, and that client and server have the same version.",
        ) from error


def error_of(response: httpx2.Response) -> TriviumError:
    """The failure that a response tells of, in the family that says what to do next."""
    if response.next_request is not None:
        return _rebuilt(_moved(response.request.url, response.next_request.url), response.status_code)
    try:
        problem = msgspec.json.decode(response.content, type=_Problem)
    except (msgspec.DecodeError, UnicodeDecodeError):
        problem = _Problem()
    return _rebuilt(problem, response.status_code, seconds_of(response.headers.get("retry-after", "")))


def _moved(asked: httpx2.URL, leads_to: httpx2.URL) -> _Problem:
    """What a redirect comes to; it is not followed, since the API key is for the server that was named."""
    here, there = _server_of(asked), _server_of(leads_to)
    if here == there:
        return _Problem()
    return _Problem(f"The server at {here} sends callers to {there}.", action="Set TRIVIUM_URL to that.")


def _server_of(url: httpx2.URL) -> str:
    """Where the interface begins; nothing of user and query, which may hold secrets."""
    return f"{url.scheme}://{url.netloc.decode()}{url.path.partition('/v1/')[0]}"


def _rebuilt(problem: _Problem, status: int, retry_after_s: float = 0.0) -> TriviumError:
    code = problem.code or f"http_{status}"
    family = Refused if code == "invalid_request" else _FAMILIES.get(status)
    if family is None:
        family = TriviumError if status >= httpx2.codes.INTERNAL_SERVER_ERROR else Refused
    detail = problem.detail or f"The server answered {status} {httpx2.codes.get_reason_phrase(status)}.".strip()
    if issubclass(family, TryLater):
        return family(code, detail, problem.action, retry_after_s)
    return family(code, detail, problem.action)


_FAMILIES: Mapping[int, type[TriviumError]] = {
    404: NotFound,
    408: TryLater,
    409: Conflict,
    422: NeverWill,
    429: TryLater,
    502: TryLater,
    503: TryLater,
    504: TryLater,
}


class SentEvents:
    """A stream of events as its bytes come; a line ends with LF, CRLF or CR, and with nothing else."""

    def __init__(self) -> None:
        self._name = self._data = ""
        self._begun = bytearray()  # a line
        self._after_cr = False

    def take(self, piece: bytes) -> list[tuple[str, bytes]]:
        """Name and data of each event that ends within this piece."""
        rest = piece.removeprefix(b"\n") if self._after_cr else piece
        self._after_cr = rest.endswith(b"\r")
        sent: list[tuple[str, bytes]] = []
        first, *others = _LINE_END.split(rest)
        self._begun += first
        for following in others:
            sent += self._ended(self._begun.decode(errors="replace"))
            self._begun = bytearray(following)
        return sent

    def _ended(self, line: str) -> Iterator[tuple[str, bytes]]:
        field, _, value = line.partition(":")
        if field == "event":
            self._name = value.strip()
        elif field == "data":
            self._data += value.removeprefix(" ")
        elif not line and self._data:
            yield self._name, self._data.encode()
            self._name = self._data = ""


def failure_told(data: bytes) -> TriviumError:
    """The failure that an `error` event tells of."""
    problem = decoded(data, _Problem)
    return _rebuilt(problem, problem.status)


def event_of(name: str, data: bytes) -> api.AnswerEvent | None:
    """One event; None for a kind that this version does not know."""
    if name == "error":
        raise failure_told(data)
    kind = api.ANSWER_EVENTS.get(name)
    return decoded(data, kind) if kind else None

from __future__ import annotations

import os
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import msgspec
import pytest
from certificates import write_certificate

from trivium import api
from trivium.client import POLL_S, TriviumClient
from trivium.client_wire import SentEvents, failures
from trivium.config import Settings
from trivium.domain.documents import DocumentState
from trivium.domain.errors import NeverWill, NotFound, Refused, TriviumError, TryLater
from trivium.retrying import NO_RETRIES

if TYPE_CHECKING:
    from .conftest import World


def submit(client: TriviumClient, folder: Path, name: str, text: str) -> api.Source:
    path = folder / "upload"
    path.write_text(text)
    return client.submit_file(path, name)


@contextmanager
def answering(*responses: bytes) -> Iterator[str]:
    """A server that gives each connection the next of `responses` and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for response in responses:
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(response)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join(5)


def response(status: str, body: bytes, kind: str = "application/json") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body


SHOWN = [kind for kind in vars(api).values() if isinstance(kind, type) and issubclass(kind, api.Output)]


@pytest.mark.parametrize("kind", SHOWN, ids=lambda kind: kind.__name__)
def test_what_is_shown_is_shown_whole_but_for_what_does_not_apply(kind: type[api.Output]) -> None:
    assert all(field.required or field.default is None for field in msgspec.structs.fields(kind))


def test_a_file_goes_in_and_its_chunks_answer_and_delete_work(client: TriviumClient, tmp_path: Path) -> None:
    source = submit(client, tmp_path, "notes/a.txt", "Ada wrote the first program.")
    assert source.name == "notes/a.txt"
    [ready] = client.wait([source.id], timeout_s=10)
    assert (ready.state, ready.chunks) == (DocumentState.READY, 1)
    assert [chunk.text for chunk in client.chunks(source.id)] == ["Ada wrote the first program."]
    assert client.search("program").hits[0].chunk.source == "notes/a.txt"
    assert client.ask("program").citations[0].positions[0].page == 3
    client.delete(source.id)
    assert client.search("program").hits == ()


@pytest.mark.parametrize("identifier", [".", ".."])
def test_an_id_that_is_dots_leads_to_nothing_else(client: TriviumClient, identifier: str) -> None:
    for ask in (client.source, client.delete, client.entity, client.conversation):
        with pytest.raises(NotFound):
            ask(identifier)


def test_known_bytes_under_a_known_name_are_answered_as_they_are(client: TriviumClient, tmp_path: Path) -> None:
    first = submit(client, tmp_path, "a.txt", "Ada.")
    assert not first.state.terminal
    assert submit(client, tmp_path, "a.txt", "Ada.").state is DocumentState.READY
    assert not submit(client, tmp_path, "a.txt", "Ada changed.").state.terminal


def test_every_page_of_a_listing_is_read(client: TriviumClient, tmp_path: Path) -> None:
    names = {f"{number}.txt" for number in range(7)}
    for name in names:
        submit(client, tmp_path, name, "Ada.")
    assert {source.name for source in client.all_sources()} == names
    page = client.sources(limit=3)
    assert len(page.sources) == 3
    assert page.cursor


def test_waiting_ends_with_every_source_settled_whatever_became_of_it(client: TriviumClient, tmp_path: Path) -> None:
    sent = [submit(client, tmp_path, f"{n}.txt", text) for n, text in enumerate(["Ada.", "FAIL", "EMPTY"])]
    gone = submit(client, tmp_path, "gone.txt", "Bob.")
    settled = client.wait([*(source.id for source in sent), gone.id, "0" * 32], timeout_s=10)
    states = {source.name: source.state.value for source in settled}
    assert states == {"0.txt": "ready", "1.txt": "failed", "2.txt": "empty", "gone.txt": "ready"}
    assert next(source for source in settled if source.reason).reason == api.Reason(
        "encrypted", "The file is encrypted.", "Remove its password and upload it again.", "parse"
    )


def test_waiting_has_an_end(client: TriviumClient, world: World, tmp_path: Path) -> None:
    world.hold = True
    source = submit(client, tmp_path, "a.txt", "Ada.")
    with pytest.raises(TryLater) as failure:
        client.wait([source.id], timeout_s=0.1)
    assert failure.value.code == "still_running"


def test_a_streamed_answer_ends_with_the_whole_one(client: TriviumClient, tmp_path: Path) -> None:
    submit(client, tmp_path, "a.txt", "Ada wrote the first program.")
    events = list(client.ask_stream("program"))
    assert isinstance(events[0], api.HitsFound)
    assert api.TextWithdrawn("a better one follows") in events
    assert isinstance(events[-1], api.Answer)
    written = "".join(event.text for event in events[3:-1] if isinstance(event, api.TextPiece))
    assert written.strip() == events[-1].text


def test_a_failure_in_mid_stream_is_raised_in_its_family(client: TriviumClient) -> None:
    with pytest.raises(TryLater) as failure:
        list(client.ask_stream("slowly please"))
    assert (failure.value.code, failure.value.action) == ("llm_down", "Ask again.")


def test_a_refusal_before_the_stream_is_an_ordinary_error(client: TriviumClient) -> None:
    with pytest.raises(NotFound):
        list(client.ask_stream("Who?", conversation="nowhere"))


def test_a_conversation_keeps_its_turns(client: TriviumClient) -> None:
    begun = client.create_conversation("Ada")
    client.ask("Who is Ada?", conversation=begun.id)
    assert [turn.question for turn in client.conversation(begun.id).turns] == ["Who is Ada?"]
    assert [kept.id for kept in client.conversations().conversations] == [begun.id]
    client.delete_conversation(begun.id)
    with pytest.raises(NotFound):
        client.conversation(begun.id)


@pytest.mark.parametrize(
    ("call", "family", "code"),
    [
        (lambda client: client.source("nothing"), NotFound, ""),
        (lambda client: client.source("../../etc/passwd"), Refused, ""),
        (lambda client: client.search(" "), Refused, "invalid_request"),
        (lambda client: client.search("x", top_k=10_000), Refused, "invalid_request"),
        (lambda client: client.submit_url("https://127.0.0.1/"), Refused, "forbidden_address"),
        (lambda client: client.entity("0" * 32), NotFound, "unknown_entity"),
    ],
)
def test_the_servers_refusals_arrive_as_errors_with_code_and_action(
    client: TriviumClient, call: Callable[[TriviumClient], object], family: type[TriviumError], code: str
) -> None:
    with pytest.raises(family) as failure:
        call(client)
    assert failure.value.code == code or not code
    assert failure.value.message
    assert failure.value.action


def test_a_busy_server_is_asked_again_and_one_that_stays_so_is_something_to_try_later(
    client: TriviumClient, world: World, tmp_path: Path
) -> None:
    world.busy = 1
    assert submit(client, tmp_path, "a.txt", "Ada.").name == "a.txt"
    world.busy = 2
    with TriviumClient(client.url, retries=NO_RETRIES) as hasty, pytest.raises(TryLater) as failure:
        submit(hasty, tmp_path, "b.txt", "Ada.")
    assert (failure.value.code, world.busy) == ("busy", 1)


def test_an_uploads_progress_ends_with_all_of_it(client: TriviumClient, tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("Ada. " * 60_000)
    told: list[tuple[int, int]] = []
    client.submit_file(str(path), progress=lambda sent, size: told.append((sent, size)))
    assert told[-1] == (300_000, 300_000)
    assert [sent for sent, _ in told] == sorted(sent for sent, _ in told)
    assert len(told) > 2


def test_of_a_file_that_grows_while_it_is_sent_goes_what_it_held_at_first(
    client: TriviumClient, tmp_path: Path
) -> None:
    path = tmp_path / "log.txt"
    path.write_text("Ada. " * 60_000)

    def grows(_sent: int, _size: int) -> None:
        with path.open("a") as log:
            log.write("Bob. ")

    assert client.submit_file(path, progress=grows).size_bytes == 300_000
    assert client.submit_file(path).size_bytes == path.stat().st_size


def test_a_file_that_shrinks_while_it_is_sent_cannot_be_read(client: TriviumClient, tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text("Ada. " * 60_000)
    with pytest.raises(OSError, match="changed while it was sent"):
        client.submit_file(path, progress=lambda *_: os.truncate(path, 1000))
    assert client.submit_file(path).size_bytes == 1000


def test_the_api_key_opens_the_tenant_it_belongs_to(world: World) -> None:
    from .conftest import serving

    with serving(world, Settings(api_keys="acme:right")) as url:
        for key in ("right", " right\n"):
            with TriviumClient(url, key) as member:
                assert member.status().chunks == 0
        with TriviumClient(url, "wrong") as stranger, pytest.raises(Refused) as refusal:
            stranger.status()
    assert refusal.value.code == "unauthenticated"


@pytest.mark.parametrize("key", ["tvk_SECRET\ntvk_SECRET", "tvk_SECRET\x00", "tvk_SECRET\xfc"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(Refused) as refusal:
        TriviumClient("http://127.0.0.1:1", key)
    assert refusal.value.code == "bad_setting"
    assert "SECRET" not in str(refusal.value)


def test_what_a_server_says_of_when_to_come_back_is_handed_on() -> None:
    full = response("429 Too Many Requests\r\nRetry-After: 3600", b'{"code": "too_many", "detail": "Enough."}')
    with answering(full) as url, TriviumClient(url) as client, pytest.raises(TryLater) as failure:
        client.status()
    assert (failure.value.code, failure.value.retry_after_s) == ("too_many", 3600.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.ask("\ud800SECRET"),
        lambda client: list(client.ask_stream("\ud800SECRET")),
        lambda client: client.source("\ud800SECRET"),
        lambda client: client.trail(since="\ud800SECRET"),
        lambda client: client.submit_text("a.txt", "\ud800SECRET"),
        lambda client: client.submit_text("\ud800SECRET", "Ada."),
        lambda client: client.submit_text("a.txt", "Ada.", dataset="\ud800SECRET"),
    ],
)
def test_what_is_no_text_is_refused_before_it_is_sent(call: Callable[[TriviumClient], object]) -> None:
    with TriviumClient("http://127.0.0.1:1") as client, pytest.raises(Refused) as refusal:
        call(client)
    assert refusal.value.code == "bad_request"
    assert "SECRET" not in str(refusal.value)


def test_a_password_in_the_address_is_used_and_not_shown() -> None:
    sent: list[str] = []

    def reply(request: httpx2.Request) -> httpx2.Response:
        sent.append(request.headers["authorization"])
        raise httpx2.ConnectError("away")

    with TriviumClient("http://me:SECRET@127.0.0.1:1/at/", transport=httpx2.MockTransport(reply)) as client:
        assert client.url == "http://127.0.0.1:1/at"
        with pytest.raises(TryLater, match=r"answers at http://127\.0\.0\.1:1/at\."):
            client.status()
    assert sent == ["Basic bWU6U0VDUkVU"]
    with pytest.raises(Refused, match=r"^'127\.0\.0\.1:1' is not the address"):
        TriviumClient("me:SECRET@127.0.0.1:1")


def test_what_cannot_be_written_as_http_is_no_lost_connection_and_is_not_shown() -> None:
    with pytest.raises(Refused) as refusal, failures("http://127.0.0.1:1"):
        raise httpx2.LocalProtocolError("Illegal header value b'Bearer tvk_SECRET'")
    assert refusal.value.code == "bad_request"
    assert "SECRET" not in str(refusal.value)


@pytest.mark.parametrize("url", ["localhost:8080", "", "ftp://host/", "http://"])
def test_what_is_not_a_servers_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(Refused) as refusal:
        TriviumClient(url)
    assert refusal.value.code == "bad_setting"


@pytest.mark.parametrize(
    ("reply", "family", "code"),
    [
        (response("200 OK", b"<html>hello</html>", "text/html"), NeverWill, "foreign_answer"),
        (response("200 OK", b'{"other": 1}'), NeverWill, "foreign_answer"),
        (response("502 Bad Gateway", b"<html>", "text/html"), TryLater, "http_502"),
        (response("500 Internal Server Error", b""), TriviumError, "http_500"),
        (response("403 Forbidden", b"no"), Refused, "http_403"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", TryLater, "connection_lost"),
        (b"", TryLater, "connection_lost"),
    ],
)
def test_what_is_not_trivium_or_breaks_off_is_told_clearly(reply: bytes, family: type[TriviumError], code: str) -> None:
    with answering(reply) as url, TriviumClient(url) as client, pytest.raises(family) as failure:
        client.status()
    assert failure.value.code == code


def exported(client: TriviumClient) -> bytes:
    with client.export() as pieces:
        return b"".join(pieces)


@pytest.mark.parametrize("call", [lambda client: client.delete_conversation("a"), exported])
def test_a_redirect_is_a_failure_that_tells_where_it_leads(call: Callable[[TriviumClient], object]) -> None:
    moved = "301 Moved Permanently\r\nLocation: https://trivium.example/at/v1/elsewhere?state=SECRET"
    reply = response(moved, b"<html>", "text/html")
    with answering(reply) as url, TriviumClient(url) as client, pytest.raises(Refused) as failure:
        call(client)
    assert failure.value.code == "http_301"
    assert failure.value.message == f"The server at {url} sends callers to https://trivium.example/at."
    assert failure.value.action == "Set TRIVIUM_URL to that."


def test_a_redirect_within_the_server_is_a_failure_like_any_other() -> None:
    moved = response("302 Found\r\nLocation: /v1/elsewhere", b"")
    with answering(moved) as url, TriviumClient(url) as client, pytest.raises(Refused) as failure:
        client.status()
    assert (failure.value.code, failure.value.message) == ("http_302", "The server answered 302 Found.")


def test_an_export_is_asked_for_again_where_the_server_is_busy() -> None:
    busy = response("429 Too Many Requests\r\nRetry-After: 0", b"")
    with answering(busy, response("200 OK", b"{}")) as url, TriviumClient(url) as client:
        assert exported(client) == b"{}"


@contextmanager
def answering_over_tls(folder: Path) -> Iterator[str]:
    """A server with a certificate of its own authority that answers each whole request with a refusal."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*write_certificate(folder, "ours"))
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with suppress(OSError), context.wrap_socket(connection, server_side=True) as secured:
                    secured.recv(65536)
                    secured.sendall(response("403 Forbidden", b"no"))

        threading.Thread(target=serve, daemon=True).start()
        yield f"https://localhost:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


def test_a_certificate_that_is_not_trusted_is_told_and_its_authority_may_be_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    with answering_over_tls(tmp_path) as url:
        with TriviumClient(url) as client, pytest.raises(Refused, match="not trusted: self-signed") as failure:
            client.status()
        assert failure.value.code == "certificate_not_trusted"
        assert "TRIVIUM_CA_FILE" in failure.value.action
        with TriviumClient(url, ca_file=str(tmp_path / "tls.crt")) as client, pytest.raises(Refused) as refused:
            client.status()
        assert refused.value.code == "http_403"
        with pytest.raises(Refused, match=r"none\.crt' or SSL_CERT_FILE cannot be used"):
            TriviumClient(url, ca_file=str(tmp_path / "none.crt"))
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "tls.crt"))
        with TriviumClient(url) as client, pytest.raises(Refused) as refused:
            client.status()
        assert refused.value.code == "http_403", "no proxy is asked for what is on this machine"
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.crt"))
        with pytest.raises(Refused, match="SSL_CERT_FILE cannot be used"):
            TriviumClient(url)
        plain = url.replace("https", "http")
        with TriviumClient(plain, retries=NO_RETRIES) as client, pytest.raises(TryLater, match="https") as lost:
            client.status()
        assert lost.value.code == "connection_lost"


def test_a_stream_that_breaks_off_is_an_error_and_no_half_answer() -> None:
    cut = response("200 OK", b'event: text\ndata: {"text": "half"}\n\n', "text/event-stream")
    with answering(cut) as url, TriviumClient(url) as client:
        events = client.ask_stream("Who?")
        assert next(events) == api.TextPiece("half")
        with pytest.raises(TryLater) as failure:
            next(events)
    assert failure.value.code == "connection_lost"


def test_an_event_from_a_newer_server_is_passed_over() -> None:
    words = {"question": "q", "kind": "fact", "short": "", "text": "t", "engine": "e", "verdict": "SUPPORTED"}
    told = {**words, "found": True, "timings_ms": {}}
    lists = dict.fromkeys(("citations", "hits", "degraded", "sub_questions", "notes", "contradictions"), ())
    usage = {"input_tokens": 0, "output_tokens": 0, "calls": 0}
    newer = msgspec.json.encode({**told, **lists, "usage": usage, "new": 1})
    body = b': keep-alive\n\nevent: mood\ndata: {"happy": true}\n\nevent: answer\ndata: ' + newer + b"\n\n"
    with answering(response("200 OK", body, "text/event-stream")) as url, TriviumClient(url) as client:
        [answer] = client.ask_stream("q")
    assert isinstance(answer, api.Answer)
    assert answer.text == "t"


LINES = "a\u2028b\u2029c\x85d"  # one line of an event, though Python sees four


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_of_a_stream_ends_with_its_own_ends_alone(end: str) -> None:
    lines = ("event: text", f'data: {{"text": "{LINES}"}}', "", "event: text", 'data: {"text": "f"}', "", "")
    body = end.join(lines).encode()
    with answering(response("200 OK", body, "text/event-stream")) as url, TriviumClient(url) as client:
        events = client.ask_stream("Who?")
        assert [next(events), next(events)] == [api.TextPiece(LINES), api.TextPiece("f")]
    whole = SentEvents().take(body)
    taking = SentEvents()
    assert [sent for number in range(len(body)) for sent in taking.take(body[number : number + 1])] == whole
    assert [name for name, _ in whole] == ["text", "text"]


def told_of(source_id: str, state: DocumentState) -> bytes:
    texts = dict.fromkeys(("title", "dataset", "stage", "media_type", "version", "active_version", "run"), "")
    counted = ("progress", "size_bytes", "chunks", "attempt", "children", "created_at", "updated_at", "uploaded_at")
    numbers = dict.fromkeys(counted, 0)
    source = api.Source(
        id=source_id, name=f"{source_id}.txt", state=state, warnings=(), waits_for="", parent="", **texts, **numbers
    )
    return response("200 OK", msgspec.json.encode(source))


def test_a_server_that_is_away_for_a_moment_does_not_end_the_waiting() -> None:
    ready = told_of("a", DocumentState.READY)
    with answering(response("503 Service Unavailable", b""), b"", ready) as url, TriviumClient(url) as client:
        assert [source.name for source in client.wait(["a"], timeout_s=10)] == ["a.txt"]


def test_the_time_between_two_looks_is_no_absence_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trivium.client.PATIENCE_S", POLL_S / 2)
    running, ready = (told_of("a", state) for state in (DocumentState.RUNNING, DocumentState.READY))
    away = response("503 Service Unavailable", b"")
    with answering(running, away, ready) as url, TriviumClient(url, retries=NO_RETRIES) as client:
        assert [source.id for source in client.wait(["a"], timeout_s=10)] == ["a"]


def test_what_has_settled_is_told_before_a_server_that_stays_away_ends_the_watching(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("trivium.client.PATIENCE_S", -1.0)
    sent = [told_of("a", DocumentState.READY), response("503 Service Unavailable", b"")]
    with answering(*sent) as url, TriviumClient(url, retries=NO_RETRIES) as client:
        looks = client.watch(["a", "b"])
        assert [source.id for source in next(looks)] == ["a"]
        with pytest.raises(TryLater) as failure:
            next(looks)
    assert failure.value.code == "http_503"


@pytest.mark.parametrize("first", [DocumentState.READY, DocumentState.RUNNING])
def test_a_call_that_fails_in_the_middle_of_a_look_loses_no_source(first: DocumentState) -> None:
    again = [] if first.terminal else [told_of("a", DocumentState.READY)]
    others = [told_of(source_id, DocumentState.READY) for source_id in "bc"]
    sent = [told_of("a", first), response("503 Service Unavailable", b""), *again, *others]
    with answering(*sent) as url, TriviumClient(url, retries=NO_RETRIES) as client:
        assert [source.id for source in client.wait(["a", "b", "c"], timeout_s=10)] == ["a", "b", "c"]

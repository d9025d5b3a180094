"""What an object store that fails means to the caller, against a scripted peer over real HTTP."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from trivium.adapters.distributed.prepare import ADVICE
from trivium.adapters.distributed.probes import object_store
from trivium.adapters.distributed.s3.objects import FORMAT_KEY, S3Objects, StateBucket
from trivium.checkup import Finding, examine
from trivium.config import Settings
from trivium.domain.errors import NeverWill, Refused, TriviumError, TryLater
from trivium.domain.scope import DEFAULT_TENANT

Script = Callable[[int], tuple[int, str] | None]
"""The how-manieth request to (status, S3 code), or None to cut the connection."""


class Peer:
    """Answers as scripted and counts the requests; its format, which is asked first, is known and not counted."""

    def __init__(self, script: Script) -> None:
        peer = self
        self.requests = 0

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if self.path.endswith(f"/{FORMAT_KEY}"):
                    self.reply(200, b"1")
                    return
                peer.requests += 1
                scripted = script(peer.requests)
                if scripted is None:
                    self.close_connection = True
                    return
                status, code = scripted
                self.reply(status, f"<Error><Code>{code}</Code></Error>".encode() if code else b"")

            def reply(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("ETag", '"tag"')
                self.send_header("Content-Type", "application/xml")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_HEAD = do_PUT = do_DELETE = do_POST = answer  # noqa: N815 - the base class's names

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def peer_of() -> Iterator[Callable[[Script], Peer]]:
    made: list[Peer] = []

    def make(script: Script) -> Peer:
        made.append(Peer(script))
        return made[-1]

    yield make
    for peer in made:
        peer.server.shutdown()
        peer.server.server_close()


def store_at(url: str) -> S3Objects:
    return S3Objects(_settings(url))


def bucket_at(url: str) -> StateBucket:
    return StateBucket(_settings(url))


def _settings(url: str) -> Settings:
    return Settings(s3_url=url, s3_access_key="key", s3_secret_key="secret")


@pytest.mark.parametrize(
    ("status", "s3_code", "family", "code", "told"),
    [
        (403, "InvalidAccessKeyId", TryLater, "object_store_credentials", "TRIVIUM_S3_ACCESS_KEY"),
        (403, "SignatureDoesNotMatch", TryLater, "object_store_credentials", "TRIVIUM_S3_SECRET_KEY"),
        (404, "NoSuchBucket", TryLater, "no_such_bucket", "TRIVIUM_S3_BUCKET"),
        (400, "AuthorizationHeaderMalformed", TryLater, "object_store_region", "TRIVIUM_S3_REGION"),
        (301, "PermanentRedirect", TryLater, "object_store_region", "TRIVIUM_S3_REGION"),
        (403, "RequestTimeTooSkewed", TryLater, "clock_skewed", "clock"),
        (503, "SlowDown", TryLater, "object_store_busy", "by itself"),
        (507, "XMinioStorageFull", TryLater, "object_store_full", "Free some space"),
        (501, "NotImplemented", NeverWill, "object_store_error", "documentation"),
        (418, "", NeverWill, "object_store_error", "documentation"),
    ],
)
def test_every_refusal_says_what_to_do(
    peer_of: Callable[[Script], Peer], status: int, s3_code: str, family: type[TriviumError], code: str, told: str
) -> None:
    objects = store_at(peer_of(lambda _: (status, s3_code)).url)
    store = objects.for_tenant(DEFAULT_TENANT)
    for call in (lambda: store.put("k", b"v"), lambda: store.put_if_absent("k", b"v"), lambda: list(store.keys())):
        with pytest.raises(family) as raised:
            call()
        assert raised.value.code == code
        assert told in raised.value.action
    objects.close()


def test_what_is_no_s3_is_a_passing_fault(peer_of: Callable[[Script], Peer]) -> None:
    bucket = bucket_at(peer_of(lambda _: (200, "")).url)
    for call in (lambda: list(bucket.listing()), lambda: bucket.delete_many(["a", "b"]), lambda: bucket.head("a")):
        with pytest.raises(TryLater) as raised:
            call()
        assert raised.value.code == "object_store_other"
    bucket.close()


def test_a_refused_deletion_of_many_says_what_to_do(peer_of: Callable[[Script], Peer]) -> None:
    bucket = bucket_at(peer_of(lambda _: (200, "AccessDenied")).url)
    with pytest.raises(TryLater) as raised:
        bucket.delete_many(["a", "b"])
    assert raised.value.code == "object_store_credentials"
    bucket.close()


def test_nobody_there_is_a_passing_fault(peer_of: Callable[[Script], Peer]) -> None:
    peer = peer_of(lambda _: None)
    peer.server.shutdown()
    peer.server.server_close()
    objects = store_at(peer.url)
    with pytest.raises(TryLater, match="did not answer"):
        objects.for_tenant(DEFAULT_TENANT).get("k")
    objects.close()


def test_slow_down_is_waited_for(peer_of: Callable[[Script], Peer]) -> None:
    peer = peer_of(lambda number: (503, "SlowDown") if number < 3 else (200, ""))
    objects = store_at(peer.url)
    objects.for_tenant(DEFAULT_TENANT).put("k", b"v")
    assert peer.requests == 3
    objects.close()


def test_after_a_cut_connection_a_plain_write_is_sent_again_and_a_conditional_one_is_not(
    peer_of: Callable[[Script], Peer],
) -> None:
    peer = peer_of(lambda number: None if number == 1 else (200, ""))
    objects = store_at(peer.url)
    objects.for_tenant(DEFAULT_TENANT).put("k", b"v")
    assert peer.requests == 2
    objects.close()
    peer = peer_of(lambda _: None)
    objects = store_at(peer.url)
    with pytest.raises(TryLater):
        objects.for_tenant(DEFAULT_TENANT).put_if_absent("k", b"v")
    assert peer.requests == 1
    objects.close()


@pytest.mark.parametrize(
    "settings",
    [
        Settings(s3_url="minio:9000", s3_access_key="k", s3_secret_key="s"),
        Settings(s3_url="http://host/folder", s3_access_key="k", s3_secret_key="s"),
        Settings(s3_url="http://host"),
    ],
)
def test_an_address_or_credentials_that_cannot_work_are_refused_at_once(settings: Settings) -> None:
    with pytest.raises(Refused) as raised:
        S3Objects(settings)
    assert raised.value.code == "bad_setting"
    assert "TRIVIUM_S3_" in str(raised.value)


NOTIFICATION = 6  # of the doctor's requests, behind its date, two writes, a removal and a listing


def examined(peer_of: Callable[[Script], Peer], notification: tuple[int, str] | None) -> Finding:
    """The doctor's last finding, at a store that is fit except for what it says of its notification."""
    fit = {3: (412, "PreconditionFailed"), 5: (200, "NoContents")}
    answers = {**fit, NOTIFICATION: notification}
    peer = peer_of(lambda number: answers.get(number, (200, "")))
    settings = Settings(s3_url=peer.url, s3_access_key="key", s3_secret_key="secret")
    *others, last = examine({"object store": object_store}, settings)
    assert peer.requests == NOTIFICATION
    assert [finding for finding in others if not finding.ok] == []
    return last


def test_a_user_who_may_not_read_the_notification_is_told_what_to_allow(peer_of: Callable[[Script], Peer]) -> None:
    finding = examined(peer_of, (403, "AccessDenied"))
    assert (finding.check, finding.ok, finding.found) == ("notification", False, "cannot be read: AccessDenied")
    assert "s3:GetBucketNotification" in finding.action
    assert finding.check in ADVICE, "Trivium works without it"


def test_a_store_that_goes_away_before_it_tells_its_notification_is_told_as_such(
    peer_of: Callable[[Script], Peer],
) -> None:
    assert examined(peer_of, None).check == "object_store_down"

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

ASKED_S = "60"  # of a MinIO that is busy, or just starts
Script = Callable[[int], tuple[int, str] | None]
"""The how-manieth request to (status, S3 code or whole body), or None to cut the connection."""


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
                whole = code if code.startswith("<") or not code else f"<Error><Code>{code}</Code></Error>"
                self.reply(status, whole.encode())

            def reply(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("ETag", '"tag"')
                self.send_header("Content-Type", "application/xml")
                self.send_header("Content-Length", str(len(body)))
                if status == 503:
                    self.send_header("Retry-After", ASKED_S)
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
        (400, "RequestTimeout", TryLater, "object_store_busy", "by itself"),
        (400, "IncompleteBody", TryLater, "object_store_busy", "by itself"),
        (400, "BadDigest", TryLater, "object_store_busy", "by itself"),
        (400, "XAmzContentSHA256Mismatch", TryLater, "object_store_busy", "by itself"),
        (409, "OperationAborted", TryLater, "object_store_busy", "by itself"),
        (409, "ConditionalRequestConflict", TryLater, "object_store_busy", "by itself"),
        (499, "ClientDisconnected", TryLater, "object_store_busy", "by itself"),
        (499, "", TryLater, "object_store_busy", "by itself"),
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


def test_who_asks_a_busy_store_waits_no_minutes_in_one_call(
    peer_of: Callable[[Script], Peer], monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("urllib3.util.retry.time.sleep", waits.append)
    objects = store_at(peer_of(lambda _: (503, "SlowDown")).url)
    with pytest.raises(TryLater):
        objects.for_tenant(DEFAULT_TENANT).get("k")
    assert waits
    assert max(waits) < float(ASKED_S)
    objects.close()


def test_a_conditional_write_that_met_another_is_sent_again(peer_of: Callable[[Script], Peer]) -> None:
    objects = store_at(peer_of(lambda number: (409, "ConditionalRequestConflict") if number == 1 else (200, "")).url)
    assert objects.for_tenant(DEFAULT_TENANT).put_if_absent("k", b"v")
    objects.close()


def test_a_page_is_short_only_at_the_end(peer_of: Callable[[Script], Peer]) -> None:
    """A store may answer fewer keys than it was asked for, or none, and say that there are more."""
    answers = [(["a", "b"], "true"), ([], "true"), (["c", "d"], "false")]

    def scripted(number: int) -> tuple[int, str]:
        keys, more = answers[(number - 1) % len(answers)]
        found = "".join(f"<Contents><Key>{key}</Key></Contents>" for key in keys)
        return 200, (
            f"<ListBucketResult>{found}<IsTruncated>{more}</IsTruncated>"
            "<NextContinuationToken>there</NextContinuationToken></ListBucketResult>"
        )

    peer = peer_of(scripted)
    bucket = bucket_at(peer.url)
    assert [found.key for found in bucket.page("")] == ["a", "b", "c", "d"]
    assert [found.key for found in bucket.page("", limit=3)] == ["a", "b", "c"]
    assert peer.requests == 6
    assert [found.key for found in bucket.page("", limit=2)] == ["a", "b"]
    assert peer.requests == 7, "what is enough is not asked further"
    bucket.close()


def test_every_value_of_an_object_is_erased_however_short_the_pages_are(peer_of: Callable[[Script], Peer]) -> None:
    removal = "<DeleteResult></DeleteResult>"
    answers = [
        _values("true"),
        _values("true", "k"),
        removal,
        _values("true", "k", "k"),
        removal,
        _values("true", "k", "k/a"),
        removal,
        _values("true", "k/a"),
    ]
    peer = peer_of(lambda number: (200, answers[number - 1]))
    bucket = bucket_at(peer.url)
    bucket.erase_object("k")
    assert peer.requests == len(answers), "the values of others are not walked"
    bucket.close()


def _values(more: str, *keys: str) -> str:
    found = "".join(f"<Version><Key>{key}</Key><VersionId>{n}</VersionId></Version>" for n, key in enumerate(keys))
    return f"<ListVersionsResult>{found}<IsTruncated>{more}</IsTruncated></ListVersionsResult>"


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


NOTIFICATION = 7  # of the doctor's requests, behind its date, three writes, a removal and a listing
FIT = {3: (412, "PreconditionFailed"), 4: (412, "PreconditionFailed"), 6: (200, "NoContents")}


def examined(peer_of: Callable[[Script], Peer], notification: tuple[int, str] | None) -> Finding:
    """The doctor's last finding, at a store that is fit except for what it says of its notification."""
    answers = {**FIT, NOTIFICATION: notification}
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


@pytest.mark.parametrize(("ignores", "header"), [(3, "If-None-Match"), (4, "If-Match")])
def test_a_store_that_ignores_a_condition_is_told_which(
    peer_of: Callable[[Script], Peer], ignores: int, header: str
) -> None:
    answers: dict[int, tuple[int, str]] = {**FIT, NOTIFICATION: (403, "AccessDenied"), ignores: (200, "")}
    peer = peer_of(lambda number: answers.get(number, (200, "")))
    settings = Settings(s3_url=peer.url, s3_access_key="key", s3_secret_key="secret")
    (finding,) = [found for found in examine({"object store": object_store}, settings) if "condition" in found.check]
    assert (finding.ok, finding.found) == (False, f"{header} ignored")
    assert finding.check not in ADVICE, "Trivium does not work without it"

"""A bucket and its documents agree, however badly the bucket's events travel."""

from __future__ import annotations

import json
import random
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote_plus

import pytest
from folder_stores import FolderStores
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from uploads_peer import UploadsPeer
from waiting import wait_until

from trivium.domain.documents import Document, DocumentState, Lane
from trivium.domain.errors import Refused, TryLater
from trivium.domain.ids import child_id
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.flow.intake import StoreIntake, upload_version
from trivium_ingest.uploads.events import keys_in
from trivium_ingest.uploads.follow import Bucket, Follower
from trivium_ingest.uploads.reconcile import reconcile
from trivium_ingest.uploads.watch import Watch
from trivium_ingest.uploads.webhook import webhook


def no_url(url: str) -> None:
    raise AssertionError(url)


def follower(folder: Path, uploads: UploadsPeer, tenant: str = "default", **rules: dict[str, str]) -> Follower:
    intake = StoreIntake(FolderStores(folder), lambda: None, no_url, 10**9, lambda _: uploads, **rules)
    return Follower(Bucket("drop", uploads, tenant), intake)


def states(follower: Follower, tenant: Tenant = DEFAULT_TENANT) -> dict[str, str]:
    """Key to version of every document that is not deleted."""
    documents = follower.intake.stores.registry.for_tenant(tenant).list(limit=10_000).documents
    return {
        str(follower.bucket.key_of(document.source)): document.version
        for document in documents
        if document.state is not DocumentState.DELETED
    }


def held(uploads: UploadsPeer) -> dict[str, str]:
    return {upload.key: upload_version(upload) for upload in uploads.listing()}


def redis_message(*keys: str, bucket: str = "drop") -> bytes:
    records = [
        {"s3": {"bucket": {"name": bucket}, "object": {"key": quote_plus(key), "eTag": "ignored"}}} for key in keys
    ]
    return json.dumps([{"Event": records, "EventTime": "2026-11-21T00:00:00Z"}]).encode()


def webhook_message(*keys: str) -> bytes:
    records = json.loads(redis_message(*keys))[0]["Event"]
    return json.dumps({"EventName": "s3:ObjectCreated:Put", "Key": "drop/x", "Records": records}).encode()


KEYS = ["a.txt", "b c/ü 1.txt", "../d", "100%.txt", "line\nbreak"]
ACTIONS = st.lists(
    st.tuples(st.sampled_from(KEYS), st.sampled_from([b"", b"one", b"two", None]), st.booleans()), max_size=12
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ACTIONS, st.randoms(use_true_random=False))
def test_dropped_tripled_and_shuffled_events_and_one_listing_end_as_the_bucket(
    tmp_path_factory: pytest.TempPathFactory, actions: list[tuple[str, bytes | None, bool]], chance: random.Random
) -> None:
    uploads = UploadsPeer()
    follow = follower(tmp_path_factory.mktemp("stores"), uploads)
    told: list[str] = []
    for key, content, follow_now in actions:
        if content is None:
            uploads.delete(key)
        else:
            uploads.put(key, content)
        told += [key] * chance.choice([0, 1, 3])
        if follow_now and told:
            follow.follow(told.pop(chance.randrange(len(told))))
    chance.shuffle(told)
    for key in told:
        follow.follow(key)
    reconcile(follow)
    assert states(follow) == held(uploads)
    assert reconcile(follow).missed == 0


def test_what_was_found_inside_an_upload_is_not_looked_for_in_the_bucket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uploads = UploadsPeer({"mail.eml": b"mail"})
    mine = follower(tmp_path, uploads)
    mine.follow("mail.eml")
    registry = mine.intake.stores.registry.for_tenant(DEFAULT_TENANT)
    (mail,) = registry.list().documents
    source = f"{mail.source} > a.txt"
    registry.accept(Document(child_id(mail.id, "a.txt"), "default", source, "1", parent=mail.id, updated_at=1.0))
    asked, stat = set[str](), uploads.stat
    monkeypatch.setattr(uploads, "stat", lambda key: (asked.add(key), stat(key))[1])
    assert reconcile(mine).missed == 0
    assert asked == {"mail.eml"}


def test_what_lay_there_long_before_the_listing_found_it_takes_the_slower_lane(tmp_path: Path) -> None:
    uploads = UploadsPeer({"heard": b"1", "event is late": b"2"})
    uploads.put("missed", b"3", age_s=3600)
    follow = follower(tmp_path, uploads)
    assert follow.follow("heard")
    assert reconcile(follow).missed == 2
    documents = follow.intake.stores.registry.for_tenant(DEFAULT_TENANT).list().documents
    assert {d.source: d.lane for d in documents} == {
        "s3://drop/heard": Lane.INTERACTIVE,
        "s3://drop/event is late": Lane.INTERACTIVE,
        "s3://drop/missed": Lane.BACKFILL,
    }


def test_a_document_deleted_by_hand_stays_so_until_its_file_is_put_again(tmp_path: Path) -> None:
    uploads = UploadsPeer({"a": b"1"})
    follow = follower(tmp_path, uploads)
    follow.follow("a")
    mine = follow.intake.for_tenant(DEFAULT_TENANT)
    time.sleep(1.1)  # S3 tells times in whole seconds
    mine.delete(follow.bucket.document_id("a"))
    assert not follow.follow("a")
    assert reconcile(follow).missed == 0
    time.sleep(1.1)
    uploads.put("a", b"1")
    assert follow.follow("a")
    assert states(follow) == held(uploads)


def test_the_first_part_of_a_key_may_name_the_tenant(tmp_path: Path) -> None:
    uploads = UploadsPeer({"acme/a.txt": b"1", "globex/a.txt": b"2", "Not A Tenant/a.txt": b"3"})
    follow = follower(tmp_path, uploads, tenant="*")
    assert reconcile(follow).missed == 2
    assert set(states(follow, Tenant("acme"))) == {"acme/a.txt"}
    assert set(states(follow, Tenant("globex"))) == {"globex/a.txt"}
    uploads.delete("acme/a.txt")
    reconcile(follow)
    assert states(follow, Tenant("acme")) == {}
    assert states(follow, Tenant("globex")) != {}


def test_the_longest_rule_says_in_which_dataset_an_object_comes(tmp_path: Path) -> None:
    uploads = UploadsPeer({key: b"x" for key in ("papers/a", "papers/2023/b", "papers-old/c", "d")})
    rules = {"drop/papers": "all", "drop/papers/2023/": "new", "other/": "none"}
    following = follower(tmp_path, uploads, dataset_rules=rules)
    for key in ("papers/a", "papers/2023/b", "papers-old/c", "d"):
        following.follow(key)
    documents = following.intake.stores.registry.for_tenant(DEFAULT_TENANT).list(limit=10).documents
    assert {document.source: document.dataset for document in documents} == {
        "s3://drop/papers/a": "all",
        "s3://drop/papers/2023/b": "new",
        "s3://drop/papers-old/c": "all",
        "s3://drop/d": "default",
    }


@pytest.mark.parametrize("message", [redis_message, webhook_message])
def test_keys_of_both_forms_of_message_are_read(message: Callable[..., bytes]) -> None:
    assert keys_in(message("b c/ü+1.txt", "a%.txt", "b c/ü+1.txt", "folder/"), "drop") == ["b c/ü+1.txt", "a%.txt"]
    assert keys_in(redis_message("x", bucket="other"), "drop") == []


@pytest.mark.parametrize("bad", [b"", b"{}", b"[1]", b"\xff", b'{"Records":[{"s3":{}}]}', b'{"Records":7}'])
def test_anything_else_is_refused(bad: bytes) -> None:
    with pytest.raises(Refused, match="S3 event"):
        keys_in(bad, "drop")


def test_the_watch_follows_what_it_hears_and_finds_the_rest_by_listing(tmp_path: Path) -> None:
    uploads = UploadsPeer({"before": b"0"})
    follow = follower(tmp_path, uploads)
    inbox: list[bytes] = []

    def take(timeout_s: float) -> list[bytes]:
        time.sleep(0.01)
        taken, inbox[:] = list(inbox), []
        return taken

    watch = Watch(follow, reconcile_s=3600, sources=[take])
    watch.start()
    try:
        wait_until(lambda: states(follow) == held(uploads), "the documents are as the bucket is")
        uploads.put("after", b"1")
        inbox.extend([b"rubbish", redis_message("after")])
        wait_until(lambda: states(follow) == held(uploads), "the documents are as the bucket is")
        uploads.delete("before")
        watch.hear(webhook_message("before"))
        wait_until(lambda: states(follow) == held(uploads), "the documents are as the bucket is")
    finally:
        watch.stop()
    assert threading.active_count() < 20


def test_a_store_that_is_away_delays_a_key_and_loses_none(tmp_path: Path) -> None:
    uploads = UploadsPeer()
    away = threading.Event()

    class Flaky(UploadsPeer):
        def stat(self, key: str):
            if not away.is_set():
                away.set()
                raise TryLater("s3_down", "The object server did not answer.")
            return uploads.stat(key)

    uploads.put("a", b"1")
    follow = follower(tmp_path, uploads)
    flaky = Follower(Bucket("drop", Flaky(), "default"), follow.intake)
    watch = Watch(flaky, reconcile_s=3600)
    watch.start()
    try:
        watch.hear(redis_message("a"))
        wait_until(lambda: states(follow) == held(uploads), "the documents are as the bucket is")
    finally:
        watch.stop()


def test_a_fault_of_ours_with_one_key_does_not_end_the_watch(tmp_path: Path) -> None:
    class Faulty(UploadsPeer):
        def stat(self, key: str):
            if key == "bad":
                raise ValueError(key)
            return super().stat(key)

    uploads = Faulty()
    follow = follower(tmp_path, uploads)
    watch = Watch(follow, reconcile_s=3600)
    watch.start()
    try:
        watch.hear(redis_message("bad"))
        uploads.put("good", b"1")
        watch.hear(redis_message("good"))
        wait_until(lambda: "good" in states(follow), "the good one has come")
    finally:
        watch.stop()


def test_the_webhook_takes_events_and_refuses_everything_else() -> None:
    heard: list[bytes] = []

    def hear(message: bytes) -> None:
        keys_in(message, "drop")
        heard.append(message)

    def post(port: int, path: str, body: bytes, token: str = "") -> int:
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body, method="POST")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            with error:
                return error.code

    with webhook("127.0.0.1", 0, "secret", hear) as port:
        assert post(port, "/events", webhook_message("a"), "secret") == 200
        assert post(port, "/events", webhook_message("a"), "wrong") == 401
        assert post(port, "/events", webhook_message("a")) == 401
        assert post(port, "/events", b"rubbish", "secret") == 400
        assert post(port, "/events", b" " * 2_000_000, "secret") == 413
        assert post(port, "/elsewhere", b"{}", "secret") == 404
        with pytest.raises(Refused, match="cannot be heard"), webhook("127.0.0.1", port, "", hear):
            pass
    assert heard == [webhook_message("a")]


@pytest.mark.parametrize("found_by", ["event", "listing"])
def test_what_was_deleted_here_stays_away_until_its_file_is_put_into_the_bucket_again(
    tmp_path: Path, found_by: str
) -> None:
    uploads = UploadsPeer()
    uploads.put("a.txt", b"text", age_s=60)
    mine = follower(tmp_path, uploads)

    def look() -> None:
        if found_by == "event":
            mine.follow("a.txt")
        else:
            reconcile(mine)

    look()
    (source,) = mine.intake.stores.registry.for_tenant(DEFAULT_TENANT).list().documents
    [warning] = mine.intake.for_tenant(DEFAULT_TENANT).delete(source.id).warnings
    assert "s3://drop/a.txt" in warning
    look()
    assert (states(mine), uploads.get("a.txt")) == ({}, b"text")
    uploads.put("a.txt", b"text")
    look()
    assert states(mine) == held(uploads)

"""What every bucket of uploads promises; see `trivium.ports.uploads`."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from buckets import bucket_of, client, drop_bucket, make_bucket
from uploads_peer import UploadsPeer

from trivium.adapters.distributed.s3.uploads import S3Uploads
from trivium.config import load_settings
from trivium.domain.errors import NotFound
from trivium.ports.uploads import Uploads

ODD_KEYS = [
    "a b  c.txt",
    "Ünïcode/文書/📄.pdf",
    "e\u0301",
    "per%cent%2f+plus&and=is?query#hash",
    "quote'\"<tag>&amp;.txt",
    "dots../..hidden/x",
    "back\\slash",
    " lead and trail ",
    "x" * 255,
    "\ufffdafter\U0001f4c4 in UTF-16 and before it in UTF-8",
]


class Bucket(NamedTuple):
    """A bucket as Trivium reads it, and its owner's hands."""

    uploads: Uploads
    put: Callable[[str, bytes], object]
    delete: Callable[[str], object]


def in_memory(folder: Path) -> Iterator[Bucket]:
    """What the tests of intake use instead of a server."""
    peer = UploadsPeer()
    yield Bucket(peer, peer.put, peer.delete)


def distributed(folder: Path) -> Iterator[Bucket]:
    settings = msgspec.structs.replace(load_settings(), s3_bucket=bucket_of(folder))
    make_bucket(settings)
    owner, name = client(settings), settings.s3_bucket
    with closing(S3Uploads(settings, name)) as uploads:
        yield Bucket(
            uploads,
            lambda key, content: owner.put_object(name, key, io.BytesIO(content), len(content)),
            lambda key: owner.remove_object(name, key),
        )
    drop_bucket(settings)


OPEN = {"in-memory": in_memory}
if load_settings().backend == "distributed":
    OPEN["distributed"] = distributed


@pytest.fixture(params=OPEN.values(), ids=OPEN.keys())
def bucket(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bucket]:
    yield from request.param(tmp_path)


def test_missing_replaced_and_deleted_uploads_are_not_found(bucket: Bucket) -> None:
    for call in (bucket.uploads.get, bucket.uploads.stat):
        with pytest.raises(NotFound):
            call("none")
    bucket.put("k", b"old")
    old = bucket.uploads.stat("k").etag
    assert bucket.uploads.get("k", old) == b"old"
    bucket.put("k", b"new")
    assert bucket.uploads.get("k") == bucket.uploads.get("k", bucket.uploads.stat("k").etag) == b"new"
    with pytest.raises(NotFound):
        bucket.uploads.get("k", old)
    bucket.delete("k")
    with pytest.raises(NotFound):
        bucket.uploads.get("k", old)


def test_duplicate_a_key_is_listed_once_with_its_newest_value(bucket: Bucket) -> None:
    before = time.time() // 1
    bucket.put("folder/k", b"1")
    bucket.put("folder/k", b"12345")
    (listed,) = bucket.uploads.listing()
    assert listed == bucket.uploads.stat("folder/k")
    assert (listed.key, listed.size_bytes) == ("folder/k", 5)
    assert before <= listed.modified <= time.time()
    assert listed.modified == listed.modified // 1


def test_empty_objects_are_uploads_and_folders_are_not(bucket: Bucket) -> None:
    assert list(bucket.uploads.listing()) == []
    for key in ("empty", "folder/", "folder/deeper/"):
        bucket.put(key, b"")
    bucket.put("folder/deeper/file", b"text")
    assert [found.key for found in bucket.uploads.listing()] == ["empty", "folder/deeper/file"]
    assert bucket.uploads.get("empty") == b""


def test_order_odd_keys_come_by_their_bytes_and_are_read_by_their_own_name(bucket: Bucket) -> None:
    for key in reversed(ODD_KEYS):
        bucket.put(key, key.encode())
    expected = sorted(ODD_KEYS, key=str.encode)
    assert [found.key for found in bucket.uploads.listing()] == expected
    for number, key in enumerate(expected):
        assert bucket.uploads.get(key, bucket.uploads.stat(key).etag) == key.encode()
        assert [found.key for found in bucket.uploads.listing(start_after=key)] == expected[number + 1 :]
    assert [found.key for found in bucket.uploads.listing("Ünïcode/")] == ["Ünïcode/文書/📄.pdf"]


def test_erasing_a_part_leaves_the_others(bucket: Bucket) -> None:
    others = {*ODD_KEYS, "mine2/a", "mine-2"}
    for key in (*others, "mine/a", "mine/a/b", "mine/b c/ü", "mine/control\x07", "mine"):
        bucket.put(key, b"x")
    bucket.put("mine/a", b"newer")
    bucket.uploads.erase("mine/")
    bucket.uploads.erase("mine/")
    assert {upload.key for upload in bucket.uploads.listing()} == others

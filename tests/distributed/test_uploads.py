"""The bucket where people drop files; see `trivium.ports.uploads`."""

from __future__ import annotations

import io
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import msgspec
import pytest
from buckets import client
from minio import Minio

from trivium.adapters.distributed.s3.bucket import POOL_SIZE
from trivium.adapters.distributed.s3.objects import S3Objects
from trivium.adapters.distributed.s3.uploads import S3Uploads
from trivium.config import Settings
from trivium.domain.errors import NeverWill, NotFound, TryLater
from trivium.domain.scope import DEFAULT_TENANT


@pytest.fixture
def owner(own: Settings) -> Minio:
    return client(own)


@pytest.fixture
def uploads(own: Settings) -> Iterator[S3Uploads]:
    opened = S3Uploads(msgspec.structs.replace(own, max_upload_bytes=1000), own.s3_bucket)
    yield opened
    opened.close()


def drop(owner: Minio, own: Settings, key: str, content: bytes = b"text") -> str:
    return str(owner.put_object(own.s3_bucket, key, io.BytesIO(content), len(content)).etag)


@pytest.mark.parametrize("key", ["../x", "a/../b", "a/./b", "x" * 256, "x/" * 600, "/lead", "a//b"])
def test_a_key_that_the_store_cannot_hold_is_not_found(uploads: S3Uploads, key: str) -> None:
    for call in (uploads.get, uploads.stat):
        with pytest.raises(NotFound):
            call(key)


def test_a_listing_of_two_thousand_keys_streams_and_takes_up_where_it_stopped(
    own: Settings, owner: Minio, uploads: S3Uploads
) -> None:
    keys = [f"d{number % 7}/file {number:04}" for number in range(2000)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda key: drop(owner, own, key, b""), keys))
    expected = sorted(keys)
    listing = uploads.listing()
    first = [found.key for found in islice(listing, 1500)]
    owner.remove_object(own.s3_bucket, expected[-1])
    assert first + [found.key for found in listing] in (expected, expected[:-1])
    assert [found.key for found in uploads.listing(start_after=first[-1])] == expected[1500:-1]
    assert [found.key for found in uploads.listing("d3/", "d3/file 1000")] == [
        key for key in expected if "d3/file 1000" < key < "d4"
    ]


def test_too_large_an_upload_is_refused_before_it_is_read(own: Settings, owner: Minio, uploads: S3Uploads) -> None:
    drop(owner, own, "large", b"x" * 1001)
    drop(owner, own, "just", b"x" * 1000)
    for _ in range(POOL_SIZE + 1):  # none keeps its connection
        with pytest.raises(NeverWill) as raised:
            uploads.get("large")
        assert raised.value.code == "too_large"
    assert len(uploads.get("just")) == 1000


def test_a_wrong_bucket_and_wrong_credentials_name_the_setting(own: Settings) -> None:
    wrong = S3Uploads(own, "no-such-bucket")
    for call in (lambda: wrong.get("k"), lambda: wrong.stat("k"), lambda: list(wrong.listing())):
        with pytest.raises(TryLater) as raised:
            call()
        assert raised.value.code == "no_such_bucket"
        assert "TRIVIUM_S3_UPLOADS" in raised.value.action
    wrong.close()
    objects = S3Objects(msgspec.structs.replace(own, s3_secret_key="wrong"))
    with pytest.raises(TryLater) as raised:
        objects.for_tenant(DEFAULT_TENANT).put("k", b"v")
    assert raised.value.code == "object_store_credentials"
    assert "TRIVIUM_S3_SECRET_KEY" in raised.value.action
    objects.close()

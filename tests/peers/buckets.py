"""Buckets for tests, made and removed with the `minio` client itself, as an operator would."""

from __future__ import annotations

import hashlib
from pathlib import Path
from urllib.parse import urlsplit

import redis
from minio import Minio
from minio.error import S3Error

from trivium.config import Settings


def bucket_of(folder: Path) -> str:
    """The bucket that stands for a test's folder."""
    return f"test-{hashlib.sha256(str(folder).encode()).hexdigest()[:24]}"


def client(settings: Settings) -> Minio:
    """The owner's client."""
    address = urlsplit(settings.s3_url)
    return Minio(
        address.netloc,
        access_key=settings.s3_access_key,
        secret_key=settings.s3_secret_key,
        secure=address.scheme == "https",
        region=settings.s3_region,
    )


def make_bucket(settings: Settings) -> None:
    """Make `settings.s3_bucket`, unless it is there."""
    try:
        client(settings).make_bucket(settings.s3_bucket)
    except S3Error as error:
        if error.code != "BucketAlreadyOwnedByYou":
            raise


def drop_bucket(settings: Settings) -> None:
    """Remove `settings.s3_bucket` with all that is in it, old values too, and what Redis remembers of it."""
    owner = client(settings)
    try:
        for found in owner.list_objects(settings.s3_bucket, recursive=True, include_version=True):
            owner.remove_object(settings.s3_bucket, str(found.object_name), found.version_id)
        owner.remove_bucket(settings.s3_bucket)
    except S3Error as error:
        if error.code != "NoSuchBucket":
            raise
    with redis.Redis.from_url(settings.redis_url) as server:
        for key in server.scan_iter(match=f"{settings.index_prefix}:{settings.s3_bucket}:*", count=1000):
            server.unlink(key)

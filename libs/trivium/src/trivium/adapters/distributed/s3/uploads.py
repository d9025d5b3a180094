"""Uploads in an S3 bucket."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from trivium.adapters.distributed.s3.bucket import Bucket, Listed
from trivium.config import Settings
from trivium.domain.errors import NotFound
from trivium.ports.uploads import Upload


class S3Uploads:
    """See `trivium.ports.uploads.Uploads`; `bucket` other than the configured one is for a backfill."""

    def __init__(self, settings: Settings, bucket: str = "") -> None:
        self._bucket = Bucket(settings, bucket or settings.s3_uploads, "TRIVIUM_S3_UPLOADS")
        self._max_bytes = settings.max_upload_bytes

    def get(self, key: str, etag: str = "") -> bytes:
        """The bytes of that very value of the object."""
        found = self._bucket.get(key, if_match=etag, max_bytes=self._max_bytes)
        if found is None:
            raise _gone(key)
        return found.content

    def stat(self, key: str) -> Upload:
        """What is known of the object without reading it."""
        found = self._bucket.head(key)
        if found is None:
            raise _gone(key)
        return _upload(found)

    def listing(self, prefix: str = "", start_after: str = "") -> Iterator[Upload]:
        """Every upload below `prefix`, a page of a thousand in memory at a time."""
        return (_upload(found) for found in self._bucket.listing(prefix, start_after) if not found.key.endswith("/"))

    def erase(self, prefix: str) -> None:
        """Remove every value of every object below `prefix`, and of the one that a folder has the name of."""
        if prefix.endswith("/"):
            self._bucket.erase_object(prefix.removesuffix("/"))
        self._bucket.erase(prefix)

    def close(self) -> None:
        """Close the connections."""
        self._bucket.close()


def _upload(found: Listed) -> Upload:
    return Upload(**msgspec.structs.asdict(found))


def _gone(key: str) -> NotFound:
    return NotFound(
        "upload_gone", f"The upload {key[:200]!r} was deleted or replaced.", "Its newer state is looked at."
    )

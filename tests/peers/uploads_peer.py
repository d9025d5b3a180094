"""A bucket in memory (`trivium.ports.uploads.Uploads`), for tests of what follows buckets."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping

from trivium.domain.errors import NotFound
from trivium.ports.uploads import Upload


class UploadsPeer:
    """Keys to bytes; every `put` has its own time."""

    def __init__(self, values: Mapping[str, bytes] | None = None) -> None:
        self._values: dict[str, tuple[bytes, float]] = {}
        for key, content in (values or {}).items():
            self.put(key, content)

    def put(self, key: str, content: bytes, age_s: float = 0.0) -> None:
        self._values[key] = (content, time.time() - age_s)

    def delete(self, key: str) -> None:
        self._values.pop(key, None)

    def get(self, key: str, etag: str = "") -> bytes:
        if etag not in ("", self.stat(key).etag):
            raise NotFound("upload_gone", f"The upload {key} was replaced.")
        return self._values[key][0]

    def stat(self, key: str) -> Upload:
        if key not in self._values:
            raise NotFound("upload_gone", f"There is no upload {key}.")
        content, modified = self._values[key]
        etag = hashlib.md5(content, usedforsecurity=False).hexdigest()
        return Upload(key, etag, len(content), float(int(modified)))  # as S3 does, in whole seconds

    def listing(self, prefix: str = "", start_after: str = "") -> Iterator[Upload]:
        keys = sorted((key for key in self._values if not key.endswith("/")), key=str.encode)
        return (self.stat(key) for key in keys if key.startswith(prefix) and key.encode() > start_after.encode())

    def erase(self, prefix: str) -> None:
        self._values = {key: value for key, value in self._values.items() if not f"{key}/".startswith(prefix)}

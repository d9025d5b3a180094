"""What object servers say when a bucket changes, reduced to the keys that deserve a look.

The records are those of the S3 event message structure (AWS, "Event message structure"); MinIO wraps them as
`{"EventName", "Key", "Records": [...]}` for webhooks and as `[{"Event": [...], "EventTime": ...}]` for Redis lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote_plus

import msgspec

from trivium.domain.errors import Refused


def keys_in(message: bytes, bucket: str) -> list[str]:
    """The keys of `bucket` that the message is about, each once. Raises `Refused` (`bad_event`) for anything else."""
    try:
        keys = [_key(record) for record in _records(msgspec.json.decode(message)) if _bucket(record) == bucket]
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError, UnicodeDecodeError) as error:
        raise Refused("bad_event", f"Not an S3 event: {message[:80]!r}.", "Send bucket notifications here.") from error
    return [key for key in dict.fromkeys(keys) if not key.endswith("/")]


def _records(message: Any) -> Iterator[dict[str, Any]]:
    if isinstance(message, list):
        for entry in message:
            yield from entry["Event"]
    else:
        yield from message["Records"]


def _bucket(record: dict[str, Any]) -> str:
    name: str = record["s3"]["bucket"]["name"]
    return name


def _key(record: dict[str, Any]) -> str:
    return unquote_plus(record["s3"]["object"]["key"], errors="strict")

"""What a failed S3 request means for the caller: try later, or never will, and what to do about it."""

from __future__ import annotations

from typing import NamedTuple

from urllib3.exceptions import HTTPError

from trivium.domain.errors import NeverWill, TriviumError, TryLater


class BucketAddress(NamedTuple):
    """Where the request went; `setting` is the variable that names the bucket."""

    host: str
    bucket: str
    setting: str


class _Meaning(NamedTuple):
    family: type[TriviumError]
    code: str
    action: str


# A wrong setting is the operator's to put right, and no fault of the document in hand: it waits.
_BUCKET = _Meaning(TryLater, "no_such_bucket", "Create bucket {bucket!r}, or set {setting} to the one you mean.")
_CREDENTIALS = _Meaning(
    TryLater,
    "object_store_credentials",
    "Set TRIVIUM_S3_ACCESS_KEY and TRIVIUM_S3_SECRET_KEY to a user that may use bucket {bucket!r}.",
)
_REGION = _Meaning(TryLater, "object_store_region", "Set TRIVIUM_S3_REGION to the region of bucket {bucket!r}.")
_CLOCK = _Meaning(TryLater, "clock_skewed", "Set this machine's clock: the object store's differs by minutes.")
_FULL = _Meaning(TryLater, "object_store_full", "Free some space there; waiting work then goes on by itself.")
_BUSY = _Meaning(TryLater, "object_store_busy", "It is tried again by itself.")
_OTHER = _Meaning(NeverWill, "object_store_error", "Look the answer up in the object store's documentation and log.")

_BY_CODE = {
    "AccessDenied": _CREDENTIALS,
    "NoSuchBucket": _BUCKET,
    "InvalidBucketName": _BUCKET,
    "RequestTimeTooSkewed": _CLOCK,
    "AuthorizationHeaderMalformed": _REGION,
    "InvalidRegion": _REGION,
    "PermanentRedirect": _REGION,
    "XMinioStorageFull": _FULL,
    "XMinioAdminBucketQuotaExceeded": _FULL,
    "QuotaExceeded": _FULL,
    "RequestTimeout": _BUSY,
    "IncompleteBody": _BUSY,  # MinIO also answers so where it did not get through in time
    "BadDigest": _BUSY,  # what was sent is not what arrived
    "XAmzContentSHA256Mismatch": _BUSY,
    "OperationAborted": _BUSY,
    "ConditionalRequestConflict": _BUSY,
    "NotImplemented": _OTHER,
}
_BY_STATUS = {
    301: _REGION,
    307: _REGION,
    401: _CREDENTIALS,
    403: _CREDENTIALS,
    408: _BUSY,
    429: _BUSY,
    499: _BUSY,  # MinIO's for a request that it took for given up
    507: _FULL,
}


def failure(status: int, s3_code: str, place: BucketAddress) -> TriviumError:
    """The family of a refused request; `s3_code` is the `Code` of its body, "" without one."""
    meaning = _BY_CODE.get(s3_code) or _BY_STATUS.get(status) or (_BUSY if status >= 500 else _OTHER)
    told = f"The object store at {place.host} answered {status} {s3_code}".rstrip()
    return meaning.family(
        meaning.code,
        f"{told} for bucket {place.bucket!r}.",
        meaning.action.format(bucket=place.bucket, setting=place.setting),
    )


def no_s3(place: BucketAddress) -> TryLater:
    """What answers there is another server, or one that cuts its answers."""
    return TryLater(
        "object_store_other",
        f"What answers at {place.host} for bucket {place.bucket!r} is no S3.",
        "Set TRIVIUM_S3_URL to the object store itself; waiting work then goes on by itself.",
    )


def unreachable(error: HTTPError, host: str) -> TryLater:
    """No answer at all: refused, timed out or cut."""
    reason = getattr(error, "reason", None) or error
    return TryLater(
        "object_store_down",
        f"The object store at {host} did not answer ({type(reason).__name__}).",
        "Start it, or set TRIVIUM_S3_URL to where it is; waiting work then goes on by itself.",
    )

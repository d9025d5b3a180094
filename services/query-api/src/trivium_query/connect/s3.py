"""A bucket of any S3, or what is below a prefix in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import httpx2
from minio import Minio
from minio.datatypes import Object
from minio.error import MinioException, S3Error

from trivium.domain.errors import NeverWill, Refused, TriviumError, TryLater
from trivium.domain.source_names import shown_key
from trivium.ports.connector import Change, Item
from trivium_query.connect.place import Place
from trivium_query.connect.seen import MAX_FILES, Seen
from trivium_query.connect.web import refused_login, web_location
from trivium_query.egress.pool import GuardedPool, translated

AWS = "https://s3.amazonaws.com/"
MAX_LISTED = 2 * MAX_FILES
"""Objects that are files and those that only stand for folders."""
MAX_EMPTY_PAGES = 1000
"""Of one listing."""
_REQUESTS = 10
"""That one object may cost: a page of the listing and the object itself, both with their redirects."""
_LOGIN = frozenset(
    {"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidTokenId", "AllAccessDisabled"}
)
_MISSING = frozenset({"NoSuchBucket", "PermanentRedirect", "InvalidBucketName"})


class S3Connector:
    """See `trivium.ports.connector.Connector`. A file's token is its etag and size."""

    def __init__(self, place: Place, cursor: str) -> None:
        location = place.connection.location
        address = AWS + location.removeprefix("s3://") if location.startswith("s3://") else location
        url = web_location(address, place.way, signed=True)
        self._bucket, _, self._prefix = url.path.lstrip("/").partition("/")
        if not self._bucket:
            raise Refused("bad_location", f"{location[:200]!r} names no bucket.", "Write https://host/bucket/prefix.")
        self._place, self._host = place, url.host
        self._left = MAX_EMPTY_PAGES
        self._seen = Seen(cursor)
        self.stored, self.cursor = self._seen.stored, self._seen.cursor
        self._client = _client(place, url, self._pace)

    def changes(self) -> Iterator[Change]:
        """In the order of their keys."""
        listing = self._listing()
        count = 0
        while (found := self._next(listing)) is not None:
            count += 1
            if count > MAX_LISTED:
                raise _too_many(f"There are more than {MAX_LISTED:,} objects, with those that stand for folders.")
            key = found.object_name or ""
            if key.endswith("/") or found.is_dir:
                continue
            name = shown_key(key[self._prefix.rfind("/") + 1 :])
            token = f"{(found.etag or '').strip(chr(34))}-{found.size or 0}"
            yield from self._seen.look(name, token, partial(self._fetch, key, found.size or 0))
        yield from self._seen.rest()

    def _listing(self) -> Iterator[Object]:
        with self._translated():
            return iter(self._client.list_objects(self._bucket, prefix=self._prefix, recursive=True))

    def _next(self, listing: Iterator[Object]) -> Object | None:
        with self._translated():
            found = next(listing, None)
        self._left += _REQUESTS
        return found

    def _pace(self) -> None:
        """Before each request. Raises `Refused` (`too_many_files`) where they bring nothing."""
        self._place.way.pace()
        self._left -= 1
        if self._left < 0:
            raise _too_many(f"{self._host} goes on listing, and there is nothing in its lists.")

    def _fetch(self, key: str, size_bytes: int) -> Item | None:
        """None when it went away meanwhile."""
        self._place.check_size(size_bytes)
        try:
            with self._translated():
                response = self._client.get_object(self._bucket, key)
                try:
                    content = response.read(self._place.max_bytes + 1)
                finally:
                    response.close()
        except NeverWill as error:
            if error.code == "no_such_object":
                return None
            raise
        self._place.check_size(len(content))
        return Item(content, response.headers.get("content-type", ""))

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            with translated(self._host):
                yield
        except S3Error as error:
            raise self._meaning(error.code or "") from error
        except (MinioException, ValueError) as error:  # an answer that is no S3's, a name that no bucket has
            why = f"{self._host} does not answer as an S3 does ({type(error).__name__})."
            raise NeverWill("no_s3", why, "Check the location: https://host/bucket/prefix.") from error

    def _meaning(self, code: str) -> TriviumError:
        if code in _LOGIN:
            return refused_login(self._host, with_login=self._place.way.secret is not None)
        if code in _MISSING:
            return NeverWill("no_such_bucket", f"{self._host} has no bucket {self._bucket!r}.", "Check the location.")
        if code == "NoSuchKey":
            return NeverWill("no_such_object", "The object is gone.", "Look again.")
        if code == "InvalidObjectState":
            return NeverWill("archived", "The object is in an archive.", "Restore it there, or leave it there.")
        return TryLater("s3_failed", f"{self._host} answered {code[:80] or 'an error'}.", "Try again later.")


def _too_many(why: str) -> Refused:
    return Refused("too_many_files", why, "Connect what is below a longer prefix.")


def _client(place: Place, url: httpx2.URL, pace: Callable[[], None]) -> Minio:
    secret = place.way.secret
    return Minio(
        url.netloc.decode("ascii"),
        secret.user if secret else None,
        secret.password if secret else None,
        secure=url.scheme == "https",
        region=url.params.get("region"),
        http_client=GuardedPool(place.way.fetcher, pace, place.way.pause),
    )

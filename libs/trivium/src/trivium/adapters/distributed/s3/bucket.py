"""One bucket of any S3: small, conditional requests over one bounded pool of connections.

Requests are signed by the `minio` client's signer and sent by `urllib3` itself: the client's own `put_object` takes no
`If-Match` or `If-None-Match`.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from typing import Any
from urllib.parse import SplitResult, quote, unquote_plus, urlsplit
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

import msgspec
import urllib3
from minio.credentials.credentials import Credentials
from minio.signer import sign_v4_s3
from urllib3.exceptions import HTTPError

from trivium.adapters.distributed.s3.errors import BucketAddress, failure, no_s3, unreachable
from trivium.authorities import trusted
from trivium.config import Settings
from trivium.domain.errors import NeverWill, NotFound, Refused
from trivium.tracing import spans

CONNECT_TIMEOUT_S = 3
READ_TIMEOUT_S = 30
POOL_SIZE = 32
PAGE_KEYS = 1000  # S3's own bound on a page
# Of keys: what the store cannot hold is not there.
_IMPOSSIBLE = ("XMinioInvalidObjectName", "XMinioInvalidResourceName", "KeyTooLongError")
# Of 409: not carried out because of another request at that moment, which may yet come to nothing.
_MET_ANOTHER = ("ConditionalRequestConflict", "OperationAborted")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_UNRESERVED = "-_.~"
# 403: MinIO also answers so while another request removes the folder that this one writes into.
_REFUSED = (403, 409, 503)
_AGAIN = urllib3.Retry(
    3,
    read=1,
    redirect=0,
    status_forcelist=(*_REFUSED, 500, 502, 504),
    allowed_methods=None,
    backoff_factor=0.1,
    backoff_jitter=0.1,
    raise_on_redirect=False,
    raise_on_status=False,
    respect_retry_after_header=False,  # MinIO asks for a minute, and somebody waits: whoever can comes again by itself
)
_ONCE = _AGAIN.new(read=0, other=0, status_forcelist=_REFUSED)
"""For a request that is sent again only when it was certainly not carried out."""


class Stored(msgspec.Struct, frozen=True):
    """An object with the tag of this value of it: two different values never share one."""

    content: bytes
    etag: str


class Listed(msgspec.Struct, frozen=True):
    """An object as a listing or HEAD shows it.

    `modified` is in whole Unix seconds, which is all that HEAD tells.
    """

    key: str
    etag: str
    size_bytes: int
    modified: float


class Bucket:
    """One bucket. `setting` is the variable that names it, for messages.

    Every call raises `TryLater` when the store is down, slow or full, and when the credentials, the region or the
    bucket are wrong, which is for the operator to put right. Safe among threads and across `fork`.
    """

    def __init__(self, settings: Settings, name: str, setting: str) -> None:
        address = urlsplit(settings.s3_url)
        if address.scheme not in _DEFAULT_PORTS or not address.hostname or address.path.strip("/"):
            raise Refused(
                "bad_setting",
                f"TRIVIUM_S3_URL={settings.s3_url.rpartition('@')[2]!r} is not an address of an object store.",
                "Write http://host:port or https://host:port.",
            )
        if not (settings.s3_access_key and settings.s3_secret_key):
            raise Refused(
                "bad_setting",
                "The object store's credentials are not set.",
                "Set TRIVIUM_S3_ACCESS_KEY and TRIVIUM_S3_SECRET_KEY.",
            )
        self.name = name
        self._setting = setting
        self._scheme = address.scheme
        host = f"[{address.hostname}]" if ":" in address.hostname else address.hostname
        self._host = host if address.port in (None, _DEFAULT_PORTS[address.scheme]) else f"{host}:{address.port}"
        self._region = settings.s3_region
        self._credentials = Credentials(settings.s3_access_key, settings.s3_secret_key)
        self._ca_file = settings.ca_file
        self._connect()

    def get(self, key: str, *, if_match: str = "", max_bytes: int = 0) -> Stored | None:
        """The object, or None when it is absent or is not `if_match` any more.

        Raises `NeverWill` (`too_large`) before reading one of more than `max_bytes`, where that is given.
        """
        headers = {"If-Match": f'"{if_match}"'} if if_match else {}
        with spans.reading("objects read"):
            with self._translated():
                response = self._send("GET", key, headers=headers, preload=not max_bytes)
                if max_bytes:
                    size = int(response.headers.get("Content-Length", 0))
                    if response.status == 200 and size > max_bytes:
                        response.close()
                        response.release_conn()  # the pool counts its connections
                        raise NeverWill(
                            "too_large",
                            f"{key!r} has {size:,} bytes; {max_bytes:,} are allowed.",
                            "Split the file, or raise TRIVIUM_MAX_UPLOAD_BYTES.",
                        )
                    response.read(cache_content=True)
                    response.release_conn()
            if self._failed(response, 404, 412):
                return None
            return Stored(response.data, _etag(response))

    def put(self, key: str, content: bytes | bytearray, *, if_match: str = "", if_absent: bool = False) -> str | None:
        """Store the object; its tag, or None when the condition did not hold.

        A conditional write is sent once: after a lost answer nobody could tell whose write it was that won.
        """
        headers = {"If-Match": f'"{if_match}"'} if if_match else {"If-None-Match": "*"} if if_absent else {}
        with self._translated():
            response = self._send("PUT", key, headers=headers, body=content, once=bool(headers))
        lost = (404, 409, 412) if headers else ()
        return None if self._failed(response, *lost) else _etag(response)

    def head(self, key: str) -> Listed | None:
        """What is known of an object without reading it."""
        with self._translated():
            response = self._send("HEAD", key)
            if response.status == 400:  # without a reason, which GET tells
                response = self._send("GET", key, headers={"Range": "bytes=0-0"})
        if self._failed(response, 404):
            return None
        try:
            modified = datetime.strptime(response.headers["Last-Modified"], "%a, %d %b %Y %H:%M:%S GMT")
        except (KeyError, ValueError) as error:
            raise no_s3(self._place()) from error
        return Listed(
            key,
            _etag(response),
            int(response.headers.get("Content-Length", 0)),
            modified.replace(tzinfo=UTC).timestamp(),
        )

    def delete(self, key: str) -> None:
        """Remove an object; an absent one is no error."""
        with self._translated():
            self._failed(self._send("DELETE", key), 404)

    def delete_many(self, keys: Sequence[str]) -> None:
        """Remove objects, `PAGE_KEYS` in one request; absent ones are no error."""
        for start in range(0, len(keys), PAGE_KEYS):
            some = keys[start : start + PAGE_KEYS]
            if len(some) == 1:
                self.delete(some[0])
            else:
                self._delete_named("".join(f"<Object><Key>{escape(key)}</Key></Object>" for key in some))

    def erase(self, prefix: str, *, keep: str = "", where: Callable[[str], bool] = lambda _: True) -> None:
        """Remove every value that was ever put below `prefix`, and every note of a deletion, `PAGE_KEYS` at a time.

        What is left: the object `keep`, and keys that are not `where`. A bucket without versions has one value of each.
        It looks until there is nothing more: MinIO does not list `a/b` while there is an `a`.
        """
        found = True
        while found:
            found = False
            for page in self._pages_of_values(prefix):
                doomed = [value for value in page if value[0] != keep and where(value[0])]
                self._delete_values(doomed)
                found |= bool(doomed)

    def erase_object(self, key: str) -> None:
        """Remove every value that the object ever had, and every note of its deletion."""
        found = True
        while found:
            found = False
            for page in self._pages_of_values(key):
                doomed = [value for value in page if value[0] == key]
                self._delete_values(doomed)
                found |= bool(doomed)
                if len(doomed) < len(page):  # the others stand behind it
                    break

    def _pages_of_values(self, prefix: str) -> Iterator[list[tuple[str, str]]]:
        """(key, version id) of each, in the order of keys."""
        query = {"versions": "", "encoding-type": "url", "max-keys": str(PAGE_KEYS), "prefix": prefix}
        while True:
            with self._translated():
                response = self._send("GET", "", query=query)
            self._failed(response)
            page = self._xml(response.data)
            yield list(_values(page))
            if page.findtext("IsTruncated") != "true":
                return
            query["key-marker"] = unquote_plus(page.findtext("NextKeyMarker", ""))
            query["version-id-marker"] = page.findtext("NextVersionIdMarker", "")

    def _delete_values(self, values: Sequence[tuple[str, str]]) -> None:
        """Of (key, version id) each; a key that XML cannot hold goes in a request of its own."""
        for key, version in values:
            if not key.isprintable():
                with self._translated():
                    self._failed(self._send("DELETE", key, query={"versionId": version}), 404)
        named = "".join(
            f"<Object><Key>{escape(key)}</Key><VersionId>{escape(version)}</VersionId></Object>"
            for key, version in values
            if key.isprintable()
        )
        if named:
            self._delete_named(named)

    def _delete_named(self, named: str) -> None:
        body = f"<Delete><Quiet>true</Quiet>{named}</Delete>".encode()
        checked = base64.b64encode(hashlib.md5(body, usedforsecurity=False).digest()).decode()
        with self._translated():
            headers = {"Content-MD5": checked, "Content-Type": "application/xml"}
            response = self._send("POST", "", query={"delete": ""}, headers=headers, body=body)
        self._failed(response)
        for error in self._xml(response.data).iter("Error"):
            raise failure(500, error.findtext("Code", ""), self._place())

    def listing(self, prefix: str = "", start_after: str = "") -> Iterator[Listed]:
        """Objects below `prefix` in the order of their keys' UTF-8 bytes, one page in memory at a time."""
        for page in self._pages(prefix, start_after, ""):
            yield from (_listed(entry) for entry in page.iter("Contents"))

    def page(self, prefix: str, start_after: str = "", limit: int = PAGE_KEYS) -> list[Listed]:
        """The first `limit` objects below `prefix` after `start_after`; fewer only where there are no more.

        A store may answer fewer than it is asked for, and say that there are more.
        """
        pages = self._pages(prefix, start_after, "", limit)
        return list(islice((_listed(entry) for page in pages for entry in page.iter("Contents")), limit))

    def folders(self, prefix: str) -> Iterator[str]:
        """The names between `prefix` and the next `/`, in order."""
        for page in self._pages(prefix, "", "/"):
            for entry in page.iter("CommonPrefixes"):
                yield unquote_plus(entry.findtext("Prefix", ""))[len(prefix) : -1]

    def _place(self) -> BucketAddress:
        return BucketAddress(self._host, self.name, self._setting)

    def _xml(self, body: bytes) -> ET.Element:
        try:
            return _xml(body)
        except ET.ParseError as error:
            raise no_s3(self._place()) from error

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()

    def _pages(self, prefix: str, start_after: str, delimiter: str, limit: int = PAGE_KEYS) -> Iterator[ET.Element]:
        query = {"list-type": "2", "encoding-type": "url", "max-keys": str(limit), "prefix": prefix}
        query |= {"start-after": start_after} if start_after else {}
        query |= {"delimiter": delimiter} if delimiter else {}
        while True:
            with spans.reading("objects list"):
                with self._translated():
                    response = self._send("GET", "", query=query)
                self._failed(response)
            page = self._xml(response.data)
            yield page
            if page.findtext("IsTruncated") != "true":
                return
            query["continuation-token"] = page.findtext("NextContinuationToken", "")

    def _connect(self) -> None:
        self._pid = os.getpid()
        tls: dict[str, Any] = {"ssl_context": trusted(self._ca_file)} if self._scheme == "https" else {}
        self._pool = urllib3.connection_from_url(
            f"{self._scheme}://{self._host}",
            maxsize=POOL_SIZE,
            block=True,
            timeout=urllib3.Timeout(connect=CONNECT_TIMEOUT_S, read=READ_TIMEOUT_S),
            **tls,
        )

    def _send(
        self,
        method: str,
        key: str,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | bytearray = b"",
        once: bool = False,
        preload: bool = True,
    ) -> urllib3.BaseHTTPResponse:
        if self._pid != os.getpid():  # a forked worker must not share its parent's sockets
            self._connect()
        url = SplitResult(
            self._scheme, self._host, f"/{self.name}/{quote(key, safe='/' + _UNRESERVED)}", _query(query or {}), ""
        )
        now = datetime.now(UTC)
        body_hash = hashlib.sha256(body).hexdigest()
        signed = sign_v4_s3(
            method=method,
            url=url,
            region=self._region,
            headers={
                "Host": self._host,
                "x-amz-content-sha256": body_hash,
                "x-amz-date": now.strftime("%Y%m%dT%H%M%SZ"),
                **(headers or {}),
            },
            credentials=self._credentials,
            content_sha256=body_hash,
            date=now,
        )
        return self._pool.urlopen(
            method,
            f"{url.path}?{url.query}" if url.query else url.path,
            body=body,  # type: ignore[arg-type] # its types know no bytearray; any buffer will do
            headers={name: str(value) for name, value in signed.items()},
            retries=_ONCE if once else _AGAIN,
            pool_timeout=READ_TIMEOUT_S,
            preload_content=preload,
        )

    def _failed(self, response: urllib3.BaseHTTPResponse, *expected: int) -> bool:
        """Whether the answer is one of the `expected` failures; raises for any other."""
        if response.status < 300:
            return False
        code = _error_code(response)
        status = 404 if code in _IMPOSSIBLE else response.status
        if status in expected and code not in ("NoSuchBucket", *_MET_ANOTHER):
            return True
        raise failure(response.status, code, self._place())

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except HTTPError as error:
            raise unreachable(error, self._host) from error


def missing(key: str) -> NotFound:
    """What `get` raises for an absent object."""
    return NotFound("no_such_object", f"There is no object {key[:200]!r}.", "It may have been deleted.")


def _query(parts: Mapping[str, str]) -> str:
    return "&".join(f"{name}={quote(parts[name], safe=_UNRESERVED)}" for name in sorted(parts))


def _etag(response: urllib3.BaseHTTPResponse) -> str:
    return str(response.headers.get("ETag", "")).strip('"')


def _error_code(response: urllib3.BaseHTTPResponse) -> str:
    try:
        return _xml(response.data).findtext("Code", "")
    except ET.ParseError:  # HEAD, whose answer has no body, or something that is no S3
        return str(response.headers.get("x-minio-error-code", ""))


def _xml(body: bytes) -> ET.Element:
    root = ET.fromstring(body)  # noqa: S314 - the object store is ours
    for element in root.iter():  # S3's namespace differs between servers and says nothing
        element.tag = element.tag.rpartition("}")[2]
    return root


def _values(page: ET.Element) -> Iterator[tuple[str, str]]:
    for entry in page:
        if entry.tag in ("Version", "DeleteMarker"):
            yield unquote_plus(entry.findtext("Key", "")), entry.findtext("VersionId", "null")


def _listed(entry: ET.Element) -> Listed:
    return Listed(
        unquote_plus(entry.findtext("Key", "")),
        entry.findtext("ETag", "").strip('"'),
        int(entry.findtext("Size", "0")),
        datetime.fromisoformat(entry.findtext("LastModified", "1970-01-01T00:00:00Z")).timestamp() // 1,
    )

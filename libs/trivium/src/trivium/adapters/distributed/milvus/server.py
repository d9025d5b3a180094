"""One Milvus, 2.3 or later: its clients, what its errors mean, and expressions that hold nothing but ids."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import re
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import certifi
import grpc

from trivium.adapters.distributed.loop_thread import LoopThread
from trivium.adapters.distributed.milvus.without_pandas import (
    AsyncMilvusClient,
    CollectionSchema,
    ErrorCode,
    IndexParams,
    MilvusClient,
    MilvusException,
)
from trivium.config import Settings
from trivium.domain.errors import NeverWill, Refused, TriviumError, TryLater

CONNECT_TIMEOUT_S = 3.0
RECONNECT_PAUSE_MS = 200
MAX_RECONNECT_PAUSE_MS = 2000  # gRPC's own is two minutes, which a server that is back would be taken for down
READ_TIMEOUT_S = 25.0  # longer than any search waits: it is cancelled at the end of its own budget
WRITE_TIMEOUT_S = 60.0  # the client waits and tries again this long when the server says that it is too much
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_PLAIN = re.compile(r"[A-Za-z0-9._/|-]*")  # ids and what we make of them: no quote, no backslash
_INVALID_PARAMETER = 1100
_CREDENTIALS = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED)
_CERTIFICATE = re.compile(rb"-----BEGIN ([A-Z0-9 ]*CERTIFICATE)-----.*?-----END \1-----", re.DOTALL)
_SLOW = (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.RESOURCE_EXHAUSTED)

T = TypeVar("T")


class MilvusServer:
    """Connected to when first needed; safe among threads. Every failure leaves as a `TriviumError`."""

    def __init__(self, settings: Settings) -> None:
        logging.getLogger("pymilvus").setLevel(logging.CRITICAL)  # it logs each error with a stack, and then raises it
        self._options: dict[str, Any] = {
            "uri": settings.milvus_url,
            "token": settings.milvus_token,
            "timeout": CONNECT_TIMEOUT_S,
            "grpc_options": {
                "grpc.min_reconnect_backoff_ms": RECONNECT_PAUSE_MS,
                "grpc.initial_reconnect_backoff_ms": RECONNECT_PAUSE_MS,
                "grpc.max_reconnect_backoff_ms": MAX_RECONNECT_PAUSE_MS,
            },
            "dedicated": True,  # closing the client closes its connection
        }
        if settings.ca_file and settings.milvus_url.startswith("https:"):
            self._options["server_pem_path"] = str(_authorities(settings))
        self._place = urlsplit(settings.milvus_url).netloc.rpartition("@")[2] or settings.milvus_url
        self._lock = threading.Lock()
        self._client: MilvusClient | None = None
        self._loop = LoopThread("milvus")
        self._connecting = asyncio.Lock()  # only used within the loop's thread
        self._async_client: AsyncMilvusClient | None = None
        self._ready: set[str] = set()

    @contextmanager
    def client(self) -> Iterator[MilvusClient]:
        """For workers: blocks."""
        with self.translated():
            with self._lock:
                if self._client is None:
                    self._client = MilvusClient(**self._options)
            yield self._client

    async def read(self, work: Callable[[AsyncMilvusClient], Awaitable[T]]) -> T:
        """For queries: `work` with the asynchronous client, on the loop that it belongs to."""

        async def connected() -> T:
            with self.translated():
                return await work(await self._reading())

        return await self._loop.run(connected)

    def prepare(self, collection: str, schema: CollectionSchema, index: IndexParams) -> None:
        """Make the collection unless it is there, and have it loaded. Several processes may do so at once."""
        if collection in self._ready:
            return
        with self.client() as client:
            if not _is_loaded(client, collection):
                client.create_collection(collection, schema=schema, index_params=index, num_shards=1)
        self._ready.add(collection)

    def close(self) -> None:
        """Close the connections."""
        self._loop.close(self._close_reading)
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    async def _reading(self) -> AsyncMilvusClient:
        async with self._connecting:
            if self._async_client is None:
                client = AsyncMilvusClient(**self._options)
                await client.__aenter__()
                self._async_client = client
        return self._async_client

    async def _close_reading(self) -> None:
        if self._async_client is not None:
            await self._async_client.close()
            self._async_client = None

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Driver errors within the block leave as ours."""
        try:
            yield
        except MilvusException as error:
            self._ready.clear()  # somebody may have dropped or released a collection: the next write looks
            raise _meaning(error, self._place) from error
        except grpc.RpcError as error:
            raise _broken(error, self._place) from error


def _authorities(settings: Settings) -> Path:
    """A file of certifi's authorities, which are gRPC's own too, and of `ca_file`: it takes one in place of its own.

    Named by what it holds, so that several processes may write it at once; it is read at each new connection. A key
    that `ca_file` holds as well is left out. Raises `Refused` (`bad_setting`).
    """
    try:
        both = b"\n".join(Path(file).read_bytes() for file in (certifi.where(), settings.ca_file))
        held = b"\n".join(found[0] for found in _CERTIFICATE.finditer(both)) + b"\n"
        path = settings.cache_dir.expanduser() / f"authorities-{hashlib.sha256(held).hexdigest()[:16]}.pem"
        if not path.is_file() or path.read_bytes() != held:
            _write(path, held)
    except OSError as error:
        told = f"Authorities for Milvus cannot be written: {error}."
        raise Refused("bad_setting", told, "Have TRIVIUM_CACHE_DIR name a folder that can be written to.") from error
    return path


def _write(path: Path, content: bytes) -> None:
    """At once, and past whatever lies there, links too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=path.parent, prefix="authorities-")
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        os.fchmod(file.fileno(), 0o644)  # certificates are no secret, and others may share the folder
    Path(partial).replace(path)


def is_missing(error: TriviumError) -> bool:
    """Whether the collection does not exist."""
    return error.code == "milvus_no_collection"


def is_id(value: str) -> bool:
    """Whether it is made of letters, digits, '.', '_' and '-': nothing else is stored, so nothing else is asked for."""
    return _ID.fullmatch(value) is not None


def require_ids(values: Iterable[str]) -> None:
    """Raises `Refused` (`bad_id`) for what could not be asked for again."""
    for value in values:
        if not is_id(value):
            raise Refused("bad_id", f"{value[:80]!r} is not an id.", "Use up to 64 letters, digits, '.', '_' or '-'.")


def one_of(values: Iterable[str]) -> str:
    """`["a", "b"]` for an expression (2.3 has no parameters); what cannot be an id is left out."""
    return "[" + ", ".join(f'"{value}"' for value in values if _PLAIN.fullmatch(value)) + "]"


def _is_loaded(client: MilvusClient, collection: str) -> bool:
    if not client.has_collection(collection):
        return False
    state: Any = client.get_load_state(collection)["state"]
    return bool(state.name == "Loaded")


def _meaning(error: MilvusException, place: str) -> TriviumError:
    broken = _rpc_error(error)
    if broken is not None:
        return _broken(broken, place)
    told = f"Milvus at {place}: {error.message}"
    match error.code:
        case ErrorCode.COLLECTION_NOT_FOUND:
            return TryLater(
                "milvus_no_collection", f"{told}.", "Run `trivium rebuild --store milvus` if it was emptied."
            )
        case ErrorCode.RATE_LIMIT | ErrorCode.FORCE_DENY:
            return TryLater("milvus_busy", f"{told}.", "It is tried again by itself; if it stays, look at its quotas.")
        case _ if error.code == _INVALID_PARAMETER:
            return NeverWill("milvus_error", f"{told}.", "Look the answer up in Milvus' documentation.")
        case _:
            return TryLater("milvus_unready", f"{told}.", "It is tried again by itself; if it stays, see Milvus' log.")


def _rpc_error(error: BaseException | None) -> grpc.RpcError | None:
    """The broken connection behind the client's own error, which re-raises errors from themselves."""
    while error is not None and not isinstance(error, grpc.RpcError):
        error = error.__cause__ if error.__cause__ is not error else error.__context__
    return error


def _broken(error: grpc.RpcError, place: str) -> TriviumError:
    status = error.code() if isinstance(error, grpc.Call | grpc.aio.AioRpcError) else grpc.StatusCode.UNKNOWN
    if status in _CREDENTIALS:
        return TryLater(
            "milvus_credentials",
            f"Milvus at {place} refused the credentials.",
            "Set TRIVIUM_MILVUS_TOKEN to user:password; waiting work then goes on by itself.",
        )
    if status in _SLOW:
        return TryLater("milvus_slow", f"Milvus at {place} did not answer in time.", "It is tried again by itself.")
    return TryLater(
        "milvus_down",
        f"Milvus at {place} did not answer ({status.name}).",
        "Start it, or set TRIVIUM_MILVUS_URL to where it is; waiting work then goes on by itself.",
    )

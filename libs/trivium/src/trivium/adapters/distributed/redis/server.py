"""The connection to Redis, what its failures mean, and the namespace of one run of the server."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

import redis
from redis.backoff import NoBackoff
from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    ClusterDownError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as ConnectionLost
from redis.retry import Retry

from trivium.adapters.newer import STATE_FORMAT, refuse_newer
from trivium.config import Settings
from trivium.domain.errors import NeverWill, Refused, TriviumError, TryLater

CONNECT_TIMEOUT_S = 2.0
ANSWER_TIMEOUT_S = 5.0
POOL_SIZE = 32
REST_S = 2.0  # how long readers that can do without leave it alone after it did not answer
AWAY = "redis_down"
_RUN_ID = re.compile(rb"run_id:(\w+)")
# Of a server that will take the command later; a pipeline's error has other words before it.
_PASSING = re.compile(r"(?:^|caused error: |because of: )(MISCONF|BUSY|NOREPLICAS)\b")

T = TypeVar("T")
Client = Any  # redis.Redis, whose types allow text where this one answers bytes


class RedisServer:
    """One Redis (not a cluster; a Sentinel's master will do). Safe among threads and across `fork`.

    `remember` calls work with a key prefix that belongs to this run of the server. After a restart or a failover Redis
    may come back with its state of a second or of an hour ago; under another run's prefix nobody reads that, so
    Redis either has all of what it was told or nothing. What must not be believed stale goes there. Before that comes
    the bucket's name, because what is remembered is the bucket's.
    """

    def __init__(self, settings: Settings) -> None:
        self._place = _place(settings.redis_url)
        self._run = ""
        self._known = False
        self._away_until = 0.0
        self.prefix = f"{settings.index_prefix}:{settings.s3_bucket}:"
        try:
            pool = redis.BlockingConnectionPool.from_url(
                settings.redis_url,
                max_connections=POOL_SIZE,
                timeout=ANSWER_TIMEOUT_S,
                socket_connect_timeout=CONNECT_TIMEOUT_S,
                socket_timeout=ANSWER_TIMEOUT_S,
                retry=Retry(NoBackoff(), 1, supported_errors=(ConnectionLost,)),  # which it closed while it was idle
                redis_connect_func=self._connected,
                **({"ssl_ca_certs": settings.ca_file or None} if settings.redis_url.startswith("rediss:") else {}),
            )
        except ValueError as error:
            raise Refused(  # the error may quote a part of the password
                "bad_setting",
                "TRIVIUM_REDIS_URL is not an address of Redis.",
                "Write redis://host:port/number, and / in a password as %2F.",
            ) from error
        self._client: Client = redis.Redis.from_pool(pool)

    def call(self, work: Callable[[Client], T]) -> T:
        """Do `work`; raises `TryLater` when Redis is away, busy, full or locked, `NeverWill` for a refused command."""
        with self._translated():
            self._require_known()
            return work(self._client)

    def script(self, text: str) -> Any:
        """A Lua script, which `call` may do; nothing is sent yet."""
        return self._client.register_script(text)

    def remember(self, work: Callable[[Client, str], T]) -> T:
        """Do `work` with the client and the prefix of this run; done again when Redis was restarted meanwhile."""
        with self._translated():
            self._require_known()
            while True:
                if not (run := self._run):
                    self._client.ping()
                    continue
                answer = work(self._client, f"{self.prefix}{run}:")
                if run == self._run:
                    return answer

    def is_away(self) -> bool:
        """Whether it did not answer a moment ago: who can ask elsewhere need not wait for it."""
        return time.monotonic() < self._away_until

    def forget_earlier_runs(self) -> None:
        """Remove what earlier runs of the server left."""
        self.remember(self._forget)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()
        self._client.connection_pool.disconnect()

    def _require_known(self) -> None:
        """Once in a process. Raises `TryLater` (`store_newer`)."""
        if not self._known:
            found = self._client.set(f"{self.prefix}format", STATE_FORMAT, nx=True, get=True)
            action = f"Run the newer Trivium, or remove the keys {self.prefix}*: what they hold is made again."
            refuse_newer(f"state in Redis at {self._place}", int(found or 0), action=action)
            self._known = True

    def _forget(self, client: Client, prefix: str) -> None:
        newest = f"{self.prefix}run"
        earlier = client.set(newest, prefix, get=True)
        if earlier and earlier != prefix.encode():
            for key in client.scan_iter(match=earlier + b"*", count=1000):
                client.unlink(key)

    def _connected(self, connection: Any) -> None:
        connection.on_connect()
        connection.send_command("INFO", "server")
        found = _RUN_ID.search(bytes(connection.read_response()))
        self._run = found.group(1)[:12].decode() if found else "unknown"

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except RedisError as error:
            meaning = _meaning(error, self._place)
            if meaning.code == AWAY:
                self._away_until = time.monotonic() + REST_S
            raise meaning from error


def _place(url: str) -> str:
    """The address without its password."""
    address = urlsplit(url)
    return address.netloc.rpartition("@")[2] or address.path  # of a socket


def _meaning(error: RedisError, place: str) -> TriviumError:
    if isinstance(error, (AuthenticationError, AuthorizationError, NoPermissionError)):
        return TryLater(  # the operator's fault, not that of what is in hand
            "redis_credentials",
            f"Redis at {place} refused: {str(error).rstrip('.')}.",
            "Set user and password in TRIVIUM_REDIS_URL; waiting work then goes on by itself.",
        )
    if isinstance(error, OutOfMemoryError):
        return TryLater("redis_full", f"Redis at {place} is full.", "Raise its `maxmemory`.")
    if passing := _passing(error, place):
        return passing
    if isinstance(error, ResponseError) and not isinstance(error, ReadOnlyError):
        return NeverWill("redis_error", f"Redis at {place} refused a command: {error}.", "Use Redis 7 or later.")
    return TryLater(
        AWAY,
        f"Redis at {place} did not answer ({type(error).__name__}).",
        "Start it, or set TRIVIUM_REDIS_URL to where it is; waiting work then goes on by itself.",
    )


def _passing(error: RedisError, place: str) -> TryLater | None:
    """For a command that the server will take later: a cluster's refusals, or a replica's whose master is down, too."""
    found = _PASSING.search(str(error))
    if found is None and not isinstance(error, (ClusterDownError, TryAgainError)):
        return None
    told = str(error)[found.start(1) :] if found else str(error)
    message = f"Redis at {place} refused for now: {told.rstrip('.')}."
    if found and found[1] == "MISCONF":
        action = "Free disk space where Redis writes; waiting work then goes on by itself."
        return TryLater("redis_read_only", message, action)
    return TryLater("redis_busy", message, "It is tried again by itself.")

"""The doorbell as a Redis list of at most one entry."""

from __future__ import annotations

from contextlib import suppress

from trivium.adapters.distributed.redis.server import ANSWER_TIMEOUT_S, Client, RedisServer
from trivium.domain.errors import TriviumError

_LONGEST_WAIT_S = ANSWER_TIMEOUT_S / 2  # Redis answers a blocking call before its socket gives up


class RedisDoorbell:
    """One bell for all processes; see `trivium.ports.doorbell.Doorbell`."""

    def __init__(self, server: RedisServer, name: str = "ingest") -> None:
        self._server = server
        self._key = f"{server.prefix}doorbell:{name}"

    def ring(self) -> None:
        """Wake one that waits, or the next that will."""

        def push(client: Client) -> None:
            pipe = client.pipeline()
            pipe.lpush(self._key, 1)
            pipe.ltrim(self._key, 0, 0)
            pipe.execute()

        with suppress(TriviumError):
            self._server.call(push)

    def wait(self, timeout_s: float) -> bool:
        """Whether it rang; raises as `RedisServer` does."""
        left = timeout_s
        while left > 0:
            turn = min(left, _LONGEST_WAIT_S)
            if self._server.call(lambda client, turn=turn: client.blpop([self._key], timeout=turn)):  # type: ignore[misc]
                return True
            left -= turn
        return False

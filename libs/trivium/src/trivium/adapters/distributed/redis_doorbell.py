"""The doorbell: "there may be work", heard by whoever waits. Many rings before somebody answers are one."""

from __future__ import annotations

from trivium.adapters.distributed.redis_server import ANSWER_TIMEOUT_S, Client, RedisServer

_LONGEST_WAIT_S = ANSWER_TIMEOUT_S / 2  # Redis answers a blocking call before its socket gives up


class Doorbell:
    """One bell. A lost ring costs a sweep, so nothing is kept of it but that it rang."""

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

        self._server.call(push)

    def wait(self, timeout_s: float) -> bool:
        """Whether it rang within `timeout_s` seconds, at once when it rang before; raises `TryLater` as Redis does."""
        left = timeout_s
        while left > 0:
            turn = min(left, _LONGEST_WAIT_S)
            if self._server.call(lambda client, turn=turn: client.blpop([self._key], timeout=turn)):  # type: ignore[misc]
                return True
            left -= turn
        return False

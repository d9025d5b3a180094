"""Bucket notifications that an object server pushed onto a Redis list."""

from __future__ import annotations

from typing import Any

import redis

from trivium.adapters.distributed.redis.server import RedisServer

AT_ONCE = 200


class RedisEvents:
    """Takes messages off one list, oldest first. What is taken and not followed is found by the next listing."""

    def __init__(self, server: RedisServer, key: str) -> None:
        self._server = server
        self._key = key

    def take(self, timeout_s: float) -> list[bytes]:
        """What came within `timeout_s` seconds, at most `AT_ONCE` messages; raises `TryLater` as Redis does."""

        def pop(client: redis.Redis) -> list[bytes]:
            found: Any = client.blmpop(timeout_s, 1, self._key, direction="LEFT", count=AT_ONCE)
            return found[1] if found else []

        return self._server.call(pop)

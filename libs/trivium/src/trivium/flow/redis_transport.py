"""Celery's Redis transport, whose workers go on consuming after an acknowledgement was lost.

kombu 5.7 counts a message as in hand until Redis has heard that it is done (`kombu.transport.redis.QoS.ack`). When the
connection ends in that moment the message stays counted, a worker that fetches nothing ahead has no place for another,
asks for none, and so never notices that its connection is gone.
"""

from __future__ import annotations

from kombu.transport import TRANSPORT_ALIASES, redis, virtual


class _QoS(redis.QoS):
    """What is in hand; the place is free whether or not Redis heard of it. The message comes again if it did not."""

    def ack(self, delivery_tag: str) -> None:
        try:
            super().ack(delivery_tag)  # type: ignore[no-untyped-call]
        except Exception:
            virtual.QoS.ack(self, delivery_tag)  # type: ignore[no-untyped-call]
            raise


class _Channel(redis.Channel):
    QoS = _QoS


class _SentinelChannel(redis.SentinelChannel):
    QoS = _QoS


class Transport(redis.Transport):
    """Of `redis://` and `rediss://`."""

    Channel = _Channel


class SentinelTransport(redis.SentinelTransport):
    """Of `sentinel://`."""

    Channel = _SentinelChannel


def use() -> None:
    """Take these for every broker on Redis in this process."""
    for scheme in ("redis", "rediss"):
        TRANSPORT_ALIASES[scheme] = f"{__name__}:Transport"
    TRANSPORT_ALIASES["sentinel"] = f"{__name__}:SentinelTransport"

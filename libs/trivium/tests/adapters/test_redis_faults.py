"""What a Redis that refuses a command means to the caller, against a scripted peer over a real socket."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from socketserver import StreamRequestHandler, ThreadingTCPServer

import pytest

from trivium.adapters.distributed.redis.server import RedisServer, _place
from trivium.config import Settings
from trivium.domain.errors import NeverWill, Refused, TriviumError, TryLater

_INFO = b"run_id:0123456789abcdef"


class Peer:
    """Lets clients connect, and answers every other command with the error."""

    def __init__(self, error: str) -> None:
        answers = {
            b"HELLO": b"%1\r\n+proto\r\n:3\r\n",
            b"CLIENT": b"+OK\r\n",
            b"SELECT": b"+OK\r\n",
            b"INFO": b"$%d\r\n%b\r\n" % (len(_INFO), _INFO),
        }

        class Handler(StreamRequestHandler):
            def handle(self) -> None:
                while head := self.rfile.readline():
                    words = [self.word() for _ in range(int(head[1:]))]
                    self.wfile.write(answers.get(words[0].upper(), f"-{error}\r\n".encode()))

            def word(self) -> bytes:
                size = int(self.rfile.readline()[1:])
                return self.rfile.read(size + 2)[:size]

        self.server = ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"redis://127.0.0.1:{self.server.server_address[1]}/0"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def redis_that_says() -> Iterator[Callable[[str], RedisServer]]:
    peers: list[Peer] = []
    clients: list[RedisServer] = []

    def make(error: str) -> RedisServer:
        peers.append(Peer(error))
        clients.append(RedisServer(Settings(redis_url=peers[-1].url)))
        return clients[-1]

    yield make
    for client in clients:
        client.close()
    for peer in peers:
        peer.server.shutdown()
        peer.server.server_close()


@pytest.mark.parametrize(
    ("error", "family", "code", "told"),
    [
        ("MISCONF Errors writing to the AOF file: No space left on device", TryLater, "redis_read_only", "disk"),
        ("EXECABORT Transaction discarded because of: MISCONF Errors writing", TryLater, "redis_read_only", "disk"),
        ("BUSY Redis is busy running a script. You can only call SCRIPT KILL.", TryLater, "redis_busy", "by itself"),
        ("NOREPLICAS Not enough good replicas to write.", TryLater, "redis_busy", "by itself"),
        ("MASTERDOWN Link with MASTER is down.", TryLater, "redis_busy", "by itself"),
        ("TRYAGAIN Multiple keys request during rehashing of slot", TryLater, "redis_busy", "by itself"),
        ("CLUSTERDOWN The cluster is down", TryLater, "redis_busy", "by itself"),
        ("LOADING Redis is loading the dataset in memory", TryLater, "redis_down", "by itself"),
        ("OOM command not allowed when used memory > 'maxmemory'.", TryLater, "redis_full", "maxmemory"),
        ("BUSYGROUP Consumer Group name already exists", NeverWill, "redis_error", "Redis 7"),
        ("ERR DB index is out of range", NeverWill, "redis_error", "Redis 7"),
    ],
)
def test_every_refusal_says_what_to_do(
    redis_that_says: Callable[[str], RedisServer], error: str, family: type[TriviumError], code: str, told: str
) -> None:
    server = redis_that_says(error)
    for call in (server.call, lambda work: server.remember(lambda client, _: work(client))):
        with pytest.raises(family) as raised:
            call(lambda client: client.get("any"))
        assert raised.value.code == code
        assert told in raised.value.action


def test_a_refusal_within_a_pipeline_means_the_same(redis_that_says: Callable[[str], RedisServer]) -> None:
    server = redis_that_says("MISCONF Errors writing to the AOF file: No space left on device")
    server._known = True  # its first command is the pipeline's
    for transaction in (True, False):
        with pytest.raises(TryLater) as raised:
            server.call(lambda client, whole=transaction: client.pipeline(whole).set("key", 1).execute())  # type: ignore[misc]
        assert raised.value.code == "redis_read_only"


@pytest.mark.parametrize(
    "url",
    [
        "redis://user:hunter2@host:6379/0",
        "rediss://:hunter2@host/1",
        "redis://host?password=hunter2",
        "unix:///run/redis.sock?db=0&password=hunter2",
        "unix://user:hunter2@/run/redis.sock",
    ],
)
def test_messages_name_the_place_without_its_password(url: str) -> None:
    assert _place(url).startswith(("host", "/run/redis.sock"))
    assert "hunter2" not in _place(url)


def test_an_address_that_cannot_work_is_refused_without_telling_its_password() -> None:
    with pytest.raises(Refused) as raised:
        RedisServer(Settings(redis_url="redis://:hunter/2@host:6379/0"))
    assert raised.value.code == "bad_setting"
    assert "hunter" not in str(raised.value)
    assert "%2F" in raised.value.action

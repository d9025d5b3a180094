"""`trivium prepare` on the real servers: twice at once, and with a server that comes late or not at all."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier
from urllib.parse import urlsplit

import pytest
from doors import TRIVIUM
from private_redis import PrivateRedis

from trivium.adapters.distributed.neo4j.server import Neo4jServer
from trivium.adapters.distributed.neo4j.write import create_schema
from trivium.config import load_settings

READY = "Every server is ready.\n"
WAIT_S = 120


def preparing(wait_s: int, **settings: str) -> subprocess.Popen[str]:
    command = [str(TRIVIUM), "prepare", "--wait", str(wait_s)]
    return subprocess.Popen(command, env={**os.environ, **settings}, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    told = process.communicate(timeout=2 * WAIT_S)[1]
    return process.returncode, told


@pytest.fixture
def neo4j() -> Iterator[Neo4jServer]:
    with closing(Neo4jServer(load_settings())) as server:
        yield server


def test_two_at_once_make_what_is_missing_and_a_third_changes_nothing(neo4j: Neo4jServer) -> None:
    neo4j.run("DROP INDEX trivium_asked IF EXISTS")  # of what is asked about names; without it that is slower
    both = [preparing(0), preparing(0)]
    assert [ended(each) for each in both] == [(0, READY)] * 2
    standing = "SHOW INDEXES YIELD id, name, state WHERE name STARTS WITH 'trivium_' RETURN id, name, state"
    made = neo4j.run(standing)
    assert [state for _, name, state in made if name == "trivium_asked"] == ["ONLINE"]
    assert ended(preparing(0)) == (0, READY)
    assert neo4j.run(standing) == made


def test_an_index_that_another_makes_in_the_same_moment_is_there_for_both(neo4j: Neo4jServer) -> None:
    neo4j.run("DROP INDEX trivium_asked IF EXISTS")
    at_once = Barrier(2)
    with closing(Neo4jServer(load_settings())) as other, ThreadPoolExecutor() as threads:

        def make(server: Neo4jServer) -> None:
            at_once.wait()
            create_schema(server)

        list(threads.map(make, (neo4j, other)))
    assert neo4j.run("SHOW INDEXES YIELD name WHERE name = 'trivium_asked'") == [["trivium_asked"]]


def test_what_processes_of_the_version_before_ask_stays_while_they_are_replaced(neo4j: Neo4jServer) -> None:
    neo4j.run("CREATE FULLTEXT INDEX trivium_words IF NOT EXISTS FOR (n:Entity|Alias) ON EACH [n.tenant, n.key]")
    try:
        for _ in ("before the first new process", "by the first new process"):
            create_schema(neo4j)
        assert neo4j.run("SHOW INDEXES YIELD name WHERE name = 'trivium_words'") == [["trivium_words"]]
    finally:
        neo4j.run("DROP INDEX trivium_words IF EXISTS")


@pytest.fixture
def absent(tmp_path: Path) -> Iterator[PrivateRedis]:
    """Not started."""
    server = PrivateRedis(tmp_path)
    yield server
    server.kill()


def test_a_server_that_comes_late_is_waited_for(absent: PrivateRedis) -> None:
    with socket.create_server(("127.0.0.1", urlsplit(absent.url).port or 0)) as nobody:
        nobody.settimeout(WAIT_S)
        waiting = preparing(WAIT_S, TRIVIUM_REDIS_URL=absent.url)
        nobody.accept()[0].close()  # it has asked once, in vain
    absent.start()
    assert ended(waiting) == (0, READY)


def test_a_server_that_does_not_come_is_named(absent: PrivateRedis) -> None:
    code, told = ended(preparing(0, TRIVIUM_REDIS_URL=absent.url))
    assert code == 1
    assert told.startswith("redis: ")
    assert "TRIVIUM_REDIS_URL" in told

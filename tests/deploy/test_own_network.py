"""deploy/local/own_network.py and open_ports.py, with a small server that listens everywhere, as Milvus does."""

from __future__ import annotations

import os
import runpy
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from waiting import wait_until

LOCAL = Path(__file__).parents[2] / "deploy/local"
SERVER = """
import socketserver, sys, threading

class Echo(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(self.rfile.read()[::-1])

class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True

for port in map(int, sys.argv[1:]):
    threading.Thread(target=Server(("0.0.0.0", port), Echo).serve_forever).start()
"""
REFUSED = """
import runpy, sys
names = runpy.run_path(sys.argv[1])

class NoNetwork:
    def unshare(self, flags):
        return -1

names["leave_network"].__globals__["_libc"] = NoNetwork()
names["main"]([int(sys.argv[2])], sys.argv[3:])
"""


def free_ports(count: int) -> list[int]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in held]
    for each in held:
        each.close()
    return ports


def echoed(host: str, port: int, sent: bytes) -> bytes:
    with socket.create_connection((host, port), timeout=30) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def answers(port: int) -> bool:
    try:
        return echoed("127.0.0.1", port, b"ab") == b"ba"
    except OSError:
        return False


@contextmanager
def running(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def members(group: int) -> list[int]:
    found = subprocess.run(["pgrep", "-g", str(group)], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


@pytest.fixture(scope="module")
def open_ports() -> Callable[[int], str]:
    told: Callable[[int], str] = runpy.run_path(str(LOCAL / "open_ports.py"))["main"]
    return told


@pytest.fixture
def inside() -> Iterator[tuple[subprocess.Popen[bytes], int, int]]:
    """The server in a network of its own: the group's leader, a port that is forwarded, and one that is not."""
    forwarded, hidden = free_ports(2)
    program = [sys.executable, str(LOCAL / "own_network.py"), str(forwarded), "--", sys.executable, "-c", SERVER]
    with running(*program, str(forwarded), str(hidden)) as process:
        wait_until(lambda: answers(forwarded) or process.poll() is not None, "the server answers")
        if Path(f"/proc/{process.pid}/ns/net").readlink() == Path("/proc/self/ns/net").readlink():
            pytest.skip("this kernel allows no network of its own here")
        yield process, forwarded, hidden


Inside = tuple[subprocess.Popen[bytes], int, int]


def test_only_the_named_port_is_reached_and_only_from_loopback(
    inside: Inside, open_ports: Callable[[int], str]
) -> None:
    process, forwarded, hidden = inside
    sent = os.urandom(3_000_000)
    assert echoed("127.0.0.1", forwarded, sent) == sent[::-1]
    with pytest.raises(ConnectionRefusedError):
        echoed("127.0.0.1", hidden, b"")
    with pytest.raises(ConnectionRefusedError):
        echoed("127.0.0.2", forwarded, b"")
    assert open_ports(process.pid) == ""


def test_a_loopback_address_in_the_clothes_of_ipv6_is_open_to_nobody(open_ports: Callable[[int], str]) -> None:
    """So does Java listen on 127.0.0.1."""
    try:
        listener = socket.create_server(("::ffff:127.0.0.1", 0), family=socket.AF_INET6, dualstack_ipv6=True)
    except (OSError, ValueError):
        pytest.skip("no IPv6 here")
    with listener:
        assert f":{listener.getsockname()[1]}" not in open_ports(os.getpgid(0))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_signal_to_the_group_ends_all_and_the_port_can_be_taken_at_once(
    inside: Inside, number: signal.Signals
) -> None:
    process, forwarded, _ = inside
    with socket.create_connection(("127.0.0.1", forwarded)):
        os.killpg(process.pid, number)
        process.wait(30)
        wait_until(lambda: not members(process.pid), "all are gone")
        socket.create_server(("127.0.0.1", forwarded)).close()


def test_the_server_does_not_outlive_the_one_that_forwards(inside: Inside) -> None:
    process, _, _ = inside
    process.kill()
    process.wait()
    wait_until(lambda: not members(process.pid), "the server is gone")


def test_where_no_network_can_be_had_it_runs_in_this_one_and_its_ports_are_told(
    open_ports: Callable[[int], str],
) -> None:
    port, other = free_ports(2)
    program = [sys.executable, "-c", REFUSED, str(LOCAL / "own_network.py"), str(port), sys.executable, "-c", SERVER]
    with running(*program, str(port), str(other)) as process:
        assert process.stderr
        assert b"it runs in this machine's" in process.stderr.readline()
        wait_until(lambda: answers(port) and answers(other), "the server answers")
        assert open_ports(process.pid).split() == [f"0.0.0.0:{each}" for each in sorted((port, other))]

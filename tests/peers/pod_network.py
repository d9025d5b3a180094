"""A network that pods share: `pod_network.py PORT...`. These ports of this machine's loopback are reached at its own.

They stand for the servers' addresses; whoever enters it (`nsenter --net`) reaches nothing else. It says `ready`, and
lives as long as this process.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import fcntl
import os
import socket
import struct
import sys

CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 0x1


async def main(ports: list[int]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    outside = os.open("/proc/self/ns/net", os.O_RDONLY)
    if libc.unshare(CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "no network of its own; root is needed")
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
    inside = [socket.create_server(("127.0.0.1", port)) for port in ports]
    keep = os.open("/proc/self/ns/net", os.O_RDONLY)
    for listener in inside:
        await asyncio.start_server(_to(listener.getsockname()[1], outside, keep, libc), sock=listener)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


def _to(port: int, outside: int, inside: int, libc: ctypes.CDLL):  # type: ignore[no-untyped-def]
    """Carries a connection out. A socket belongs to the network in which it was made, wherever it is used."""

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.closing(writer), contextlib.suppress(OSError):
            libc.setns(outside, CLONE_NEWNET)
            made = socket.socket()
            libc.setns(inside, CLONE_NEWNET)
            made.setblocking(False)
            await asyncio.get_running_loop().sock_connect(made, ("127.0.0.1", port))
            outer_reader, outer_writer = await asyncio.open_connection(sock=made)
            with contextlib.closing(outer_writer):
                await asyncio.gather(_pipe(reader, outer_writer), _pipe(outer_reader, writer))

    return carry


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(256 * 1024):
        writer.write(piece)
        await writer.drain()
    writer.write_eof()


if __name__ == "__main__":
    asyncio.run(main([int(port) for port in sys.argv[1:]]))

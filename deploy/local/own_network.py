"""Run a server in a network of its own, of which only some ports can be reached, and from this machine alone.

Usage: own_network.py PORT... -- COMMAND...

Each PORT is listened on at 127.0.0.1 and forwarded to the same port inside. Whatever else the server listens on, only
it can reach; it reaches nothing outside. The network is gone with the last process in it. Signals go to the process
group, as `services.sh` sends them; the exit status is the command's. Where the kernel allows no such network, the
command runs in this machine's.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import fcntl
import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

# linux/sched.h, linux/sockios.h, linux/if.h, linux/prctl.h
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 0x1
PR_SET_PDEATHSIG = 1
PIECE_BYTES = 256 * 1024
LOOPBACK = "127.0.0.1"

_libc = ctypes.CDLL(None, use_errno=True)


def main(ports: Sequence[int], command: Sequence[str]) -> int:
    """Run `command`; answers its exit status."""
    listeners = [socket.create_server((LOOPBACK, port), backlog=512) for port in ports]
    try:
        leave_network()
    except OSError as error:
        sys.stderr.write(f"No network of its own ({error.strerror}): it runs in this machine's.\n")
        sys.stderr.flush()
        for listener in listeners:
            listener.close()
        os.execvp(command[0], command)  # noqa: S606 - the caller's own command
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)  # the command hears it too, and ends
    with subprocess.Popen(command, preexec_fn=_as_before_and_never_alone) as server:  # noqa: PLW1509 - one thread yet
        return asyncio.run(forward(listeners, server))


def leave_network() -> None:
    """Move this process into a network with nothing but a loopback. Raises `OSError` where that is not allowed."""
    user, group = os.getuid(), os.getgid()
    as_root = user == 0
    if _libc.unshare(CLONE_NEWNET | (0 if as_root else CLONE_NEWUSER)):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    if not as_root:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


async def forward(listeners: Sequence[socket.socket], server: subprocess.Popen[bytes]) -> int:
    """Carry connections to the same port inside until the server ends; answers its exit status."""
    doors = [await _door(listener) for listener in listeners]
    status = await asyncio.to_thread(server.wait)
    for door in doors:
        door.close()
    return 128 - status if status < 0 else status


async def _door(listener: socket.socket) -> asyncio.Server:
    port = listener.getsockname()[1]

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.closing(writer), contextlib.suppress(OSError):
            inner_reader, inner_writer = await asyncio.open_connection(LOOPBACK, port, limit=PIECE_BYTES)
            with contextlib.closing(inner_writer):
                await asyncio.gather(_pipe(reader, inner_writer), _pipe(inner_reader, writer))

    return await asyncio.start_server(carry, sock=listener, limit=PIECE_BYTES)


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Until one side ends; then the other side is told."""
    while piece := await reader.read(PIECE_BYTES):
        writer.write(piece)
        await writer.drain()
    writer.write_eof()


def _as_before_and_never_alone() -> None:
    """In the child: signals as ever, and an end with its parent, without whom nobody reaches it."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    divide = sys.argv.index("--")
    sys.exit(main([int(port) for port in sys.argv[1:divide]], sys.argv[divide + 1 :]))

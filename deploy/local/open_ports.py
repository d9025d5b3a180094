"""Print the addresses other than loopback on which a process group listens: "0.0.0.0:19530 [::]:19539".

Usage: open_ports.py GROUP. Sockets in another network than this process's are not reachable, and not told.
"""

from __future__ import annotations

import contextlib
import ipaddress
import os
import socket
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

LISTENING = "0A"


def main(group: int) -> str:
    """The addresses, by port."""
    mine = set(sockets_of(group))
    found = {address for inode, address in listening() if inode in mine and not address[0].is_loopback}
    return " ".join(_written(host, port) for host, port in sorted(found, key=lambda address: address[1]))


def sockets_of(group: int) -> Iterator[str]:
    """The inodes of the group's sockets."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended meanwhile, or is somebody else's
            if os.getpgid(int(process.name)) == group:
                yield from filter(None, map(_socket, (process / "fd").iterdir()))


def _socket(descriptor: Path) -> str:
    """Its inode, "" for another kind of file and for one that was closed meanwhile."""
    with contextlib.suppress(FileNotFoundError):
        link = str(descriptor.readlink())
        if link.startswith("socket:["):
            return link.removeprefix("socket:[").removesuffix("]")
    return ""


def listening() -> Iterator[tuple[str, tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, int]]]:
    """(inode, address) of every listening TCP socket of this network, as proc(5) tells them."""
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(FileNotFoundError):  # a kernel without IPv6
            for line in Path("/proc/net", table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == LISTENING:
                    yield fields[9], _address(fields[1])


def _address(text: str) -> tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, int]:
    host, port = text.split(":")
    words = struct.pack(f"={len(host) // 8}I", *(int(host[at : at + 8], 16) for at in range(0, len(host), 8)))
    family = socket.AF_INET if len(words) == 4 else socket.AF_INET6
    address = ipaddress.ip_address(socket.inet_ntop(family, words))
    return getattr(address, "ipv4_mapped", None) or address, int(port, 16)  # as Java binds 127.0.0.1


def _written(host: ipaddress.IPv4Address | ipaddress.IPv6Address, port: int) -> str:
    return f"[{host}]:{port}" if host.version == 6 else f"{host}:{port}"


if __name__ == "__main__":
    sys.stdout.write(main(int(sys.argv[1])))

"""Outlook messages as small as they can be, made from their properties ([MS-OXMSG] in [MS-CFB])."""

from __future__ import annotations

import struct
from datetime import UTC, datetime
from itertools import pairwise

SECTOR, SMALL = 512, 4096
END, FREE, FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
Tree = dict[str, "bytes | Tree"]


def compound_file(tree: Tree) -> bytes:
    """An OLE2 file ([MS-CFB]) whose streams are filled up with zeros until they need no small sectors."""
    entries: list[tuple[str, int, int, int, int, int, bytes]] = []

    def add(name: str, node: bytes | Tree) -> int:
        number = len(entries)
        entries.append((name, 0, 0, 0, 0, 0, b""))
        if isinstance(node, bytes):
            node = node.ljust(SMALL, b"\0")
            entries[number] = (name, 2, FREE, FREE, FREE, len(node), node)
            return number
        children = [add(child, inner) for child, inner in node.items()]
        for left, right in pairwise(children):
            entries[left] = (*entries[left][:3], right, *entries[left][4:])
        kind = 5 if number == 0 else 1
        entries[number] = (name, kind, FREE, FREE, children[0] if children else FREE, 0, b"")
        return number

    add("Root Entry", tree)
    sectors: list[bytes] = []
    chains: list[int] = []

    def store(content: bytes) -> int:
        first, count = len(sectors), max(1, -(-len(content) // SECTOR))
        sectors.extend(content[at * SECTOR : (at + 1) * SECTOR].ljust(SECTOR, b"\0") for at in range(count))
        chains.extend([*range(first + 1, first + count), END])
        return first

    directory = b""
    for name, kind, left, right, child, size, content in entries:
        start = store(content) if kind == 2 else END
        wide = name.encode("utf-16-le")
        directory += wide.ljust(64, b"\0") + struct.pack("<HBB", len(wide) + 2, kind, 1)
        directory += struct.pack("<III", left, right, child) + bytes(36) + struct.pack("<IQ", start, size)
    first_of_directory = store(directory.ljust(-(-len(directory) // SECTOR) * SECTOR, b"\0"))
    fat_sectors = -(-(len(sectors) + 2) * 4 // SECTOR)
    fat = [*chains, *[FAT] * fat_sectors]
    first_of_fat = len(sectors)
    table = struct.pack(f"<{len(fat)}I", *fat).ljust(fat_sectors * SECTOR, b"\xff")
    header = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    header += struct.pack("<IIIIIIIII", 0, fat_sectors, first_of_directory, 0, SMALL, END, 0, END, 0)
    header += struct.pack("<109I", *range(first_of_fat, first_of_fat + fat_sectors), *[FREE] * (109 - fat_sectors))
    return header + b"".join(sectors) + table


def _text(tag: int, value: str) -> Tree:
    return {f"__substg1.0_{tag:04X}001F": value.encode("utf-16-le")}


def filetime(at: datetime) -> int:
    """Tenths of a microsecond since 1601."""
    return int((at - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10_000_000


def outlook_sent(ticks: int, header_bytes: int = 32) -> Tree:
    """When a message was sent, as FILETIME."""
    return {"__properties_version1.0": bytes(header_bytes) + struct.pack("<HHIQ", 0x40, 0x39, 6, ticks)}


def outlook_message(subject: str, body: str, header_bytes: int = 32, **more: bytes | Tree) -> Tree:
    when = outlook_sent(filetime(datetime(2025, 3, 3, 10, tzinfo=UTC)), header_bytes)
    sender = {**_text(0x0C1A, "Ada"), **_text(0x5D01, "ada@example.org")}
    return {**when, **_text(0x0037, subject), **_text(0x1000, body), **sender, **_text(0x0E04, "Bo"), **more}


def outlook_recipient(name: str, address: str) -> Tree:
    return {**_text(0x3001, name), **_text(0x39FE, address)}


def outlook_attachment(name: str, content: bytes) -> Tree:
    return {**_text(0x3707, name), "__substg1.0_37010102": content}

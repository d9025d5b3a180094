"""Outlook's messages: their properties are read as a mail, and messages inside them as mails of their own."""

from __future__ import annotations

import struct
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import UnitKind

from .conftest import Parse, texts

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


def text(tag: int, value: str) -> Tree:
    return {f"__substg1.0_{tag:04X}001F": value.encode("utf-16-le")}


def sent(at: datetime, header_bytes: int) -> Tree:
    ticks = int((at - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10_000_000
    return {"__properties_version1.0": bytes(header_bytes) + struct.pack("<HHIQ", 0x40, 0x39, 6, ticks)}


def message(subject: str, body: str, header_bytes: int = 32, **more: bytes | Tree) -> Tree:
    when = sent(datetime(2025, 3, 3, 10, tzinfo=UTC), header_bytes)
    sender = {**text(0x0C1A, "Ada"), **text(0x5D01, "ada@example.org")}
    return {**when, **text(0x0037, subject), **text(0x1000, body), **sender, **text(0x0E04, "Bo"), **more}


def recipient(name: str, address: str) -> Tree:
    return {**text(0x3001, name), **text(0x39FE, address)}


def attachment(name: str, content: bytes) -> Tree:
    return {**text(0x3707, name), "__substg1.0_37010102": content}


def test_a_message_has_headers_words_and_attachments(parse: Parse) -> None:
    parts = {
        "__recip_version1.0_#00000000": recipient("Bo", "bo@example.org"),
        "__attach_version1.0_#00000000": attachment("Übersicht.txt", b"42 euros"),
    }
    document = parse(compound_file(message("Weir: Grüße", "In May.\r\n", **parts)), "a.msg")
    assert document.title == "Weir: Grüße"
    head, body = texts(document, UnitKind.TEXT)
    assert head.splitlines() == [
        "From: Ada <ada@example.org>",
        "To: Bo <bo@example.org>",
        "Date: Mon, 03 Mar 2025 10:00:00 +0000",
        "Subject: Weir: Grüße",
    ]
    assert body == "In May."
    assert [(child.name, child.content.rstrip(b"\0")) for child in document.children] == [
        ("Übersicht.txt", b"42 euros")
    ]


def test_a_message_in_a_message_becomes_a_mail_with_its_own_attachments(parse: Parse) -> None:
    part = {"__attach_version1.0_#00000000": attachment("deep.txt", b"deep down")}
    inside: Tree = {"__substg1.0_3701000D": message("Inner", "Inside.", header_bytes=24, **part)}
    outer = message("Outer", "Outside.", **{"__attach_version1.0_#00000000": inside})
    document = parse(compound_file(outer), "a.msg")
    (child,) = document.children
    assert child.name == "Inner.eml"
    inner = parse(child.content, child.name)
    assert "Inside." in inner.text
    assert "Mon, 03 Mar 2025" in inner.text
    assert [each.content.rstrip(b"\0") for each in inner.children] == [b"deep down"]


def test_the_words_are_taken_from_html_where_there_is_nothing_else(parse: Parse) -> None:
    html = {"__substg1.0_10130102": b"<html><body><p>Only HTML.</p></body></html>"}
    assert "Only HTML." in parse(compound_file(message("Weir", "", **html)), "a.msg").text


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_a_cut_off_message_is_corrupt_or_gives_what_is_whole(parse: Parse, share: float) -> None:
    whole = compound_file(message("Weir", "In May."))
    code = "corrupt_file"
    try:
        parse(whole[: int(len(whole) * share)], "a.msg")
    except NeverWill as failure:
        code = failure.code
    assert code in ("corrupt_file", "unsupported_format")

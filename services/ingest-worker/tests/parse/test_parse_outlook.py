"""Outlook's messages: their properties are read as a mail, and messages inside them as mails of their own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from outlook_files import Tree, compound_file, outlook_attachment, outlook_message, outlook_recipient

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import UnitKind
from trivium_ingest.parse.rtf.compressed import decompressed_rtf

from .conftest import Parse, texts


def test_a_message_has_headers_words_and_attachments(parse: Parse) -> None:
    parts = {
        "__recip_version1.0_#00000000": outlook_recipient("Bo", "bo@example.org"),
        "__attach_version1.0_#00000000": outlook_attachment("Übersicht.txt", b"42 euros"),
    }
    document = parse(compound_file(outlook_message("Weir: Grüße", "In May.\r\n", **parts)), "a.msg")
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
    part = {"__attach_version1.0_#00000000": outlook_attachment("deep.txt", b"deep down")}
    inside: Tree = {"__substg1.0_3701000D": outlook_message("Inner", "Inside.", header_bytes=24, **part)}
    outer = outlook_message("Outer", "Outside.", **{"__attach_version1.0_#00000000": inside})
    document = parse(compound_file(outer), "a.msg")
    (child,) = document.children
    assert child.name == "Inner.eml"
    inner = parse(child.content, child.name)
    assert "Inside." in inner.text
    assert "Mon, 03 Mar 2025" in inner.text
    assert [each.content.rstrip(b"\0") for each in inner.children] == [b"deep down"]


def test_the_words_are_taken_from_html_where_there_is_nothing_else(parse: Parse) -> None:
    html = {"__substg1.0_10130102": b"<html><body><p>Only HTML.</p></body></html>"}
    assert "Only HTML." in parse(compound_file(outlook_message("Weir", "", **html)), "a.msg").text


# The example of [MS-OXRTFCP] 4.1.1.
COMPRESSED = bytes.fromhex(
    "2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232 0af3 2068656c0900 20627705b06c647d0a800fa0"
)


def test_words_that_are_there_as_compressed_rich_text_alone_are_read(parse: Parse) -> None:
    assert decompressed_rtf(COMPRESSED, 1000) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    body = {"__substg1.0_10090102": COMPRESSED}
    assert "hello world" in parse(compound_file(outlook_message("Weir", "", **body)), "a.msg").text


@given(st.binary(max_size=60), st.integers(0, 100))
def test_compressed_rich_text_of_any_bytes_stays_within_its_bound(content: bytes, most: int) -> None:
    for kind in (b"LZFu", b"MELA"):
        head = b"\0\0\0\0\xff\xff\xff\xff" + kind + bytes(4)
        assert len(decompressed_rtf(head + content, most)) <= most


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_a_cut_off_message_is_corrupt_or_gives_what_is_whole(parse: Parse, share: float) -> None:
    whole = compound_file(outlook_message("Weir", "In May."))
    code = "corrupt_file"
    try:
        parse(whole[: int(len(whole) * share)], "a.msg")
    except NeverWill as failure:
        code = failure.code
    assert code in ("corrupt_file", "unsupported_format")

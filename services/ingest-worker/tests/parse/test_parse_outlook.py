"""Outlook's messages: their properties are read as a mail, and messages inside them as mails of their own."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from outlook_files import SMALL, Tree, compound_file, outlook_attachment, outlook_message, outlook_recipient

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


def code_pages(**numbers: int) -> dict[str, bytes | Tree]:
    tags = {"internet": 0x3FDE, "message": 0x3FFD}
    fixed = b"".join(struct.pack("<HHIQ", 3, tags[name], 6, number) for name, number in numbers.items())
    return {"__properties_version1.0": bytes(32) + fixed}


JAPANESE = "日本の堰は撤去されます。"


@pytest.mark.parametrize(
    ("page", "pages", "words"),
    [
        ("<meta charset=windows-1251>Плата 52 рубля.".encode("cp1251"), {}, "Плата 52 рубля."),
        (f"<meta charset=iso-2022-jp>{JAPANESE}".encode("iso-2022-jp"), {}, JAPANESE),
        (f"<p>{JAPANESE}".encode("iso-2022-jp"), {"internet": 50220}, JAPANESE),
        ("<p>52 €, gut“".encode("cp1252"), {"internet": 28591}, "52 €, gut“"),
        ("<p>Плата 52 рубля.".encode("cp1251"), {"message": 1251}, "Плата 52 рубля."),
        ("<p>Grüße".encode("cp1252"), {"internet": 99999}, "Grüße"),
    ],
)
def test_html_is_read_in_the_character_set_that_it_or_the_message_states(
    parse: Parse, page: bytes, pages: dict[str, int], words: str
) -> None:
    message = outlook_message("Weir", "", **{"__substg1.0_10130102": page.ljust(SMALL)}, **code_pages(**pages))
    assert texts(parse(compound_file(message), "a.msg"), UnitKind.TEXT)[1:] == [words]


def test_strings_that_are_not_unicode_are_read_in_the_code_page_of_their_message(parse: Parse) -> None:
    ada, subject = "Ада".encode("cp1251"), "Отчёт".encode("cp1251")
    recipient: Tree = {"__substg1.0_3001001E": ada, "__substg1.0_39FE001E": b"ada@example.org"}
    narrow = {"__substg1.0_0037001E": subject, "__substg1.0_0E04001E": ada, "__recip_version1.0_#00000000": recipient}
    message = outlook_message("", "In May.", **narrow, **code_pages(message=1251))
    for wide in ("__substg1.0_0037001F", "__substg1.0_0E04001F"):
        del message[wide]
    document = parse(compound_file(message), "a.msg")
    assert document.title == "Отчёт"
    assert "To: Ада <ada@example.org>" in document.text


# The example of [MS-OXRTFCP] 4.1.1.
COMPRESSED = bytes.fromhex(
    "2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232 0af3 2068656c0900 20627705b06c647d0a800fa0"
)


def test_words_that_are_there_as_compressed_rich_text_alone_are_read(parse: Parse) -> None:
    assert decompressed_rtf(COMPRESSED, 1000) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    body = {"__substg1.0_10090102": COMPRESSED}
    assert "hello world" in parse(compound_file(outlook_message("Weir", "", **body)), "a.msg").text


def _attached(subject: str = "Inner", body: str = "Inside.", **properties: bytes | Tree) -> bytes:
    inside: Tree = {"__substg1.0_3701000D": outlook_message(subject, body, header_bytes=24, **properties)}
    return compound_file(outlook_message("Outer", "Outside.", **{"__attach_version1.0_#00000000": inside}))


def test_a_message_in_a_message_with_rich_text_alone_keeps_its_words(parse: Parse) -> None:
    (child,) = parse(_attached(body="", **{"__substg1.0_10090102": COMPRESSED}), "a.msg").children
    assert "hello world" in parse(child.content, child.name).text


def test_rich_text_without_words_goes_along_as_a_file(parse: Parse) -> None:
    broken = b"{\\rtf1"
    rich = struct.pack("<II", len(broken) + 12, len(broken)) + b"MELA" + bytes(4) + broken
    (child,) = parse(_attached(body="", **{"__substg1.0_10090102": rich}), "a.msg").children
    assert "body.rtf" in child.content.decode()


@pytest.mark.parametrize("name", ["Bo <", "<", "é" * 300 + " <", "Bo (Sales", "a@b@c", "Müller, Jürgen"])
def test_any_name_is_kept_in_a_message_in_a_message(parse: Parse, name: str) -> None:
    names: dict[str, bytes | Tree] = {f"__substg1.0_{tag}001F": name.encode("utf-16-le") for tag in ("0C1A", "0E04")}
    (child,) = parse(_attached(**names), "a.msg").children
    inner = parse(child.content, child.name).text
    assert f"From: {name} <ada@example.org>\nTo: {name}\n" in inner


def test_the_name_of_an_attachment_is_bounded_and_keeps_its_end(parse: Parse) -> None:
    attachment = outlook_attachment("ü" * 5_000 + ".txt", b"42 euros")
    message = compound_file(outlook_message("Weir", "In May.", **{"__attach_version1.0_#00000000": attachment}))
    assert [child.name for child in parse(message, "a.msg").children] == ["ü" * 251 + ".txt"]
    assert [child.name for child in parse(_attached("ü" * 5_000), "a.msg").children] == ["ü" * 255 + ".eml"]


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

"""Encrypted files: opened by their password, told apart from a wrong one, each kind made by a library of its own."""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from collections.abc import Callable

import openpyxl
import py7zr
import pytest
import pyzipper
import zip_files
from aes_pdf import aes_pdf
from locked_open_documents import locked_by_part, locked_whole, packed
from msoffcrypto.format.ooxml import OOXMLFile
from office_97_files import locked_word_file, workbook_file
from outlook_files import Tree, compound_file, outlook_attachment, outlook_message
from reportlab.lib.pdfencrypt import StandardEncryption
from word_files import word_file, word_streams

from trivium.domain.errors import NeverWill
from trivium.domain.password import Password
from trivium.ports.parser import Blob
from trivium_ingest.parse.sandbox import Sandbox

from .conftest import Parse, pdf

SECRET = "Märzveilchen 7"
SAID = "The sluice opens at dawn."


def pdf_of(strength: int) -> bytes:
    lock = StandardEncryption(SECRET, ownerPassword="the owner's", strength=strength)
    return pdf(lambda canvas: canvas.drawString(72, 700, SAID), encrypt=lock)


def workbook(password: str = SECRET) -> bytes:
    book, plain, locked = openpyxl.Workbook(), io.BytesIO(), io.BytesIO()
    book.active.append(["Sluice", "Dawn"])
    book.save(plain)
    OOXMLFile(plain).encrypt(password, locked)
    return locked.getvalue()


def zipped(**encryption: int) -> bytes:
    stream = io.BytesIO()
    with pyzipper.AESZipFile(stream, "w", compression=zipfile.ZIP_DEFLATED, encryption=pyzipper.WZ_AES) as archive:
        archive.setpassword(SECRET.encode())
        archive.setencryption(pyzipper.WZ_AES, **encryption)
        archive.writestr("sluice.txt", SAID)
    return stream.getvalue()


def zipped_of_old() -> bytes:
    """Under the cipher that PKZIP began with (APPNOTE 6.1), which no library here writes."""
    keys = [0x12345678, 0x23456789, 0x34567890]

    def mix(byte: int) -> None:
        keys[0] = zlib.crc32(bytes([byte]), keys[0] ^ 0xFFFFFFFF) ^ 0xFFFFFFFF
        keys[1] = ((keys[1] + (keys[0] & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        keys[2] = zlib.crc32(bytes([keys[1] >> 24]), keys[2] ^ 0xFFFFFFFF) ^ 0xFFFFFFFF

    def encrypted(byte: int) -> int:
        key = (keys[2] | 2) & 0xFFFF
        mix(byte)
        return byte ^ (key * (key ^ 1) >> 8 & 0xFF)

    for byte in SECRET.encode():
        mix(byte)
    crc = zlib.crc32(SAID.encode())
    packed = bytes(map(encrypted, bytes(11) + bytes([crc >> 24]) + SAID.encode()))
    facts = (20, 1, 0, 0, 33, crc, len(packed), len(SAID), 10, 0)
    member = struct.pack("<4s5H3I2H", b"PK\3\4", *facts) + b"sluice.txt" + packed
    listed = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, *facts, 0, 0, 0, 0, 0) + b"sluice.txt"
    return member + listed + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, len(listed), len(member), 0)


def seven_zipped(password: str | None = SECRET, *, list_too: bool = False) -> bytes:
    stream = io.BytesIO()
    with py7zr.SevenZipFile(stream, "w", password=password, header_encryption=list_too) as archive:
        archive.writestr(SAID, "sluice.txt")
    return stream.getvalue()


ODF = "application/vnd.oasis.opendocument."


def open_document(kind: str, element: str, wrapped: str) -> tuple[str, dict[str, str]]:
    """The media type and the parts of an OpenDocument file that says `SAID`."""
    spaces = " ".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for prefix, name in (("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"))
    )
    body = f"<office:{element}>{wrapped.format(f'<text:p>{SAID}</text:p>')}</office:{element}>"
    content = f"<office:document-content {spaces}><office:body>{body}</office:body></office:document-content>"
    return f"{ODF}{kind}", {"content.xml": content, "meta.xml": f"<office:document-meta {spaces}/>"}


TEXT = open_document("text", "text", "{}")
SHEET = open_document(
    "spreadsheet",
    "spreadsheet",
    '<table:table table:name="a"><table:table-row><table:table-cell office:value-type="string">{}</table:table-cell>'
    "</table:table-row></table:table>",
)
DECK = open_document(
    "presentation",
    "presentation",
    "<draw:page><draw:frame><draw:text-box>{}</draw:text-box></draw:frame></draw:page>",
)
LOCKED: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a PDF under RC4 of 40 bits": ("a.pdf", lambda: pdf_of(40)),
    "a PDF under RC4 of 128 bits": ("a.pdf", lambda: pdf_of(128)),
    "a PDF under AES of 256 bits": ("a.pdf", lambda: aes_pdf(SAID, SECRET)),
    "a workbook": ("a.xlsx", workbook),
    "a zip archive under AES": ("a.zip", lambda: zipped(nbits=256)),
    "a zip archive under PKZIP's cipher": ("a.zip", zipped_of_old),
    "a 7-Zip archive": ("a.7z", seven_zipped),
    "a 7-Zip archive whose list is locked too": ("a.7z", lambda: seven_zipped(list_too=True)),
    "an OpenDocument text under AES": ("a.odt", lambda: locked_by_part(*TEXT, SECRET)),
    "an OpenDocument text under Blowfish": ("a.odt", lambda: locked_by_part(*TEXT, SECRET, "blowfish")),
    "an OpenDocument text locked as a whole": ("a.odt", lambda: locked_whole(TEXT[0], packed(*TEXT), SECRET)),
    "an OpenDocument spreadsheet": ("a.ods", lambda: locked_by_part(*SHEET, SECRET)),
    "an OpenDocument presentation": ("a.odp", lambda: locked_by_part(*DECK, SECRET)),
    "a Word 97 document under RC4": ("a.doc", lambda: locked_word_file(SAID, SECRET, "rc4")),
    "a Word 2003 document": ("a.doc", lambda: locked_word_file(SAID, SECRET, "cryptoapi")),
    "an Excel 97 workbook under XOR": ("a.xls", lambda: workbook_file([SAID], SECRET, "xor")),
    "an Excel 97 workbook under RC4": ("a.xls", lambda: workbook_file([SAID], SECRET, "rc4")),
    "an Excel 2003 workbook": ("a.xls", lambda: workbook_file([SAID], SECRET, "cryptoapi")),
}


@pytest.mark.usefixtures("no_libre_office")
@pytest.mark.parametrize("what", LOCKED)
def test_the_password_opens_and_a_wrong_one_is_told_apart_from_none(parse: Parse, what: str) -> None:
    name, make = LOCKED[what]
    content = make()
    for password, code in (("", "password_needed"), ("Winterling", "password_wrong")):
        with pytest.raises(NeverWill) as failure:
            parse(content, name, password=password)
        assert (failure.value.code, "trivium unlock" in failure.value.action) == (code, True)
        assert "Winterling" not in f"{failure.value}{failure.value.message}"
    document = parse(content, name, password=SECRET)
    inside = [child.content.decode() for child in document.children]
    assert "sluice" in f"{document.text} {inside}".lower()
    assert not document.locked


def test_the_owners_password_opens_too(parse: Parse) -> None:
    assert SAID in parse(pdf_of(128), password="the owner's").text


EXCELS_OWN = "VelvetSweatshop"


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.xlsx", workbook(EXCELS_OWN)), ("a.xls", workbook_file(["Sluice", "Dawn"], EXCELS_OWN, "cryptoapi"))],
)
def test_a_workbook_protected_against_changes_alone_needs_no_password(parse: Parse, name: str, content: bytes) -> None:
    assert "Dawn" in parse(content, name).text


@pytest.mark.parametrize("kind", ["pdf", "zip", "7z", "odt", "xls", "doc"])
@pytest.mark.usefixtures("no_libre_office")
def test_a_password_that_nothing_needs_does_no_harm(parse: Parse, kind: str) -> None:
    written = pdf(lambda canvas: canvas.drawString(72, 700, SAID))
    content = {
        "pdf": written,
        "zip": zip_files.zipped({"sluice.txt": SAID}),
        "7z": seven_zipped(None),
        "odt": packed(*TEXT),
        "xls": workbook_file([SAID]),
        "doc": word_file(SAID),
    }[kind]
    assert parse(content, password=SECRET) == parse(content)


def test_an_archive_with_one_locked_member_gives_the_others_and_says_that_it_is_locked(parse: Parse) -> None:
    stream = io.BytesIO(zipped())
    with zipfile.ZipFile(stream, "a") as archive:
        archive.writestr("open.txt", "For all to read.")
    for password, names, locked in (("", ["open.txt"], True), (SECRET, ["sluice.txt", "open.txt"], False)):
        document = parse(stream.getvalue(), "a.zip", password=password)
        assert ([child.name for child in document.children], document.locked) == (names, locked)


def around_a_locked_workbook(kind: str) -> bytes:
    """A file that says `SAID`, with a locked workbook attached or embedded."""
    if kind == "msg":
        attached: Tree = {"__properties_version1.0": bytes(8), **outlook_attachment("offer.xlsx", workbook())}
        return compound_file(outlook_message("Offer", SAID, **{"__attach_version1.0_#00000000": attached}))
    if kind == "xls":
        return workbook_file([SAID], more={"MBD0001": {"Package": workbook(), "EncryptedPackage": b"locked"}})
    stream, table = word_streams(SAID)
    pool: Tree = {"_1": {"Package": workbook(), "EncryptedPackage": b"locked"}}
    return compound_file({"WordDocument": stream, "1Table": table, "ObjectPool": pool})


@pytest.mark.usefixtures("no_libre_office")
@pytest.mark.parametrize("kind", ["msg", "doc", "xls"])
@pytest.mark.parametrize("password", ["", SECRET])
def test_a_lock_on_what_a_file_holds_is_none_on_the_file(parse: Parse, kind: str, password: str) -> None:
    document = parse(around_a_locked_workbook(kind), f"offer.{kind}", password=password)
    assert SAID in document.text
    assert [child.name for child in document.children] == (["offer.xlsx"] if kind == "msg" else [])
    if kind == "msg":
        (child,) = document.children
        assert "Dawn" in parse(child.content, child.name, password=SECRET).text


@pytest.mark.parametrize(("whole", "torn"), [(b"<encryption ", b"<encrypt!on "), (b'spinCount="1', b'spinCount="x')])
def test_a_damaged_lock_is_no_wrong_password(parse: Parse, whole: bytes, torn: bytes) -> None:
    content = workbook()
    assert content.count(whole) == 1
    with pytest.raises(NeverWill) as failure:
        parse(content.replace(whole, torn), "a.xlsx", password=SECRET)
    assert failure.value.code == "corrupt_file"


def test_rights_management_is_no_password(parse: Parse) -> None:
    streams = b"".join(name.encode("utf-16-le") + b"\0\0" for name in ("EncryptedPackage", "DRMEncryptedTransform"))
    with pytest.raises(NeverWill) as failure:
        parse(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600) + streams, "a.docx", password=SECRET)
    assert failure.value.code in ("corrupt_file", "encryption_unsupported")


def test_the_password_reaches_the_parser_in_its_process_and_no_repr_shows_it() -> None:
    blob = Blob("a.pdf", pdf_of(128), password=Password(SECRET))
    assert SECRET not in repr(blob)
    sandbox = Sandbox()
    try:
        assert SAID in sandbox.parse(blob).text
    finally:
        sandbox.close()


def _declaring(old: str, new: str) -> Callable[[str], str]:
    """A manifest that says something else."""

    def rewritten(manifest: str) -> str:
        assert old in manifest
        return manifest.replace(old, new)

    return rewritten


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("xmlenc#aes256-cbc", "xmlenc#tripledes-cbc"),
        ("sha256-1k", "md5-1k"),
        ('"PBKDF2"', '"PGP"'),
        ("xmldsig#sha256", "xmldsig#whirlpool"),
    ],
)
def test_open_document_encryption_that_is_not_known_asks_for_no_password(parse: Parse, old: str, new: str) -> None:
    with pytest.raises(NeverWill) as failure:
        parse(locked_by_part(*TEXT, SECRET, manifest=_declaring(old, new)))
    assert failure.value.code == "encryption_unsupported"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('iteration-count="1024"', 'iteration-count="2147483647"'),
        ('argon2-iterations="3"', 'argon2-iterations="2147483647"'),
        ('argon2-memory="1024"', 'argon2-memory="2147483647"'),
    ],
)
def test_a_manifest_cannot_ask_for_endless_work(parse: Parse, old: str, new: str) -> None:
    manifest = _declaring(old, new)
    whole = "argon2" in old
    content = locked_whole(*_package(), SECRET, manifest) if whole else locked_by_part(*TEXT, SECRET, manifest=manifest)
    with pytest.raises(NeverWill, match="more work") as failure:
        parse(content, password=SECRET)
    assert failure.value.code == "limit_exceeded"


def _package() -> tuple[str, bytes]:
    return TEXT[0], packed(*TEXT)


@pytest.mark.parametrize(
    ("limits", "named"), [({}, "max_ratio"), ({"max_unpacked_bytes": 1_500_000, "max_ratio": 9_999}, "max_unpacked")]
)
def test_what_lies_deflated_under_a_password_is_bounded(parse: Parse, limits: dict[str, int], named: str) -> None:
    bomb = locked_by_part(TEXT[0], {**TEXT[1], "Pictures/a.png": bytes(2_000_000)}, SECRET)
    for content in (bomb, locked_whole(TEXT[0], packed(TEXT[0], {"a": bytes(2_000_000)}), SECRET)):
        with pytest.raises(NeverWill, match=named) as failure:
            parse(content, password=SECRET, limits=limits)
        assert failure.value.code == "limit_exceeded"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('initialisation-vector="', 'initialisation-vector="AAAA'),
        ('key-size="32" manifest:iteration-count', 'key-size="31" manifest:iteration-count'),
        ('iteration-count="1024"', 'iteration-count="0"'),
        ('iteration-count="1024"', 'iteration-count="-1"'),
        ('iteration-count="1024"', 'iteration-count="many"'),
    ],
)
def test_a_manifest_that_makes_no_sense_is_no_wrong_password(parse: Parse, old: str, new: str) -> None:
    with pytest.raises(NeverWill) as failure:
        parse(locked_by_part(*TEXT, SECRET, manifest=_declaring(old, new)), password=SECRET)
    assert failure.value.code == "corrupt_file"


def test_a_damaged_part_is_no_wrong_password(parse: Parse) -> None:
    parts = _unzipped(locked_by_part(TEXT[0], {**TEXT[1], "Pictures/a.png": os.urandom(2000)}, SECRET))
    torn = {**parts, "Pictures/a.png": parts["Pictures/a.png"][16:]}
    with pytest.raises(NeverWill) as failure:
        parse(packed(TEXT[0], torn), password=SECRET)
    assert failure.value.code == "corrupt_file"


def test_a_package_of_which_only_the_settings_are_locked_is_read(parse: Parse) -> None:
    parts = _unzipped(locked_by_part(TEXT[0], {"settings.xml": "<settings/>"}, SECRET))
    assert parse(packed(TEXT[0], {**TEXT[1], **parts}), password=SECRET).text == SAID


def _unzipped(package: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != "mimetype"}

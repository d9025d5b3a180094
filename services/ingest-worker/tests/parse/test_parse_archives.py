"""Archives give their members as children, and nothing that their bounds or their paths forbid."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable

import py7zr
import pytest
from zip_files import zipped

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import ParsedDocument

from .conftest import Parse, pdf

FILES = {"plans/report.md": b"# Report\n\nThe weir is removed.", "note.txt": "Grüße aus Köln".encode()}


def tarred(files: dict[str, bytes], mode: str = "w", *extra: tarfile.TarInfo) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for info in extra:
            archive.addfile(info)
    return stream.getvalue()


def seven_zipped(files: dict[str, bytes], password: str | None = None) -> bytes:
    stream = io.BytesIO()
    with py7zr.SevenZipFile(stream, "w", password=password) as archive:
        for name, content in files.items():
            archive.writestr(content, name)
    return stream.getvalue()


ARCHIVES = {
    "zip": zipped,
    "tar": tarred,
    "tar.gz": lambda files: tarred(files, "w:gz"),
    "tar.bz2": lambda files: tarred(files, "w:bz2"),
    "tar.xz": lambda files: tarred(files, "w:xz"),
    "7z": seven_zipped,
}


def held(document: ParsedDocument) -> dict[str, bytes]:
    return {child.name: child.content for child in document.children}


@pytest.mark.parametrize("kind", ARCHIVES)
def test_members_are_children_and_the_archive_is_their_list(parse: Parse, kind: str) -> None:
    document = parse(ARCHIVES[kind](FILES), f"drive.{kind}")
    assert held(document) == FILES
    assert document.text.splitlines() == list(FILES)
    assert document.warnings == ()


@pytest.mark.parametrize("kind", ARCHIVES)
def test_a_member_whose_path_leads_out_of_the_archive_is_left_out_and_told(parse: Parse, kind: str) -> None:
    files = {"../../etc/cron.d/x": b"a text", "/etc/passwd": b"a text", "ok.txt": b"a text"}
    document = parse(seven_zipped_anyway(files) if kind == "7z" else ARCHIVES[kind](files), f"drive.{kind}")
    assert set(held(document)) == {"ok.txt"}
    assert len(document.warnings) == 2
    assert all("leads out" in warning for warning in document.warnings)


def seven_zipped_anyway(files: dict[str, bytes]) -> bytes:
    return seven_zipped_as_named(*files.items())


def seven_zipped_as_named(*files: tuple[str, bytes]) -> bytes:
    """With names that the library refuses to write: put in afterwards, with the checksums of the headers."""
    places = {f"{number:>{len(name)}}".replace(" ", "x"): name for number, (name, _) in enumerate(files)}
    stream = io.BytesIO()
    with py7zr.SevenZipFile(stream, "w") as archive:
        archive.set_encoded_header_mode(False)
        for place, (_, content) in zip(places, files, strict=True):
            archive.writestr(content, place)
    raw = stream.getvalue()
    for place, name in places.items():
        raw = raw.replace(place.encode("utf-16-le"), name.encode("utf-16-le"))
    offset, size = struct.unpack_from("<QQ", raw, 12)
    place_of_header = 32 + offset
    start = struct.pack("<QQI", offset, size, zlib.crc32(raw[place_of_header : place_of_header + size]))
    return raw[:8] + struct.pack("<I", zlib.crc32(start)) + start + raw[32:]


def test_members_of_a_7z_are_read_whatever_form_their_names_have(parse: Parse) -> None:
    files = {"./a.txt": b"text one", "d//b.txt": b"text two", "d/./c.txt": b"text three", "./d.txt": b""}
    document = parse(seven_zipped_anyway(files), "drive.7z")
    assert held(document) == {name: content for name, content in files.items() if content}
    assert document.warnings == ()


def test_members_of_a_7z_that_have_one_name_never_mix(parse: Parse) -> None:
    names = ("a.txt", "./a.txt", "b.txt", "b.txt_0", "b.txt")
    document = parse(seven_zipped_as_named(*((name, f"text {number}".encode()) for number, name in enumerate(names))))
    assert held(document) == {"a.txt": b"text 0", "b.txt": b"text 2", "b.txt_0": b"text 3"}
    assert document.warnings == tuple(
        f"{name} was not read: another member has its name." for name in ("./a.txt", "b.txt")
    )
    reserved = parse(seven_zipped_as_named(("a.txt", b"text 0"), ("a.txt", b"text 1"), ("a.txt_0", b"text 2")))
    assert held(reserved) == {"a.txt": b"text 0"}
    assert len(reserved.warnings) == 2


@pytest.mark.parametrize("kind", ARCHIVES)
def test_what_no_parser_reads_is_told_and_systems_litter_is_not(parse: Parse, kind: str) -> None:
    files = {"run.exe": b"MZ\0\0\1", "__MACOSX/._a.txt": b"a text", ".DS_Store": b"a text", "empty.txt": b""}
    document = parse(ARCHIVES[kind]({**files, "a.txt": b"a text"}), f"drive.{kind}")
    assert set(held(document)) == {"a.txt"}
    (warning,) = document.warnings
    assert "run.exe" in warning
    assert "Windows program" in warning


@pytest.mark.parametrize("kind", ["zip", "tar", "7z"])
def test_more_than_may_be_unpacked_is_left_out_and_the_limit_is_named(parse: Parse, kind: str) -> None:
    files = {f"{number}.txt": bytes([65 + number]) * 600 for number in range(3)}
    document = parse(ARCHIVES[kind](files), f"drive.{kind}", limits={"max_unpacked_bytes": 1300})
    assert set(held(document)) == {"0.txt", "1.txt"}
    assert "max_unpacked_bytes" in document.warnings[0]


@pytest.mark.parametrize("kind", ARCHIVES)
def test_a_bomb_is_refused_with_its_limit(parse: Parse, kind: str) -> None:
    bomb = ARCHIVES[kind]({"zeros.txt": b"\0" * 3_000_000})
    with pytest.raises(NeverWill) as failure:
        parse(bomb, f"bomb.{kind}", limits={"max_unpacked_bytes": 2_000_000})
    assert failure.value.code == "limit_exceeded"


def test_a_bomb_is_told_by_the_limit_that_it_passed_and_no_other(parse: Parse) -> None:
    with pytest.raises(NeverWill) as failure:
        parse(gzip.compress(b"\0" * 30_000_000), "bomb.gz")
    assert failure.value.message == "The file holds more than 200 times its own size when unpacked (limit: max_ratio)."
    assert "raise" not in failure.value.action  # no setting does


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_a_compressed_file_gives_the_file_inside(parse: Parse, compress: Callable[[bytes], bytes]) -> None:
    kind = {gzip.compress: "gz", bz2.compress: "bz2", lzma.compress: "xz"}[compress]
    document = parse(compress(b"just a text"), f"folder/note.txt.{kind}")
    assert held(document) == {"note.txt": b"just a text"}
    with pytest.raises(NeverWill, match="max_ratio"):
        parse(compress(b"\0" * 3_000_000), f"zeros.{kind}")


def test_too_many_members_are_left_out(parse: Parse) -> None:
    document = parse(zipped({f"{number}.txt": b"a text" for number in range(5)}), limits={"max_members": 3})
    assert len(document.children) == 3
    assert "max_members" in document.warnings[0]


def test_links_and_devices_are_left_out(parse: Parse) -> None:
    link, device = tarfile.TarInfo("link.txt"), tarfile.TarInfo("device.txt")
    link.type, link.linkname, device.type = tarfile.SYMTYPE, "/etc/passwd", tarfile.CHRTYPE
    document = parse(tarred(FILES, "w", link, device))
    assert set(held(document)) == set(FILES)
    assert len(document.warnings) == 2

    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        info = zipfile.ZipInfo("link.txt")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    assert parse(stream.getvalue()).children == ()


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("kind", ARCHIVES)
def test_a_cut_off_archive_is_corrupt_or_gives_what_is_whole(parse: Parse, kind: str, share: float) -> None:
    whole = ARCHIVES[kind](FILES)
    code, found = "corrupt_file", {}
    try:
        found = held(parse(whole[: int(len(whole) * share)], f"drive.{kind}"))
    except NeverWill as failure:
        code = failure.code
    assert code == "corrupt_file"
    assert found.items() <= FILES.items()


def test_a_password_is_asked_for_and_other_members_are_read(parse: Parse) -> None:
    with pytest.raises(NeverWill) as failure:
        parse(seven_zipped(FILES, "secret"))
    assert failure.value.code == "password_needed"

    one, both = zipped(FILES), zipped({"secret.txt": b"a text"})
    with pytest.raises(NeverWill) as failure:
        parse(encrypted(both, b"secret.txt"))
    assert failure.value.code == "password_needed"
    document = parse(encrypted(one, b"note.txt"))
    assert set(held(document)) == {"plans/report.md"}
    assert "password" in document.warnings[0]


def encrypted(archive: bytes, name: bytes) -> bytes:
    """The same with the flag that says that a member is encrypted, in the directory."""
    raw = bytearray(archive)
    at = raw.find(b"PK\1\2")
    while raw[at + 46 : at + 46 + len(name)] != name:
        at = raw.find(b"PK\1\2", at + 4)
    raw[at + 8] |= 1
    return bytes(raw)


def test_members_that_share_their_bytes_are_refused(parse: Parse) -> None:
    raw = bytearray(zipped({"a.txt": b"some text", "b.txt": b"some text"}))
    second = raw.rfind(b"PK\1\2")
    raw[second + 42 : second + 46] = struct.pack("<I", 0)  # where the first begins
    with pytest.raises(NeverWill, match="overlap"):
        parse(bytes(raw))


def test_names_of_old_archivers_are_read_in_their_encoding(parse: Parse) -> None:
    name = "Überblick über alle größeren Städte.txt"
    raw = zipped({"X" * len(name): b"a text"}).replace(b"X" * len(name), name.encode("cp1252"))
    assert set(held(parse(raw))) == {name}


def test_office_files_and_books_are_no_archives(parse: Parse) -> None:
    with pytest.raises(NeverWill) as failure:
        parse(zipped({"a.txt": b"a text"}), "table.xlsx")
    assert failure.value.code == "corrupt_file"


def test_an_archive_in_an_archive_is_a_child(parse: Parse) -> None:
    document = parse(zipped({"inner.zip": zipped(FILES), "a.pdf": pdf(lambda canvas: canvas.drawString(9, 9, "x"))}))
    assert set(held(document)) == {"inner.zip", "a.pdf"}
    assert held(parse(held(document)["inner.zip"])) == FILES


def test_an_archive_that_begins_with_a_pdf_is_an_archive(parse: Parse) -> None:
    content = pdf(lambda canvas: canvas.drawString(9, 9, "x"))
    for whole in (zipped({"a.pdf": content}), tarred({"a.pdf": content})):
        assert held(parse(whole)) == {"a.pdf": content}


def test_an_empty_archive_is_opened_and_holds_nothing(parse: Parse) -> None:
    document = parse(zipped({}))
    assert document.children == ()
    assert document.warnings == ("The file was opened and holds no text.",)

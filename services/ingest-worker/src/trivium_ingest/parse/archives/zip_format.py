"""Zip archives: a list of the members, each of which is read as a document of its own."""

from __future__ import annotations

import io
import stat
import zipfile
from itertools import pairwise

import msgspec
import pyzipper

from trivium.domain.parsed import ParsedDocument
from trivium.domain.password import Password
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.archives.members import Members
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.failures import corrupt, password_needed, password_wrong
from trivium_ingest.parse.office.package import BROKEN
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import PACKAGES, ZIP_MAGICS, Sample
from trivium_ingest.parse.text.encoding import decode

MEDIA_TYPE = "application/zip"
_WHAT = "zip archive"
_ENCRYPTED_FLAG, _UTF8_FLAG = 0x1, 0x800


def recognise(sample: Sample) -> Evidence:
    """A zip's signature and directory; formats that are zips inside know theirs better."""
    if not sample.head.startswith(ZIP_MAGICS) or sample.extension in PACKAGES or sample.iwork:
        return Evidence.NONE
    empty = sample.head.startswith(ZIP_MAGICS[1])
    return Evidence.SIGNS if sample.members or empty else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, _models: ParserModels) -> ParsedDocument:
    """Unpack what may be unpacked. Raises `NeverWill` (`password_needed`, `password_wrong`) when nothing opens."""
    members = Members(blob, limits)
    try:
        with _opened(blob) as archive:
            files = [info for info in archive.filelist if not info.is_dir()]
            _refuse_overlaps(files)
            locked = [info for info in files if not _take(archive, info, members, blob.password)]
    except BROKEN as error:
        raise corrupt(_WHAT, str(error)[:120]) from error
    if locked and not members.children:
        raise (password_wrong if blob.password else password_needed)(_WHAT)
    return msgspec.structs.replace(members.document(MEDIA_TYPE), locked=bool(locked))


def _opened(blob: Blob) -> zipfile.ZipFile:
    """With a password also what WinZip and 7-Zip encrypt by AES, which the standard library does not know."""
    if blob.password is None:
        return zipfile.ZipFile(io.BytesIO(blob.content))
    archive: zipfile.ZipFile = pyzipper.AESZipFile(io.BytesIO(blob.content))
    archive.setpassword(blob.password.text.encode())
    return archive


def _take(archive: zipfile.ZipFile, info: zipfile.ZipInfo, members: Members, password: Password | None) -> bool:
    """False where a member is locked, and stays so."""
    name, encrypted = _name(info), bool(info.flag_bits & _ENCRYPTED_FLAG)
    if not members.admit(name):
        return True
    if encrypted and password is None:
        members.skip(name, "it is protected by a password")
        return False
    if not _is_file(info):
        members.skip(name, "it is a link or a device")
        return True
    if not members.fits(name, info.file_size, info.compress_size):
        return True
    try:
        with archive.open(info) as stream:
            members.unpack(name, stream, info.compress_size)
    except BROKEN as error:
        damaged = f"it is damaged ({str(error)[:80]})"
        members.skip(name, "it has another password, or is damaged" if encrypted else damaged)
        return not encrypted
    return True


def _name(info: zipfile.ZipInfo) -> str:
    """Old archivers write names in their system's code page; `zipfile` takes that for the first PC's."""
    if info.flag_bits & _UTF8_FLAG or info.filename.isascii():
        return info.filename
    return decode(info.filename.encode("cp437", "replace"))[0]


def _is_file(info: zipfile.ZipInfo) -> bool:
    kind = stat.S_IFMT(info.external_attr >> 16)
    return kind in (0, stat.S_IFREG)


def _refuse_overlaps(files: list[zipfile.ZipInfo]) -> None:
    """Members that share their bytes unpack to far more than there is (Fifield, "A better zip bomb", 2019)."""
    placed = sorted(files, key=lambda info: info.header_offset)
    for before, after in pairwise(placed):
        if before.header_offset + before.compress_size >= after.header_offset:
            raise corrupt(_WHAT, "its members overlap")


FORMAT = Format(
    name="zip archives",
    media_types=(MEDIA_TYPE, "application/x-zip-compressed"),
    extensions=("zip",),
    version=2,
    recognise=recognise,
    read=read,
    cites="the archive's list; in members, as their own format does",
)

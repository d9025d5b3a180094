"""The members of a 7-Zip archive, unpacked into memory within the limits."""

from __future__ import annotations

import io
import lzma
from collections import Counter
from pathlib import PurePath
from typing import Any

import py7zr
from py7zr.exceptions import AbsolutePathError, ArchiveError, PasswordRequired
from py7zr.io import Py7zIO, WriterFactory

from trivium.domain.password import Password
from trivium_ingest.parse.archives.members import Members
from trivium_ingest.parse.failures import corrupt, password_needed, password_wrong, too_large

_WHAT = "7-Zip archive"
_BROKEN = (ArchiveError, AbsolutePathError, lzma.LZMAError, OSError, EOFError, ValueError, LookupError, TypeError)


def take_members(content: bytes, members: Members, password: Password | None) -> None:
    """Raises `NeverWill` (`password_needed`, `password_wrong`, `corrupt_file`, `limit_exceeded`)."""
    if password is None and _is_locked(content):
        raise password_needed(_WHAT)
    try:
        with py7zr.SevenZipFile(io.BytesIO(content), password=password.text if password else None) as archive:
            wanted = _wanted([info for info in archive.files if not info.is_directory], members)
            kept = _Kept(members.left)
            if wanted:
                archive.extract(targets=[info.filename for info in wanted.values()], factory=kept)
    except _BROKEN as error:
        if password is not None and _is_locked(content):  # whose wrong key gives noise
            raise password_wrong(_WHAT) from error
        raise corrupt(_WHAT, str(error)[:120]) from error
    for place, info in wanted.items():
        unpacked = kept.content(place)
        if unpacked is None and info.uncompressed:
            members.skip(info.filename, "it is damaged")
        else:
            members.take(info.filename, unpacked or b"")


def _is_locked(content: bytes) -> bool:
    """Whether members, or the list of them, need a password; False also for what cannot be opened at all."""
    try:
        with py7zr.SevenZipFile(io.BytesIO(content)) as archive:
            return bool(archive.needs_password())
    except PasswordRequired:
        return True
    except _BROKEN:
        return False


def _wanted(files: list[Any], members: Members) -> dict[str, Any]:
    """The members that may be unpacked, as far as they say the truth about themselves, by where they are put."""
    wanted: dict[str, Any] = {}
    seen: Counter[str] = Counter()
    places: set[str] = set()
    room = members.left
    for info in files:
        place = _place(info.filename)
        doubled = place in places
        places.add(place)
        if seen[info.filename]:  # the library unpacks each of those that have one name, the later ones under others
            places.add(_place(f"{info.filename}_{seen[info.filename] - 1}"))
        seen[info.filename] += 1
        if not members.admit(info.filename):
            continue
        if info.is_symlink or info.is_junction or info.is_socket:
            members.skip(info.filename, "it is a link or a device")
        elif doubled:
            members.skip(info.filename, "another member has its name")
        elif members.fits(info.filename, info.uncompressed):
            if info.uncompressed > room:
                members.leave(info.filename, "max_unpacked_bytes")
                continue
            room -= info.uncompressed
            wanted[place] = info
    return wanted


def _place(name: str) -> str:
    """As the library writes a name: without what stands for the folder itself, and no empty parts."""
    return PurePath(name).as_posix()


class _Kept(WriterFactory):
    """Members in memory; more than `most` bytes in all raise `NeverWill` while they are unpacked."""

    def __init__(self, most: int) -> None:
        self._most = self.left = most
        self._buffers: dict[str, _Buffer] = {}

    def create(self, filename: str) -> _Buffer:
        """A member's place: the first that has the name keeps it, and what others hold is thrown away."""
        buffer = _Buffer(self)
        self._buffers.setdefault(filename, buffer)
        return buffer

    def content(self, name: str) -> bytes | None:
        """What came out of a member, None where nothing did."""
        return bytes(self._buffers[name].held) if name in self._buffers else None

    def spend(self, count: int) -> None:
        """Count bytes that came out."""
        self.left -= count
        if self.left < 0:
            raise too_large("max_unpacked_bytes", f"more than {self._most:,} bytes when unpacked")


class _Buffer(Py7zIO):
    """One member; written once, from its beginning."""

    def __init__(self, kept: _Kept) -> None:
        self._kept = kept
        self.held = bytearray()

    def write(self, s: bytes | bytearray) -> int:
        """Take a piece."""
        self._kept.spend(len(s))
        self.held += s
        return len(s)

    def read(self, size: int | None = None) -> bytes:
        """Nothing: what is written is read by `content`."""
        return b""

    def seek(self, offset: int, whence: int = 0) -> int:
        """Stay."""
        return 0

    def flush(self) -> None:
        """Nothing is buffered."""

    def size(self) -> int:
        """Bytes so far."""
        return len(self.held)

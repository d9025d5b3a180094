"""The members of a tar archive, read as a stream: nothing is kept but the member at hand."""

from __future__ import annotations

import tarfile
from typing import IO

from trivium_ingest.parse.archives.members import Members
from trivium_ingest.parse.failures import corrupt

TAR_MAGIC, TAR_MAGIC_AT = b"ustar", 257
BROKEN = (tarfile.TarError, EOFError, OSError, ValueError, OverflowError)


def is_tar(head: bytes) -> bool:
    """Whether a file begins as a tar archive does; at least 512 bytes are looked at."""
    return head[TAR_MAGIC_AT : TAR_MAGIC_AT + len(TAR_MAGIC)] == TAR_MAGIC


def take_tar_members(stream: IO[bytes], members: Members) -> None:
    """Raises `NeverWill` (`corrupt_file`) when not one member can be read."""
    seen = 0
    try:
        with tarfile.open(fileobj=stream, mode="r|", errors="replace") as archive:
            for info in archive:
                seen += 1
                _take(archive, info, members)
    except BROKEN as error:
        if not seen:
            raise corrupt("tar archive", str(error)[:120]) from error
        members.skip("The rest", f"the archive is damaged ({str(error)[:80]})")


def _take(archive: tarfile.TarFile, info: tarfile.TarInfo, members: Members) -> None:
    if info.isdir() or not members.admit(info.name):
        return
    if not info.isreg() or info.issparse():
        members.skip(info.name, "it is a link, a device or has holes")
        return
    if not members.fits(info.name, info.size):
        return
    stream = archive.extractfile(info)
    if stream is not None:
        members.unpack(info.name, stream)

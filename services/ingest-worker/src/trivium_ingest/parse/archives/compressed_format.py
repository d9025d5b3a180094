"""Compressed files (gzip, bzip2, xz): the file inside; of a tar archive, its members, each as a document of its own."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import posixpath
import zlib
from collections.abc import Callable
from typing import IO

import msgspec

from trivium.domain.parsed import ParsedDocument
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.archives.members import Members
from trivium_ingest.parse.archives.tar_members import is_tar, take_tar_members
from trivium_ingest.parse.evidence import Evidence
from trivium_ingest.parse.failures import corrupt, too_large
from trivium_ingest.parse.office.package import RATIO_FLOOR_BYTES
from trivium_ingest.parse.registry import Format
from trivium_ingest.parse.sample import Sample

_HEAD_BYTES = 512
_BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError)


class _Kind(msgspec.Struct, frozen=True):
    """A way to compress one stream. `endings` are those of names, with what takes their place."""

    magic: bytes
    media_type: str
    open: Callable[[IO[bytes]], IO[bytes]]
    endings: dict[str, str]


_KINDS = (
    _Kind(b"\x1f\x8b\x08", "application/gzip", lambda raw: gzip.GzipFile(fileobj=raw), {".gz": "", ".tgz": ".tar"}),  # type: ignore[arg-type,return-value]
    _Kind(b"BZh", "application/x-bzip2", bz2.BZ2File, {".bz2": "", ".tbz2": ".tar", ".tbz": ".tar"}),
    _Kind(b"\xfd7zXZ\0", "application/x-xz", lzma.LZMAFile, {".xz": "", ".txz": ".tar"}),
)


def recognise(sample: Sample) -> Evidence:
    """One of the signatures."""
    return Evidence.SHORT_SIGNATURE if _kind(sample.head) else Evidence.NONE


def read(blob: Blob, limits: ParseLimits, _models: ParserModels) -> ParsedDocument:
    """Unpack within the limits on size and ratio, which hold while it is unpacked."""
    kind = _kind(blob.content)
    if kind is None:
        raise corrupt("compressed file")
    members = Members(blob, limits)
    unpacked = _Bounded(kind.open(io.BytesIO(blob.content)), limits, len(blob.content))
    try:
        if is_tar(unpacked.peek(_HEAD_BYTES)):
            take_tar_members(unpacked, members)
        else:
            name = _name_inside(blob.name, kind)
            members.admit(name)
            members.unpack(name, unpacked)
    except _BROKEN as error:
        raise corrupt("compressed file", str(error)[:120]) from error
    return members.document(kind.media_type)


class _Bounded(io.RawIOBase, IO[bytes]):
    """A stream that raises `NeverWill` (`limit_exceeded`) when more comes out than may."""

    def __init__(self, stream: IO[bytes], limits: ParseLimits, packed_bytes: int) -> None:
        self._stream, self._ahead = stream, b""
        ratio = max(RATIO_FLOOR_BYTES, limits.max_ratio * packed_bytes)
        self._left = min(ratio, limits.max_unpacked_bytes)
        self._too_large = (
            too_large("max_ratio", f"more than {limits.max_ratio} times its own size when unpacked")
            if ratio < limits.max_unpacked_bytes
            else too_large("max_unpacked_bytes", f"more than {limits.max_unpacked_bytes:,} bytes when unpacked")
        )

    def peek(self, size: int) -> bytes:
        """The beginning, without taking it."""
        self._ahead = self.read(size)
        return self._ahead

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes; fewer only at the end."""
        taken, self._ahead = self._ahead[:size], self._ahead[size:]
        fresh = self._stream.read(size - len(taken)) if size > len(taken) else b""
        self._left -= len(fresh)
        if self._left < 0:
            raise self._too_large
        return taken + fresh


def _kind(head: bytes) -> _Kind | None:
    return next((kind for kind in _KINDS if head.startswith(kind.magic)), None)


def _name_inside(name: str, kind: _Kind) -> str:
    """The file's own name without what compressing added."""
    base = posixpath.basename(name.replace("\\", "/"))
    stem, ending = posixpath.splitext(base)
    return stem + kind.endings[ending.lower()] if stem and ending.lower() in kind.endings else f"{base} (unpacked)"


FORMAT = Format(
    name="compressed files and tar archives (gzip, bzip2, xz)",
    media_types=tuple(kind.media_type for kind in _KINDS),
    extensions=("gz", "tgz", "bz2", "tbz2", "xz", "txz"),
    version=1,
    recognise=recognise,
    read=read,
    cites="the archive's list; in members, as their own format does",
)

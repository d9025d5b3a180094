"""What recognisers look at: the beginning of a file, and the directory of a container, each read once."""

from __future__ import annotations

import contextlib
import io
import struct
import zipfile
from functools import cached_property

import olefile  # type: ignore[import-untyped]

from trivium.ports.parser import Blob
from trivium_ingest.parse.signed.cms import is_encrypted
from trivium_ingest.parse.text.encoding import decode, is_wide

HEAD_BYTES = 4096
MEMBER_BYTES = 256
OLE2_MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")
ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
# What formats that are zips inside are called: without its parts such a file is damaged, and not an archive.
PACKAGES = frozenset(
    ("docx", "docm", "xlsx", "xlsm", "xlsb", "pptx", "pptm", "ppsx", "odt", "ods", "odp", "odg", "epub")
)
IWORK = {"pages": "Pages", "numbers": "Numbers", "key": "Keynote"}
_IWORK_PARTS = frozenset(["buildVersionHistory.plist", "index.apxl", "index.apxl.gz"])
# Made of letters, and yet not for reading as they stand.
OTHER_THAN_TEXT = (b"{\\rtf", b"%!PS", b"%PDF")
_STREAMS = frozenset(("WordDocument", "Workbook", "Book", "PowerPoint Document", "EncryptedPackage", "EncryptionInfo"))
_OUTLOOKS = "__substg1.0_"  # how the names of a message's properties begin
_DUAL = "PP97_DUALSTORAGE"  # where a presentation for PowerPoint 95 as well keeps its newer half
_BROKEN = (OSError, ValueError, LookupError, struct.error, TypeError, AttributeError, OverflowError, RecursionError)
# Control characters that text does not hold; tab, line feed, form feed, carriage return and escape may occur.
_BINARY = bytes(c for c in range(32) if c not in (9, 10, 12, 13, 27))


class Sample:
    """A file as a recogniser sees it. Nothing here raises: an unreadable container has no members."""

    def __init__(self, blob: Blob) -> None:
        self._content = blob.content
        self.head = blob.content[:HEAD_BYTES]
        self.declared_type = blob.declared_type.split(";")[0].strip().lower()
        suffix = blob.name.rpartition(".")[2] if "." in blob.name else ""
        self.extension = suffix.lower() if len(suffix) <= 10 else ""

    @cached_property
    def members(self) -> frozenset[str]:
        """Member names of a zip archive; empty for anything else and for a broken one."""
        if not self.head.startswith(ZIP_MAGICS):
            return frozenset()
        try:
            with zipfile.ZipFile(io.BytesIO(self._content)) as archive:
                return frozenset(info.filename for info in archive.filelist[:20_000])
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, EOFError):
            return frozenset()

    def member(self, name: str) -> bytes:
        """The first bytes of a zip member, or nothing."""
        if name not in self.members:
            return b""
        try:
            with zipfile.ZipFile(io.BytesIO(self._content)) as archive, archive.open(name) as stream:
                return stream.read(MEMBER_BYTES)
        except (zipfile.BadZipFile, ValueError, OSError, RuntimeError, NotImplementedError, EOFError):
            return b""

    @property
    def is_sealed(self) -> bool:
        """True of CMS that only its recipients' keys open."""
        return is_encrypted(self._content)

    @cached_property
    def iwork(self) -> str:
        """Which program of Apple's iWork made a package, "" for none of them."""
        if not self.head.startswith(ZIP_MAGICS):
            return ""
        parts = any(name.endswith((".iwa", ".iwph", ".iwpv2")) or name in _IWORK_PARTS for name in self.members)
        return IWORK.get(self.extension, "Pages, Numbers or Keynote" if parts else "")

    @cached_property
    def streams(self) -> frozenset[str]:
        """Of an OLE2 file, its own streams among those that tell what it is; empty for anything else.

        What is embedded in it or attached to it has streams of its own, which do not count. Where its directory cannot
        be read, the names are looked for in all its bytes.
        """
        if not self.head.startswith(OLE2_MAGIC):
            return frozenset()
        names = self._own_streams() or self._streams_in_bytes()
        found = names & _STREAMS
        if any(name.startswith(_OUTLOOKS) for name in names):
            found.add(_OUTLOOKS)
        return frozenset(found)

    def _own_streams(self) -> set[str]:
        with contextlib.suppress(*_BROKEN), olefile.OleFileIO(io.BytesIO(self._content)) as ole:
            return {path[-1] for path in ole.listdir() if len(path) == 1 or path[0] == _DUAL}
        return set()

    def _streams_in_bytes(self) -> set[str]:
        found = {name for name in _STREAMS if name.encode("utf-16-le") + b"\0\0" in self._content}
        return found | ({_OUTLOOKS} if _OUTLOOKS.encode("utf-16-le") in self._content else set())

    @cached_property
    def text(self) -> str:
        """The beginning decoded, or "" when it does not look like text."""
        head = self.head
        if len(self._content) > HEAD_BYTES:
            # A multi-byte character cut at the end of the sample must not make it undecodable.
            head = head[: head.rfind(b"\n") + 1 or HEAD_BYTES - HEAD_BYTES % 4]
        program = head.startswith(b"MZ") and b"\0" in head
        if program or head.startswith(OTHER_THAN_TEXT) or not (is_wide(head) or self._textual(head)):
            return ""
        return decode(head)[0]

    def _textual(self, head: bytes) -> bool:
        without_nuls = head.strip(b"\0")
        controls = len(without_nuls) - len(without_nuls.translate(None, _BINARY))
        return bool(without_nuls) and controls <= len(without_nuls) * 0.02

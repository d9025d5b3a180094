"""What comes out of a file that holds files: names checked, sizes bounded, and told what was left out and why."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import IO

import msgspec

from trivium.domain.errors import NeverWill
from trivium.domain.parsed import Child, ParsedDocument, UnitKind
from trivium.ports.parser import Blob, ParseLimits
from trivium_ingest.parse.collector import Collector
from trivium_ingest.parse.failures import too_large
from trivium_ingest.parse.office.package import RATIO_FLOOR_BYTES
from trivium_ingest.parse.signed.signed_file import unsigned
from trivium_ingest.parse.sniff import find_format
from trivium_ingest.parse.text.clean import one_line

MAX_LISTED = 2_000
_PIECE = 1 << 16
_ABSOLUTE = re.compile(r"/|[A-Za-z]:")
# What systems put beside people's files.
_LITTER = re.compile(r"(?:^|/)(?:__MACOSX/.*|\.DS_Store|Thumbs\.db|desktop\.ini|\._[^/]*)$")


class Members:
    """Where an archive's reader puts its members; `out` is its collector where it has one already."""

    def __init__(self, archive: Blob, limits: ParseLimits, out: Collector | None = None) -> None:
        self._limits = limits
        self._packed = len(archive.content)
        self._out = out or Collector(limits)
        self.left = limits.max_unpacked_bytes  # how many bytes may still come out
        self._names: list[str] = []
        self._bounds: set[str] = set()
        self.children: list[Child] = []

    def admit(self, name: str) -> bool:
        """List a member; False when its name is not one that an archive may hold, or when there are too many."""
        if _LITTER.search(name):
            return False
        if len(self._names) >= self._limits.max_members:
            self.leave("more", "max_members")
            return False
        self._names.append(one_line(name))
        if _ABSOLUTE.match(name) or ".." in name.replace("\\", "/").split("/"):
            self.skip(name, "its path leads out of the archive")
            return False
        return True

    def fits(self, name: str, size: int, packed: int | None = None) -> bool:
        """Whether so many bytes may come out as one member, and out of so few (None: members are packed together)."""
        if size > self.left:
            self.leave(name, "max_unpacked_bytes")
        elif size > max(RATIO_FLOOR_BYTES, self._limits.max_ratio * (self._packed if packed is None else packed)):
            self.leave(name, "max_ratio")
        else:
            return True
        return False

    def unpack(self, name: str, stream: IO[bytes], packed: int | None = None) -> None:
        """Take a member's bytes as long as they fit, whatever it said of its size."""
        content = bytearray()
        while piece := stream.read(_PIECE):
            content += piece
            if not self.fits(name, len(content), packed):
                return
        self.take(name, bytes(content))

    def take(self, name: str, content: bytes, media_type: str = "") -> None:
        """A member that is one of the children, unless there is nothing in it or nothing that reads it."""
        if len(content) > self.left:
            self.leave(name, "max_unpacked_bytes")
            return
        self.left -= len(content)
        if not content:
            return
        reason = unreadable(Blob(name, content, media_type))
        if reason:
            self.skip(name, reason)
        else:
            self.children.append(Child(name, content, media_type))

    def skip(self, name: str, why: str) -> None:
        """Say that a member is not read."""
        self._out.warn(f"{one_line(name)[:200]} was not read: {why}.")

    def leave(self, name: str, bound: str) -> None:
        """Say that a limit leaves a member out."""
        self._bounds.add(bound)
        self.skip(name, f"too large or too many (limit: {bound})")

    def document(self, media_type: str) -> ParsedDocument:
        """The archive itself: a list of what it holds. Raises `NeverWill` when limits left nothing of it."""
        if self._bounds and not self.children:
            raise too_large(min(self._bounds), "nothing but members that are too large or too many")
        if self._names:
            more = len(self._names) - MAX_LISTED
            shown = [*self._names[:MAX_LISTED], *([f"and {more:,} more"] if more > 0 else [])]
            self._out.add(UnitKind.LIST, "\n".join(shown), verbatim=True)
        return with_children(self._out.document(media_type), self.children)


def with_children(document: ParsedDocument, children: Iterable[Child]) -> ParsedDocument:
    """The document and the files inside it."""
    return msgspec.structs.replace(document, children=tuple(children))


def unreadable(blob: Blob) -> str:
    """Why no parser reads this, "" when one does; what it will say of it is another question."""
    try:
        find_format(unsigned(blob))
    except NeverWill as failure:
        return failure.message.rstrip(".") if failure.code == "unsupported_format" else ""
    return ""

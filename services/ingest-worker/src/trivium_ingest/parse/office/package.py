"""Office files are zip archives of XML parts that refer to each other (ECMA-376, part 2)."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable
from typing import IO

import msgspec
from lxml import etree

from trivium.domain.errors import NeverWill
from trivium.ports.parser import ParseLimits
from trivium_ingest.parse.failures import CORRUPT, corrupt, sealed, too_large
from trivium_ingest.parse.xml.safe import parse_xml

_ENCRYPTED_FLAG = 0x1
RATIO_FLOOR_BYTES = 1_000_000  # smaller parts may be as repetitive as they like
_RELATIONSHIPS = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_PROPERTIES = "docProps/core.xml"
# ISO/IEC 29500 has two sets of namespaces: Strict's are known by their first words, and read as the transitional ones.
_STRICT_BEGIN = b"http://purl.oclc.org/ooxml/"
_STRICT = re.compile(rb"""(\sxmlns(?::[\w.-]+)?\s*=\s*["'])""" + re.escape(_STRICT_BEGIN) + rb"(\w+)/")
_TRANSITIONAL = rb"\1http://schemas.openxmlformats.org/\2/2006/"
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)


class Relation(msgspec.Struct, frozen=True):
    """What a part refers to: `type` is the last word of the relationship's type (`image`, `hyperlink`)."""

    type: str
    target: str
    external: bool = False


def unheard(_warning: str) -> None:
    """Where nobody reads for the text."""


class Package:
    """An open office file whose declared sizes are within the limits; reading enforces them again.

    `tell` hears of parts that can be read only in part, or not at all.
    """

    def __init__(self, content: bytes, limits: ParseLimits, what: str, tell: Callable[[str], None] = unheard) -> None:
        self._what = what
        self._tell = tell
        self._limits = limits
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(content))
        except BROKEN as error:
            raise corrupt(what, str(error)[:120]) from error
        self._members = {info.filename.lstrip("/"): info for info in self._archive.filelist}
        self._check(limits)

    def _check(self, limits: ParseLimits) -> None:
        members = self._archive.filelist
        if len(members) > limits.max_members:
            raise too_large("max_members", f"{len(members):,} members")
        if any(info.flag_bits & _ENCRYPTED_FLAG for info in members):
            raise sealed(self._what)
        if sum(info.file_size for info in members) > limits.max_unpacked_bytes:
            raise too_large("max_unpacked_bytes", f"more than {limits.max_unpacked_bytes:,} bytes when unpacked")
        for info in members:
            if info.file_size > max(RATIO_FLOOR_BYTES, limits.max_ratio * max(1, info.compress_size)):
                raise too_large("max_ratio", f"a part that unpacks to more than {limits.max_ratio} times its size")

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def names(self, prefix: str) -> list[str]:
        """Part names that begin with `prefix`, sorted."""
        return sorted(name for name in self._members if name.startswith(prefix))

    def read(self, name: str) -> bytes:
        """A part's bytes. Raises `NeverWill` when it is missing, damaged, or larger than it says."""
        info = self._members.get(name)
        if info is None:
            raise corrupt(self._what, f"its part {name} is missing")
        try:
            with self._archive.open(info) as stream:
                content = stream.read(info.file_size + 1)
        except BROKEN as error:
            raise corrupt(self._what, f"its part {name} cannot be unpacked") from error
        if len(content) > info.file_size:
            raise too_large("max_unpacked_bytes", f"more than {self._limits.max_unpacked_bytes:,} bytes when unpacked")
        return content

    def stream(self, name: str) -> IO[bytes]:
        """A part to be read piece by piece; its declared size bounds it."""
        info = self._members.get(name)
        if info is None:
            raise corrupt(self._what, f"its part {name} is missing")
        try:
            return self._archive.open(info)
        except BROKEN as error:
            raise corrupt(self._what, f"its part {name} cannot be unpacked") from error

    def xml(self, name: str) -> etree._Element:
        """A part as XML, parsed safely; the namespaces of Strict Open XML are the transitional ones."""
        content = self.read(name)
        if _STRICT_BEGIN in content:
            content = _STRICT.sub(_TRANSITIONAL, content)
        return parse_xml(content, self._what, self._tell)

    def readable_xml(self, name: str) -> etree._Element | None:
        """The same; None where it cannot be read, which `tell` hears."""
        try:
            return self.xml(name)
        except NeverWill as failure:
            self._tell(f"{name}: {failure.message}")
            return None

    def relations(self, part: str) -> dict[str, Relation]:
        """What `part` refers to, by relationship id; targets inside the package are part names."""
        folder, base = posixpath.split(part)
        name = posixpath.join(folder, "_rels", base + ".rels")
        if name not in self:
            return {}
        found = {}
        for node in self.xml(name).iter(_RELATIONSHIPS):
            target, external = node.get("Target", ""), node.get("TargetMode") == "External"
            if not external:
                rooted = target.startswith("/")
                target = posixpath.normpath(target.lstrip("/") if rooted else posixpath.join(folder, target))
            found[node.get("Id", "")] = Relation(node.get("Type", "").rpartition("/")[2], target, external)
        return found

    def related(self, relations: dict[str, Relation], kind: str, otherwise: str) -> str:
        """The name of the part that a relation of that type leads to; `otherwise` where none leads to one."""
        targets = (relation.target for relation in relations.values() if relation.type == kind)
        return next((target for target in targets if target in self), otherwise)

    def core_properties(self, tell: Callable[[str], None]) -> dict[str, str]:
        """Title, creator and dates, as the program that made the file wrote them.

        None where they are damaged, which `tell` hears: the text can be read without.
        """
        if _PROPERTIES not in self:
            return {}
        wanted = {"title", "creator", "subject", "keywords", "created", "modified", "language"}
        try:
            nodes = [node for node in self.xml(_PROPERTIES) if isinstance(node.tag, str)]
        except NeverWill as failure:
            if failure.code != CORRUPT:
                raise
            tell(f"Its properties: {failure.message}")
            return {}
        named = ((etree.QName(node).localname, (node.text or "").strip()) for node in nodes)
        return {name: value for name, value in named if name in wanted and value}

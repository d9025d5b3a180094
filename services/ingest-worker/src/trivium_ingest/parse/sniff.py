"""Finds a file's format by its content; the name and the declared type only break ties."""

from __future__ import annotations

from trivium.domain.errors import NeverWill
from trivium.ports.parser import Blob
from trivium_ingest.parse.evidence import NAME_BONUS, TYPE_BONUS, Evidence
from trivium_ingest.parse.failures import corrupt, export_needed, password_needed, sealed_for_recipients, unsupported
from trivium_ingest.parse.office.encryption import ENCRYPTED_PACKAGE, WHAT
from trivium_ingest.parse.registry import Format, known_formats
from trivium_ingest.parse.sample import OLE2_MAGIC, PACKAGES, ZIP_MAGICS, Sample

# What people upload by mistake, so that the refusal can name it.
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"MZ", "a Windows program"),
    (b"\x7fELF", "a Linux program"),
    (b"\xca\xfe\xba\xbe", "a Java class or a macOS program"),
    (b"0&\xb2u\x8ef\xcf\x11", "a Windows Media file"),
    (b"FLV\x01", "a Flash video"),
    (b"Rar!", "a RAR archive"),
    (b"]\0\0", "an LZMA file"),
    (b"ITSF", "a compiled help file (CHM)"),
    (b"SQLite format 3", "an SQLite database"),
    (b"%!PS", "a PostScript file"),
)
_OLE2 = (
    ("PowerPoint Document", "a PowerPoint 97-2003 presentation"),
    ("WordDocument", "a Word 97-2003 document"),
)
_ODF = (
    (b"opendocument.graphics", "an OpenDocument drawing"),
    (b"opendocument", "an OpenDocument file"),
)


def find_format(blob: Blob) -> Format:
    """The format whose recogniser is surest. Raises `NeverWill` when none is sure enough."""
    sample = Sample(blob)
    if ENCRYPTED_PACKAGE in sample.streams:
        raise password_needed(WHAT)
    best, best_score = None, 0.0
    for entry in known_formats():
        score: float = entry.recognise(sample)
        if score > 0:
            score += _bonus(entry, sample)
        if score > best_score:
            best, best_score = entry, score
    if best is None or best_score < Evidence.POSSIBLE:
        raise _refusal(sample)
    return best


def _bonus(entry: Format, sample: Sample) -> float:
    if sample.extension in entry.extensions:
        return NAME_BONUS
    return TYPE_BONUS if sample.declared_type in entry.media_types else 0.0


def _refusal(sample: Sample) -> NeverWill:
    if sample.iwork:
        return export_needed(f"a document of Apple's {sample.iwork}")
    if sample.is_sealed:
        return sealed_for_recipients("file")
    if sample.head.startswith(ZIP_MAGICS) and not sample.members:
        return corrupt("zip-based file", "its directory of members is missing")
    if sample.extension in PACKAGES and not sample.member("mimetype") and sample.members:
        return corrupt(f".{sample.extension} file", "it is a zip archive without the parts of such a file")
    return unsupported(_looks_like(sample), supported_formats())


def supported_formats() -> str:
    """The formats' names, for people."""
    return ", ".join(sorted((entry.name for entry in known_formats()), key=str.lower))


def _looks_like(sample: Sample) -> str:
    if sample.head.startswith(OLE2_MAGIC):
        return next((what for name, what in _OLE2 if name in sample.streams), "an OLE2 file of unknown kind")
    if sample.members:
        kind = sample.member("mimetype")
        return next((what for name, what in _ODF if name in kind), "a zip archive")
    told = (what for magic, what in _SIGNATURES if sample.head.startswith(magic))
    return next(told, "binary data of an unknown kind")

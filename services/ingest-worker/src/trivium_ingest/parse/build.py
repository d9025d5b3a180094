"""How one file becomes units. Check its size, find its format by content, read it.

    blob -> bounds -> sniff -> the format's parser -> ParsedDocument

In production this runs in a child process (`sandbox.py`), because parsers read hostile input with C libraries.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

from trivium.domain.errors import NeverWill
from trivium.domain.ids import digest
from trivium.domain.parsed import ParsedDocument
from trivium.domain.readers import Reader
from trivium.ports.parser import Blob, ParseLimits, ParserModels
from trivium_ingest.parse.failures import CORRUPT, UNSUPPORTED, check_size
from trivium_ingest.parse.mail.threads import in_threads
from trivium_ingest.parse.office import libre_office
from trivium_ingest.parse.office.encryption import decrypted
from trivium_ingest.parse.registry import family_of, known_formats
from trivium_ingest.parse.signed.signed_file import unsigned
from trivium_ingest.parse.sniff import find_format

_GRAMMARS = ("bash", "c", "c-sharp", "cpp", "go", "java", "javascript", "php", "python", "ruby", "rust", "typescript")
# Libraries whose upgrade may change what is read from the same bytes.
_LIBRARIES = (
    "av",
    "charset-normalizer",
    "lxml",
    "markdown-it-py",
    "msoffcrypto-tool",
    "olefile",
    "opencv-python-headless",
    "pi-heif",
    "pillow",
    "py7zr",
    "pypdfium2",
    "python-calamine",
    "pyyaml",
    "pyzipper",
    "tinytag",
    "tree-sitter",
    *(f"tree-sitter-{grammar}" for grammar in _GRAMMARS),
)
# Families that `unstructured` is never asked for: it leaves out the files inside, and hears and sees nothing.
_OURS = frozenset({"archives", "images", "mail", "media"})
_SHARED_VERSION = 9  # raise it when code shared by the formats changes what they read


def parse_blob(
    blob: Blob,
    limits: ParseLimits,
    models: ParserModels,
    reader: Reader = Reader.OWN,
    unstructured_model: str = "",
) -> ParsedDocument:
    """Read one file. Pure: fetches nothing, writes nothing.

    Where `unstructured` is the `reader`, our parsers read mails, archives, pictures, recordings and what it does not
    know. Where it is not and has a model, it reads what no format of ours is.

    Raises `NeverWill` (`empty_file`, `limit_exceeded`, `unsupported_format`, `password_needed`, `password_wrong`,
    `encryption_unsupported`, `corrupt_file`, `not_installed`);
    a file that opened and holds no text gives a document without units and with a warning. Without OCR,
    images and scanned pages give a warning instead of text.
    """
    check_size(blob, limits)
    opened = decrypted(unsigned(blob), limits)
    if reader is Reader.UNSTRUCTURED and not _stays_ours(opened):
        try:
            return _by_library(opened, limits, unstructured_model)
        except NeverWill as failure:
            if failure.code != UNSUPPORTED:
                raise
    try:
        return in_threads(find_format(opened).read(opened, limits, models))
    except NeverWill as refusal:
        if reader is Reader.UNSTRUCTURED or not unstructured_model or refusal.code != UNSUPPORTED:
            raise
        return _beyond_ours(opened, limits, unstructured_model, refusal)


def _stays_ours(blob: Blob) -> bool:
    try:
        return family_of(find_format(blob)) in _OURS
    except NeverWill:
        return False


def _by_library(blob: Blob, limits: ParseLimits, model: str) -> ParsedDocument:
    from trivium_ingest.parse.unstructured.elements import read_elements  # noqa: PLC0415 - most children never need it

    return read_elements(blob, limits, model)


def _beyond_ours(blob: Blob, limits: ParseLimits, model: str, refusal: NeverWill) -> ParsedDocument:
    """What the library makes of it; where that is nothing, our `refusal` says more."""
    try:
        return _by_library(blob, limits, model)
    except NeverWill as failure:
        raise (refusal if failure.code in (UNSUPPORTED, CORRUPT) else failure) from None


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """Names the code that parses: format versions, libraries and programs. It is part of every parse artifact's key."""
    formats = [f"{entry.name}={entry.version}" for entry in known_formats()]
    libraries = [f"{name}={_installed(name)}" for name in _LIBRARIES]
    programs = [f"libreoffice={libre_office.program() is not None}"]
    return digest("parse", str(_SHARED_VERSION), *formats, *libraries, *programs)


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""

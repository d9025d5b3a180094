"""Office files under a password, opened before anything is read of them.

Office packages lie encrypted in an OLE2 file ([MS-OFFCRYPTO], agile and standard); Office 97-2003 encrypts the streams
of its files (RC4, RC4 by CryptoAPI; workbooks also by XOR); OpenDocument the parts of its packages.
"""

from __future__ import annotations

import io
import struct
from typing import Any
from xml.parsers.expat import ExpatError

import msgspec

from trivium.domain.errors import NeverWill
from trivium.domain.password import Password
from trivium.ports.parser import Blob, ParseLimits
from trivium_ingest.parse.failures import corrupt, password_wrong, sealed
from trivium_ingest.parse.sample import OLE2_MAGIC, Sample

ENCRYPTED_PACKAGE = "EncryptedPackage"
WHAT = "Office document"
_EXCELS = frozenset(("Workbook",))
_OF_97 = _EXCELS | {"WordDocument", "PowerPoint Document"}
_EXCELS_OWN = Password("VelvetSweatshop")  # [MS-OFFCRYPTO] 2.1: of workbooks that are protected against changes alone
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument."
_BROKEN = (OSError, ValueError, LookupError, TypeError, AttributeError, AssertionError, struct.error, ExpatError)


def decrypted(blob: Blob, limits: ParseLimits) -> Blob:
    """The file without its encryption, where it has one and there is a password for it; else the file as it is.

    Raises `NeverWill` (`password_wrong`, `encryption_unsupported`, `corrupt_file`, `limit_exceeded`).
    """
    if blob.content.startswith(OLE2_MAGIC):
        try:
            return _decrypted_office(blob, blob.password or _EXCELS_OWN)
        except NeverWill:
            if blob.password is None:  # whoever reads on tells what is to be done
                return blob
            raise
    sample = Sample(blob)
    if blob.password and sample.member("mimetype").startswith(_OPEN_DOCUMENT):
        from trivium_ingest.parse.open_document.encryption import unlocked  # noqa: PLC0415 - slow to load

        return msgspec.structs.replace(blob, content=unlocked(blob.content, blob.password, limits))
    return blob


def _decrypted_office(blob: Blob, password: Password) -> Blob:
    streams = Sample(blob).streams
    if ENCRYPTED_PACKAGE in streams:
        content = _opened(blob.content, password, verify_password=True)
    elif streams & (_OF_97 if blob.password else _EXCELS) and is_encrypted_of_97(blob.content):
        content = _opened(blob.content, password)
    else:
        return blob
    return msgspec.structs.replace(blob, content=content)


def is_encrypted_of_97(content: bytes) -> bool:
    """Whether a file of Office 97-2003 is encrypted; False also where it cannot be read that far."""
    from msoffcrypto import OfficeFile, exceptions  # noqa: PLC0415 - slow to load, and seldom needed

    try:
        return bool(OfficeFile(io.BytesIO(content)).is_encrypted())
    except (exceptions.FileFormatError, exceptions.ParseError, *_BROKEN):
        return False


def _opened(content: bytes, password: Password, **options: Any) -> bytes:
    from msoffcrypto import OfficeFile, exceptions  # noqa: PLC0415 - slow to load, and seldom needed

    made = io.BytesIO()
    try:
        file = OfficeFile(io.BytesIO(content))
        file.load_key(password=password.text, **options)
        if not hasattr(file, "type"):  # a Word document under XOR
            raise sealed(WHAT)
        file.decrypt(made)
    except exceptions.InvalidKeyError as error:
        raise password_wrong(WHAT) from error
    except (exceptions.FileFormatError, exceptions.DecryptionError) as error:  # rights management, for one
        raise sealed(WHAT) from error
    except (exceptions.ParseError, *_BROKEN) as error:
        raise corrupt(WHAT, str(error)[:120]) from error
    return made.getvalue()

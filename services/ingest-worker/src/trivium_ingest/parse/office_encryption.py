"""Office files under a password: an OLE2 file around the encrypted package ([MS-OFFCRYPTO], agile and standard)."""

from __future__ import annotations

import io
import struct
from xml.parsers.expat import ExpatError

import msgspec

from trivium.ports.parser import Blob
from trivium_ingest.parse.failures import corrupt, password_wrong, sealed
from trivium_ingest.parse.sample import Sample

ENCRYPTED_PACKAGE = "EncryptedPackage"
WHAT = "Office document"
_BROKEN = (OSError, ValueError, LookupError, TypeError, AttributeError, struct.error, ExpatError)


def decrypted(blob: Blob) -> Blob:
    """The package inside, where there is one and a password for it; else the file as it is.

    Raises `NeverWill` (`password_wrong`, `encryption_unsupported`, `corrupt_file`).
    """
    if blob.password is None or ENCRYPTED_PACKAGE not in Sample(blob).streams:
        return blob
    from msoffcrypto import exceptions  # noqa: PLC0415 - slow to load, and seldom needed
    from msoffcrypto.format.ooxml import OOXMLFile  # noqa: PLC0415

    package = io.BytesIO()
    try:
        file = OOXMLFile(io.BytesIO(blob.content))
        file.load_key(password=blob.password.text, verify_password=True)
        file.decrypt(package)
    except exceptions.InvalidKeyError as error:
        raise password_wrong(WHAT) from error
    except (exceptions.FileFormatError, exceptions.DecryptionError) as error:  # rights management, for one
        raise sealed(WHAT) from error
    except (exceptions.ParseError, *_BROKEN) as error:
        raise corrupt(WHAT, str(error)[:120]) from error
    return msgspec.structs.replace(blob, content=package.getvalue())

"""S/MIME (RFC 8551): what is signed is read, and what is encrypted is known to be. No signature is verified."""

from __future__ import annotations

import msgspec

from trivium.domain.parsed import Child
from trivium_ingest.parse.mail.mail import Mail
from trivium_ingest.parse.mail.message import PKCS7, read_message
from trivium_ingest.parse.signed.cms import is_encrypted, signed_content

MAX_LAYERS = 5  # what is signed may be signed again


def opened(mail: Mail) -> Mail:
    """The mail with what was signed in place of the signed file, and without what nobody here can read."""
    for _ in range(MAX_LAYERS):
        layer = next((file for file in mail.files if _signed_mail(file) is not None), None)
        if layer is None:
            break
        mail = _with(mail, layer, read_message(_signed_mail(layer) or b""))
    sealed = [file for file in mail.files if _is_sealed(file)]
    return msgspec.structs.replace(
        mail,
        files=tuple(file for file in mail.files if file not in sealed),
        sealed=mail.sealed or bool(sealed),
    )


def _signed_mail(file: Child) -> bytes | None:
    """The body of a mail that is signed as a whole; Outlook keeps one that is signed in parts as a file."""
    if file.media_type == "multipart/signed":
        return file.content
    whole = file.media_type in PKCS7 or file.name.lower() == "smime.p7m"
    return signed_content(file.content) if whole else None


def _with(mail: Mail, layer: Child, inside: Mail) -> Mail:
    place = mail.files.index(layer)
    return msgspec.structs.replace(
        mail,
        bodies=(*mail.bodies, *inside.bodies),
        pictures=(*mail.pictures, *inside.pictures),
        files=(*mail.files[:place], *inside.files, *mail.files[place + 1 :]),
        sealed=mail.sealed or inside.sealed,
    )


def _is_sealed(file: Child) -> bool:
    return file.media_type in PKCS7 or is_encrypted(file.content)

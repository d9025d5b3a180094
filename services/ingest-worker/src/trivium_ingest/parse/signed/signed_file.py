"""Files inside a signature (`.p7m`, CAdES): what is signed is read, the signature is not verified."""

from __future__ import annotations

import msgspec

from trivium.ports.parser import Blob
from trivium_ingest.parse.signed.cms import signed_content

_MIME = b"content-"
_ENDING = ".p7m"


def unsigned(blob: Blob) -> Blob:
    """What a signed file (`.p7m`) holds; any other file as it is."""
    content = signed_content(blob.content)
    if content is None:
        return blob
    name = blob.name[: -len(_ENDING)] if blob.name.lower().endswith(_ENDING) else blob.name
    ending = ".eml" if content[: len(_MIME)].lower() == _MIME else ""
    return msgspec.structs.replace(blob, name=name + ending, content=content, declared_type="")

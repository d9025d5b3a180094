"""Zip archives as small as a test wants them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping


def zipped(files: Mapping[str, str | bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    """An archive of the files, in their order."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()

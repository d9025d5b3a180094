"""What a source is called. A name is all that tells two sources apart, so different paths keep different names.

A file is called by its path in one spelling (`file_source`). What comes from the web is called by its address
(`trivium.text.urls`), an object by its bucket and key (`trivium.flow.intake.upload_source`).
"""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import PurePath
from urllib.parse import quote

from trivium.domain.errors import Refused

MAX_NAME_CHARS = 1024  # of a path or an address; what lies in a bucket is called as the bucket allows
_JOINERS = "\u200c\u200d"  # of Persian words and of pictographs; every other character that shows nothing is refused
_SPACES = "Zs"
_UNSAID = re.compile(r"[\x00-\x1f\x7f-\x9f\udc80-\udcff]")


def file_source(path: str) -> str:
    r"""The name of a file that is handed over with `path`, which may hold folders.

    `/` and `\\` separate; `.` and empty parts go, and `..` takes the part before it, as RFC 3986 (5.2.4) has it: what
    would climb further stays at the top. A leading slash goes, a drive's letter stays. Unicode is composed (NFC).
    Raises `Refused` (`name_needed`, `name_too_long`, `bad_name`).
    """
    parts: list[str] = []
    for part in unicodedata.normalize("NFC", path).replace("\\", "/").split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    name = "/".join(parts)
    check_name(name)
    return name


def path_source(path: PurePath) -> str:
    """The name of the file at `path` of this machine, as `file_source`.

    Bytes that are no text, and control characters, are written as in a URL.
    """
    text = os.fsencode(path.as_posix()).decode("utf-8", "surrogateescape")
    return file_source(_UNSAID.sub(lambda found: quote(os.fsencode(found[0])), text))


def shown_key(key: str) -> str:
    """An object's key as a part of a name: printable, and different for different keys."""
    return key if key.isprintable() and "%" not in key else quote(key, safe="/ ")


def check_name(name: str) -> None:
    """Raises `Refused` (`name_needed`, `name_too_long`, `bad_name`) for what cannot name a source."""
    if not name.strip():
        raise Refused("name_needed", "The source has no name.", "Send a file name with it.")
    if len(name) > MAX_NAME_CHARS:
        raise name_too_long()
    if not all(map(_shows, name)):
        raise Refused(
            "bad_name",
            f"{name[:80]!r} cannot name a source: it holds a control character.",
            "Rename the file.",
        )


def name_too_long() -> Refused:
    """Of a path or an address."""
    return Refused(
        "name_too_long",
        f"A source's name, its path or its address, has at most {MAX_NAME_CHARS:,} characters.",
        "Shorten the file's path; download what has a longer address, and send the file.",
    )


def _shows(character: str) -> bool:
    return character.isprintable() or character in _JOINERS or unicodedata.category(character) == _SPACES

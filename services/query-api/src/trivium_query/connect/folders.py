"""Which folders of this machine a tenant's connections may read."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import msgspec

from trivium.config import Settings
from trivium.domain.errors import Refused, TryLater
from trivium.domain.scope import Tenant

_ANY = "*"


class Folders(msgspec.Struct, frozen=True):
    """Real paths, with all below them; `any`: every folder. `own` is Trivium's, of which nothing is a document."""

    allowed: tuple[Path, ...] = ()
    any: bool = False
    own: Path | None = None

    def check(self, location: str) -> Path:
        """The real path of a folder that may be read, which need not exist. Raises `Refused` (`forbidden_folder`)."""
        given = Path(location)
        with suppress(RuntimeError):  # nobody's home: then it is no full path
            given = given.expanduser()
        if not given.is_absolute() or "\0" in location:
            raise Refused("bad_location", f"{location[:200]!r} is no full path.", "Write it from the first slash on.")
        real = Path(os.path.realpath(given))
        if not self.any and not any(real.is_relative_to(folder) for folder in self.allowed):
            raise Refused(
                "forbidden_folder",
                f"{location[:200]!r} is not among the folders that may be watched.",
                "Whoever runs this Trivium names them in TRIVIUM_CONNECT_FOLDERS.",
            )
        return real


def require_folder(folder: Path) -> None:
    """Raises `TryLater` (`no_such_folder`: it may be on a disk that is away; `unreadable`)."""
    try:
        there = folder.is_dir()
    except OSError as error:
        why = f"{str(folder)[:300]!r} cannot be read: {error.strerror or error}."
        raise TryLater("unreadable", why, "Let the user that Trivium runs as read it.") from error
    if not there:
        raise TryLater("no_such_folder", f"There is no folder {folder}.", "Make it, or mount what it is on.")


def folders_of(settings: Settings, tenant: Tenant) -> Folders:
    """Those of `Settings.connect_folders`. Raises `Refused` (`bad_setting`)."""
    data = Path(os.path.realpath(settings.data_dir))
    entries = [entry.strip() for entry in settings.connect_folders.split(",") if entry.strip()]
    if not entries:
        own = settings.backend == "embedded" and not settings.tenants_by_key and not settings.oidc_issuer
        return Folders(any=own, own=data)
    allowed: list[Path] = []
    for entry in entries:
        whose, told, path = entry.rpartition("=") if not entry.startswith("/") else ("", "", entry)
        if path != _ANY and not path.startswith("/"):
            raise Refused(
                "bad_setting",
                f"{entry[:80]!r} in TRIVIUM_CONNECT_FOLDERS does not fit.",
                "Write /a/full/path, TENANT=/a/full/path or *, separated by commas.",
            )
        if told and whose != tenant.name:
            continue
        if path == _ANY:
            return Folders(any=True, own=data)
        allowed.append(Path(os.path.realpath(path)))
    return Folders(tuple(allowed), own=data)

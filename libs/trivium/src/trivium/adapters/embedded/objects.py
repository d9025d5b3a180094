"""Objects as files in a local folder.

A value is written to a temporary file and renamed into place, so a reader sees a whole value. What a killed process
had begun to write is removed at the next start (`unfinished`). A durable value is forced to the disk before the
rename, and its folder after it; that takes milliseconds, so what can be made again is left to the system's own
write-back.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote_to_bytes

from trivium.adapters.embedded import faults
from trivium.domain.errors import NotFound, TryLater
from trivium.domain.scope import Tenant
from trivium.ports.objects import is_key, require_key

PIECE_BYTES = 80  # of a name; escaped they are at most 240, and file systems take 255
FOLDER_MARK = "+"  # so that `a` and `a/b` can both be keys
INCOMING = "objects-incoming"  # beside the objects: what is being written
MORE_MARK = "~"  # a folder whose name goes on inside it
MOVE_ATTEMPTS = 100

_PLAIN = re.compile(rb"[a-z0-9_-][a-z0-9_.-]*[a-z0-9_-]")  # what escaping would not change: nearly every name
_SAFE = re.compile(rb"[a-z0-9_.-]")  # upper case is escaped: some file systems do not tell it from lower


class LocalObjects:
    """All tenants' objects, under `<data>/tenants/<tenant>/objects`."""

    def __init__(self, data: Path) -> None:
        self._data = data

    def for_tenant(self, tenant: Tenant) -> LocalObjectStore:
        """The tenant's store; its folder is made by the first `put`."""
        return LocalObjectStore(self._data / "tenants" / tenant.name / "objects")

    def tenants(self) -> set[Tenant]:
        """Those that have a folder."""
        return {Tenant(path.parent.name) for path in (self._data / "tenants").glob("*/objects")}

    def drop(self, tenant: Tenant, keep: str = "") -> None:
        """Remove the tenant's files but that of `keep`, and what was begun and never finished."""
        folder, store = self._data / "tenants" / tenant.name, self.for_tenant(tenant)
        with _translated(folder):
            _remove(folder / "objects", store._path(keep) if keep else None)
        self.unfinished(tenant, remove=True)
        for path in (folder / INCOMING, folder):
            with suppress(OSError):  # something is in it, or it is not there
                path.rmdir()

    def unfinished(self, tenant: Tenant, *, remove: bool = False) -> int:
        """Files that were begun and never moved to their place."""
        incoming = self._data / "tenants" / tenant.name / INCOMING
        with _translated(incoming):
            found = list(incoming.iterdir()) if incoming.is_dir() else []
            for path in found if remove else ():
                path.unlink(missing_ok=True)
        return len(found)


class LocalObjectStore:
    """One tenant's folder; see `trivium.ports.objects.ObjectStore`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._incoming = root.parent / INCOMING

    def get(self, key: str) -> bytes:
        """The value."""
        path = self._path(key)
        with _translated(path):
            try:
                return path.read_bytes()
            except FileNotFoundError as error:
                raise NotFound("no_such_object", f"There is no object {key!r}.", "Check the key.") from error

    def put(self, key: str, content: bytes | bytearray, *, durable: bool = True) -> None:
        """Store or replace the value."""
        self._place(key, content, replace=True, durable=durable)

    def put_if_absent(self, key: str, content: bytes) -> bool:
        """Store the value if the key has none; tells whether it did."""
        return not self.exists(key) and self._place(key, content, replace=False, durable=True)

    def exists(self, key: str) -> bool:
        """Whether the key has a value."""
        path = self._path(key)
        with _translated(path):
            return path.is_file()

    def has_folder(self, folder: str) -> bool:
        """Whether keys may begin with `folder` and a `/`; one look, however many keys there are."""
        key = f"{folder}/any"
        if not is_key(key):
            return False
        path = self._path(key).parent
        with _translated(path):
            return path.is_dir()

    def delete(self, key: str) -> None:
        """Remove the value, and the folders it leaves empty."""
        path = self._path(key)
        with _translated(path):
            path.unlink(missing_ok=True)
            with suppress(OSError):  # not empty, or somebody was faster
                for folder in path.parents:
                    if folder == self._root:
                        break
                    folder.rmdir()

    def keys(self, prefix: str = "", start_after: str = "") -> Iterator[str]:
        """Keys in order, one folder read at a time."""
        with _translated(self._root):
            for key in _walk(self._root, b"", prefix.encode(), start_after.encode()):
                yield key.decode()

    def _path(self, key: str) -> Path:
        *folders, name = require_key(key).split("/")
        parts = [piece for folder in folders for piece in _pieces(folder, FOLDER_MARK)]
        return self._root.joinpath(*parts, *_pieces(name, ""))

    def _place(self, key: str, content: bytes | bytearray, *, replace: bool, durable: bool) -> bool:
        path = self._path(key)
        with _translated(path):
            temporary = self._write_incoming(content, durable)
            try:
                placed = _move(temporary, path, replace=replace)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
            if not placed or not replace:
                temporary.unlink(missing_ok=True)
            if durable and placed:
                _sync_folder(path.parent)
        return placed

    def _write_incoming(self, content: bytes | bytearray, durable: bool) -> Path:
        temporary = self._incoming / uuid.uuid4().hex
        try:
            handle = temporary.open("xb")
        except FileNotFoundError:
            self._incoming.mkdir(parents=True, exist_ok=True)
            handle = temporary.open("xb")
        try:
            with handle as file:
                file.write(content)
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
        except BaseException:  # a full disk, above all, needs no more files
            temporary.unlink(missing_ok=True)
            raise
        return temporary


def _move(temporary: Path, path: Path, *, replace: bool) -> bool:
    for _ in range(MOVE_ATTEMPTS):
        try:
            if replace:
                temporary.replace(path)
            else:
                path.hardlink_to(temporary)  # the one way to create a whole file that fails if it exists
        except FileExistsError:
            return False
        except FileNotFoundError:  # a new folder, or one that a `delete` removed in between
            _make_folder(path.parent)
        else:
            return True
    raise TryLater("store_busy", "The file's folder is being deleted again and again.", "Try again.")


def _make_folder(folder: Path) -> None:
    with suppress(FileExistsError, FileNotFoundError):  # made or removed by another in between
        folder.mkdir(parents=True, exist_ok=True)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@lru_cache(maxsize=4096)  # the same documents and stages come again and again
def _pieces(part: str, mark: str) -> list[str]:
    """File names for one part of a key: escaped, and a long one cut into folders."""
    raw = part.encode()
    cuts = [raw[start : start + PIECE_BYTES] for start in range(0, len(raw), PIECE_BYTES)]
    names = [_escape(cut) for cut in cuts]
    return [*(name + MORE_MARK for name in names[:-1]), names[-1] + mark]


def _escape(raw: bytes) -> str:
    if _PLAIN.fullmatch(raw):
        return raw.decode()
    last = len(raw) - 1
    return "".join(
        chr(byte) if _SAFE.match(raw, at) and not (byte == ord(".") and at in (0, last)) else f"%{byte:02x}"
        for at, byte in enumerate(raw)
    )


def _walk(folder: Path, base: bytes, prefix: bytes, start_after: bytes) -> Iterator[bytes]:
    """Keys below `folder`, which stands for `base`, in the order of their bytes."""
    entries: list[tuple[bytes, Path, bool]] = []
    with suppress(FileNotFoundError), os.scandir(folder) as found:
        for entry in found:
            deeper = entry.name.endswith((FOLDER_MARK, MORE_MARK))
            name = unquote_to_bytes(entry.name.removesuffix(FOLDER_MARK).removesuffix(MORE_MARK))
            key = base + name + (b"/" if entry.name.endswith(FOLDER_MARK) else b"")
            entries.append((key, Path(entry.path), deeper))
    for key, path, deeper in sorted(entries):
        if deeper:
            if (key.startswith(prefix) or prefix.startswith(key)) and key >= start_after[: len(key)]:
                yield from _walk(path, key, prefix, start_after)
        elif key.startswith(prefix) and key > start_after:
            yield key


def _remove(folder: Path, kept: Path | None) -> None:
    """Every file below `folder` but `kept`, and the folders that this leaves empty."""
    entries: list[os.DirEntry[str]] = []
    with suppress(FileNotFoundError), os.scandir(folder) as found:
        entries.extend(found)
    for entry in entries:
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            _remove(path, kept)
        elif path != kept:
            path.unlink(missing_ok=True)
    with suppress(OSError):  # what is kept is in it, or it is not there
        folder.rmdir()


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise faults.from_os(error, path, "store of files and artifacts") from error

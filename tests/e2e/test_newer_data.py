"""A data directory that a newer version wrote is refused, and left as it is."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from .conftest import Server

STORES = ("registry", "graph", "hypernodes", "keywords", "vectors", "conversations")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What this version wrote, with a document and a conversation."""
    server = Server(tmp_path_factory.mktemp("kept") / "data").start()
    server.take("note.txt", "The ferry of Aldmoor was built by Signe Halloran in 1888.")
    with server.http() as client:
        client.post("/v1/conversations", json={})
    server.stop()
    return server.data_dir


def told(data_dir: Path) -> str:
    """What `trivium serve` says instead of serving."""
    done = Server(data_dir).cli("serve", check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def number(file: Path, more: int) -> int:
    """The format in a store's file, raised by `more`."""
    with closing(sqlite3.connect(file)) as store:
        found: int = store.execute("PRAGMA user_version").fetchone()[0]
        store.execute(f"PRAGMA user_version = {found + more}")
    return found


@pytest.mark.parametrize("store", STORES)
def test_a_store_of_a_newer_version_is_refused(kept: Path, store: str) -> None:
    (file,) = kept.rglob(f"{store}.sqlite")
    known = number(file, 1)
    before = file.read_bytes()
    said = told(kept)
    assert f"in {file} was written by a newer Trivium (format {known + 1}, known {known})" in said
    assert "TRIVIUM_DATA_DIR" in said
    assert file.read_bytes() == before
    number(file, -1)


def test_objects_and_files_of_a_newer_version_are_refused(kept: Path) -> None:
    stamp = kept / "format"
    known = stamp.read_text()
    stamp.write_text(f"{int(known) + 1}\n")
    assert f"The data directory {kept} was written by a newer Trivium" in told(kept)
    assert stamp.read_text() == f"{int(known) + 1}\n"
    stamp.write_text(known)


def test_what_was_refused_opens_again_where_the_version_fits(kept: Path) -> None:
    server = Server(kept).start()
    assert "1888" in server.ask("When was the ferry of Aldmoor built?")["text"]
    server.stop()

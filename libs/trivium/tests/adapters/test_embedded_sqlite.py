"""The shared SQLite piece: snapshots, cancellation, and errors a person can act on."""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from structlog.testing import capture_logs

from trivium.adapters.embedded.sqlite import Database, ReadThreads, Schema, TenantDatabases
from trivium.domain.errors import TriviumError, TryLater
from trivium.domain.scope import Tenant

SCHEMA = Schema("index", ("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT);",), recovery="Delete it.")
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(tmp_path / "deep" / "a.sqlite", SCHEMA)
    yield opened
    opened.close()


def count(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM t").fetchone()[0])


def add(database: Database) -> None:
    with database.write() as connection:
        connection.execute("INSERT INTO t (b) VALUES ('x')")


def rows(database: Database) -> int:
    with database.read() as connection:
        return count(connection)


def test_reading_what_is_not_there_reads_nothing_and_creates_nothing(database: Database) -> None:
    assert rows(database) == 0
    assert not database.path.parent.exists()


def test_an_exception_in_a_write_leaves_nothing(database: Database) -> None:
    add(database)

    def fail_half_way() -> None:
        with database.write() as connection:
            connection.execute("INSERT INTO t (b) VALUES ('y')")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert rows(database) == 1


def test_a_reader_keeps_its_snapshot_and_does_not_wait_for_a_writer(database: Database) -> None:
    add(database)
    with database.read() as before:
        assert count(before) == 1
        with database.write() as connection:
            connection.execute("INSERT INTO t (b) VALUES ('y')")
            assert rows(database) == 1
        assert count(before) == 1
    assert rows(database) == 2


def test_a_reader_cannot_write(database: Database) -> None:
    add(database)
    with pytest.raises(TryLater) as refusal, database.read() as connection:
        connection.execute("DELETE FROM t")
    assert refusal.value.code == "store_read_only"


def test_a_newer_file_is_refused_and_an_older_one_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    old = Database(path, SCHEMA)
    add(old)
    newer = Schema("index", (*SCHEMA.steps, "ALTER TABLE t ADD COLUMN c TEXT DEFAULT 'new; value';"), "Delete it.")
    current = Database(path, newer)
    with current.read() as connection:
        assert connection.execute("SELECT c FROM t").fetchall() == [("new; value",)]
    late = Database(path, SCHEMA)
    for use in (rows, add):
        with pytest.raises(TryLater) as refusal:
            use(late)
        assert refusal.value.code == "store_newer"
    for each in (old, current, late):
        each.close()


def test_a_damaged_file_says_how_to_recover(database: Database) -> None:
    database.path.parent.mkdir()
    database.path.write_bytes(b"this is no database " * 1000)
    for use in (rows, add):
        with pytest.raises(TryLater) as refusal:
            use(database)
        assert (refusal.value.code, refusal.value.action) == ("store_corrupt", "Delete it.")
        assert refusal.value.message == "The index is damaged."


@pytest.mark.parametrize("stored", ["CAST(x'ff' AS TEXT)", "x'c1'", "x'a1ff'"], ids=["text", "msgpack", "its text"])
def test_a_row_that_cannot_be_decoded_is_told_as_damage(database: Database, stored: str) -> None:
    add(database)
    with pytest.raises(TryLater) as refusal, database.read() as connection:
        msgspec.msgpack.decode(connection.execute(f"SELECT {stored} FROM t").fetchone()[0])
    assert refusal.value.code == "store_corrupt"
    with pytest.raises(TryLater) as refusal, database.write() as connection:
        msgspec.msgpack.decode(connection.execute(f"SELECT {stored} FROM t").fetchone()[0])
    assert refusal.value.code == "store_corrupt"


def test_a_durable_read_forces_what_it_saw_to_the_disk_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    forced: list[int] = []
    fsync = os.fsync

    def noted(descriptor: int) -> None:
        forced.append(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    def durably() -> int:
        with database.read(durable=True) as connection:
            return count(connection)

    monkeypatch.setattr(os, "fsync", noted)
    assert (durably(), forced) == (0, [])
    add(database)
    log = database.path.with_name("a.sqlite-wal").stat().st_ino
    assert (rows(database), forced) == (1, [])
    assert (durably(), forced) == (1, [log])
    assert (durably(), forced) == (1, [log]), "nothing was written since"
    with database.write() as connection:
        connection.execute("INSERT INTO t (b) VALUES ('y')")
        assert (durably(), forced) == (1, [log] * 2)
    assert (durably(), forced) == (2, [log] * 3), "what was committed behind the last time"


def test_what_cannot_be_forced_to_the_disk_is_tried_again(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    add(database)
    tries: list[int] = []

    def fails(descriptor: int) -> None:
        tries.append(descriptor)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", fails)
    for number in (1, 2):
        with pytest.raises(TryLater) as refusal, database.read(durable=True) as connection:
            assert count(connection) == 1
        assert (refusal.value.code, len(tries)) == ("store_io_error", number)


def test_a_full_disk_is_tried_again_later_and_loses_nothing(database: Database) -> None:
    add(database)

    def fill() -> None:
        with database.write() as connection:
            connection.execute("PRAGMA max_page_count = 4")
            for _ in range(1000):
                connection.execute("INSERT INTO t (b) VALUES (?)", ("x" * 1000,))

    with pytest.raises(TryLater) as refusal:
        fill()
    assert refusal.value.code == "disk_full"
    assert rows(database) == 1


def test_too_many_open_files_are_told_as_that(database: Database) -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))  # what is open stays open
        with pytest.raises(TryLater) as refusal:
            add(database)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert (refusal.value.code, "ulimit -n" in refusal.value.action) == ("too_many_files", True)
    add(database)


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_without_permission_is_named(database: Database) -> None:
    database.path.parent.mkdir(mode=0o500)
    with pytest.raises(TryLater) as refusal:
        add(database)
    assert refusal.value.code == "store_read_only"


def test_a_file_where_the_folder_should_be_is_an_error_of_ours(database: Database) -> None:
    database.path.parent.write_text("not a folder")
    with pytest.raises(TriviumError):
        add(database)


def test_a_write_of_another_process_is_waited_for_and_then_tried_later(database: Database, monkeypatch) -> None:
    add(database)
    other = sqlite3.connect(database.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert rows(database) == 1
    monkeypatch.setattr("trivium.adapters.embedded.sqlite.BUSY_TIMEOUT_S", 0.05)
    database.close()
    with pytest.raises(TryLater) as refusal:
        add(database)
    assert refusal.value.code == "store_busy"
    other.execute("ROLLBACK")
    other.close()
    add(database)
    assert rows(database) == 2


def test_a_folder_deleted_under_a_running_process_starts_empty_again(database: Database) -> None:
    add(database)
    assert rows(database) == 1
    shutil.rmtree(database.path.parent)
    assert rows(database) == 0
    add(database)
    assert rows(database) == 1


def test_removing_waits_for_readers(database: Database) -> None:
    add(database)
    with database.read() as connection:
        remover = threading.Thread(target=database.remove)
        remover.start()
        time.sleep(0.05)
        assert count(connection) == 1
        assert remover.is_alive()
    remover.join()
    assert not database.path.exists()
    assert rows(database) == 0


async def test_a_cancelled_query_stops_and_gives_its_thread_back(database: Database) -> None:
    add(database)
    threads = ReadThreads("test", threads=1)
    for _ in range(3):
        endless = asyncio.create_task(threads.run(database, lambda c: c.execute(ENDLESS).fetchone()))
        await asyncio.sleep(0.02)
        endless.cancel()
        with pytest.raises(asyncio.CancelledError):
            await endless
        assert await asyncio.wait_for(threads.run(database, count), timeout=10) == 1
    threads.close()


async def test_a_query_that_its_reader_stopped_is_no_fault_of_the_disk(database: Database) -> None:
    add(database)
    threads = ReadThreads("test", threads=1)
    with capture_logs() as told:
        endless = asyncio.create_task(threads.run(database, lambda c: c.execute(ENDLESS).fetchone()))
        await asyncio.sleep(0.02)
        endless.cancel()
        with pytest.raises(asyncio.CancelledError):
            await endless
        threads.close()
    assert told == []


def test_dropping_a_tenant_leaves_the_others(tmp_path: Path) -> None:
    databases = TenantDatabases(tmp_path, "x", SCHEMA)
    for name in ("a", "b"):
        add(databases.of(Tenant(name)))
    databases.drop(Tenant("a"))
    databases.drop(Tenant("never"))
    assert (rows(databases.of(Tenant("a"))), rows(databases.of(Tenant("b")))) == (0, 1)
    assert [path.name for path in (tmp_path / "tenants").iterdir()] == ["b"]
    databases.close()


def test_many_tenants_keep_few_files_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trivium.adapters.embedded.sqlite.MAX_CONNECTIONS", 4)
    databases = TenantDatabases(tmp_path, "x", SCHEMA)
    tenants = [databases.of(Tenant(f"t{number}")) for number in range(12)]
    for database in (*tenants, *tenants):  # also those that somebody kept since before their files were closed
        add(database)
        rows(database)
        assert sum(each.connections for each in tenants) <= 4
    assert {path.parent.name for path in open_files(tmp_path)} == {"t10", "t11"}
    assert [rows(database) for database in tenants] == [2] * 12
    databases.close()
    assert not open_files(tmp_path)


def test_the_least_recently_used_file_is_closed_and_none_that_is_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trivium.adapters.embedded.sqlite.MAX_CONNECTIONS", 5)
    databases = TenantDatabases(tmp_path, "x", SCHEMA)
    read, written, asked, unused = (databases.of(Tenant(name)) for name in ("read", "written", "asked", "unused"))
    for database in (read, written, asked, unused):
        add(database)
    with read.read() as snapshot, written.write() as connection:
        connection.execute("INSERT INTO t (b) VALUES ('y')")
        databases.of(Tenant("asked"))
        add(databases.of(Tenant("another")))
        assert (unused.connections, asked.connections) == (0, 1)
        add(databases.of(Tenant("yet_another")))
        assert (asked.connections, count(snapshot)) == (0, 1)
    assert [rows(database) for database in (read, written, asked, unused)] == [1, 2, 1, 1]
    databases.close()


def open_files(folder: Path) -> list[Path]:
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # of this listing
            found.append(descriptor.readlink())
    return [path for path in found if path.is_relative_to(folder)]

"""The connection piece that every embedded SQLite store shares: one writer, many readers, honest errors."""

from __future__ import annotations

import asyncio
import contextvars
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from trivium.adapters.embedded import faults
from trivium.adapters.newer import refuse_newer
from trivium.domain.drift import Store
from trivium.domain.errors import Refused
from trivium.domain.scope import Tenant

T = TypeVar("T")

BUSY_TIMEOUT_S = 10.0  # another process's write, which takes milliseconds, is waited for this long
WRITER_TIMEOUT_S = 60.0  # and another thread's
READ_THREADS = 4  # SQLite leaves the interpreter lock while it works; more only wait for a processor
IDLE_CONNECTIONS = 8
MAX_CONNECTIONS = 32  # of a store, over all tenants: two file descriptors each, and one more for each file
ANOTHER_FOLDER = "Run the newer Trivium, or choose another folder with TRIVIUM_DATA_DIR."
WRITE_CACHE_KIB = 2048  # of the one writer: what does not fit is written before its transaction ends
READ_CACHE_KIB = 1024  # of each reader: the system's page cache is behind it, and more made no search faster


Step = str | Callable[[sqlite3.Connection], None]
"""A script, or what SQL cannot say."""


class Schema(msgspec.Struct, frozen=True):
    """How a file came to its shape: step i brings `user_version` i to i + 1. Steps are only ever added.

    `name` is the store's name in errors, `recovery` tells a person what to do when it is damaged.
    """

    name: str
    steps: tuple[Step, ...]
    recovery: str
    page_size: int = 4096

    @property
    def version(self) -> int:
        """The `user_version` of a current file."""
        return len(self.steps)


class Database:
    """One SQLite file in WAL mode: writes take turns, and readers are never blocked by them.

    Missing: reading a file that does not exist reads an empty database and creates nothing.
    Half-done: a `write` block is committed whole or not at all; a `read` block sees one snapshot.
    Every driver error leaves as `TryLater` or `NeverWill`. Other processes may read the file meanwhile.
    `opening` is called before each connection is opened.
    """

    def __init__(self, path: Path, schema: Schema, opening: Callable[[Database], None] = lambda _: None) -> None:
        self.path = path
        self.schema = schema
        self._opening = opening
        self._write_lock = threading.Lock()
        self._writer: sqlite3.Connection | None = None
        self._writer_file = (0, 0)
        self._writes = 0  # begun and ended, so odd while one is under way
        self._force_lock = threading.Lock()
        self._forced = -1  # what `_writes` was when all of them were last forced to the disk
        self._pool = threading.Condition()
        self._idle: list[sqlite3.Connection] = []
        self._reading = 0
        self._file = (0, 0)  # device and inode of the file that the idle connections belong to
        self._generation = 0  # grows when that file is closed or replaced

    @contextmanager
    def write(self, *, durable: bool = False) -> Iterator[sqlite3.Connection]:
        """A transaction; committed at the end of the block, rolled back by any exception.

        A committed block survives the death of the process. With `durable` it survives a power cut too
        (one fsync, which also covers every earlier block); without, the last blocks may be lost, whole.
        """
        if not self._write_lock.acquire(timeout=WRITER_TIMEOUT_S):
            raise faults.busy(self.schema.name)
        self._writes += 1
        try:
            with self._decoded(), self._translated():
                connection = self._writing_connection()
                connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    with suppress(sqlite3.Error):  # the first error is the one to tell
                        connection.execute("ROLLBACK")
                    raise
        finally:
            self._writes += 1
            self._write_lock.release()

    @contextmanager
    def read(self, *, durable: bool = False) -> Iterator[sqlite3.Connection]:
        """A read-only connection for the block; all its statements see one snapshot.

        With `durable` that snapshot survives a power cut once the block has ended: one fsync, where something was
        written since the last.
        """
        with self._pool:
            self._follow_file()
            self._reading += 1
            generation = self._generation
            connection = self._idle.pop() if self._idle else None
        try:
            with self._decoded(), self._translated():
                connection = connection or self._open_reader()
                with closing(_empty(self.schema)) if connection is None else nullcontext(connection) as chosen:
                    chosen.execute("BEGIN")
                    yield chosen
        finally:
            self._give_back(connection, generation)
        if durable:
            self._force()

    def compact(self) -> None:
        """Write the file anew, so that nothing of what was deleted is left in it or beside it.

        Raises `TryLater` while somebody reads.
        """
        if not self._write_lock.acquire(timeout=WRITER_TIMEOUT_S):
            raise faults.busy(self.schema.name)
        try:
            with self._translated():
                connection = self._writing_connection()
                connection.execute("VACUUM")
                busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            self._write_lock.release()
        if busy:
            raise faults.busy(self.schema.name)

    @property
    def connections(self) -> int:
        """How many are open or about to be."""
        return len(self._idle) + self._reading + (self._writer is not None or self._write_lock.locked())

    def close(self) -> None:
        """Close what is open; a reader's connection closes when its block ends. The database may be used again."""
        with self._write_lock, self._pool:
            self._forget_connections()

    def close_unused(self) -> None:
        """Close what is open, unless somebody reads or writes."""
        if not self._write_lock.acquire(blocking=False):
            return
        try:
            with self._pool:
                if not self._reading:
                    self._forget_connections()
        finally:
            self._write_lock.release()

    def remove(self) -> None:
        """Delete the file and all it holds; the database may be used again, and is then empty."""
        with self._write_lock, self._pool:
            if not self._pool.wait_for(lambda: self._reading == 0, timeout=WRITER_TIMEOUT_S):
                raise faults.busy(self.schema.name)
            self._forget_connections()
            try:
                for suffix in ("", "-wal", "-shm"):
                    self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
            except OSError as error:
                raise faults.from_os(error, self.path, self.schema.name) from error

    def _force(self) -> None:
        """Force the log to the disk; of what left it, the checkpoint did so. SQLite has no lock on it to lose here."""
        with self._force_lock:
            written = self._writes
            if written == self._forced:
                return
            try:
                with suppress(FileNotFoundError), self.path.with_name(f"{self.path.name}-wal").open("rb") as log:
                    os.fsync(log.fileno())
            except OSError as error:
                raise faults.from_os(error, self.path, self.schema.name) from error
            if written % 2 == 0:
                self._forced = written

    def _forget_connections(self) -> None:
        self._generation += 1
        while self._idle:
            self._idle.pop().close()
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _follow_file(self) -> None:
        """Someone may have deleted or replaced the file: no connection to the old one is used again."""
        found = self._identity()
        if found != self._file:
            self._generation += 1
            while self._idle:
                self._idle.pop().close()
            self._file = found

    def _identity(self) -> tuple[int, int]:
        try:
            found = self.path.stat()
        except OSError:
            return (0, 0)
        return (found.st_dev, found.st_ino)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise faults.from_sqlite(error, self.path, self.schema.name, self.schema.recovery) from error
        except UnicodeEncodeError as error:
            raise Refused("bad_text", "The text holds half a surrogate pair.", "Send valid Unicode.") from error

    @contextmanager
    def _decoded(self) -> Iterator[None]:
        """What nobody can make sense of has been overwritten on the disk."""
        try:
            yield
        except (UnicodeDecodeError, msgspec.DecodeError) as error:
            raise faults.unreadable(error, self.path, self.schema.name, self.schema.recovery) from error

    def _writing_connection(self) -> sqlite3.Connection:
        if self._writer is not None:
            if self._writer_file == self._identity():
                return self._writer
            self._writer.close()
            self._writer = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise faults.from_os(error, self.path, self.schema.name) from error
        self._opening(self)
        connection = _connect(str(self.path), WRITE_CACHE_KIB)
        try:
            connection.execute(f"PRAGMA page_size = {self.schema.page_size}")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA journal_size_limit = 67108864")
            connection.execute("PRAGMA foreign_keys = ON")
            self._migrate(connection)
        except BaseException:
            connection.close()
            raise
        self._writer = connection
        self._writer_file = self._identity()
        return connection

    def _migrate(self, connection: sqlite3.Connection) -> None:
        if self._version(connection) == self.schema.version:
            return
        connection.execute("BEGIN IMMEDIATE")
        try:
            for step in self.schema.steps[self._version(connection) :]:
                _take(connection, step)
            connection.execute(f"PRAGMA user_version = {self.schema.version}")
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise

    def _version(self, connection: sqlite3.Connection) -> int:
        found = int(connection.execute("PRAGMA user_version").fetchone()[0])
        refuse_newer(f"{self.schema.name} in {self.path}", found, self.schema.version, ANOTHER_FOLDER)
        return found

    def _open_reader(self) -> sqlite3.Connection | None:
        """None while there is no file, or one that is just being created."""
        if not self.path.exists():
            return None
        self._opening(self)
        uri = f"{self.path.absolute().as_uri()}?mode=ro"
        connection = _connect(uri)
        try:
            version = self._version(connection)
        except BaseException:
            connection.close()
            raise
        if version == self.schema.version:
            return connection
        connection.close()
        if version == 0:
            return None
        with self.write():  # opening the writer brings the file up to date
            pass
        return _connect(uri)

    def _give_back(self, connection: sqlite3.Connection | None, generation: int) -> None:
        usable = connection is not None
        try:
            if connection is not None and connection.in_transaction:
                connection.execute("ROLLBACK")
        except sqlite3.Error:
            usable = False
        with self._pool:
            self._reading -= 1
            self._pool.notify_all()
            usable = usable and generation == self._generation and len(self._idle) < IDLE_CONNECTIONS
            if connection is not None and usable:
                self._idle.append(connection)
            elif connection is not None:
                connection.close()


def _connect(address: str, cache_kib: int = READ_CACHE_KIB) -> sqlite3.Connection:
    connection = sqlite3.connect(
        address,
        uri=address.startswith("file:"),
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.execute(f"PRAGMA cache_size = -{cache_kib}")
    return connection


def _stamped(path: Path) -> int:
    """The `user_version` in a file's header (sqlite.org/fileformat2.html, 1.3.14), 0 where that cannot be read.

    What is still in the file's log is told when it is opened.
    """
    with suppress(OSError), path.open("rb") as file:
        header = file.read(64)
        if header.startswith(b"SQLite format 3\0"):
            return int.from_bytes(header[60:64], "big")
    return 0


def _empty(schema: Schema) -> sqlite3.Connection:
    connection = _connect(":memory:")
    for step in schema.steps:
        _take(connection, step)
    return connection


def rebuilding(store: Store) -> str:
    """What to do about a damaged index: the artifacts hold all that it did."""
    return f"Stop Trivium, run `trivium rebuild --store {store}`, and start it again: nothing needs to be read anew."


def json_list(values: Iterable[str]) -> str:
    """For `IN (SELECT value FROM json_each(?))`: any number of values as one parameter."""
    return msgspec.json.encode(list(values)).decode()


def _take(connection: sqlite3.Connection, step: Step) -> None:
    if isinstance(step, str):
        _run_script(connection, step)
    else:
        step(connection)


def _run_script(connection: sqlite3.Connection, script: str) -> None:
    """Like `executescript`, which would commit the transaction that is open."""
    statement = ""
    for part in script.split(";"):
        statement += part + ";"
        if sqlite3.complete_statement(statement):
            if statement.strip(" \n;"):
                connection.execute(statement)
            statement = ""


class _Interruptible:
    """Lets a cancelled reader stop its query, and never the next user's of the same connection."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    @contextmanager
    def running(self, connection: sqlite3.Connection) -> Iterator[None]:
        with self._lock:
            self._connection = connection
        try:
            yield
        finally:
            with self._lock:
                self._connection = None

    def interrupt(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.interrupt()


class ReadThreads:
    """The few threads in which asynchronous readers run their SQL, so that the event loop never waits."""

    def __init__(self, name: str, threads: int = READ_THREADS) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"read-{name}")

    async def run(self, database: Database, query: Callable[[sqlite3.Connection], T]) -> T:
        """`query` on a read connection of `database`. Cancelling stops the query and gives the connection back."""
        use = _Interruptible()
        context = contextvars.copy_context()

        def work() -> T:
            with database.read() as connection, use.running(connection):
                return context.run(query, connection)

        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        except asyncio.CancelledError:
            use.interrupt()
            raise

    def close(self) -> None:
        """Wait for running queries and end the threads."""
        self._pool.shutdown(cancel_futures=True)


class TenantDatabases:
    """One file per tenant and store, `<data>/tenants/<tenant>/<name>.sqlite`, opened at first use.

    Of more than `MAX_CONNECTIONS` those of the least recently used files are closed, unless they are in use.
    Raises `TryLater` (`store_newer`) where one of them has a later schema.
    """

    def __init__(self, data: Path, name: str, schema: Schema) -> None:
        self._tenants = data / "tenants"
        self._name = name
        for path in self._tenants.glob(f"*/{name}.sqlite"):
            refuse_newer(f"{schema.name} in {path}", _stamped(path), schema.version, ANOTHER_FOLDER)
        self._schema = schema
        self._lock = threading.Lock()
        self._known: dict[Tenant, Database] = {}  # one for each file, however long somebody keeps it
        self._open: dict[Database, None] = {}  # the least recently used first

    def of(self, tenant: Tenant) -> Database:
        """The tenant's database, which need not exist yet."""
        with self._lock:
            database = self._known.get(tenant)
            if database is None:
                path = self._tenants / tenant.name / f"{self._name}.sqlite"
                database = self._known[tenant] = Database(path, self._schema, self._make_room)
            elif database in self._open:
                self._open[database] = self._open.pop(database)
            return database

    def tenants(self) -> set[Tenant]:
        """Those that have a file."""
        return {Tenant(path.parent.name) for path in self._tenants.glob(f"*/{self._name}.sqlite")}

    def drop(self, tenant: Tenant) -> None:
        """Remove the tenant's file and everything in it."""
        database = self.of(tenant)
        database.remove()
        with suppress(OSError):  # the folder stays while another store has a file in it
            database.path.parent.rmdir()

    def close(self) -> None:
        """Close every file."""
        with self._lock:
            known = list(self._known.values())
            self._known.clear()
            self._open.clear()
        for database in known:  # without the lock, which a writer may wait for
            database.close()

    def _make_room(self, opening: Database) -> None:
        """For its connection. Files are closed without the lock: that may write, and others ask for theirs."""
        with self._lock:
            others = [each for each in self._open if each.connections and each is not opening]
            self._open = dict.fromkeys([*others, opening])
        for database in others:
            if sum(each.connections for each in (*others, opening)) <= MAX_CONNECTIONS:
                return
            database.close_unused()

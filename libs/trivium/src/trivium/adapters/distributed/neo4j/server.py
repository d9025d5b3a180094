"""The connection to Neo4j: two bounded drivers, retries, and what its failures mean."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, LiteralString, TypeVar
from urllib.parse import urlsplit

from neo4j import (
    READ_ACCESS,
    AsyncDriver,
    AsyncGraphDatabase,
    Driver,
    GraphDatabase,
    ManagedTransaction,
    Query,
    Session,
    unit_of_work,
)
from neo4j.exceptions import (
    AuthConfigurationError,
    AuthError,
    ClientError,
    DriverError,
    Forbidden,
    IncompleteCommit,
    Neo4jError,
    TransientError,
)

from trivium.adapters.distributed.loop_thread import LoopThread
from trivium.adapters.distributed.neo4j.schema import VERSION
from trivium.adapters.newer import refuse_newer
from trivium.authorities import trusted
from trivium.config import Settings
from trivium.domain.errors import NeverWill, Refused, TriviumError, TryLater

CONNECT_TIMEOUT_S = 3.0
WRITE_TIMEOUT_S = 60.0  # of one transaction, waiting for its locks included
READ_TIMEOUT_S = 25.0  # callers have deadlines of their own; this ends what nobody waits for any more
WRITE_RETRY_S = 30.0  # deadlocks, and a server that is being restarted
READ_RETRY_S = 1.0
FIRST_PAUSE_S = 0.05  # before the first retry; each later one twice as long
POOL_SIZE = 32
IDLE_CHECK_S = 30.0  # a connection that was idle for longer is tried before it is used

_STANDS_ALREADY = "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"
_DELETED = "Neo.ClientError.Statement.EntityNotFound"  # by another transaction, after it was found
_OUT_OF_TIME = ("TransactionTimedOut", "TransactionTimedOutClientConfiguration", "Terminated", "LockClientStopped")

_FORMAT: LiteralString = "MATCH (s:Schema {name: 'trivium'}) RETURN s.version"

T = TypeVar("T")
Rows = list[list[Any]]


class Neo4jServer:
    """One Neo4j 5 database. Writers use a synchronous driver, readers an asynchronous one on a loop of its own.

    Safe among threads; what writes also across `fork`. Every call raises `TryLater` when the server is down, slow,
    busy or refuses the credentials, and `NeverWill` when it rejects a statement.
    """

    def __init__(self, settings: Settings) -> None:
        self._address = settings.neo4j_url
        self._place = _place(settings.neo4j_url)
        self._database = settings.neo4j_database
        self._options: dict[str, Any] = {
            "auth": (settings.neo4j_user, settings.neo4j_password),
            "max_connection_pool_size": POOL_SIZE,
            "connection_timeout": CONNECT_TIMEOUT_S,
            "liveness_check_timeout": IDLE_CHECK_S,
            "initial_retry_delay": FIRST_PAUSE_S,
            "notifications_min_severity": "OFF",
            "telemetry_disabled": True,
            "user_agent": "trivium",
        }
        scheme, _, rest = settings.neo4j_url.partition("://")
        if settings.ca_file and scheme.endswith("+s"):  # with which the driver takes no authorities but the system's
            self._address = f"{scheme.removesuffix('+s')}://{rest}"
            self._options |= {"encrypted": True, "ssl_context": trusted(settings.ca_file)}
        self._lock = threading.Lock()
        self._driver: Driver | None = None
        self._pid = 0
        self._async_driver: AsyncDriver | None = None
        self._loop = LoopThread("neo4j")
        self._known = False

    def write(self, work: Callable[[ManagedTransaction], T]) -> T:
        """Do `work` in one transaction; again, from its start, after a deadlock or a lost connection.

        Also where another transaction deleted what it was about to write. `work` may be done although it was, when the
        answer to the commit was lost.
        """
        bounded = unit_of_work(timeout=WRITE_TIMEOUT_S)(_left_when_failed(work))
        with self._translated(), self._writer().session(database=self._database) as session:
            self._look(session)
            last_try = time.monotonic() + WRITE_RETRY_S
            while True:
                try:
                    return session.execute_write(bounded)
                except (IncompleteCommit, ClientError) as error:
                    if getattr(error, "code", _DELETED) != _DELETED or time.monotonic() > last_try:
                        raise
                time.sleep(FIRST_PAUSE_S)

    def run(self, statement: LiteralString, **parameters: Any) -> Rows:
        """One statement in a transaction of its own, as schema changes and `IN TRANSACTIONS` need it.

        Once more after a deadlock, so it may have been done in part: for what can be done twice.
        """
        with self._translated():
            last_try = time.monotonic() + WRITE_RETRY_S
            while True:
                try:
                    with self._writer().session(database=self._database) as session:
                        self._look(session)
                        return session.run(of_one_parameter(statement), given=parameters).values()
                except TransientError as error:
                    if not error.is_retryable() or time.monotonic() > last_try:
                        raise
                time.sleep(FIRST_PAUSE_S)

    def create(self, statement: LiteralString, **parameters: Any) -> None:
        """One statement that makes an index or constraint `IF NOT EXISTS`.

        Where two processes run it at once, the server may tell the later one that the other's stands; then it does.
        """
        with self._translated():
            try:
                with self._writer().session(database=self._database) as session:
                    self._look(session)
                    session.run(of_one_parameter(statement), given=parameters).consume()
            except Neo4jError as error:
                if error.code != _STANDS_ALREADY:
                    raise

    async def rows(self, statement: LiteralString, **parameters: Any) -> Rows:
        """The rows of one reading statement, in one exchange with the server: no transaction is begun around it."""
        query = Query(of_one_parameter(statement), timeout=READ_TIMEOUT_S)

        async def once() -> Rows:
            async with self._reader().session(database=self._database, default_access_mode=READ_ACCESS) as session:
                if not self._known:
                    self._require_known(await (await session.run(_FORMAT)).values())
                return await (await session.run(query, given=parameters)).values()

        async def read() -> Rows:
            last_try = time.monotonic() + READ_RETRY_S
            while True:
                try:
                    return await once()
                except (Neo4jError, DriverError) as error:
                    if not error.is_retryable() or time.monotonic() > last_try:
                        raise
                await asyncio.sleep(FIRST_PAUSE_S)

        with self._translated():
            return await self._loop.run(read)

    def look_again(self) -> None:
        """What wrote the graph is asked before the next statement: somebody may have upgraded it."""
        self._known = False

    def _look(self, session: Session) -> None:
        if not self._known:
            self._require_known(session.run(_FORMAT).values())

    def _require_known(self, found: Rows) -> None:
        """Raises `TryLater` (`store_newer`)."""
        for (version,) in found:
            refuse_newer(f"graph in Neo4j at {self._place}", version, VERSION)
        self._known = True

    def close(self) -> None:
        """Close the connections."""
        self._loop.close(self._close_reader)
        with self._lock:
            driver, self._driver = self._driver, None
        if driver is not None and self._pid == os.getpid():
            driver.close()

    def _writer(self) -> Driver:
        with self._lock:
            if self._driver is None or self._pid != os.getpid():  # a forked worker must not share its parent's sockets
                self._driver = GraphDatabase.driver(
                    self._address, **self._options, max_transaction_retry_time=WRITE_RETRY_S
                )
                self._pid = os.getpid()
            return self._driver

    def _reader(self) -> AsyncDriver:
        if self._async_driver is None:  # only ever asked on the loop's thread
            self._async_driver = AsyncGraphDatabase.driver(self._address, **self._options)
        return self._async_driver

    async def _close_reader(self) -> None:
        driver, self._async_driver = self._async_driver, None
        if driver is not None:
            await driver.close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (Neo4jError, DriverError) as error:
            raise _meaning(error, self._place) from error


def of_one_parameter(statement: LiteralString) -> LiteralString:
    """The statement with all its parameters in one, a map called `given`.

    Neo4j plans a statement again for every order of magnitude of each list's and text's length, unless it is in a map:
    a second of a processor at a time, while the server is new.
    """
    return statement.replace("$", "$given.")


def _left_when_failed(work: Callable[[ManagedTransaction], T]) -> Callable[[ManagedTransaction], T]:
    """`work`, behind whose failure the driver does not touch the transaction again.

    It has given the connection back by then, and would still roll back on it (6.4): in another thread's transaction,
    which may hang, or be committed in part.
    """

    def done(transaction: ManagedTransaction) -> T:
        try:
            return work(transaction)
        except (Neo4jError, DriverError):
            transaction._closed_flag = True  # nothing public says so
            raise

    return done


def _place(url: str) -> str:
    """The address without its password; raises `Refused` (`bad_setting`) for what is none of Neo4j's."""
    address = urlsplit(url)
    try:
        known = address.scheme.partition("+")[0] in ("bolt", "neo4j") and address.hostname and address.port != 0
    except ValueError:  # the port is no number
        known = False
    if not known:
        raise Refused(
            "bad_setting",
            "TRIVIUM_NEO4J_URL is not an address of Neo4j.",  # not quoted: it may hold a password
            "Write bolt://host:port or neo4j://host:port.",
        )
    return address.netloc.rpartition("@")[2]


def _meaning(error: Neo4jError | DriverError, place: str) -> TriviumError:
    code = (error.code or "") if isinstance(error, Neo4jError) else ""
    if isinstance(error, (AuthError, AuthConfigurationError, Forbidden)) or ".Security." in code:
        return TryLater(
            "neo4j_credentials",
            f"Neo4j at {place} refused the credentials.",
            "Set TRIVIUM_NEO4J_USER and TRIVIUM_NEO4J_PASSWORD; waiting work then goes on by itself.",
        )
    if isinstance(error, DriverError):
        return TryLater(
            "neo4j_down",
            f"Neo4j at {place} did not answer ({type(error).__name__}).",
            "Start it, or set TRIVIUM_NEO4J_URL to where it is; waiting work then goes on by itself.",
        )
    if code.rpartition(".")[2] in _OUT_OF_TIME:
        return TryLater("neo4j_slow", f"Neo4j at {place} did not answer in time.", "It is tried again by itself.")
    if "DatabaseNotFound" in code:
        return TryLater(
            "neo4j_no_database", f"Neo4j at {place} has no such database.", "Create it, or set TRIVIUM_NEO4J_DATABASE."
        )
    if isinstance(error, TransientError) or code == _DELETED or not code.startswith("Neo.ClientError"):
        return TryLater("neo4j_busy", f"Neo4j at {place} answered {code}.", "It is tried again by itself.")
    return NeverWill("neo4j_error", f"Neo4j at {place} refused a statement ({code}).", "Look at its log.")

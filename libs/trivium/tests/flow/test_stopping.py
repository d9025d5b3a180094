"""A stop costs no document anything: what is in hand is given back, whatever breaks meanwhile."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from trivium.adapters.embedded.objects import LocalObjects
from trivium.adapters.embedded.registry import SqliteRegistry
from trivium.domain.documents import Document, DocumentState, Stage
from trivium.domain.errors import NeverWill
from trivium.domain.ids import document_id
from trivium.domain.scope import DEFAULT_TENANT
from trivium.flow.chain import message_for
from trivium.flow.envelope import Envelope
from trivium.flow.heartbeat import give_back_all
from trivium.flow.stage import Job, Outcome, in_slices
from trivium.stopping import Stopping, on_signals

LEASE_S = 60.0


class Work:
    """A stage that does what the test says."""

    def __init__(self, stage: Stage, act: object = None) -> None:
        self.stage = stage
        self.act = act
        self.runs = 0

    def fingerprint(self) -> str:
        return "v1"

    def outputs_present(self, job: Job) -> bool:
        return True

    def run(self, job: Job) -> Outcome:
        self.runs += 1
        return self.act(job) if callable(self.act) else Outcome(self.stage.value)

    def run_all(self, jobs: list[Job]) -> list[Outcome]:
        return [self.run(job) for job in jobs]


class World:
    """Two claimed documents, and a process that can be told to stop."""

    def __init__(self, data: Path) -> None:
        self.stopping = Stopping()
        registry = SqliteRegistry(data)
        self.envelope = Envelope(registry, LocalObjects(data), LEASE_S, 3, stopping=self.stopping)
        self.documents = registry.for_tenant(DEFAULT_TENANT)
        self.ids = [document_id(DEFAULT_TENANT, name) for name in ("a.txt", "b.txt")]
        for each in self.ids:
            self.documents.accept(Document(each, DEFAULT_TENANT.name, each, "v", created_at=time.time()))
        self.message = message_for(self.claimed())

    def claimed(self) -> list[Document]:
        return [self.documents.claim(each, "v", LEASE_S, time.time()) for each in self.ids]

    def now(self) -> list[Document]:
        return [self.documents.get(each) for each in self.ids]

    def broken_by_the_stop(self, error: Exception) -> Work:
        def act(_: Job) -> Outcome:
            self.stopping.begin()
            raise error

        return Work(Stage.PARSE, act)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("cannot schedule new futures after interpreter shutdown"),
        NeverWill("parser_crashed", "The parser crashed on this file (SIGTERM)."),
    ],
)
def test_what_goes_wrong_while_the_process_stops_is_no_documents_fault(world: World, error: Exception) -> None:
    result = world.envelope.run([world.broken_by_the_stop(error)], world.message)
    assert (result.onward.entries, result.redeliveries) == ((), ())
    for document in world.now():
        assert (document.state, document.attempt, document.lease_until) == (DocumentState.RUNNING, 0, 0.0)
    assert world.claimed()  # at once, by whoever comes next


def test_work_ends_at_its_next_slice_and_keeps_what_was_done_before(world: World) -> None:
    seen: list[int] = []

    def act(job: Job) -> Outcome:
        for (number,) in in_slices(range(100), 1, [job]):
            seen.append(number)
            if number == 7:
                world.stopping.begin()
        return Outcome("never")

    parse, chunk = Work(Stage.PARSE), Work(Stage.CHUNK, act)
    world.envelope.run([parse, chunk], world.message)
    assert seen == list(range(8))
    again = message_for(world.claimed())
    assert {document.attempt for document in world.now()} == {0}
    next_start = Envelope(world.envelope.registry, world.envelope.objects, LEASE_S, 3)
    last = Work(Stage.CHUNK)
    assert len(next_start.run([parse, last], again).onward.entries) == 2
    assert (parse.runs, last.runs) == (2, 2)


def test_a_stage_that_never_looks_up_is_given_back_without_it(world: World) -> None:
    at_work, released = threading.Event(), threading.Event()

    def act(_: Job) -> Outcome:
        at_work.set()
        released.wait(30)
        return Outcome("late")

    with ThreadPoolExecutor(1) as worker:
        running = worker.submit(world.envelope.run, [Work(Stage.PARSE, act)], world.message)
        assert at_work.wait(30)
        give_back_all()
        assert {(document.attempt, document.lease_until) for document in world.now()} == {(0, 0.0)}
        world.claimed()  # a later holder: what the late one says is refused
        released.set()
        assert running.result(30).onward.entries == ()


HANGING = """
import signal, sys, threading, time
from trivium.stopping import Stopping, begin_on_signals, end_in_time
stopping = Stopping()
begin_on_signals(stopping)
end_in_time(stopping, 0.5, lambda: threading.Event().wait())
print("ready", flush=True)
threading.Lock().acquire()
while True:
    try:
        threading.Event().wait()
    except BaseException:
        pass
"""


IN_NATIVE_CODE = """
import ctypes
from trivium.stopping import Stopping, begin_on_signals, end_in_time
stopping = Stopping()
end_in_time(stopping, 0.1)
begin_on_signals(stopping)
print("ready", flush=True)
mutex = ctypes.create_string_buffer(64)
lock = ctypes.CDLL(None).pthread_mutex_lock
lock(mutex)
lock(mutex)
"""


def test_a_process_whose_main_thread_is_stuck_in_native_code_ends() -> None:
    with subprocess.Popen([sys.executable, "-c", IN_NATIVE_CODE], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.terminate()
        try:
            assert process.wait(30) == 0
        finally:
            process.kill()


KEEPS_THE_INTERPRETER = """
import ctypes
from trivium.stopping import Stopping, begin_on_signals, end_in_time
stopping = Stopping()
end_in_time(stopping, 0.1)
begin_on_signals(stopping)
print("ready", flush=True)
while True:
    ctypes.PyDLL(None).sleep(100)  # unlike CDLL, it keeps the interpreter's lock
"""


@pytest.mark.skipif(sys.platform != "linux", reason="as trivium.stuck")
def test_a_process_ends_whose_native_code_keeps_the_interpreter() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", KEEPS_THE_INTERPRETER], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        process.stdout.readline()
        process.terminate()
        try:
            _, told = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == signal.SIGALRM
    assert "line 9 in <module>" in told


def test_what_signals_did_before_they_do_again() -> None:
    first, second = threading.Event(), threading.Event()
    kept = signal.getsignal(signal.SIGTERM)
    with on_signals(first.set):
        with on_signals(second.set):
            signal.raise_signal(signal.SIGTERM)
            assert second.wait(30)
        assert not first.is_set()
        signal.raise_signal(signal.SIGTERM)
        assert first.wait(30)
    assert signal.getsignal(signal.SIGTERM) == kept


def test_a_process_that_hangs_ends_after_any_number_of_signals() -> None:
    with subprocess.Popen([sys.executable, "-c", HANGING], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        for _ in range(5):
            process.terminate()
        assert process.wait(30) == 0

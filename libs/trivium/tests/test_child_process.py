"""A child process of any kind: what it answers, how it ends, and who takes its place."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from waiting import wait_until

from trivium.child_process import child as parents_side
from trivium.child_process.child import ChildProcess, resident_bytes
from trivium.child_process.deadline import Deadline
from trivium.child_process.errors import ChildExited, DeadlineExceeded, MemoryExhausted
from trivium.child_process.messages import Connection
from trivium.child_process.pool import ChildPool
from trivium.child_process.reply import Failed, Reply
from trivium.domain.errors import Conflict, NeverWill, TryLater

CODE = r"""
import os, subprocess, sys, time
from trivium.child_process.serve import run_child, serve
from trivium.domain.errors import TryLater

def answer(request):
    if request == "exit":
        os._exit(3)
    if request == "leave":
        os._exit(0)
    if request == "abort":
        os.abort()
    if request == "noise":
        os.write(int(sys.argv[1]), b"\0\0\0\1\xc1")
    if request == "flood":
        os.write(int(sys.argv[1]), b"\xff\xff\xff\xff")
    if request == "hang":
        time.sleep(60)
    if request == "no memory":
        raise MemoryError
    if request == "later":
        raise TryLater("engine", "It is away.", "Wait.")
    if request == "start":
        return str(subprocess.Popen(["sleep", "60"]).pid)
    print("printed")
    return " ".join([request, *sys.argv[3:]])

if __name__ == "__main__":
    run_child(lambda parent, *_: serve(parent, str, answer))
"""
START = partial(ChildProcess, "answering_child", "again", memory_bytes=1 << 30)


@pytest.fixture(autouse=True)
def _importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "answering_child.py").write_text(CODE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


@pytest.fixture
def child() -> Iterator[ChildProcess]:
    started = START()
    yield started
    started.kill()


def said(child: ChildProcess, request: str, wall_s: float = 30) -> Reply[str]:
    return child.ask(request, Reply[str], wall_s)


def test_nothing_is_imported_from_the_folder_that_one_happens_to_be_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder := tmp_path / "downloads").mkdir()
    (folder / "socket.py").write_text("raise SystemExit(7)")
    monkeypatch.chdir(folder)
    with closing(ChildPool(START)) as children:
        assert children.run(lambda child: said(child, "once")) == "once again"


def test_a_child_answers_one_request_after_the_other_whatever_it_prints(child: ChildProcess) -> None:
    assert [said(child, request).result() for request in ("once", "twice")] == ["once again", "twice again"]


@pytest.mark.parametrize(
    ("request_", "how"),
    [
        ("exit", "exit status 3"),
        ("leave", "without an answer"),
        ("abort", "SIGABRT"),
        ("noise", "no result"),
        ("flood", "no result"),
    ],
)
def test_a_child_that_gives_no_answer_says_how_it_ended(
    child: ChildProcess, request_: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parents_side, "_EXIT_S", 1.0)
    with pytest.raises(ChildExited) as exited:
        said(child, request_)
    assert how in exited.value.how


def test_a_child_that_neither_answers_nor_reads_is_waited_for_until_the_deadline(child: ChildProcess) -> None:
    with pytest.raises(DeadlineExceeded):
        said(child, "hang", wall_s=0.5)
    with pytest.raises(DeadlineExceeded):
        child.send("x" * 10_000_000, Deadline(0.5))


def test_waiting_ends_by_what_is_raised_meanwhile(child: ChildProcess) -> None:
    def watch() -> None:
        raise TryLater("stopping", "The process is stopping.")

    child.send("hang", Deadline(30))
    with pytest.raises(TryLater):
        child.receive(Reply[str], Deadline(30), watch)


def test_what_a_child_started_ends_with_it(child: ChildProcess) -> None:
    pid = int(said(child, "start").result())
    child.kill()
    wait_until(lambda: resident_bytes(pid) == 0, "its end")


def test_nothing_is_heard_of_a_child_that_was_killed(child: ChildProcess) -> None:
    child.kill()
    for _ in range(2):
        with pytest.raises(ChildExited):
            said(child, "once")


def test_a_failure_keeps_its_family_and_a_reply_without_anything_is_none(child: ChildProcess) -> None:
    with pytest.raises(TryLater, match=r"It is away\. Wait\."):
        said(child, "later").result()
    assert [type(Failed.by(error("c", "m")).error()) for error in (NeverWill, Conflict)] == [NeverWill, TryLater]
    with pytest.raises(ChildExited):
        Reply[str]().result()


def test_time_that_is_not_the_childs_does_not_count() -> None:
    deadline = Deadline(1.0)
    with deadline.paused():
        time.sleep(0.2)
    assert 0.9 < deadline.left_s <= 1.0


def test_a_child_is_used_again_until_it_ends() -> None:
    used: list[ChildProcess] = []

    def job(child: ChildProcess) -> Reply[str]:
        used.append(child)
        return said(child, "once")

    with closing(ChildPool(START)) as children:
        for _ in range(2):
            children.run(job)
        first, second = used
        assert first is second
        os.kill(first.pid, signal.SIGKILL)
        wait_until(lambda: not first.is_alive, "its end")
        assert children.run(job) == "once again"
    assert not any(child.is_alive for child in used)
    with pytest.raises(TryLater):
        children.run(job)


@pytest.mark.parametrize(
    ("request_", "used", "repeats_crashes", "tries"),
    [
        ("leave", False, False, 2),  # it had waited for long, and ended just then
        ("exit", True, False, 1),
        ("exit", False, True, 2),
        ("no memory", False, True, 1),
        ("no memory", True, False, 2),  # of which other jobs may have left too little
    ],
)
def test_a_job_is_repeated_by_a_fresh_child_where_that_may_do_better(
    request_: str, used: bool, repeats_crashes: bool, tries: int
) -> None:
    tried: list[int] = []

    def job(child: ChildProcess) -> Reply[str]:
        tried.append(child.pid)
        return said(child, request_)

    with closing(ChildPool(START, repeats_crashes=repeats_crashes)) as children:
        if used:
            children.run(partial(said, request="once"))
        with pytest.raises((ChildExited, MemoryExhausted)):
            children.run(job)
        assert len(set(tried)) == len(tried) == tries


def test_a_job_that_lasts_gives_its_place_to_another() -> None:
    with closing(ChildPool(START)) as children:

        def lasting(child: ChildProcess) -> Reply[tuple[int, int]]:
            children.give_place(child)
            children.give_place(child)
            return Reply((child.pid, children.run(lambda other: Reply(other.pid))))

        first, beside = children.run(lasting)
        assert first != beside
        assert children.run(lambda child: Reply(child.pid)) == beside


def test_a_job_that_lasted_beside_no_other_leaves_its_child_for_the_next() -> None:
    with closing(ChildPool(START)) as children:

        def lasting(child: ChildProcess) -> Reply[int]:
            children.give_place(child)
            return Reply(child.pid)

        assert children.run(lasting) == children.run(lasting) == children.run(lambda child: Reply(child.pid))


def test_a_connection_may_have_any_number() -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(2048, limits[0]), limits[1]))
    ours, theirs = socket.socketpair()
    with ours, theirs, closing(Connection(fcntl.fcntl(theirs, fcntl.F_DUPFD, 1100))) as connection:
        assert not connection.is_readable(0.0)
        Connection(ours.fileno()).send("hello")
        assert connection.is_readable(30.0)
        assert connection.receive(str) == "hello"
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)

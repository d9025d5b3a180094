"""deploy/local/keep_running.py, with programs that end in every way."""

from __future__ import annotations

import runpy
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from waiting import wait_until

SCRIPT = Path(__file__).parents[2] / "deploy/local/keep_running.py"
STAYS = "import time; print('stays', flush=True); time.sleep(600)"


class Keeper:
    """The script in a process of its own, and what it and its programs said."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self.process = process
        self.folder = folder

    def said(self) -> str:
        return (self.folder / "said").read_text()

    def lines(self, name: str) -> list[str]:
        log = self.folder / f"{name}.log"
        return log.read_text().splitlines() if log.exists() else []

    def wait_for(self, name: str, count: int) -> list[str]:
        """The program's first `count` lines."""
        return wait_until(
            lambda: self.lines(name)[:count] if len(self.lines(name)) >= count else [], name, told=self.said
        )


@contextmanager
def kept(folder: Path, **programs: str) -> Iterator[Keeper]:
    commands = [f"{name}={shlex.join([sys.executable, '-c', code])}" for name, code in programs.items()]
    with (
        (folder / "said").open("wb") as said,
        subprocess.Popen([sys.executable, str(SCRIPT), str(folder), *commands], stdout=said, stderr=said) as process,
    ):
        yield Keeper(process, folder)
        process.terminate()
        assert process.wait(60) == 0


def test_a_program_that_ends_is_started_again_and_the_others_go_on(tmp_path: Path) -> None:
    with kept(tmp_path, fails="import sys; print('started', flush=True); sys.exit('no servers')", stays=STAYS) as it:
        assert it.wait_for("fails", 4) == ["started", "no servers"] * 2
        assert "fails ended (status 1): no servers\n  It is started again in 1 s." in it.said()
        assert it.lines("stays") == ["stays"]


def test_what_a_killed_program_left_behind_ends_before_it_is_started_again(tmp_path: Path) -> None:
    leaves = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(os.getpid(), child.pid, flush=True)\n"
        "time.sleep(600)"
    )
    with kept(tmp_path, leaves=leaves) as it:
        parent, child = it.wait_for("leaves", 1)[0].split()
        subprocess.run(["kill", "-KILL", parent], check=True)
        it.wait_for("leaves", 2)
        assert "leaves ended (SIGKILL)" in it.said()
        assert not runs(child)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_all_programs_end_with_the_one_that_keeps_them(tmp_path: Path, number: signal.Signals) -> None:
    process = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    with (tmp_path / "said").open("wb") as said:
        command = [sys.executable, str(SCRIPT), str(tmp_path), f"a={shlex.join([sys.executable, '-c', process])}"]
        with subprocess.Popen(command, stdout=said) as keeper:
            (program,) = Keeper(keeper, tmp_path).wait_for("a", 1)
            keeper.send_signal(number)
            keeper.wait(60)
    wait_until(lambda: not runs(program), "the program is gone")


def test_any_number_of_signals_ends_it(tmp_path: Path) -> None:
    """One that comes while another is being answered must not wait for a lock that the first one holds."""
    with kept(tmp_path, stays=STAYS) as it:
        it.wait_for("stays", 1)
        while it.process.poll() is None:
            it.process.send_signal(signal.SIGTERM)
        assert it.said().splitlines()[-1].startswith("Stopping")


def test_pauses_grow_to_a_bound_and_begin_anew_after_a_steady_run() -> None:
    pause_after = runpy.run_path(str(SCRIPT))["pause_after"]
    pauses = [pause_after(1, 0)]
    for _ in range(8):
        pauses.append(pause_after(1, pauses[-1]))
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert pause_after(3600, 60) == 1


def runs(pid: str) -> bool:
    """A zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"

"""Keep programs running until told to stop: one that ends is started again after a pause that grows, and that is said.

Usage: keep_running.py LOGS NAME=COMMAND...

What a program says goes to LOGS/NAME.log. What it leaves behind (the children of a worker that was killed) ends with
it.
SIGTERM and SIGINT stop all programs; so does the end of this one, however it ends.
"""

from __future__ import annotations

import ctypes
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

POLL_S = 0.2
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
STEADY_S = 60.0  # one that ran so long begins again with the first pause
GRACE_S = 30.0  # to end after SIGTERM
LAST_WORDS_CHARS = 300
PR_SET_PDEATHSIG = 1  # linux/prctl.h

_libc = ctypes.CDLL(None)


def main(logs: Path, commands: Sequence[str]) -> None:
    """Until SIGTERM or SIGINT."""
    told_to_stop: list[int] = []  # takes no lock, on which a second signal would wait for the first one for ever
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda heard, _: told_to_stop.append(heard))
    programs = [Program(*command.split("=", 1), logs) for command in commands]
    while not told_to_stop:
        for program in programs:
            program.look(time.monotonic())
        time.sleep(POLL_S)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    say("Stopping; what is unfinished is taken up at the next start.")
    stop(programs)


def stop(programs: Sequence[Program]) -> None:
    """Ask all, then wait for all; what does not end in time is killed."""
    deadline = time.monotonic() + GRACE_S
    for program in programs:
        program.ask_to_end()
    for program in programs:
        program.end_by(deadline)


def pause_after(ran_s: float, last_pause_s: float) -> float:
    """How long to wait before the next start of a program that ended after `ran_s`; 0: it had not ended before."""
    if ran_s >= STEADY_S or not last_pause_s:
        return FIRST_PAUSE_S
    return min(LONGEST_PAUSE_S, 2 * last_pause_s)


class Program:
    """One command, the process that it runs in, if any, and when it is started next."""

    def __init__(self, name: str, command: str, logs: Path) -> None:
        self._name = name
        self._command = shlex.split(command)
        self._log = logs / f"{name}.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._started = self._pause_s = self._due = 0.0

    def look(self, now: float) -> None:
        """Start it when that is due; note when it has ended."""
        if self._process is None:
            if now >= self._due:
                self._start(now)
        elif self._process.poll() is not None:
            self._ended(self._process, now)

    def ask_to_end(self) -> None:
        """SIGTERM, to itself alone: it tells its children."""
        if self._process is not None:
            self._process.terminate()

    def end_by(self, deadline: float) -> None:
        """Wait until then, and kill what is left."""
        if self._process is None:
            return
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, deadline - time.monotonic()))
        if self._process.poll() is None:
            say(f"{self._name} did not end and is killed.")
        _kill_group(self._process)
        self._process.wait()

    def _start(self, now: float) -> None:
        if not self._started:
            self._log.write_bytes(b"")
            say(f"{self._name} (log: {self._log})")
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=_end_with_parent,  # noqa: PLW1509 - there is one thread
            )
        self._started = now

    def _ended(self, process: subprocess.Popen[bytes], now: float) -> None:
        _kill_group(process)
        self._process = None
        self._pause_s = pause_after(now - self._started, self._pause_s)
        self._due = now + self._pause_s
        how = f"status {process.returncode}" if process.returncode >= 0 else signal.Signals(-process.returncode).name
        say(f"{self._name} ended ({how}): {self._last_words()}\n  It is started again in {self._pause_s:g} s.")

    def _last_words(self) -> str:
        lines = self._log.read_text(errors="replace").strip().splitlines()
        return lines[-1][:LAST_WORDS_CHARS] if lines else "its log is empty."


def say(text: str) -> None:
    """To whoever started this."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _end_with_parent() -> None:
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])

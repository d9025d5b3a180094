"""The suites themselves: how they start children, and what a test that hangs leaves behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ASK = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"


def run_pytest(*arguments: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """As a shell would start it after the commands in `before`."""
    command = ["sh", "-c", f'{before}\nexec "$@"', "sh", sys.executable, "-m", "pytest"]
    return subprocess.run([*command, *arguments], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)


def test_a_child_can_be_interrupted() -> None:
    assert subprocess.run([sys.executable, "-c", ASK], capture_output=True, check=True).stdout == b"True\n"


def test_a_child_can_be_interrupted_also_where_the_run_was_started_in_the_background() -> None:
    done = run_pytest(f"{__file__}::{test_a_child_can_be_interrupted.__name__}", before="trap '' INT QUIT")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("example", "settings"), [("hangs", ["timeout=1"]), ("hears_no_alarm", ["faulthandler_timeout=1"])]
)
def test_a_test_that_hangs_ends_and_shows_the_stack_of_every_thread(example: str, settings: list[str]) -> None:
    file = Path(__file__).with_name("hanging_example.py")
    done = run_pytest(f"{file}::test_that_{example}", *(word for setting in settings for word in ("-o", setting)))
    shown = done.stdout + done.stderr
    assert done.returncode == 1
    assert "in a_test_waits" in shown or "a_test_waits(forever)" in shown, shown
    assert "in another_thread_waits" in shown, shown

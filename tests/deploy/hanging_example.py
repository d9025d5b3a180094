"""Tests that hang, for the test that looks at what is shown then."""

from __future__ import annotations

import signal
import threading


def another_thread_waits(forever: threading.Event) -> None:
    forever.wait()


def a_test_waits(forever: threading.Event) -> None:
    threading.Thread(target=another_thread_waits, args=[forever], daemon=True).start()
    forever.wait()


def test_that_hangs() -> None:
    a_test_waits(threading.Event())


def test_that_hears_no_alarm() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    a_test_waits(threading.Event())

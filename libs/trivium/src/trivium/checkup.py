"""Checkups: what `trivium doctor` asks of every part, and how an answer reads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future

import msgspec

from trivium.config import Settings
from trivium.domain.errors import TriviumError

LIMIT_S = 30.0
MAX_CLOCK_SKEW_S = 10.0  # a lease is 45 s, of which a live worker leaves 30 at least
MIN_FREE_SHARE = 0.1
MIN_FREE_BYTES = 2 * 1024**3


class Finding(msgspec.Struct, frozen=True):
    """One thing that was looked at; `action` says what to do unless it is `ok`."""

    part: str
    check: str
    ok: bool
    found: str
    action: str = ""


Probe = Callable[[Settings], Iterator[Finding]]
Checkup = Callable[[Settings], list[Finding]]
"""Looks at everything that `settings` name; does not raise `TriviumError`."""


def examine(probes: Mapping[str, Probe], settings: Settings, limit_s: float = LIMIT_S) -> list[Finding]:
    """What all probes found, asked at once. A `TriviumError` that one raises is the last finding of its part.

    What has not answered after `limit_s` seconds is told as such and waited for no longer.
    """
    deadline = time.monotonic() + limit_s
    found: dict[str, list[Finding]] = {part: [] for part in probes}
    asked = {part: _in_a_thread(probe(settings), found[part]) for part, probe in probes.items()}
    for part, answer in asked.items():
        try:
            answer.result(max(0.0, deadline - time.monotonic()))
        except TriviumError as error:
            found[part].append(Finding(part, error.code, False, error.message, error.action))
        except TimeoutError:
            late = f"no answer within {limit_s:.0f} s"
            found[part].append(Finding(part, "answers", False, late, "Look at its load and its log."))
    return [finding for findings in found.values() for finding in findings]


def _in_a_thread(probe: Iterator[Finding], into: list[Finding]) -> Future[None]:
    """A thread that the end of the process does not wait for, as a pool's would be."""
    done: Future[None] = Future()

    def ask() -> None:
        try:
            into.extend(probe)
            done.set_result(None)
        except Exception as error:  # noqa: BLE001 - raised again where the result is taken
            done.set_exception(error)

    threading.Thread(target=ask, daemon=True).start()
    return done


def version(part: str, found: str, *, least: tuple[int, ...], below: tuple[int, ...] = ()) -> Finding:
    """Whether `found`, which may begin with "v", is from `least` on and below `below`."""
    numbers = tuple(int(number) for number in found.removeprefix("v").split("-")[0].split(".") if number.isdigit())
    wanted = f"{_dotted(least)} or later" + (f", below {_dotted(below)}" if below else "")
    ok = numbers >= least and (not below or numbers < below)
    return Finding(part, "version", ok, found or "unknown", "" if ok else f"Use {wanted}.")


def clock(part: str, unix_s: float) -> Finding:
    """Whether a clock that was read just now agrees with this machine's."""
    skew_s = unix_s - time.time()
    ok = abs(skew_s) <= MAX_CLOCK_SKEW_S
    found = f"{skew_s:+.0f} s from this machine's" if abs(skew_s) >= 1 else "agrees"
    return Finding(part, "clock", ok, found, "" if ok else "Let both machines keep time by NTP.")


def space(part: str, free_bytes: int, total_bytes: int) -> Finding:
    """Whether there is room to go on."""
    ok = free_bytes >= min(MIN_FREE_BYTES, MIN_FREE_SHARE * total_bytes)
    found = f"{free_bytes / 1024**3:,.1f} of {total_bytes / 1024**3:,.1f} GiB free"
    return Finding(part, "free space", ok, found, "" if ok else "Free some, or give it more.")


def _dotted(numbers: tuple[int, ...]) -> str:
    return ".".join(str(number) for number in numbers)

"""Checkups: what `trivium doctor` asks of every part, and how an answer reads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

import msgspec

from trivium.config import Settings
from trivium.domain.errors import TriviumError

MAX_CLOCK_SKEW_S = 60.0  # S3 refuses requests from 15 minutes on; leases and retries suffer long before
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


def examine(probes: Mapping[str, Probe], settings: Settings) -> list[Finding]:
    """What all probes found, asked at once. A `TriviumError` that one raises is the last finding of its part."""

    def one(part: str) -> list[Finding]:
        findings: list[Finding] = []
        try:
            findings.extend(probes[part](settings))
        except TriviumError as error:
            findings.append(Finding(part, error.code, False, error.message, error.action))
        return findings

    with ThreadPoolExecutor(max_workers=max(1, len(probes))) as pool:
        return [finding for findings in pool.map(one, probes) for finding in findings]


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

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from trivium.checkup import MAX_CLOCK_SKEW_S, MIN_FREE_BYTES, Finding, clock, examine, space, version
from trivium.config import Settings
from trivium.domain.errors import TryLater

GIB = 1024**3


@pytest.mark.parametrize("found", ["8.0.0", "8.19.21", "v8.1", "8.0-lite"])
def test_a_version_within_the_range_is_fit(found: str) -> None:
    assert version("it", found, least=(8, 0), below=(9,)).ok


@pytest.mark.parametrize("found", ["7.17.9", "9.0.0", "10", "", "unknown"])
def test_a_version_outside_the_range_is_told_with_the_range(found: str) -> None:
    finding = version("it", found, least=(8, 0), below=(9,))
    assert not finding.ok
    assert finding.action == "Use 8.0 or later, below 9."


@pytest.mark.parametrize("direction", [-1, 1])
def test_a_clock_may_be_off_by_seconds_and_not_by_minutes(direction: int) -> None:
    assert clock("it", time.time() + direction * (MAX_CLOCK_SKEW_S - 5)).ok
    late = clock("it", time.time() + direction * (MAX_CLOCK_SKEW_S + 5))
    assert not late.ok
    assert late.found.startswith("-+"[direction > 0] + "1")


def test_a_small_disk_needs_a_tenth_and_a_large_one_two_gibibytes() -> None:
    assert space("it", GIB, 5 * GIB).ok
    assert not space("it", GIB, 50 * GIB).ok
    assert space("it", MIN_FREE_BYTES, 5000 * GIB).ok
    assert not space("it", 0, 5 * GIB).ok


def test_a_part_that_cannot_be_asked_further_keeps_what_was_found_and_hides_no_other() -> None:
    def broken(_: Settings) -> Iterator[Finding]:
        yield Finding("broken", "version", True, "1")
        raise TryLater("it_is_down", "It went away.", "Start it.")

    def fit(_: Settings) -> Iterator[Finding]:
        yield Finding("fit", "version", True, "2")

    found = examine({"broken": broken, "fit": fit}, Settings())
    assert [(finding.part, finding.check, finding.ok) for finding in found] == [
        ("broken", "version", True),
        ("broken", "it_is_down", False),
        ("fit", "version", True),
    ]
    assert found[1].action == "Start it."


def test_a_part_that_never_answers_is_told_and_waited_for_no_longer() -> None:
    released = threading.Event()

    def silent(_: Settings) -> Iterator[Finding]:
        yield Finding("silent", "version", True, "1")
        released.wait()

    found = examine({"silent": silent}, Settings(), limit_s=0.2)
    released.set()
    assert [(finding.check, finding.ok) for finding in found] == [("version", True), ("answers", False)]


def test_a_fault_in_a_probe_is_not_hidden() -> None:
    def faulty(_: Settings) -> Iterator[Finding]:
        yield Finding("faulty", "version", True, "1")
        raise KeyError("version")

    with pytest.raises(KeyError):
        examine({"faulty": faulty}, Settings())

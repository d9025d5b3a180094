"""Which documents take long: they change to a lane of their own, so that no page waits behind them.

What an upload will cost shows in its bytes (`queues.py`), in how long it takes to read, and in how much was read: a
scan of a hundred kilobytes may take minutes, and a file of as many be a table of a million rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from trivium.domain.documents import Lane, Stage
from trivium.domain.errors import TryLater
from trivium.flow.stage import Job

LARGE_READ_BYTES = 512 * 1024  # parsed: some 200 passages, which two cores embed in two seconds
QUICK_READING_S = 5.0  # what reads longer begins again in the other lane


class TakesLong(TryLater):
    """The document goes on at this stage in the lane of large ones."""

    def __init__(self) -> None:
        super().__init__("takes_long", "The document takes long.", "It goes on beside the others.")


def outgrown(job: Job, stage: Stage) -> bool:
    """Whether more was read in an upload than others should wait for; `stage` is what was just done."""
    uploaded = stage is Stage.PARSE and job.document.lane is Lane.INTERACTIVE
    return uploaded and memoryview(job.made[-1].value).nbytes > LARGE_READ_BYTES


def quick_reading(check: Callable[[], None], limit_s: float = QUICK_READING_S) -> Callable[[], None]:
    """`check`, which raises `TakesLong` from `limit_s` after its first call on."""
    begun = 0.0

    def checked() -> None:
        nonlocal begun
        check()
        begun = begun or time.monotonic()
        if time.monotonic() - begun > limit_s:
            raise TakesLong

    return checked

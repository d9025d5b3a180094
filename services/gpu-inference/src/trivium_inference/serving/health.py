"""Health that means "a batch went through": each engine is asked to work, through its queue, again and again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import structlog

from trivium.domain.errors import TriviumError
from trivium.telemetry import INFERENCE_HEALTHY
from trivium_inference.serving.engines import Canary

EVERY_S: Final = 10.0
STUCK_S: Final = 30.0  # a batch takes a second or two on two cores; loading OCR's models a few

log = structlog.get_logger()


async def watch(make: Callable[[], Sequence[Canary]], report: Callable[[bool], Awaitable[None]]) -> None:
    """Report whether every engine works, now and every `EVERY_S`, until cancelled.

    The canaries are made beside the event loop, and again as long as that fails.
    """
    canaries: Sequence[Canary] = ()
    while True:
        canaries = canaries or await _made(make)
        healthy = await asyncio.gather(*map(_works, canaries))
        await report(bool(healthy) and all(healthy))
        await asyncio.sleep(EVERY_S)


async def _made(make: Callable[[], Sequence[Canary]]) -> Sequence[Canary]:
    try:
        return await asyncio.to_thread(make)
    except (TriviumError, OSError) as error:  # a child process that did not start, or died
        log.error("canary_failed", reason=str(error))
        return ()


async def _works(canary: Canary) -> bool:
    """An engine whose last batch went through a moment ago need not be asked."""
    works = time.monotonic() - canary.batcher.last_success_s < canary.rest * EVERY_S or await _sings(canary)
    INFERENCE_HEALTHY.labels(canary.name).set(works)
    return works


async def _sings(canary: Canary) -> bool:
    try:
        await canary.sing(STUCK_S)
    except TriviumError as error:
        log.error("canary_failed", engine=canary.name, code=error.code, reason=error.message)
        return False
    return True

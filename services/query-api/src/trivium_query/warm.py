"""Makes a fresh server's first question as quick as its others: indexes are loaded and the model is compiled."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from trivium.domain.errors import TriviumError
from trivium.domain.retrieval import Mode, SearchFilter
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium_query.requests import Services

# The model prepares itself once per length of input, in steps of eight tokens: questions of the usual lengths.
QUESTIONS = tuple("which name is in that place and who was there first " * times for times in (1, 2, 3, 4))
POLL_S = 0.1  # how soon a stop ends it
MAX_TENANTS = 8  # with documents; more would hold the memory of indexes that perhaps nobody asks

log = structlog.get_logger()


@contextmanager
def warming(services: Services) -> Iterator[None]:
    """Warm up in a thread of its own while the block runs; what cannot be warmed up is left as it is.

    Questions that come meanwhile wait for it, within `Warmth`.
    """
    ending = threading.Event()
    thread = threading.Thread(target=_warm_up, args=(services, ending), name="warm-up", daemon=True)
    services.warmth.begin()
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()  # before the stores that it reads are closed


def _warm_up(services: Services, ending: threading.Event) -> None:
    try:
        _prepare(services, ending)
    finally:
        services.warmth.end()


def _prepare(services: Services, ending: threading.Event) -> None:
    try:
        tenants = dict.fromkeys((DEFAULT_TENANT, *services.registry.tenants()))
    except TriviumError as error:
        _cold("registry", error)
        return
    for tenant in list(tenants)[:MAX_TENANTS]:
        try:
            if not asyncio.run(_ask(services, tenant, ending)):
                return
        except TriviumError as error:
            _cold(tenant.name, error)


async def _ask(services: Services, tenant: Tenant, ending: threading.Event) -> bool:
    """Whether it is worth going on: not where it shall end, nor where each question would wait for a lost source."""
    for question in QUESTIONS:
        search = asyncio.create_task(services.searcher.search(tenant, question, Mode.HYBRID, 1, SearchFilter()))
        while not search.done():
            if ending.is_set():
                search.cancel()
                return False
            await asyncio.wait({search}, timeout=POLL_S)
        for lost in search.result().degraded:
            log.info("not_warmed_up", what=lost.source, code="lost", reason=lost.reason)
            return False
    return True


def _cold(what: str, error: TriviumError) -> None:
    """A question will meet the same error and tell it to somebody who can act."""
    log.info("not_warmed_up", what=what, code=error.code, reason=error.message)

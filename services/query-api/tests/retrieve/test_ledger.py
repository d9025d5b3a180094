"""What one search's bookkeeping says of time."""

from __future__ import annotations

import asyncio

from trivium_query.retrieve.ledger import KEYWORD, VECTOR, WAITED, Budgets, Ledger


async def test_time_in_which_several_sources_were_waited_for_counts_once() -> None:
    ledger = Ledger(Budgets())
    both = asyncio.Barrier(2)

    async def reading() -> None:
        await both.wait()
        await asyncio.sleep(0.01)

    await asyncio.gather(ledger.ask(VECTOR, reading(), None), ledger.ask(KEYWORD, reading(), None))
    spent = ledger.timings_ms
    assert 10 <= spent[WAITED] < spent[VECTOR] + spent[KEYWORD]


async def test_time_between_two_reads_is_not_waited() -> None:
    ledger = Ledger(Budgets())
    await ledger.ask(VECTOR, asyncio.sleep(0), None)
    first = ledger.timings_ms[WAITED]
    await asyncio.sleep(0.01)
    await ledger.ask(VECTOR, asyncio.sleep(0), None)
    assert first < ledger.timings_ms[WAITED] <= ledger.timings_ms[VECTOR]

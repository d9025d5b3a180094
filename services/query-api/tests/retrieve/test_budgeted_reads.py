"""What one search's bookkeeping says of time."""

from __future__ import annotations

import asyncio

from trivium_query.retrieve.budgeted_reads import KEYWORD, VECTOR, WAITED, BudgetedReads, Budgets


async def test_time_in_which_several_sources_were_waited_for_counts_once() -> None:
    reads = BudgetedReads(Budgets())
    both = asyncio.Barrier(2)

    async def reading() -> None:
        await both.wait()
        await asyncio.sleep(0.01)

    await asyncio.gather(reads.ask(VECTOR, reading(), None), reads.ask(KEYWORD, reading(), None))
    spent = reads.timings_ms
    assert 10 <= spent[WAITED] < spent[VECTOR] + spent[KEYWORD]


async def test_time_between_two_reads_is_not_waited() -> None:
    reads = BudgetedReads(Budgets())
    await reads.ask(VECTOR, asyncio.sleep(0), None)
    first = reads.timings_ms[WAITED]
    await asyncio.sleep(0.01)
    await reads.ask(VECTOR, asyncio.sleep(0), None)
    assert first < reads.timings_ms[WAITED] <= reads.timings_ms[VECTOR]

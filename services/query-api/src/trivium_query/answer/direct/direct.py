"""READ FIRST: from hits to a direct answer. Two things are compared, or the likeliest span is chosen, step by step.

things.py -> comparison.py, compare_read.py | nested.py -> hops.py -> choose.py -> compose.py -> confidence.py
yes_no.py
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from trivium.domain.retrieval import Hit
from trivium_query.answer.direct.alternatives import weigh
from trivium_query.answer.direct.choose import Chosen, Weights, choose
from trivium_query.answer.direct.compare_read import Compared, as_compared, compare
from trivium_query.answer.direct.comparison import comparison_in
from trivium_query.answer.direct.hops import Read, read_by_hops, read_whole
from trivium_query.answer.direct.nested import nested_in
from trivium_query.answer.direct.things import things_in
from trivium_query.answer.direct.yes_no import Decided, asks_yes_or_no, yes_or_no
from trivium_query.answer.evidence import Candidate
from trivium_query.answer.extractive import Extract


class Direct(msgspec.Struct, frozen=True):
    """What reading gave: a comparison's outcome, or spans, the likeliest first.

    `compares`: two things were asked about. `decided`: yes or no. `nested`: a part of the question must be known
    before the rest.
    """

    compared: Compared | None = None
    decided: Decided | None = None
    chosen: tuple[Chosen, ...] = ()
    compares: bool = False
    nested: bool = False
    asks_yes_or_no: bool = False


NOTHING = Direct()


async def read_directly(question: str, extracted: Extract, hits: Sequence[Hit], read: Read, weights: Weights) -> Direct:
    """Raises what `read` raises."""
    things = things_in(question, hits)
    comparison = comparison_in(question, things)
    if comparison is not None:
        return Direct(await compare(comparison, hits, read), compares=True)
    weighed = weigh(question, extracted.ranked)
    if weighed is not None:
        return Direct(as_compared(weighed), compares=True)
    found = [*await read_by_hops(question, hits, read), *await read_whole(question, hits, read)]
    sentences: defaultdict[str, list[Candidate]] = defaultdict(list)
    for one in extracted.ranked:
        sentences[one.hit.chunk.id].append(one)
    chosen = choose(extracted.asked, question, found, sentences, weights)
    nested = any(nested_in(question, thing) for thing in things)
    decided = yes_or_no(question, extracted)
    return Direct(None, decided, tuple(chosen), nested=nested, asks_yes_or_no=asks_yes_or_no(question))

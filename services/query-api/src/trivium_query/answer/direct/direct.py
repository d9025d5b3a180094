"""READ FIRST: from hits to a direct answer. Two things are compared, or the likeliest span is chosen, step by step.

things.py -> comparison.py, compare_read.py | alternatives.py, differences.py, releases.py
| nested.py -> hops.py -> choose.py -> close.py -> compose.py -> confidence.py
yes_no.py -> polarity.py | yes_no_read.py -> yes_no_weighed.py; listed.py
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import msgspec

from trivium.domain.retrieval import Hit
from trivium_query.answer.direct.alternatives import weigh
from trivium_query.answer.direct.choose import Chosen, Weights, choose
from trivium_query.answer.direct.close import read_closely
from trivium_query.answer.direct.compare_read import Compared, as_compared, compare
from trivium_query.answer.direct.comparison import comparison_in
from trivium_query.answer.direct.differences import what_was
from trivium_query.answer.direct.focus import focus_of
from trivium_query.answer.direct.hops import Read, read_by_hops, read_whole
from trivium_query.answer.direct.identifiers import holds_each, identifiers_in, versions_in
from trivium_query.answer.direct.listed import Listed, list_around
from trivium_query.answer.direct.nested import nested_in
from trivium_query.answer.direct.releases import released
from trivium_query.answer.direct.things import things_in
from trivium_query.answer.direct.yes_no import Decided, asks_yes_or_no, yes_or_no
from trivium_query.answer.direct.yes_no_read import read_yes_or_no, worth_reading
from trivium_query.answer.evidence import Candidate
from trivium_query.answer.extractive import Extract


class Direct(msgspec.Struct, frozen=True):
    """What reading gave: a comparison's outcome, a list, or spans, the likeliest first.

    `compares`: two things were asked about. `decided`: yes or no. `nested`: a part of the question must be known
    before the rest. `focus` is each document's share in what the question is about.
    """

    compared: Compared | None = None
    decided: Decided | None = None
    listed: Listed | None = None
    chosen: tuple[Chosen, ...] = ()
    compares: bool = False
    nested: bool = False
    asks_yes_or_no: bool = False
    focus: Mapping[str, float] = {}

    @property
    def span(self) -> Chosen | None:
        """The likeliest span, where one answers: neither what is compared nor a yes or no."""
        apart = self.compared or self.decided or self.asks_yes_or_no
        return None if apart or not self.chosen else self.chosen[0]


async def read_directly(question: str, extracted: Extract, hits: Sequence[Hit], read: Read, weights: Weights) -> Direct:
    """Raises what `read` raises."""
    things, focus = things_in(question, hits), focus_of(hits, extracted.asked.names)
    comparison = comparison_in(question, things)
    compared = await compare(comparison, hits, read) if comparison is not None else None
    if compared is None and (weighed := weigh(question, extracted.ranked) or what_was(question, extracted.ranked)):
        compared = as_compared(weighed)
    compared = compared or released(question, extracted.ranked)
    if comparison is not None or compared is not None:
        return Direct(compared, compares=True, focus=focus)
    found = [*await read_by_hops(question, hits, read), *await read_whole(question, hits, read)]
    sentences: defaultdict[str, list[Candidate]] = defaultdict(list)
    for one in extracted.ranked:
        sentences[one.hit.chunk.id].append(one)
    asked = asks_yes_or_no(question)
    chosen = choose(extracted.asked, question, found, sentences, focus, weights)
    chosen = _with_identifiers(question, chosen)
    if not asked:
        chosen = await read_closely(chosen, read, weights.close)
    nested = any(nested_in(question, thing) for thing in things)
    decided = yes_or_no(question, extracted)
    if asked and decided is None:
        decided = await read_yes_or_no(question, worth_reading(extracted), read, weights.yes_no)
    listed = list_around(question, chosen[0].found) if chosen else None
    return Direct(None, decided, listed, tuple(chosen), nested=nested, asks_yes_or_no=asked, focus=focus)


def _with_identifiers(question: str, chosen: Sequence[Chosen]) -> list[Chosen]:
    """Where there are any, those from a passage with what the question names by its exact writing: version 1.12."""
    named = (*identifiers_in(question), *versions_in(question))
    return [one for one in chosen if holds_each(named, [one.found.hit])] or list(chosen)

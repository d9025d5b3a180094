"""Which names of a graph are one thing, as a function of what the graph says of them.

name → blocks (`blocking`) → pairs that are alike (`likeness`, by `forms`) → judged (`score`) → the name each one stands
for, and the cards that a person is asked. A name points to the best of those that outrank it, so following targets
ends; nothing depends on the order in which names came.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from trivium.domain.verdicts import Verdict
from trivium.resolution.blocking import blocks_of, is_lopsided, is_short_in, is_too_large
from trivium.resolution.forms import form_of
from trivium.resolution.likeness import are_alike
from trivium.resolution.record import Record
from trivium.resolution.score import ONE_THING, REVIEW, are_two, judge


def rank(key: str) -> tuple[int, int, str]:
    """The fuller name outranks the shorter one; it depends on the name alone."""
    return len(form_of(key).core), len(key), key


def shorter(key: str, other: str) -> str:
    """The one that may mean other things just as well."""
    return key if (len(key), key) < (len(other), other) else other


def candidates(key: str, blocks: Mapping[str, Collection[str]]) -> set[str]:
    """The names that share a block with `key` and are alike; `blocks` has the members of each block, itself among them.

    A block that is too large is none.
    """
    found: set[str] = set()
    for block in blocks_of(key):
        members = blocks.get(block, ())
        if len(members) < 2 or is_too_large(block, len(members)):
            continue
        lopsided = is_lopsided(block) and not is_short_in(block, key)
        found.update(other for other in members if not lopsided or is_short_in(block, other))
    found.discard(key)
    return {other for other in found if are_alike(key, other)}


def share_a_block(key: str, other: str, blocks: Mapping[str, Collection[str]]) -> bool:
    """Whether two names that are alike are candidates of each other."""
    return any(
        not is_too_large(block, len(blocks.get(block, ())))
        and (not is_lopsided(block) or is_short_in(block, key) or is_short_in(block, other))
        for block in blocks_of(key) & blocks_of(other)
    )


Rivals = Callable[[str, str], Iterable[Record]]
"""The other candidates of the shorter of two names."""


def resolve(
    above: Mapping[str, Collection[str]], records: Mapping[str, Record], rivals: Rivals
) -> dict[str, tuple[Verdict, ...]]:
    """Of each name the one verdict that merges it, or else what a person is asked of it and names that outrank it.

    `above` has the candidates of each name that outrank it; `records` those of all of them. `rivals` are read where
    they matter.
    """
    decided: dict[str, tuple[Verdict, ...]] = {}
    for key, others in above.items():
        judged = list(_judged(key, others, records, rivals))
        best = max(judged, key=lambda verdict: (verdict.score, rank(verdict.other)), default=None)
        if best is not None and best.merges:
            decided[key] = (best,)
        elif judged:
            decided[key] = tuple(judged)
    return decided


def _judged(key: str, others: Iterable[str], records: Mapping[str, Record], rivals: Rivals) -> Iterator[Verdict]:
    """Those that are not just two things."""
    for other in sorted(others):
        if other not in records or are_two(records[key], records[other]):
            continue
        found = judge(records[key], records[other], rivals(key, other))
        if found.score >= REVIEW:
            yield Verdict(key, other, found.score, found.reasons, found.score >= ONE_THING)

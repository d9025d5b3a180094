"""Which statements of a tenant disagree: those that share a key and of which at least one is new are compared."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec
from cachetools import LRUCache

from trivium.domain.errors import NotFound
from trivium.flow import artifacts
from trivium.graph_schema.one_target import GivenTargets
from trivium.ports.objects import ObjectStore
from trivium_query.contradictions import blocks, kept
from trivium_query.contradictions.compare import MIN_CONFIDENCE, MIN_JUDGED, Disagreement, compare, is_doubtful
from trivium_query.contradictions.kept import Kept, Pair, Read
from trivium_query.contradictions.relations import ONE_TARGET, Stated, compare_told, learnt, rivals
from trivium_query.contradictions.statements import Statement, Statements, Told

MAX_FOUND = 20_000  # cards of a tenant, the surest
MAX_DOUBTFUL = 2_000  # pairs that only a language model can tell, the likeliest
REMEMBERED = 2_000  # documents' statements, while they are compared
RULE = "rule:"


class Shelf:
    """Statements by document, read when they are needed."""

    def __init__(self, objects: ObjectStore, reads: Iterable[Read] = ()) -> None:
        self._objects = objects
        self._recent: LRUCache[str, Statements] = LRUCache(REMEMBERED)
        for read in reads:
            self._recent[read.source.reference] = read.statements

    def statement(self, source: kept.Source, ordinal: int) -> Statement | Told | None:
        """None when what holds it is gone."""
        try:
            if source.reference not in self._recent:
                self._recent[source.reference] = artifacts.load(self._objects, source.reference, Statements)
            return kept.statement_at(self._recent[source.reference], ordinal)
        except (NotFound, IndexError):
            return None


def matched(
    known: Kept, first_new: int, shelf: Shelf, breathe: Callable[[], None], given: tuple[GivenTargets, ...] = ()
) -> Kept:
    """With what the sources from number `first_new` on add; `breathe` is called between two comparisons.

    Where types have one target that had not before, or have it no more, relations are looked at again from the first.
    """
    one_target = ONE_TARGET | learnt(known.stated)
    types = {source.dataset: one_target for source in known.sources}
    types |= {each.dataset: each.of(one_target) for each in given}
    again = (given, tuple(sorted(one_target))) != (known.given, known.one_target)
    met = [*_meeting(known, first_new), *_rivalling(known, types, 0 if again else first_new)]
    is_left = _still_rivals(known, types) if again else lambda _: True
    found = {(pair.one, pair.other): pair for pair in filter(is_left, known.found)}
    doubtful = {(pair.one, pair.other): pair for pair in filter(is_left, known.doubtful)}
    for one, other in met:
        breathe()
        pair = _compared(shelf, known, one, other)
        if pair is not None:
            (found if pair.confidence >= MIN_CONFIDENCE else doubtful)[pair.one, pair.other] = pair
    return msgspec.structs.replace(
        known,
        one_target=tuple(sorted(one_target)),
        given=given,
        found=tuple(sorted(found.values(), key=_order)[:MAX_FOUND]),
        doubtful=tuple(sorted(doubtful.values(), key=_order)[:MAX_DOUBTFUL]),
    )


def disagreement(shelf: Shelf, one: kept.Source, at: int, other: kept.Source, there: int) -> Disagreement | None:
    """What two statements disagree in; None where they do not, or are gone."""
    first, second = shelf.statement(one, at), shelf.statement(other, there)
    if isinstance(first, Told) and isinstance(second, Told):
        return compare_told(first, second)
    if isinstance(first, Statement) and isinstance(second, Statement):
        return compare(first, second, same_document=one.document_id == other.document_id)
    return None


def _order(pair: Pair) -> tuple[float, tuple[str, int], tuple[str, int]]:
    return -pair.confidence, pair.one, pair.other


def _meeting(known: Kept, first_new: int) -> Iterator[tuple[int, int]]:
    """Owners of statements that share a key."""
    if first_new < len(known.sources):
        yield from blocks.pairs(*kept.arrays(known), kept.owner_of(first_new, 0))


def _rivalling(known: Kept, types: Mapping[str, frozenset[str]], first_new: int) -> Iterator[tuple[int, int]]:
    """Owners of relations that give one source two targets; things of different datasets are different ones."""
    for one, other in rivals(each for each in known.stated if each.type in types[_dataset(known, each)]):
        if kept.place_of(other)[0] >= first_new:
            yield one, other


def _still_rivals(known: Kept, types: Mapping[str, frozenset[str]]) -> Callable[[Pair], bool]:
    """Whether a pair is none of relations, or its type has one target still."""
    of_many = {each.owner for each in known.stated if each.type not in types[_dataset(known, each)]}
    numbers = {source.document_id: number for number, source in enumerate(known.sources)}
    return lambda pair: kept.owner_of(numbers[pair.one[0]], pair.one[1]) not in of_many


def _dataset(known: Kept, stated: Stated) -> str:
    return known.sources[kept.place_of(stated.owner)[0]].dataset


def _compared(shelf: Shelf, known: Kept, one: int, other: int) -> Pair | None:
    (number, at), (other_number, there) = kept.place_of(one), kept.place_of(other)
    here, beyond = known.sources[number], known.sources[other_number]
    found = disagreement(shelf, here, at, beyond, there)
    if found is not None and found.confidence >= MIN_JUDGED:
        return Pair((here.document_id, at), (beyond.document_id, there), found.confidence, f"{RULE}{found.kind.value}")
    first, second = shelf.statement(here, at), shelf.statement(beyond, there)
    if here.document_id != beyond.document_id and isinstance(first, Statement) and isinstance(second, Statement):
        likely = is_doubtful(first, second)
        return Pair((here.document_id, at), (beyond.document_id, there), likely) if likely else None
    return None


def pacer(work_s: float, pause_s: float) -> Callable[[], None]:
    """Lets others have the interpreter for `pause_s` after each `work_s` of work."""
    until = time.monotonic() + work_s

    def breathe() -> None:
        nonlocal until
        if time.monotonic() >= until:
            time.sleep(pause_s)
            until = time.monotonic() + work_s

    return breathe

"""What both graph stores make of rows for resolution: records of names, and the name that verdicts give one to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from trivium.adapters.graph_rules import Spelling, Statement, usual_type
from trivium.domain.cursors import cursor_at, place_of
from trivium.domain.graph import EntityType
from trivium.domain.verdicts import Verdict, VerdictPage
from trivium.resolution.record import MAX_NEIGHBOURS, SINGLE_VALUED, Record

MAX_FACTS = 64


def record_of(
    key: str,
    spellings: Mapping[Spelling, int],
    decided_type: str,
    neighbours: Iterable[str],
    facts: Iterable[Sequence[str]],
    apart: Iterable[str],
) -> Record:
    """`facts` are (type, target). Of the neighbours, the first `MAX_NEIGHBOURS` by key must be among those given."""
    stated: dict[str, set[str]] = {}
    for kind, target in facts:
        stated.setdefault(kind, set()).add(target)
    others = sorted({*neighbours} - {key})[:MAX_NEIGHBOURS]
    return Record(
        key,
        EntityType(decided_type or usual_type([spellings])),
        frozenset(others),
        {kind: frozenset(targets) for kind, targets in stated.items()},
        frozenset(apart),
    )


ANEW = ""
"""Stands where a neighbour of a name stands that came or went: more may be known otherwise."""


def ends_of(statements: Iterable[Statement]) -> dict[str, set[str]]:
    """Of each end of statements that came or went the other end; `ANEW` where it is a fact of the name."""
    found: dict[str, set[str]] = {}
    for source, target, kind in statements:
        found.setdefault(source, set()).add(ANEW if kind in SINGLE_VALUED else target)
        found.setdefault(target, set()).add(source)
    return found


def is_another(before: Mapping[Spelling, int], now: Mapping[Spelling, int]) -> bool:
    """Whether a name so spelt comes, goes, or is of another type than before."""
    return not before or not now or usual_type([before]) != usual_type([now])


def target_of(verdicts: Iterable[Verdict]) -> str | None:
    """The name that these verdicts about one name give it to."""
    return next((verdict.other for verdict in verdicts if verdict.merges), None)


FIRST_PLACE = (math.inf, "", "")
"""Before every verdict of a listing by falling score, then keys."""
MAX_PAGE = 1000


def page_of(verdicts: Sequence[Verdict], size: int) -> VerdictPage:
    """The first `size` of those that were read, and the place behind them where there are more."""
    page = tuple(verdicts[:size])
    if len(verdicts) <= size:
        return VerdictPage(page)
    last = (page[-1].score, page[-1].key, page[-1].other)
    return VerdictPage(page, cursor_at(last))


def read_place(cursor: str) -> tuple[float, str, str]:
    """The place that a cursor tells; raises `Refused` (`bad_cursor`)."""
    return place_of(cursor, tuple[float, str, str]) if cursor else FIRST_PLACE

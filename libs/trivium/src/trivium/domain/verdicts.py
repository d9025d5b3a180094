"""What rules make of two names: one thing, or a question for a person."""

from __future__ import annotations

import msgspec

RULE_SHARE = "rule:"  # what stands for a chunk's id where rules say that a name is another's; no chunk's id begins so


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """`key` is another name of `other` where it `merges`; else it may be, and a person is asked.

    Keys are folded names. `score` is from 0 to 1; each of the `reasons` says in words what it weighs ("+0.40 the last
    name alone"), the kind of likeness first. Derived from what shares say, and derived anew when that changes.
    """

    key: str
    other: str
    score: float
    reasons: tuple[str, ...]
    merges: bool


class VerdictPage(msgspec.Struct, frozen=True):
    """One page of a listing; `cursor` is "" on the last page."""

    verdicts: tuple[Verdict, ...]
    cursor: str = ""

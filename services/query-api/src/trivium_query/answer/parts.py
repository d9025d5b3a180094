"""Two questions in one ("Who built the mill, and when?"): each on its own, and their answers together. Pure."""

from __future__ import annotations

import re

from trivium.domain.answers import Verdict
from trivium_query.answer.citations import Draft
from trivium_query.answer.follow_up import capital

_WORD = r"(?:whom|whose|who|what|which|when|where|why|how)"
_LED = rf"(?:(?:by|in|at|on|from|for|with|to|since|until)\s+)?{_WORD}"
_TWICE = re.compile(rf"^(?P<first>{_LED})\s+and\s+(?P<second>{_LED})\s+(?P<rest>(?!{_WORD}\b)\S.+)$", re.I)
_APART = re.compile(rf"^(?P<first>{_LED}\b(?!.*\bbetween\b).{{8,}}?),?\s+and\s+(?P<second>{_LED}\b.*)$", re.I)
_ASKING = re.compile(rf"^{_LED}\s+", re.I)
_LEAVES_OUT = re.compile(
    rf"^{_LED}(?:(?:(?<=which)|(?<=what))\s\w+|(?<=how)\s(?:much|many|long|often|far)(?:\s\w+)?)?$", re.I
)
_PRONOUN = re.compile(r"\b(?:it|they|them|he|she|him)\b", re.I)
_THING = re.compile(r"\b(?:the|an?|my|our|your|his|her|their)\s+[\w'\u2019-]+(?:\s+[\w'\u2019-]+){0,3}$", re.I)


def parts_of(question: str) -> tuple[str, str] | None:
    """Both questions, the second with what it takes from the first; None where one thing is asked."""
    bare = question.strip(" ?!.")
    twice = _TWICE.match(bare)
    if twice:
        return f"{twice['first']} {twice['rest']}?", f"{capital(twice['second'])} {twice['rest']}?"
    apart = _APART.match(bare)
    return (f"{apart['first']}?", f"{capital(_completed(apart['second'], apart['first']))}?") if apart else None


def _completed(second: str, first: str) -> str:
    if _LEAVES_OUT.match(second):
        return f"{second} {_ASKING.sub('', first)}"
    thing = _THING.search(first)
    return _PRONOUN.sub(thing[0], second, count=1) if thing else second


def joined(
    parts: tuple[str, str], drafts: tuple[Draft, Draft], verdicts: tuple[Verdict | None, Verdict | None]
) -> tuple[Draft, Verdict]:
    """One draft of both; supported where both are, and a note for the one that was not found."""
    found = [draft for draft in drafts if draft.found]
    if not found:
        return drafts[0], Verdict.NOT_SUPPORTED
    lines = dict.fromkeys(line for draft in found for line in draft.text.splitlines())
    citations = [citation for draft in found for citation in draft.citations]
    notes = [note for draft in found for note in draft.notes]
    notes += [f"Not found: {part}" for part, draft in zip(parts, drafts, strict=True) if not draft.found]
    draft = Draft(
        "\n".join(lines),
        found=True,
        citations=tuple(one for at, one in enumerate(citations) if one not in citations[:at]),
        notes=tuple(notes),
        short="; ".join(draft.short for draft in found) if all(draft.short for draft in found) else "",
    )
    sure = verdicts == (Verdict.SUPPORTED, Verdict.SUPPORTED)
    return draft, Verdict.SUPPORTED if sure else Verdict.PARTIALLY_SUPPORTED

# ruff: noqa: E501, SIM905  (word lists read best as words)
"""Who holds an office: "Tobias Renn is practice manager of Penrow Surgery", "Colonel Verney commanded the garrison". Pure.

Offices are those that one person holds at a time. What qualifies one ("artistic", "deputy") tells it from others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# Each row is one office: its names, then the verbs for holding it.
_ROWS = tuple(
    tuple(part.split() for part in row.split("/"))
    for row in """leader head lead boss chief / leads led heads headed
    director / directs directed
    chair chairman chairwoman chairperson / chairs chaired
    manager manageress / manages managed
    president / presides presided
    headmaster headmistress headteacher principal /
    commander commandant / commands commanded
    captain skipper / captains captained skippers skippered
    editor / edits edited
    conductor / conducts conducted
    coach trainer / coaches coached
    curator / curates curated
    coordinator co-ordinator / coordinates coordinated
    supervisor overseer / supervises supervised oversees overseen oversaw
    organiser organizer / organises organised organizes organized
    governor / governs governed
    treasurer / secretary / mayor mayoress / warden / caretaker janitor / keeper / rector / dean / bishop / vicar / parson / pastor / abbot / abbess /
    minister / ambassador / chancellor / premier / foreman / spokesman spokeswoman spokesperson / librarian / archivist / registrar / bursar / provost /
    commissioner / superintendent / organist / choirmaster / stationmaster / postmaster / harbourmaster / quartermaster / clerk / convener convenor / moderator /
    patron / matron / chef / farmer / landlord landlady / tenant / gamekeeper / groundsman / sheriff / marshal / referee / umpire / accountant / auditor / lecturer / ranger / king / queen""".split("\n")
)  # fmt: skip


def _offices() -> Iterator[tuple[str, str]]:
    for row in _ROWS:
        if len(row) == 2 and row[1]:
            yield from ((word, row[0][0]) for word in (*row[0], *row[1]))
        else:
            yield from ((word, names[0]) for names in row for word in names)


OFFICES = dict(_offices())
_VERBS = frozenset(word for row in _ROWS if len(row) == 2 for word in row[1])
_NOUN = "|".join(sorted((word for word in OFFICES if word not in _VERBS), key=len, reverse=True))
_VERB = "|".join(sorted(_VERBS))
_IS = r"(?:is|was|are|has been|has long been|remains|remained|became|becomes|serves as|served as|acts as|(?:was|is|has been) (?:re-)?(?:elected|appointed|named|made)(?: as)?)"
_QUALIFIED = rf"(?P<told>(?:(?!(?:by|of|in|at|on|for|to|with|the|not|no|and|or|than) )[\w'\u2019-]+ ){{0,3}}?)(?P<office>{_NOUN})"
_OF = r"(?: (?:of|at|for|in|to|with|on) [^,.;:]{2,60}?)?"
_BEHIND = re.compile(
    rf"(?:(?:, who)? {_IS} (?:now )?(?:the |its |our |their )?{_QUALIFIED}\b|, (?:the )?(?P<told2>(?:[a-z-]+ ){{0,3}}?)(?P<office2>{_NOUN})(?= (?:of|at)\b|,|\.$))",
    re.I,
)
_DOES = re.compile(rf" (?:has )?(?P<office>{_VERB}) (?=the |a |an |our |its |[A-Z])")
_BEFORE = re.compile(
    rf"(?:^|\b(?:the|an?|its|our|their|as|new|current) |, ){_QUALIFIED}{_OF}(?:,? {_IS}|:|,) (?:the )?(?:[A-Z][a-z]{{1,2}}\.? )?$",
    re.I,
)
_DONE = re.compile(rf"\b(?P<office>{_VERB}) by (?:[\w.'\u2019-]+ ){{0,3}}$")
_IDLE = frozenset("the a an its our their new current present newly local his her".split())
OTHER_OFFICES = frozenset(
    "deputy vice assistant acting former ex past honorary interim next previous second junior shadow co first last late".split()
)


_ANY = re.compile(rf"\b(?:{_NOUN}|{_VERB})\b", re.I)


def names_office(text: str) -> bool:
    """Whether an office stands in it at all."""
    return _ANY.search(text) is not None


def office_of(before: str, behind: str) -> tuple[str, str] | None:
    """The office that a name holds, by the text before and behind it, and what qualifies it; None where it holds none."""
    for match in (_BEHIND.match(behind), _DOES.match(behind), _BEFORE.search(before), _DONE.search(before)):
        if match is not None:
            groups = match.groupdict()
            told = (groups.get("told") or groups.get("told2") or "").lower().split()
            office = (groups.get("office") or groups.get("office2") or "").lower()
            return OFFICES[office], " ".join(word for word in told if word not in _IDLE)
    return None


def are_others(one: str, other: str) -> bool:
    """Whether what qualifies two offices of one name makes them two: "artistic" and "managing", or "deputy" in one alone."""
    here, there = frozenset(one.replace("-", " ").split()), frozenset(other.replace("-", " ").split())
    return bool((here and there and not here & there) or (here ^ there) & OTHER_OFFICES)

# ruff: noqa: E501  (a rule is one row of a table)
"""Names as values: who designed, leads or owns a thing, where it is based, of which there is one at a time. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from trivium.text.names import NameSpan
from trivium_query.contradictions.names import bare
from trivium_query.contradictions.offices import names_office, office_of
from trivium_query.contradictions.values import Value

_DET = r"(?:(?:the|a|an|its|his|her|their|our) )?(?:[\w'\u2019-]+ ){0,3}?"
_BY = rf" by {_DET}$"
_IS = rf"(?:,| is| was| has been|:| has long been| remains| became) {_DET}$"
# What stands before the name; or, for `behind`, what the name does.
_BEFORE = tuple(
    (name, re.compile(rf"\b(?:{words})", re.I))
    for name, words in (
        ("designer", rf"(?:designed|drawn up|planned|engineered){_BY}|(?:architect|designer|engineer)(?: of [^.,;]{{3,40}})?{_IS}"),
        ("builder", rf"(?:built|constructed|erected){_BY}|(?:builders?|contractors?|shipyard)(?: of [^.,;]{{3,40}})?{_IS}"),
        ("author", rf"(?:written|penned|authored){_BY}|author(?: of [^.,;]{{3,40}})?{_IS}"),
        ("composer", rf"composed{_BY}|composer(?: of [^.,;]{{3,40}})?{_IS}"),
        ("director", rf"directed{_BY}"),
        ("founder", rf"(?:founded|established|set up|started)(?: in \d{{4}})?{_BY}|founder(?: of [^.,;]{{3,40}})?{_IS}"),
        ("owner", rf"(?:owned|run|operated){_BY}|(?:belongs|belonged) to {_DET}$|owner(?: of [^.,;]{{3,40}})?{_IS}"),
        ("leader", rf"(?:chief executive|CEO|project lead)(?: of [^.,;]{{3,40}})?{_IS}|(?:overseen){_BY}|(?:in the chair|in charge|at the head)(?::| is| was) $"),
        ("inventor", rf"(?:invented|developed|discovered){_BY}|inventor(?: of [^.,;]{{3,40}})?{_IS}"),
        ("supplier", rf"(?:supplied|made|manufactured|delivered){_BY}|(?:supplier|manufacturer|maker)(?: of [^.,;]{{3,40}})?{_IS}"),
        ("birthplace", r"born(?: on [^.;]{3,20}| in \d{4})? in $|birthplace(?: is| was|:) $|native of $"),
        ("place of death", r"died(?: on [^.;]{3,20}| in \d{4})? in $"),
        ("seat", r"(?:based|headquartered|head office|headquarters|main office|registered office)(?: (?:of|for) [^.,;]{{3,40}}?)?(?: is| are| was| were| has been)?(?: located)? in $|(?:headquarters|seat|head office)(?: of [^.,;]{{3,40}}?)?(?: is| are| was|:) (?:in )?$"),
        ("place of making", r"(?:assembled|made|manufactured|produced|built|printed|brewed|woven) (?:\w+ )?(?:in|at) $"),
        ("place of loss", r"(?:sank|sunk|wrecked|foundered|went down|ran aground|crashed|capsized) (?:off|near|in|at|on) (?:the )?$"),
        ("place of burial", r"buried (?:in|at|near) (?:the )?$"),
        ("place of departure", r"(?:leaves?|departs?|sails?|starts?|sets? (?:out|off)) from $"),
        ("port", r"(?:home port|registered in|port of registry)(?: is| was|:)? $"),
        ("spouse", r"married(?: to)? $|(?:wife|husband)(?: is| was|,)? $"),
        ("surgeon", r"(?:operated on|surgeon|consultant|seen|referred)(?: was| is| by|:) $|under (?:the care of )?$"),
    )
)  # fmt: skip
_BEHIND = tuple(
    (name, re.compile(rf"(?:,? who)? (?:{words}) ", re.I))
    for name, words in (
        ("designer", "designed|drew up|engineered"),
        ("author", "wrote|penned"),
        ("composer", "composed"),
        ("director", "directed"),
        ("founder", "founded|established|set up"),
        ("owner", "owns|owned"),
        ("leader", "is (?:the )?chief executive of"),
        ("inventor", "invented"),
    )
)  # fmt: skip
REACH_CHARS = 90
# Where no word says what the name is of the thing, the one before it: "sank off", "leaves from".
BY_POSITION = frozenset(["at", "by", "from", "in", "near", "off", "on", "to", "under", "with"])
_POSITION = re.compile(rf"\b(?:{'|'.join(sorted(BY_POSITION))}) (?:the )?(?:[a-z]+ )?(?:[A-Z][a-z]{{1,3}}\.? )?$")


_LONG = re.compile(r"(?:\W*\b\w+){4}")


def named_values(text: str, names: Sequence[NameSpan]) -> Iterator[Value]:
    """The names of a sentence that are the value of something."""
    found = False
    may_hold = names_office(text)
    for span in names:
        before, behind = text[max(0, span.start - REACH_CHARS) : span.start], text[span.end : span.end + REACH_CHARS]
        if may_hold and (office := office_of(before, behind)) is not None:
            found = True
            yield msgspec.structs.replace(_value(office[0], span), told=office[1])
            continue
        for attribute, pattern in _BEFORE:
            if any(match.end() == len(before) for match in pattern.finditer(before)):
                found = True
                yield _value(attribute, span)
        for attribute, pattern in _BEHIND:
            if pattern.match(behind):
                found = True
                yield _value(attribute, span)

    if len(names) > 1 and not found:
        yield from _by_position(text, names[0], names[-1])


def _by_position(text: str, first: NameSpan, last: NameSpan) -> Iterator[Value]:
    """The last name, at the sentence's end behind a word that says how it belongs to the thing."""
    position = _POSITION.search(text, 0, last.start)
    if position and last.start > first.end and not _LONG.search(text, last.end):
        yield _value(position[0].split()[0], last)


def _value(attribute: str, span: NameSpan) -> Value:
    return Value("name", attribute, 0.0, 0.0, bare(span.key), span.start, span.end, span.surface)

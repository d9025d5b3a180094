# ruff: noqa: E501, RUF001  (a rule is one row of a table; typographic apostrophes are in the texts)
"""The wordings that state a typed relation: what may stand between two names of given types.

A rule reads `source … target`; a backward one reads `target … source`. Wordings are English.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from trivium.domain.graph import EntityType
from trivium_graph.lexicon import CALLINGS, OCCUPATIONS

BEFORE_CHARS = 48  # as far as a cue before the first name may reach
AFTER_CHARS = 48  # as far as a cue behind the second name may reach

_TYPES = {
    "P": EntityType.PERSON,
    "O": EntityType.ORGANIZATION,
    "L": EntityType.LOCATION,
    "E": EntityType.EVENT,
    "T": EntityType.TECHNOLOGY,
    "M": EntityType.METRIC,
    "C": EntityType.CONCEPT,
}


class Rule(NamedTuple):
    """`left` and `right` are the types allowed in text order (initials; C is also "unknown")."""

    type: str
    left: str
    right: str
    between: str
    confidence: float
    backward: bool = False
    before: str = ""
    after: str = ""

    @property
    def operation(self) -> str:
        """The provenance of what this rule finds."""
        return f"pattern:{self.type.lower()}"


_AGE = r"(?:, (?:age )?\d{1,3}(?=[, ])| \(\d{1,3}\))?"
_IS = rf"{_AGE}(?:,? (?:who |which |that )?(?:is|was|are|were|became|has been|had been)|,| \()"
_JOB = (
    rf"(?:{OCCUPATIONS}|{CALLINGS}|lawmaker|major|colonel|lieutenant|sergeant|aide|counsel|counselor|comptroller|vice|resident|native|supporter|spokeswoman|"
    r"[a-z]{3,}(?:ist|ian|eer|kicker|keeper|maker|worker|player|holder|trader|banker|broker|fighter|officer|woman|man))"
)
_ADJECTIVES = (
    r"(?:(?!(?:an?|and|as|at|by|for|from|her|his|in|its|of|on|or|that|the|their|to|was|were|when|where|who|with)\b)"
    r"[a-z'’-]+ ){0,3}?"
)
_WHO = (
    rf"{_AGE}(?:,? (?:who|which|that))?(?:,(?= born))?(?:,? (?:also|then|later|first|once|has|had|have|is|was|were))*"
)
_DET = r"(?:(?:the|an?|its|his|her|their|former|then|current|late) )*"
_FEW = r"(?:[\w'’-]+ ){0,3}?"
_MORE = r"(?:[\w'’,-]+ ){0,6}?"
_THE = r"(?:the )?"
_OWN = r"(?:'s?|’s?)"
_KILL = r"(?:(?:fatally )?shot(?: and killed| dead)?|killed|assassinated|murdered|stabbed|slain|slew|executed|poisoned)"
_KILLING = r"(?:assassination|murder|killing|slaying|shooting|death|execution|poisoning)"
_PLACE_NOUN = (
    "area|region|district|suburb|neighborhood|plant|base|airport|hotel|desert|plateau|beach|island|beachhead|plain"
)
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w*\.?"
_ANY = "POLETMC"

RULES: tuple[Rule, ...] = (
    # people and places
    Rule("BORN_IN", "PC", "LC", rf"(?:{_WHO}| ?\([^()]{{0,30}}?) ?\(?born(?: on)? [^.;]{{0,40}}?(?:in|at|near) {_THE}", 0.9),
    Rule("DIED_IN", "P", "LC", rf"{_WHO} died [^.;]{{0,40}}?(?:in|at|near) {_THE}", 0.85),
    Rule("LIVES_IN", "PC", "L", rf"{_WHO}(?: still)? (?:lives?|lived|living|resides?|resided|residing|settled|grew up|"
         rf"moved|emigrated|was raised) {_FEW}(?:in|near|at|outside|to) {_THE}", 0.85),
    Rule("LIVES_IN", "P", "L", rf",? (?:\d{{1,3}} ?,? ?)?(?:of|from) {_THE}(?:nearby |suburban )?", 0.7),
    Rule("LIVES_IN", "PC", "LC", rf"{_IS} {_DET}(?:native|resident|citizen|inhabitant)s? of {_THE}", 0.85),
    Rule("LIVES_IN", "P", "L", r"[^.;]{1,60}? (?:his|her) (?:native |hometown of |home town of |boyhood home in |home in |house in )"
         r"(?:the |nearby |suburban )?", 0.75),
    Rule("LIVES_IN", "L", "P", r", where ", 0.8, backward=True, after=r",? (?:who )?(?:was born|grew up|lived|lives|was raised|resides)\b"),
    Rule("LIVES_IN", "P", "L", rf"{_AGE}, (?:an?|the|another) (?:[a-z-]+ ){{0,2}}", 0.75, after=rf" (?:[a-z-]+ ){{0,2}}{_JOB}\b"),
    Rule("LIVES_IN", "P", "L", rf"{_AGE}, one of the [^.;,]{{1,40}} (?:in|from|of) {_THE}", 0.7),
    Rule("LIVES_IN", "L", "P", r" (?:resident|native|residents|citizen) ", 0.8, backward=True),
    Rule("HOLDS_OFFICE_IN", "P", "L", rf"{_IS} {_DET}{_FEW}(?:{OCCUPATIONS}) (?:of|for|in) {_THE}", 0.8),
    Rule("HOLDS_OFFICE_IN", "L", "P", rf"{_OWN} {_DET}(?:[\w'’-]+ ){{0,4}}?(?:{OCCUPATIONS}),? ", 0.75, backward=True),
    Rule("HOLDS_OFFICE_IN", "L", "P", rf"(?:{_OWN} (?:[A-Z][\w.-]+ ){{0,3}}| (?:[A-Z][\w.-]+ ){{1,3}})", 0.65, backward=True),
    Rule("HOLDS_OFFICE_IN", "L", "P", r" (?:[\w-]+ )?(?:president|premier|governor|mayor|minister|leader|senator|"
         r"President|Premier|Governor|Mayor|Gov\.|Sen\.) ", 0.75, backward=True),
    Rule("HOLDS_OFFICE_IN", "L", "P", r",? (?:and )?", 0.75, backward=True,
         before=rf"(?:{OCCUPATIONS}) (?:of|in|for) {_THE}$"),
    Rule("HOLDS_OFFICE_IN", "P", "L", r",? \(?[RDI]-", 0.8),
    Rule("LIVES_IN", "L", "P", rf" {_ADJECTIVES}{_JOB} ", 0.75, backward=True),
    Rule("HOLDS_OFFICE_IN", "L", "P", rf"(?: \([^()]*\))?, (?:the |an? )?(?:[a-z'’-]+ ){{0,3}}?{_JOB} ", 0.7, backward=True,
         before=r"^(?:[^.]{0,24}[^\w.])?$|[.!?] $|\bIn [\w' ]{0,24}$"),
    # people and organisations
    Rule("WORKS_FOR", "P", "O", rf"{_IS} (?:(?:an?|the|another|former|one|retired|senior|chief|longtime) )*", 0.85,
         after=rf"{_OWN}? (?:[a-z-]+ ){{0,3}}?{_JOB}s?\b"),
    Rule("WORKS_FOR", "O", "P", rf"{_OWN}? {_ADJECTIVES}{_JOB},? ", 0.8, backward=True),
    Rule("MEMBER_OF", "PC", "OC", rf"{_IS} {_DET}{_FEW}members? of {_THE}", 0.85),
    Rule("FOUNDED", "PC", "OC", rf"{_WHO} (?:co-?)?(?:founded|established|set up|started) (?:the |an? )?", 0.85),
    Rule("FOUNDED", "PC", "OC", rf"{_IS} {_DET}{_FEW}(?:co-?)?founder of {_THE}", 0.85),
    Rule("FOUNDED_BY", "OC", "PC", rf"{_WHO} ?(?:[^.;]{{0,30}} )?(?:co-?)?(?:founded|established|created|formed|set up)"
         rf" (?:[^.;]{{0,30}}? )?by {_THE}{_FEW}", 0.85),
    Rule("WORKS_FOR", "PC", "O", rf"(?:{_IS})? {_DET}{_MORE}(?:{OCCUPATIONS})s? (?:[\w-]+ ){{0,2}}?"
         rf"(?:of|for|at|with|in|to) {_THE}{_FEW}", 0.85),
    Rule("WORKS_FOR", "P", "O", rf"{_IS} (?:an? |the |acting |former |chief )+(?:[a-z-]+ ){{1,4}}(?:at|with|for) {_THE}", 0.7),
    Rule("WORKS_FOR", "PC", "OC", rf"{_WHO} (?:works?|worked|working|taught|teaches|employed) {_FEW}(?:for|at|with|by) {_THE}", 0.85),
    Rule("WORKS_FOR", "P", "O", rf"{_WHO} (?:joined|joins|heads|headed|leads|led|runs|ran|chairs|directs) {_THE}", 0.75),
    Rule("WORKS_FOR", "P", "O", rf"{_AGE},? (?:of|at|with|from) {_THE}(?:[\w-]+ at {_THE})?", 0.65),
    Rule("WORKS_FOR", "O", "P", rf"(?:{_OWN})?,? {_FEW}(?:{OCCUPATIONS}),? ", 0.8, backward=True),
    Rule("WORKS_FOR", "O", "P", rf"(?:{_OWN})? (?:[A-Z][\w.-]+ ){{0,3}}", 0.65, backward=True),
    Rule("WORKS_FOR", "P", "O", rf"{_WHO} (?:appointed|named|elected|hired) (?:as )?[^.;]{{0,40}}?(?:of|by|at) {_THE}", 0.75),
    Rule("WORKS_FOR", "O", "P", r" (?:has )?(?:hired|appointed|named|elected) ", 0.7, backward=True),
    Rule("LED_BY", "OCLET", "P", rf"{_IS} (?:led|headed|run|managed|chaired|overseen|supervised) by {_THE}{_FEW}", 0.8),
    Rule("EDUCATED_AT", "PC", "O", rf"{_WHO} (?:(?:studied|earned|received) [^.;]{{0,50}}?(?:at|from)|graduated from|attended|"
         rf"educated at) {_THE}", 0.85),
    # people and people
    Rule("KILLED", "P", "PC", rf"{_IS}? {_DET}(?:[\w-]+ )?(?:assassin|killer|murderer) of {_MORE}", 0.9),
    Rule("KILLED", "P", "PC", rf"[^.;]{{0,60}}? (?:assassinating|murdering|killing|shooting|(?:{_KILLING}) of) {_MORE}", 0.8),
    Rule("KILLED", "PC", "PC", rf"[^.;]{{0,40}}? {_KILL}(?: to death)? (?:[^.;]{{0,40}}? )?by {_MORE}", 0.85, backward=True),
    Rule("KILLED", "PC", "P", rf"(?:{_OWN}|) (?:[a-z-]+ )?(?:assassin|killer|murderer),? ", 0.9, backward=True),
    Rule("KILLED", "P", "PC", rf"[^.;]{{1,60}}? (?:that|who|to) (?:{_KILL}|assassinate|murder|kill) {_MORE}", 0.8),
    Rule("KILLED", "PC", "PC", rf"[^.;]{{0,30}}? (?:{_KILL}) on the orders? of {_MORE}", 0.85, backward=True),
    Rule("KILLED", "P", "P", rf"{_OWN} (?:[\w-]+ )?{_KILLING} (?:[^.;]{{0,30}}? )?by {_MORE}", 0.85, backward=True),
    Rule("KILLED", "PC", "P", rf",? (?:[^.;]{{0,40}}? )?by {_MORE}", 0.85, backward=True, before=rf"{_KILLING} of {_MORE}$"),
    Rule("KILLED", "PC", "PC", rf"(?:,? (?:an?|the) [^.;,]{{1,40}})?,?{_WHO} (?:[a-z'’-]+ ){{0,2}}?{_KILL} {_MORE}", 0.85),
    Rule("SPOUSE_OF", "P", "PC", rf"{_WHO} (?:married|wed)(?: to)? (?:the )?{_FEW}", 0.85),
    Rule("SPOUSE_OF", "P", "PC", rf"{_IS} {_DET}(?:first |second |third )?(?:wife|husband|widow|widower|spouse) of {_FEW}", 0.9),
    Rule("SPOUSE_OF", "P", "P", r",? (?:and|with) (?:his|her) (?:[\w-]+ )?(?:wife|husband),? ", 0.9),
    Rule("SPOUSE_OF", "P", "P", rf"{_OWN} (?:[\w-]+ )?(?:wife|husband|widow|widower|spouse),? ", 0.9),
    Rule("CHILD_OF", "P", "PC", rf"{_IS} {_DET}{_FEW}(?:son|daughter|child) of {_MORE}", 0.9),
    Rule("CHILD_OF", "P", "P", rf"{_OWN} {_FEW}(?:son|daughter|child),? ", 0.85, backward=True),
    Rule("CHILD_OF", "P", "PC", rf"{_IS} {_DET}(?:father|mother|parent) of {_FEW}", 0.9, backward=True),
    Rule("SIBLING_OF", "P", "PC", rf"{_IS} {_DET}{_FEW}(?:brother|sister|sibling) of {_FEW}", 0.9),
    Rule("SIBLING_OF", "P", "P", rf"(?:{_OWN}|,? and (?:his|her)) {_FEW}(?:brother|sister),? ", 0.85),
    # works
    Rule("DIRECTED_BY", "CTO", "PC", rf"[^.;]{{0,70}}?\bdirected (?:and [\w-]+ )?by {_FEW}", 0.9),
    Rule("PRODUCED_BY", "CTO", "POC", rf"[^.;]{{0,70}}?\bproduced (?:and [\w-]+ )?by {_FEW}", 0.85),
    Rule("WROTE", "CTOE", "PC", rf"[^.;]{{0,70}}?\b(?:co-)?(?:written|authored|penned|composed) (?:and [\w-]+ )?by {_FEW}", 0.85,
         backward=True),
    Rule("WROTE", "PC", "CTOEP", rf"{_WHO} (?:wrote|authored|penned|composed|co-wrote) (?:the |an? |his |her )?{_FEW}[\"“]?", 0.8),
    Rule("STARS", "C", "PC", rf"[^.;]{{0,70}}?\bstar(?:ring|s|red) {_FEW}", 0.85),
    # organisations, things
    Rule("ACQUIRED", "OC", "OC", rf"{_WHO} (?:acquired|bought|purchased|took over|agreed to (?:buy|acquire)) {_THE}", 0.85),
    Rule("ACQUIRED", "OC", "OC", rf"{_WHO} (?:acquired|bought|purchased|taken over) (?:[^.;]{{0,30}}? )?by {_THE}", 0.85, backward=True),
    Rule("PART_OF", _ANY, _ANY, rf"{_IS} {_DET}{_FEW}(?:part|subsidiary|division|unit|branch|component|subset|arm|affiliate)"
         rf" of {_THE}", 0.85),
    Rule("DEVELOPED_BY", "TCO", "POC", rf"[^.;]{{0,50}}?\b(?:developed|designed|built|invented|manufactured|released|created)"
         rf" (?:[^.;]{{0,20}}? )?by {_THE}{_FEW}", 0.8),
    Rule("BUILT", "PO", "CLT", rf"{_WHO} (?:built|constructed|designed|invented|restored) (?:the |an? |his |her )?"
         rf"(?:[\w-]+ ){{0,3}}?(?:(?:at|of|in|near) )?{_THE}", 0.75),
    Rule("USES", "TCO", "TC", rf"{_WHO} (?:uses?|used|using|relies on|runs on|built (?:on|with)|based on|powered by|written in|"
         rf"implemented in|depends on|builds on) (?:the |an? )?", 0.75),
    Rule("HAS_METRIC", "TCO", "M", rf"{_WHO} (?:achieves?|achieved|reach(?:es|ed)|obtains?|obtained|scores?|scored|reports?|"
         rf"reported|has) (?:[^.;]{{0,30}} )?", 0.75),
    # places
    Rule("LOCATED_IN", "OLC", "L", rf"{_WHO},? (?:located|situated|based|headquartered|lies|lying|stands) {_FEW}"
         rf"(?:in|on|at|near|along) {_THE}", 0.9),
    Rule("LOCATED_IN", "OLC", "L", rf" (?:is|was) an? [^.;,]{{0,50}}? (?:in|of|on) {_THE}{_FEW}", 0.75),
    Rule("LOCATED_IN", "OL", "L", rf",? in {_THE}(?:[\w-]+ (?:part of )?{_THE})?", 0.75),
    Rule("LOCATED_IN", "OL", "L", r",? in (?:downtown|suburban|central|nearby|rural) ", 0.75),
    Rule("LOCATED_IN", "L", "L", rf" (?:{_PLACE_NOUN}),? (?:[a-z]+ ){{0,4}}?(?:in|of|on) {_THE}(?:[a-z]+ )?", 0.75),
    Rule("LOCATED_IN", "L", "L", rf"{_OWN} capital,? (?:of )?", 0.85, backward=True),
    Rule("LOCATED_IN", "OL", "L", rf" (?:(?:[\w-]+ )?(?:miles|kilometers|kilometres|km) )?(?:north|south|east|west)\w* of {_THE}", 0.65),
    Rule("LOCATED_IN", "O", "L", r" \(", 0.65),
    Rule("LOCATED_IN", "O", "L", rf"{_WHO} (?:has|have|had) [^.;]{{0,30}}?(?:headquarters|offices?|campus) in {_THE}", 0.75),
    Rule("LOCATED_IN", "L", "O", r",? (?:the )?home (?:of|to) (?:the )?", 0.75, backward=True),
    Rule("LOCATED_IN", "L", "OL", r", where (?:the )?", 0.7, backward=True, after=r" (?:is|was) (?:based|located|headquartered)\b"),
    Rule("LOCATED_IN", "L", "O", r", the ", 0.65, backward=True, before=r"(?:^|[.;:] )(?:In|At) $"),
    Rule("REPORTS_FROM", "L", "O", rf",? (?:{_MONTH} ?\d{{1,2}} |\d{{1,2}} {_MONTH} )?\(?", 0.8, backward=True,
         after=r"\)? ?(?:--?|—|_|in [A-Z][a-z]+ \d{4}|$)"),
    Rule("LOCATED_IN", "OL", "L", rf",? (?:the )?(?:capital|seat|largest city) of {_THE}", 0.85),
    Rule("LOCATED_IN", "L", "L", r", (?:the )?", 0.75),
    Rule("LOCATED_IN", "O", "L", r"(?:,| of| at| -) (?:the )?", 0.65),
    Rule("LOCATED_IN", "O", "L", r", an? (?:[a-z]+ly )?", 0.65),
    Rule("LOCATED_IN", "L", "O", rf"(?:-based|{_OWN}) (?:[a-z][\w'’-]* ){{0,3}}", 0.7, backward=True),
    Rule("LOCATED_IN", "L", "L", rf"{_OWN} (?:[a-z][\w'’-]* ){{0,3}}", 0.7, backward=True),
    # kinds
    Rule("IS_A", "TC", "TC", r" (?:is|was|are) (?:an?|the) (?:(?:kind|type|form|class) of )?", 0.7),
)  # fmt: skip

_BEFORE = tuple(re.compile(rule.before) if rule.before else None for rule in RULES)
_AFTER = tuple(re.compile(rule.after) if rule.after else None for rule in RULES)
_TITLE_BEFORE = re.compile(r"(?<=[ (])(?:Dr|Mr|Mrs|Ms|Prof|Sen|Rep|Gov|Gen|Lt|Col|Capt|Sgt|Rev|Adm|Maj)\. $")
# What stands between two names and denies the statement, or tells that it was only tried.
_DENIED = re.compile(
    r"\b(?:no|never|neither|nor|not(?! (?:only|just|merely|far)\b))\b(?!-)|n['’]t\b"
    rf"|\b(?:den(?:y|ies|ied|ying)|(?:acquitted|cleared) of|attempted {_KILLING}"
    r"|(?:tr(?:y|ies|ied|ying)|attempt\w*|fail(?:s|ed)?|refus\w+) to(?!.*(?:,| and | but )))\b"
)
_SUPPOSED = re.compile(r"\b(?:if|unless|whether|neither|nor) (?:the )?$", re.IGNORECASE)
# What is supposed has a verb: "if Orvin Motors in Oslo pays" supposes nothing of Oslo.
_VERB = re.compile(
    r"[^,(]*?\b(?:[a-z]+(?:ed|s)|are|were|became|have|had|will|would|bought|took|wrote|built|ran|led|shot|slew|taught)\b"
)
_ABBREVIATION = re.compile(r"^\.(?=,? [a-z(])")  # "Drexel Burnham Inc. in New York"


@lru_cache(maxsize=64)
def _wordings(left: EntityType, right: EntityType) -> tuple[tuple[int, re.Pattern[str]], ...]:
    return tuple(
        (index, re.compile(rule.between))
        for index, rule in enumerate(RULES)
        if left in map(_TYPES.get, rule.left) and right in map(_TYPES.get, rule.right)
    )


@lru_cache(maxsize=64)
def _any_wording(left: EntityType, right: EntityType) -> re.Pattern[str] | None:
    chosen = [wording.pattern for _, wording in _wordings(left, right)]
    return re.compile("|".join(f"(?:{wording})" for wording in chosen)) if chosen else None


@lru_cache(maxsize=8192)  # ", ", " and " and " of the " stand between most names
def _filled(left: EntityType, right: EntityType, gap: str) -> tuple[int, ...]:
    """The indices of the rules whose wording is `gap`, in their order; none where it denies what it says."""
    expression = _any_wording(left, right)
    if expression is None or not expression.fullmatch(gap) or _DENIED.search(gap):
        return ()
    return tuple(index for index, wording in _wordings(left, right) if wording.fullmatch(gap))


def rule_for(
    text: str, first: tuple[int, EntityType], gap: tuple[int, int], second: tuple[int, EntityType]
) -> Rule | None:
    """The first rule whose wording fills `gap` of `text`.

    `first` is where the left name starts and its type; `gap` the characters between the two names; `second` where
    the right name ends and its type. An abbreviated title in the gap, and the full stop of "Inc.", are not part of
    the wording. What is denied, supposed or only tried is not stated.
    """
    between = text[gap[0] : gap[1]]
    bare = _ABBREVIATION.sub("", _TITLE_BEFORE.sub("", between)) if "." in between else between
    cue = max(0, first[0] - BEFORE_CHARS), first[0]
    filled = _filled(first[1], second[1], between) or (bare != between and _filled(first[1], second[1], bare)) or ()
    if filled and _VERB.match(between) and _SUPPOSED.search(text, *cue):
        return None
    for index in filled:
        before, after = _BEFORE[index], _AFTER[index]
        if before is not None and not before.search(text, *cue):
            continue
        if after is None or after.match(text, second[0], second[0] + AFTER_CHARS):
            return RULES[index]
    return None

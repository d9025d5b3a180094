# ruff: noqa: E501, SIM905  (word lists read best as words)
"""A document's passages as statements: sentences with what they are about and the keys under which others may meet them.

Pure. What a sentence says in detail (`Reading`) is worked out when it is compared; here it costs about as much as
splitting it into words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b

import msgspec

from trivium.domain.chunks import Chunk
from trivium.domain.graph import CO_OCCURS, LINKS_TO, ChunkGraph
from trivium.domain.parsed import UnitKind
from trivium_query.contradictions.attributes import Attribute, attribute_of
from trivium_query.contradictions.conditions import Conditions, conditions_of
from trivium_query.contradictions.named_values import named_values
from trivium_query.contradictions.names import bare, known_names, last_of, named_in, titled_names, topics
from trivium_query.contradictions.titles import names_of_title
from trivium_query.contradictions.values import Value, counted, values_in
from trivium_query.words import content_words, stem

VERSION = 4  # of what is kept: another one, and every document is read again
MIN_WORDS, MIN_CONTENT, MAX_CHARS = 3, 2, 400
MAX_STATEMENTS = 5_000  # of one document
BANDS = 5  # minima of as many hashes: sentences with four fifths of their words in common share one with 0.999, with half of them 0.97
MAX_KEYS = 40
MIN_MARKUP = 2  # signs of formulas, tables and code in what is no sentence
_MARKUP = re.compile(r"[\\{}|&<>=_^$]")
OPENING = 3  # sentences that tell what a document calls its subject
MAX_ARTICLE = 4  # characters before a name that begins a sentence
_READ = frozenset({UnitKind.TEXT, UnitKind.LIST, UnitKind.NOTE})
_NOT = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|lack(?:s|ed|ing)?|cannot|unable|fail(?:s|ed)? to)\b(?! (?:exceed|(?:more|less|fewer|later|earlier|longer) than))"
    r"|n['\u2019]t\b",
    re.I,
)
_NEGATIONS = frozenset("not no never none nobody nothing neither nor without lack cannot unable fail".split())
# Of each pair, who says the one denies the other; the first of a pair stands for both.
OPPOSITES: dict[str, tuple[str, bool]] = {
    stem(word): (stem(pair.split("/")[0].split("|")[0]), at == 1)
    for pair in """allowed|permitted|welcome|admit|admitted/forbidden|prohibited|banned included|including/excluded|extra approved|accepted|carried/rejected|refused|declined|turned
    open/closed|shut available/unavailable safe/unsafe|dangerous edible/poisonous|inedible increased|rose|grew|up/decreased|fell|shrank|down
    passed/failed waterproof/leaky free/charged|paid|pay alive/dead compulsory|mandatory|required|obligatory|must/optional|voluntary
    won/lost present/absent positive/negative successful/unsuccessful accessible/inaccessible innocent|acquitted/guilty|convicted
    smoker/non-smoker married/unmarried|single possible/impossible legal/illegal removable|detachable/fixed
    quiet|silent/loud|noisy empty/full wet/dry hot/cold wide/narrow deep/shallow rough/smooth steep/gentle indoors|indoor/outdoors|outdoor
    public/private temporary/permanent enabled/disabled active/inactive complete|finished/incomplete|unfinished operational|functioning/broken|defective|faulty occupied/vacant|unoccupied
    valid/invalid|expired locked/unlocked clean/dirty licensed/unlicensed insured/uninsured armed/unarmed cancelled|canceled/uncancelled compatible/incompatible visible/invisible soluble/insoluble sufficient/insufficient
    heated/unheated furnished/unfurnished paved/unpaved staffed/unstaffed known/unknown damaged/undamaged|intact sold/unsold reversible/irreversible
    confirmed/denied profit/loss improved/worsened|deteriorated stable/unstable win/lose succeeded/failing harmless/harmful healthy/ill|sick
    agreed/disagreed supported|backed/opposed clockwise/anticlockwise left/right odd/even true/false""".split()
    for at, side in enumerate(pair.split("/"))
    for word in side.split("|")
}


class Statement(msgspec.Struct, frozen=True, array_like=True):
    """A sentence of a chunk. `about` are names that it is about without saying so; `keys` as in `blocks.py`.

    `known` are the lone words that are names in its document.
    """

    chunk_id: str
    number: int
    text: str
    heading: str
    about: tuple[str, ...]
    known: tuple[str, ...]
    keys: tuple[int, ...]


class Told(msgspec.Struct, frozen=True, array_like=True):
    """A relation as a chunk states it, from the graph's share."""

    source: str
    type: str
    target: str
    confidence: float
    chunk_id: str
    number: int
    text: str
    heading: str


class Statements(msgspec.Struct, frozen=True, array_like=True):
    """All that one document version says that could be denied."""

    said: tuple[Statement, ...] = ()
    told: tuple[Told, ...] = ()


class Reading(msgspec.Struct, frozen=True):
    """What one sentence says. `attributes` belong to `values`; `words` are its stems without names and values.

    `subjects` are the names before its verb; `head` the other words there.
    """

    names: tuple[str, ...]
    subjects: tuple[str, ...]
    values: tuple[Value, ...]
    attributes: tuple[Attribute | None, ...]
    words: frozenset[str]
    head: frozenset[str]
    denies: bool
    opposites: frozenset[tuple[str, bool]]
    conditions: Conditions
    of_it: bool  # begins with a pronoun
    of_somebody: bool  # has a personal pronoun, or begins with a participle: it is said of who was named before


def statements_of(chunks: Sequence[Chunk], shares: Sequence[ChunkGraph]) -> Statements:
    """Those of one document."""
    passages = [chunk for chunk in chunks if chunk.kind in _READ and not chunk.hidden]
    title = next((chunk.title for chunk in chunks if chunk.title), "")
    sentences = [(chunk, text) for chunk in passages for text in _sentences(chunk) if text != title]
    known = known_names(text for _, text in sentences) | titled_names(
        title, " ".join(text for _, text in sentences[:OPENING])
    )
    first = next((text for _, text in sentences), "")
    named = frozenset(bare(span.key) for _, text in sentences for span in named_in(text, known))
    topic = tuple(dict.fromkeys((*topics(title, named_in(first, known), known, named), *names_of_title(title))))
    titled = frozenset(content_words(title))
    said: list[Statement] = []
    last: tuple[str, ...] = ()
    for chunk, text in sentences[:MAX_STATEMENTS]:
        own = tuple(span.key for span in named_in(text, known) if span.key in known)
        reading = read(text, own)
        about = last if last and _PRONOUN.match(text) else topic
        last = reading.subjects or (about if _PRONOUN.match(text) else ())
        keys = () if reading.conditions.idle else tuple(_keys(reading, about, titled))
        if keys:
            said.append(Statement(chunk.id, chunk.number, text, chunk.heading, about, own, keys))
    return Statements(tuple(said), tuple(_told({chunk.id: chunk for chunk in passages}, shares)))


@lru_cache(maxsize=4096)
def read(text: str, known: tuple[str, ...]) -> Reading:
    """What the sentence says."""
    spans = named_in(text, frozenset(known))
    plain = [
        value
        for value in values_in(text)
        if not any(
            s.start < value.end and value.start < s.end and s.end - s.start > value.end - value.start for s in spans
        )
    ]
    values = (*plain, *named_values(text, spans))
    attributes = tuple(attribute_of(text, value, values) if value.kind != "name" else None for value in values)
    values = tuple(
        msgspec.structs.replace(value, kind="count") if value.kind == "number" and attribute else value
        for value, attribute in zip(values, attributes, strict=True)
    )
    left = _without(text, [(s.start, s.end) for s in spans] + [(v.start, v.end) for v in plain])
    found = _VERB.search(left, len(led_in(text))) or _PAST.search(left, len(led_in(text)))
    verb = found.start() if found else 0
    stems = set(content_words(_phrased(left)))
    nouns = frozenset[str]().union(*map(counted, plain))
    opposites = frozenset(OPPOSITES[word] for word in stems if word in OPPOSITES)
    return Reading(
        names=tuple(dict.fromkeys(bare(span.key) for span in spans)),
        subjects=tuple(
            dict.fromkeys(bare(span.key) for span in spans if span.start < verb and not _is_aside(text, span.start))
        ),
        values=values,
        attributes=attributes,
        words=(nouns | stems) - _NEGATIONS,
        head=_head(text, left[:verb], attributes),
        denies=denies(_FORBIDS.sub(" ", text) if _MAYBE_FORBIDS.search(text) else text),
        opposites=opposites,
        conditions=conditions_of(
            _without(text, [(v.start, v.start + len(v.text)) for v in plain if v.kind == "count" or " per " in v.text]),
            frozenset(int(v.low) for v in plain if v.kind == "date" and v.low % 10_000),
        ),
        of_it=_PRONOUN.match(text) is not None,
        of_somebody=_PERSONAL.search(text) is not None or _PARTICIPLE.match(text) is not None,
    )


# Told in several words, or in a small one, what has an opposite.
_PHRASES = (
    (re.compile(r"\bout of (?:order|service|action|use|operation)\b|\bnot working\b|\bwithdrawn from (?:service|use)\b", re.I), "broken"),
    (re.compile(r"\bin (?:full |good )?(?:working order|service|operation|use)\b|\b(?:is|are) working\b(?! (?:on|with|for|to|at|in))|\bup and running\b", re.I), "operational"),
    (re.compile(r"\b(?<!in )may (?=(?:be [a-z]+(?:ed|en|n|t|de)|not|bring|use|enter|keep|borrow|take|leave|park|camp|swim|smoke|eat|drink|ride|walk|fish|wear|stay|sublet|vote|apply|drive)\b)", re.I), "allowed "),
    (re.compile(r"\bcan (?=be (?:brought|used|taken|kept|parked|hired|booked|returned|cancelled|exchanged)\b)", re.I), "allowed "),
)  # fmt: skip


_FORBIDS = re.compile(
    r"\b(?:must|may|should|can) (?:not|never) (?=be [a-z]+)|\bmust (?:not|never)\b(?! exceed\b)|\bmay not\b(?! be\b)|\b(?:is|are) not to be\b",
    re.I,
)


_MAYBE_FORBIDS = re.compile(r" not | never ", re.I)
_MAYBE_PHRASED = re.compile(r"\b(?:out|may|can|not|withdrawn|work(?:s|ing)|running|service|operation|use)\b", re.I)


def _phrased(text: str) -> str:
    if _MAYBE_FORBIDS.search(text):
        text = _FORBIDS.sub(" forbidden ", text)
    if not _MAYBE_PHRASED.search(text):
        return text
    for phrase, word in _PHRASES:
        text = phrase.sub(word, text)
    return text


def _is_aside(text: str, at: int) -> bool:
    """Whether it stands in brackets."""
    return text.count("(", 0, at) > text.count(")", 0, at)


def denies(text: str) -> bool:
    """Whether it says that something is not so; who denies twice does not."""
    return len(_NOT.findall(text)) % 2 == 1


_LED_IN = re.compile(
    r"^(?:at|in|on|with|for|from|by|during|after|before|since|under|of|as|without|to|down|among|despite|until|if|when|while|once)\s"
    r"(?:[^,]*,\s|(?:(?:the|an?|its|his|her|their|our|this|that)\s)?[^\s,][^,]{0,40}?\s(?=(?:it|he|she|they|the|its|his|her|we|you|one)\s))",
    re.I,
)


def led_in(text: str) -> str:
    """What stands before the sentence proper, and tells when, where or how it is so."""
    lead = _LED_IN.match(text)
    return lead[0] if lead else ""


def _head(text: str, before: str, attributes: Sequence[Attribute | None]) -> frozenset[str]:
    """The stems of what the sentence is said of, without names: "fog horn" of "The fog horn of Cape Ostrel was built in"."""
    named = {
        word for each in attributes if each for match in each.words.finditer(text) for word in content_words(match[0])
    }
    return frozenset(content_words(before[len(led_in(text)) :])) - named


_PRONOUN = re.compile(r"^\W*(?:it|he|she|they|this|these|its|his|her|their)\b", re.I)
_PAST = re.compile(
    r"\b(?:[a-z]{2,}ed|sank|ran|drew|fell|met|sold|sent|spent|spoke|swam|taught|threw|won|wore|wrote|bought|built|caught|fought|led|left|lost|sought|struck)\b"
)
_PARTICIPLE = re.compile(r"[A-Z][a-z]+(?:ing|ed)\b")
_PERSONAL = re.compile(r"\b(?:he|him|she|they|them|her(?=,|\.| (?:with|for|in|to|at|the|an?|by|on|as)\b))\b", re.I)
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|has|have|had|does|did|do|will|shall|can|may|must|should|could|would|might|became|becomes|remains"
    r"|weighs|costs|holds|runs|lasts|opens|closes|leaves|departs|carries|takes|took|comes|came|stands|rises|employs|measures|sells|works"
    r"|draws|covers|contains|shows|starts|begins|ends|ended|rests|fell|died|married|lived|received|covers|needs|spans|bears|goes|gives"
    r"|weigh|hold|leave|depart|carry|employ|sell|contain|begin|die|marry|receive|bear|go|give|reach|appear|expect|make|makes|keep|keeps"
    r"|get|gets|serve|serves|provide|provides|produce|produces|lie|lies|sits|grow|grows|meet|meets|bring|brings|send|sends|buy|buys|write"
    r"|writes|say|says|tell|tells|come|take|become|include|includes|consist|consists|plays|call|calls|wait|waits"
    r"|offers|turns|shuts|reaches|reached|appeared|smoked|drinks|spent|approved|rejected|begins|counts|reported|expects|foresees|cost|paid|pay)\b"
)


def _sentences(chunk: Chunk) -> Iterator[str]:
    for span in chunk.sentences:
        text = " ".join(span.of(chunk.text).split()).lstrip("-*\u2022# ")
        whole = text.count("(") == text.count(")") and len(_MARKUP.findall(text)) < MIN_MARKUP
        if whole and len(text) <= MAX_CHARS and len(text.split()) >= MIN_WORDS:
            yield text


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    letters = list(text)
    for start, end in spans:
        letters[start:end] = " " * (end - start)
    return "".join(letters)


def _keys(reading: Reading, about: Sequence[str], titled: frozenset[str]) -> Iterator[int]:
    """Under what others may meet it: subject and slot for each value, and minima of hashes of its words."""
    lasts = {last_of(name) for name in subjects_of(reading, about)}
    found: set[int] = set()
    for value, attribute in zip(reading.values, reading.attributes, strict=True):
        of = lasts if value.kind != "name" else {last_of(name) for name in subjects_of(reading, about, value)}
        found.update(hashed(subject, slot) for subject in of for slot in _slots(value, attribute))
    words = reading.words - titled if len(reading.words - titled) >= MIN_CONTENT else reading.words
    if len(words) >= MIN_CONTENT:
        least = [min(hashed(str(band), word) for word in words) for band in range(BANDS)]
        found.update(hashed(subject, str(each)) for subject in lasts for each in least)
    if len(words) < MIN_CONTENT:
        found.update(hashed(subject, "only", word) for subject in lasts for word in words)
    found.update(hashed(subject, "opposite", word) for subject in lasts for word, _ in reading.opposites)
    yield from sorted(found)[:MAX_KEYS]


def subjects_of(reading: Reading, about: Sequence[str], value: Value | None = None) -> tuple[str, ...]:
    """Whom it is said of: the names before its verb, else what the passage is about; what a name that is a value did."""
    if value is None or value.kind != "name":
        return reading.subjects or (*_named_without_head(reading), *about)
    if value.text in reading.subjects[:1] and value.start <= MAX_ARTICLE:  # who did it to whom
        behind = reading.names[reading.names.index(value.text) + 1 :]
        return behind[:1] or tuple(about)
    return tuple(name for name in reading.subjects if name != value.text) or tuple(about)


def _named_without_head(reading: Reading) -> tuple[str, ...]:
    """Its names where nothing but a name can be what it is said of: "There are nine carriages on the Veluna sleeper"."""
    if reading.head or reading.of_it:
        return ()
    valued = {value.text for value in reading.values if value.kind == "name"}
    return tuple(name for name in reading.names if name not in valued)


def _slots(value: Value, attribute: Attribute | None) -> Iterator[str]:
    kind = f"{value.kind}:{value.dimension}"
    if value.kind == "count":
        yield from (f"{kind}:{word}" for word in counted(value))
    else:
        yield kind
    if attribute is not None:
        yield f"{kind}:{attribute.name}"
    if value.kind == "money":
        yield "money"


@lru_cache(maxsize=1 << 16)
def hashed(*parts: str) -> int:
    """64 bits of a hash that is the same in every process."""
    return int.from_bytes(blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def _told(chunks: Mapping[str, Chunk], shares: Sequence[ChunkGraph]) -> Iterator[Told]:
    for share in shares:
        chunk = chunks.get(share.chunk_id)
        for relation in share.relations if chunk else ():
            if chunk is None or relation.type in (CO_OCCURS, LINKS_TO):
                continue
            text = next(
                (s.of(chunk.text) for s in chunk.sentences if s.start <= relation.span.start < s.end), relation.snippet
            )
            yield Told(
                relation.source_key,
                relation.type,
                relation.target_key,
                relation.confidence,
                chunk.id,
                chunk.number,
                " ".join(text.split()),
                chunk.heading,
            )

"""What something is: a sentence that defines it. A heading, or a sentence that only mentions it, does not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from trivium.domain.answers import Verdict
from trivium.domain.retrieval import Hit
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.blocks import words_of_name
from trivium_query.answer.answerers.closest import cited
from trivium_query.answer.citations import Draft
from trivium_query.words import content_words

_ARTICLE = r"(?:(?:an?|the|(?:d|k)?eine?[mnrs]?|de[rmns]|die|das|une?|les?|la|el|los|las|del?|l['’])\s*\b)"  # noqa: RUF001
_TERM = re.compile(
    r"(?:what(?:\s+(?:is|are|was|were)|['’]s)\s+(?:meant\s+by|the\s+(?:meaning|definition)\s+of)?"  # noqa: RUF001
    r"|what\s+(?:does|do|did)(?=.+\b(?:mean|stand\s+for))|what(?=.+\b(?:is|are)\W*$)|define|(?:meaning|definition)\s+of"
    r"|who\s+(?:is|was|are|were)|was\s+(?:ist|sind|war|bedeutet|heißt|versteht\s+man\s+unter)"
    r"|wofür\s+steht|wer\s+(?:ist|war)|definiere|definition\s+(?:von|de[rs]?)"
    r"|qu['’]est-ce\s+qu(?:e\s|['’])|que\s+signifie|c['’]est\s+quoi|qui\s+(?:est|était)|définition\s+d(?:e|u|es)"  # noqa: RUF001
    r"|qué\s+(?:es|son|significa)|quién\s+(?:es|fue|era)|definición\s+de)"
    rf"\s*(?:the\s+(?:term|word|abbreviation)|der\s+Begriff|die\s+Abkürzung|le\s+sigle|el\s+término)?\s*{_ARTICLE}?\s*"
    r"(?P<term>.+?)\s*(?:\b(?:means?|stands?\s+for|is|are))?[\s?.!]*$",
    re.IGNORECASE,
)
_QUOTES = " \"'“”‘’„«»*"  # noqa: RUF001
_SAYS = (
    r"(?:means?|meant|refers\s+to|stands?\s+for|denotes?|bedeutet|bezeichnet|heißt|désigne|signifie|significa)\s+\S"
    r"|(?:is|was)\s+(?:an?|the|any|one|what|how|when)\b|are\s+(?:the\b|all\b|\S+\s+(?:that|which|who|used|made|of|for|with)\b)"
    r"|(?:ist|sind|war|waren)\s+(?:eine?r?|der|die|das)\b|(?:est|sont|était)\s+(?:une?|les?|la|l['’]|des)"  # noqa: RUF001
    r"|(?:es|son|fue|era)\s+(?:una?|el|la|los|las)\b"
)
_WITHIN = re.compile(rf"(?P<thing>.+?)\s+in\s+{_ARTICLE}?\s*(?P<place>.+)", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[.;!?]|,\s|\s[–—(]")  # noqa: RUF001
_WORD = re.compile(r"[^\W_]+")
_STANDS_FOR = re.compile(
    r"\b(?:stands?|short|abbreviation|acronym|initials)\s+(?:for|of)\b|\bwofür\s.*\bsteht\b|\bsteht\s+für\b|\babbreviate"
    r"|\babkürzung\b|\bsigles?\b|\bsiglas?\b",
    re.I,
)
_MEANS = re.compile(r"\b(?:means|meant|denotes|refers\sto|bedeutet|désigne|signifie|significa)\b", re.I)
MAX_ASIDE = 90  # characters of an apposition


class Definition(msgspec.Struct, frozen=True):
    """The sentence, what it says of the term, whether its form leaves no doubt, and whether that is its letters."""

    hit: Hit
    sentence: str
    says: str
    certain: bool
    spelt: bool = False


def term_of(question: str) -> str:
    """What is to be defined, without its article; "" where nothing is."""
    found = _TERM.search(question)
    return found["term"].strip(_QUOTES) if found else ""


def answer_by_definition(question: str, hits: Sequence[Hit]) -> Answered | None:
    """The best defining sentence of the passages; None where there is none."""
    term = term_of(question)
    told = (sorted(found, key=lambda one: not one.certain) for found in _told(term, hits))
    if _STANDS_FOR.search(question):  # "Perl is a language" does not tell
        told = ([one for one in found if _spells_out(term, one)] for found in told)
    best = next((found[0] for found in told if found), None)
    if best is None:
        return None
    lines, citations = cited([(best.hit, best.sentence)], hits)
    verdict = Verdict.SUPPORTED if best.certain else Verdict.PARTIALLY_SUPPORTED
    return Answered(Draft(lines[0], True, citations, short=best.says), verdict)


def _spells_out(term: str, one: Definition) -> bool:
    """Whether it says what the letters stand for, or that they do: "WHO: World Health Organization"."""
    by_letter = term.isupper() and one.says[:1].lower() == term[:1].lower()
    return one.spelt or by_letter or any(form.search(one.sentence) for form in (_STANDS_FOR, _MEANS))


def _told(term: str, hits: Sequence[Hit]) -> Iterator[list[Definition]]:
    """The definitions of the term; of "trigger in dpkg" also of "dpkg trigger", and of "trigger" in texts on dpkg."""
    yield [*_definitions(term, hits)] if term else []
    if within := _WITHIN.fullmatch(term):
        yield [*_definitions(f"{within['place']} {within['thing']}", hits)]
        wanted = {*content_words(within["place"])}
        yield [*_definitions(within["thing"], [hit for hit in hits if wanted <= words_of_name(hit.chunk)])]


def _definitions(term: str, hits: Sequence[Hit]) -> Iterator[Definition]:
    """In the order of the passages and of their sentences."""
    forms = _forms(term)
    for hit in hits:
        for span in hit.chunk.sentences:
            sentence = span.of(hit.chunk.text)
            if not sentence.rstrip().endswith("?"):
                yield from _defined(term, sentence, hit, forms)


def _defined(term: str, sentence: str, hit: Hit, forms: Sequence[tuple[re.Pattern[str], bool]]) -> Iterator[Definition]:
    if long_form := _spelt_out(term, sentence):
        yield Definition(hit, sentence, long_form, certain=True, spelt=True)
    for form, certain in forms:
        if found := form.search(sentence):
            yield Definition(hit, sentence, _first_clause(found["says"]), certain)
            return


def _forms(term: str) -> tuple[tuple[re.Pattern[str], bool], ...]:
    """How a sentence defines the term, surest first, and whether each is certain."""
    written = r"\s+".join(map(re.escape, term.split()))
    named = rf"(?:{_ARTICLE}\s*)?[\"“„«*]*{written}(?:e?s|n|en)?[\"”“»*]*(?:\s*\([^)]*\))?"
    lead = r"(?:[Tt]he|[Aa]n?|[Oo]ur|[Ii]ts|[Dd]er|[Dd]ie|[Dd]as|[Ll]e|[Ll]a|[Ee]l)"
    person = rf"{lead}\s+(?P<says>(?:[a-zà-öø-ÿ-]+\s+){{0,3}}[a-zà-öø-ÿ-]+)"
    noun = rf"{written}\b" if term[:1].isupper() else r"(?!)"
    return (
        (
            re.compile(rf"^\W*{named},?\s+(?:also\s+|often\s+)?(?P<says>(?:{_SAYS}).*)$", re.IGNORECASE | re.DOTALL),
            True,
        ),
        (
            re.compile(
                rf"\b{noun},\s+(?P<says>(?:an?|the|eine?|der|die|une?|le|la|el)\s+[^,.;]{{3,{MAX_ASIDE}}})[,.;]"
            ),
            True,
        ),
        (
            re.compile(rf"^\W*{written}(?::|\s[\u2013\u2014-])\s+(?P<says>\S.*)$", re.IGNORECASE | re.DOTALL),
            _is_code(term),
        ),
        (re.compile(rf"\b{person},\s+{noun}\s*,"), True),
        (re.compile(rf"\b{person}\s+{noun}"), False),
    )


def _is_code(term: str) -> bool:
    """Whether it is no word of the language, so that a line which begins with it can only explain it."""
    return any(map(str.isdigit, term)) or (len(term) > 1 and term.isupper())


def _spelt_out(term: str, sentence: str) -> str:
    """The words that an abbreviation in brackets after them stands for, or those in brackets after it."""
    if not term.isupper() or not 2 <= len(term) <= 8:
        return ""
    inside = re.search(rf"\b{re.escape(term)}\s+\((?P<long>[^()]+)\)", sentence)
    if inside and _initials(_WORD.findall(inside["long"])) == term:
        return inside["long"]
    before = _WORD.findall(sentence.partition(f"({term})")[0]) if f"({term})" in sentence else []
    words = next(
        (before[-count:] for count in range(len(term), len(term) + 4) if _initials(before[-count:]) == term), []
    )
    return " ".join(words)


def _initials(words: Sequence[str]) -> str:
    """Of the words written large, or of all where that many are."""
    return "".join(word[0] for word in words if word[0].isupper()) or "".join(word[0].upper() for word in words)


def _first_clause(says: str) -> str:
    """What is said up to the end of the clause, without the verb that leads to it."""
    bare = re.sub(
        r"^(?:is|was|are|means?|meant|refers\s+to|stands?\s+for|ist|sind|war|est|sont|es|son|bedeutet)\s+", "", says
    )
    end = _CLAUSE_END.search(bare)
    return " ".join((bare[: end.start()] if end else bare).split())

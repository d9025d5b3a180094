"""The direct answer to a question, or none: read, composed, and judged by what was read."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from trivium.domain.answers import Kind, Verdict
from trivium.domain.retrieval import Hit
from trivium.text.languages import ENGLISH, language_of
from trivium.text.names import names_in
from trivium_query.answer.answerers.blocks import words_of_name
from trivium_query.answer.answerers.closest import refused
from trivium_query.answer.answerers.reason import tells_reason
from trivium_query.answer.citations import Draft
from trivium_query.answer.direct.agents import acts_on_what_is_asked
from trivium_query.answer.direct.choose import shipped
from trivium_query.answer.direct.compose import RELATED, compose
from trivium_query.answer.direct.confidence import confidence
from trivium_query.answer.direct.direct import Direct, read_directly
from trivium_query.answer.direct.doubts import (
    is_called_off,
    is_corrected,
    is_doubtful,
    is_excepted,
    is_half_denied,
    is_no_clear_word,
    is_reduced,
)
from trivium_query.answer.direct.focus import CLEAR
from trivium_query.answer.direct.hops import Found, Read
from trivium_query.answer.direct.identifiers import holds_each, identifiers_in
from trivium_query.answer.direct.life import YEAR
from trivium_query.answer.direct.opposites import agrees
from trivium_query.answer.direct.polarity import denies, denies_of_another
from trivium_query.answer.direct.short import ANY_DAY, fits_wanted, tells_time
from trivium_query.answer.direct.units import COUNTED, NUMBER_WORDS
from trivium_query.answer.direct.untold import is_untold
from trivium_query.answer.direct.yes_no import Decided, asks_yes_or_no
from trivium_query.answer.evidence import may_be_named
from trivium_query.answer.extractive import Extract
from trivium_query.answer.kinds import kind_of
from trivium_query.words import content_words

# `bench/train_answers.py` prints what these do to each set whose questions the weights have not seen.
ANSWERABLE = 0.5  # below: not found
ANSWERABLE_IF_READ, READ_ODDS = 0.3, 3.0  # the same where the reader gives the answer such odds (a logarithm)
MUCH_MORE, LITTLE_MORE = 0.4, 0.1  # of the weight of the question's words
CLEARLY_TOLD = 0.8  # that likely the hits hold an answer
LEAST_RIGHT = 0.1  # below: not found; of 32 such answers on six sets 5 were right, 8 were to what no document tells
SUPPORTED = 0.55  # from here on: supported; partly supported in between
WEAK_ODDS, WEAK_CLOSE = 5.5, 0.2  # in its passage (a probability of 0.41); in its sentence alone, the tenth part
YES_NO_SUPPORTED = 0.7  # of a word that was read
YES_NO_LIKELY = 0.78  # of 696 questions of people 92 in a hundred are right from here on, 66 below

_DEED = re.compile(r"^what (?:did|does|do|will|would|has|have) .*\b(?:do|done)\b", re.I)  # a sentence tells it
_BETWEEN = re.compile(r"^\W*(?:which|who|whose|what)\b.*\b(?:\w{2,}er|more|less|better|worse)\b.*[ ,]or\s", re.I)
_HOW_MANY_MORE = re.compile(r"\bhow (?:many|much) (more|fewer|less|higher|lower|longer|shorter|older|younger)\b", re.I)
_IN_ALL = re.compile(r"\b(?:altogether|all together|together|in all|in total|total|all in all|combined)\b", re.I)
_SEVERAL = re.compile(
    rf"^\W*(?:what|which|who|name)(?: are| were)?(?: the)? (?!one\b|1\b)(?:[2-9]|{NUMBER_WORDS})\b", re.I
)
_AND = re.compile(r",|[&+/]|\band\b", re.I)
_EXCEPTS = re.compile(r"\b(?:except|all but|apart from)\b", re.I)
_WHO = re.compile(r"^\W*who\b", re.I)
_WHY = re.compile(r"^\W*(?:why|how come)\b", re.I)
_CLAUSE = re.compile(r"(?<=\w)\W+(?:if|when|while|until|before|after|unless|without|that|who|whose)\b", re.I)
_EXPLAINS = re.compile(r"\w:\s(?=[a-z])")  # "The Britten is dropped: it divides the basses"
_MANNER = re.compile(r"^\W*how (?:did|does|do|was|were|is|are|has|have|had)\b", re.I)
# Also a word of a number that tells one kind from others: "a three-room flat", which "three rooms" may tell of.
_NUMBER = re.compile(rf"\d+(?:[.,]\d+)*|\b{NUMBER_WORDS}-(?!year|{NUMBER_WORDS})[a-z]{{3}}")
_NUMBER_APART = re.compile(rf"\b({NUMBER_WORDS})\s(?=[a-z]{{3}})", re.I)
_CODE_NAME = re.compile(r"\S*(?:\w[._/(]|\d)\S*")  # "self._queue", "1.15.1"
_LAST = re.compile(r"\b(of|from|for|with|about)\W*$", re.I)
_TELLS = re.compile(r"[.!?:;][\"'\u201d\u2019)*_]*$|\d|(?:\S+\s+){5}")  # else it is a heading: "Gas, electrics, safety"
_SAYS = re.compile(r"(?:\S+\s+){4}.*[.!?]$", re.S)  # else it is a heading, a name or a label
MANNER_WORDS = 3  # at least, that tell how something came about
MAX_LIKELIEST = 2  # sentences that a refusal offers
WORDS_BEFORE = 3  # between it and the answer stand articles


class ReadAnswer(msgspec.Struct, frozen=True):
    """A draft with the verdict on it, and the probability that it is right."""

    draft: Draft
    verdict: Verdict
    probability: float


async def answer_directly(question: str, extracted: Extract, hits: Sequence[Hit], read: Read) -> ReadAnswer:
    """Never without an answer: "not found" is one. Raises what `read` raises."""
    weights = shipped()
    direct = await read_directly(question, extracted, hits, read, weights)
    likely = confidence(direct, extracted, hits, weights)
    by_rule = direct.compared is not None or (direct.decided is not None and direct.decided.by_rule)
    is_read = not direct.asks_yes_or_no and any(one.found.odds > READ_ODDS for one in direct.chosen[:1])
    least = ANSWERABLE_IF_READ if is_read else ANSWERABLE
    doubted = likely.answerable < least or (likely.right < LEAST_RIGHT and not by_rule)
    elsewhere = _is_told_elsewhere(extracted, direct, hits, likely.answerable)
    doubted = doubted or (elsewhere and likely.right < SUPPORTED)
    doubted = doubted or _is_untold(question, direct, extracted)
    if doubted or not _says_anything(direct, extracted) or _is_of_unknown(question, direct, hits):
        near = refused(question, hits, _likeliest(direct) or _nearest(extracted)).draft
        return ReadAnswer(near, Verdict.NOT_SUPPORTED, likely.right)
    likely_right = (
        likely.right >= SUPPORTED
        and likely.answerable >= ANSWERABLE
        and _bears_on(question, direct)
        and _has_numbers_of(question, direct)
        and _has_names_of(extracted, direct)
        and not elsewhere
        and not _is_taken_back(question, direct)
        and not _is_weakly_read(direct)
        and _is_way_told(question, direct)
    )
    draft = compose(direct, extracted, hits, sure=likely_right)
    if _DEED.search(question) or not (_is_told(direct) and _is_in_place(question, direct)):
        draft = msgspec.structs.replace(draft, short="")
    if (
        _tells_of_another(question, direct, extracted)
        or _is_of_others(question, direct, draft)
        or not _is_form_asked_for(question, draft)
        or _is_one_of_several(question, direct, draft)
    ):
        return ReadAnswer(msgspec.structs.replace(draft, short=""), Verdict.PARTIALLY_SUPPORTED, likely.right)
    sure = (
        likely_right
        and _is_in_place(question, direct)
        and _is_of_the_kind(question, direct, draft, extracted, likely.right)
    )
    return ReadAnswer(draft, Verdict.SUPPORTED if sure else Verdict.PARTIALLY_SUPPORTED, likely.right)


def _is_of_unknown(question: str, direct: Direct, hits: Sequence[Hit]) -> bool:
    """Whether the document that was read has nowhere in the hits what the question names by its exact writing."""
    identifiers = identifiers_in(question)
    read = {hit.chunk.document_id for hit in _hits_read(direct)}
    return not holds_each(identifiers, [hit for hit in hits if not read or hit.chunk.document_id in read])


def _is_untold(question: str, direct: Direct, extracted: Extract) -> bool:
    """Whether the likeliest words cannot be what is asked for; a date, a place or a person is no amount."""
    best = direct.span.found if direct.span else None
    if best is None or extracted.asked.wants in ("date", "place"):
        return False
    chunk, sentence = best.hit.chunk, best.sentence
    if sentence is None or language_of(chunk.text) not in ("", ENGLISH):  # "kostet 1400" has no English word of money
        return False
    return is_untold(question, best.text, sentence.of(chunk.text), f"{chunk.heading} {chunk.text[: sentence.start]}")


def _likeliest(direct: Direct) -> list[tuple[Hit, str]]:
    """The sentences of the likeliest spans, where the hits clearly say of which document the question is."""
    there = [one for one in direct.chosen if direct.focus[one.found.hit.chunk.document_id] >= CLEAR]
    said = [(one.found.hit, one.found.sentence.of(one.found.hit.chunk.text)) for one in there if one.found.sentence]
    return list(dict.fromkeys(said))[:MAX_LIKELIEST]


def _nearest(extracted: Extract) -> list[tuple[Hit, str]]:
    """The best sentence, where its sense is near the question's."""
    return [(one.hit, one.text) for one in extracted.ranked[:1] if one.cosine >= RELATED]


def _is_of_others(question: str, direct: Direct, draft: Draft) -> bool:
    """Whether the answer is of what is *not* asked: of those who did, or a third thing where two are compared."""
    if direct.compared or direct.asks_yes_or_no:
        return False
    said = " ".join(citation.quote for citation in draft.citations)
    main = _CLAUSE.split(question)[0]  # what "if nobody replies" is no other thing
    others = not _WHY.search(question) and denies(main) and not (denies(said) or _EXCEPTS.search(said))
    return others or _BETWEEN.search(question) is not None


def _tells_of_another(question: str, direct: Direct, extracted: Extract) -> bool:
    """Whether it is who acts on what is asked about, or is said of the opposite: those saved for those who died."""
    best = direct.span.found if direct.span else None
    if best is not None and acts_on_what_is_asked(question, best):
        return True
    if extracted.asked.wants not in ("date", "number", "place") or best is None or best.sentence is None:
        return False
    told = set(content_words(best.sentence.of(best.hit.chunk.text)))
    return any(agrees(word, told) is False for word in content_words(question))


def _is_form_asked_for(question: str, draft: Draft) -> bool:
    """Not one number for "how many more", unless its sentence says "more"; nor a word for how something came about.

    Nor a date or a bare name for why.
    """
    said = " ".join(citation.quote for citation in draft.citations[:1])
    more = _HOW_MANY_MORE.search(question)
    if more and not re.search(rf"\b{more[1]}\b", said, re.I):
        return False
    if _WHY.search(question) and draft.short and _names_only(draft.short, said):
        return False
    return not (_MANNER.search(question) and 0 < len(draft.short.split()) < MANNER_WORDS)


def _names_only(short: str, said: str) -> bool:
    """Whether it is nothing but names, dates and numbers; what a sentence begins with only looks like a name."""
    if _CODE_NAME.fullmatch(short):
        return True
    rest = ANY_DAY.sub(" ", short)
    for name in () if said.startswith(short) else reversed(names_in(rest)):
        rest = f"{rest[: name.start]} {rest[name.end :]}"
    return not any(not word.isdigit() for word in content_words(rest))


def _is_one_of_several(question: str, direct: Direct, draft: Draft) -> bool:
    """Whether it is one of the numbers that "altogether" asks the sum of, or of the "three things" that are asked."""
    if direct.compared is not None or direct.asks_yes_or_no:
        return False
    said = " ".join(citation.quote for citation in draft.citations[:1])
    summed = _IN_ALL.search(question) and not _IN_ALL.search(said) and len(COUNTED.findall(said)) > 1
    return bool(summed or (_SEVERAL.search(question) and draft.short and not _AND.search(draft.short)))


def _says_anything(direct: Direct, extracted: Extract) -> bool:
    return bool(direct.compared or direct.chosen or extracted.chosen)


def _is_told(direct: Direct) -> bool:
    """Whether the answer is told in a few words: not from a sentence that lacks the question's "next"."""
    return direct.span is None or bool(direct.span.signals["which"])


def _bears_on(question: str, direct: Direct) -> bool:
    """Whether the sentence of the short answer is no heading, and has the question's "next".

    A reason is of what the question says, not only of whom it names: "Why was Irma Vogt dismissed?"
    """
    if direct.decided is not None and not direct.decided.by_rule:
        return _TELLS.search(direct.decided.sentence.text.strip()) is not None
    best = direct.span
    if best is None:
        return True
    said = best.found.sentence.of(best.found.hit.chunk.text) if best.found.sentence else ""
    gives_reason = tells_reason(question, said) or _EXPLAINS.search(said)
    of_it = bool(best.signals["predicate"]) or not _WHY.search(question) or gives_reason
    return bool(of_it and best.signals["which"]) and not _is_heading(best.found)


def _is_weakly_read(direct: Direct) -> bool:
    """Whether the reader is sure of it neither in its passage nor in its sentence alone: only words speak for it."""
    best = direct.span
    return best is not None and best.found.odds < WEAK_ODDS and best.signals.get("close", 0.0) < WEAK_CLOSE


def _is_way_told(question: str, direct: Direct) -> bool:
    """Whether the sentence or its document's names have all words of how to do something: it may do another thing."""
    best = direct.span.found if direct.span and kind_of(question) is Kind.PROCEDURE else None
    if best is None or best.sentence is None:
        return True
    return {*content_words(question)} <= {*content_words(best.sentence.of(best.hit.chunk.text))} | words_of_name(
        best.hit.chunk
    )


def _is_heading(found: Found) -> bool:
    """Whether its sentence is but the title or a heading of its passage, which names things and tells nothing."""
    chunk, sentence = found.hit.chunk, found.sentence
    said = sentence.of(chunk.text).strip("# ") if sentence else ""
    return bool(said) and (said == chunk.title or chunk.heading.endswith(said))


def _has_numbers_of(question: str, direct: Direct) -> bool:
    """Whether the passages that were read have every number of the question, and the sentence no other year."""
    if direct.span is None:
        return True
    best = direct.span.found
    asked = _numbers(question)
    if not asked <= _numbers(_NUMBER_APART.sub(r"\1-", _text_of(_hits_read(direct)))):
        return False
    said = _numbers(best.sentence.of(best.hit.chunk.text)) if best.sentence else set()
    wanted, told = (set(filter(YEAR.fullmatch, numbers)) for numbers in (asked, said))
    return not (wanted and told) or bool(wanted & told)


def _has_names_of(extracted: Extract, direct: Direct) -> bool:
    """Whether the passages that were read, with those that led there, have a word of each name of the question."""
    told = set(content_words(_text_of(_hits_read(direct))))
    named = [set(content_words(name)) for name in extracted.names]
    return not told or all(words & told for words in named if words)


def _is_told_elsewhere(extracted: Extract, direct: Direct, hits: Sequence[Hit], answerable: float) -> bool:
    """Whether another sentence has more of the question than the passage up to the answer: it is of another thing.

    Much more; or a little where the hits have each of its words, so that it is asked in theirs, and not clearly told.
    What must be known first, of a nested question, another document tells.
    """
    if direct.span is None:
        return False
    asked, best = extracted.asked, direct.span.found
    chunk, sentence = best.hit.chunk, best.sentence
    read = f"{chunk.title} {chunk.heading} {chunk.text[: sentence.end if sentence else None]}"
    told = asked.words_in(f"{read} {_text_of([step.hit for step in best.steps])}")
    others = [one for one in extracted.ranked if not direct.nested or one.hit.chunk.document_id == chunk.document_id]
    most = max((asked.coverage(one.covered) for one in others if _SAYS.match(one.text)), default=0.0)
    more = most - asked.coverage(told)
    if more >= MUCH_MORE:
        return True
    doubtful = more >= LITTLE_MORE and answerable < CLEARLY_TOLD
    return doubtful and asked.weights.keys() <= asked.words_in(_text_of(hits))


def _is_taken_back(question: str, direct: Direct) -> bool:
    """Whether the next sentence calls it off, corrects or excepts it, or another says that it is less for the asked."""
    if direct.compared or not (direct.decided or direct.chosen):
        return False
    if direct.decided:
        text, said = direct.decided.sentence.hit.chunk.text, direct.decided.sentence.span
        return is_called_off(text, said.end) or is_corrected(text, said)
    best = direct.chosen[0].found
    chunk, sentence = best.hit.chunk, best.sentence
    if sentence is None:
        return False
    others = [span.of(chunk.text) for span in chunk.sentences if span != sentence]
    reduced = is_reduced(question, best.text, sentence.of(chunk.text), others)
    others_hold = is_corrected(chunk.text, sentence) or is_excepted(question, chunk.text, sentence)
    return reduced or is_called_off(chunk.text, sentence.end) or others_hold


def _hits_read(direct: Direct) -> list[Hit]:
    """What the answer was read in: its passage and those of the steps to it. None where a rule gave it."""
    if direct.compared:
        return []
    if direct.decided:
        return [] if direct.decided.by_rule else [direct.decided.sentence.hit]
    return [one.hit for best in direct.chosen[:1] for one in (best.found, *best.found.steps)]


def _text_of(hits: Sequence[Hit]) -> str:
    """With titles and headings."""
    return " ".join(f"{hit.chunk.title} {hit.chunk.heading} {hit.chunk.text}" for hit in hits)


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text.lower()))


def _is_in_place(question: str, direct: Direct) -> bool:
    """What somebody died of stands behind an "of": a question's last preposition stands before its answer."""
    best = direct.span
    last = _LAST.search(question)
    if best is None or last is None or best.found.steps:
        return True
    before = best.found.hit.chunk.text[: best.found.start].lower().split()[-WORDS_BEFORE:]
    return last[1].lower() in (*before, *best.short.lower().split()[:1])


def _is_of_its_other_half(question: str, read: Decided, extracted: Extract) -> bool:
    """Whether the sentence may say that of something else that it tells of."""
    if read.short == "yes":
        return is_half_denied(question, read.sentence.text)
    named = {word for name in extracted.names for word in content_words(name)}
    return denies_of_another(named, read.sentence.text)


def _is_of_the_kind(question: str, direct: Direct, draft: Draft, extracted: Extract, right: float) -> bool:
    """A day for "when", a number for "how many", yes or no for what asks that, by a rule or likely `right`."""
    if asks_yes_or_no(question):
        read = direct.decided if direct.decided and not direct.decided.by_rule else None
        half = read is not None and _is_of_its_other_half(question, read, extracted)
        sure = read is None or (right >= YES_NO_SUPPORTED and read.likely >= YES_NO_LIKELY)
        unclear = direct.decided is not None and is_no_clear_word(question, direct.decided.sentence.text)
        return bool(draft.short) and not (half or unclear) and sure
    first = " ".join(citation.quote for citation in draft.citations[:1])
    if direct.compared is None and is_doubtful(question, draft.short, first):
        return False
    if not draft.short and extracted.asked.wants == "name":
        told = not direct.chosen or bool(direct.chosen[0].signals["predicate"])
        return told and may_be_named(extracted.asked, first)  # a sentence begins as a name does
    said = draft.short or " ".join(citation.quote for citation in draft.citations)
    wants = extracted.asked.wants
    if _WHO.match(question) and draft.short[:1].islower():  # "the landlord": by what they are
        return True
    return tells_time(said) if wants == "date" else fits_wanted(wants, said) is not False

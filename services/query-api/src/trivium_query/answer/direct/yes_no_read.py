"""Yes or no by reading: the reader points at one of the two words before a sentence, where that decides."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence, Set

from trivium.domain.chunks import Span
from trivium.ports.inference import Passage, Reading
from trivium.text.sentences import split_sentences
from trivium_query.answer.answerers.blocks import is_heading
from trivium_query.answer.direct.hops import Read
from trivium_query.answer.direct.opposites import is_of_another_day, is_required
from trivium_query.answer.direct.polarity import denies, is_settled
from trivium_query.answer.direct.yes_no import Decided
from trivium_query.answer.direct.yes_no_weighed import ReadSentence, best_odds, lead_of, weigh
from trivium_query.answer.evidence import Candidate, asks
from trivium_query.answer.extractive import Extract
from trivium_query.words import content_words, is_function_word

WORDS = "yes no\n\n"  # before the text, as BoolQ's readers have them; `bench/reader_written.py` teaches it so
MAX_READ = 16  # sentences
MAX_TELLING = 6  # of them, those that tell most of what is asked, names apart: "She never married"
# Of 226 questions of thirteen sets (bench/everyday, unseen to unseen12) 158 are right and 61 wrong by this, 144 and 58
# by -4, 163 and 63 without a bound. How likely the word is right, `confidence` tells.
MIN_ODDS = -8.0  # of the word against "this sentence does not tell"; a logarithm
TELLING_ODDS = -0.5  # of a sentence that tells it by itself
MAX_AGAIN = 3  # sentences, those with the highest odds, which are read again
AROUND = (1, 2)  # sentences on either side of it, each time
YES, NO = (0, 3), (4, 6)  # characters
_COMMAND = re.compile(r"(?:[$>] )?(?:\./)?[a-z][\w.-]*(?: \S+)*? (?:--[a-z]\S+|-[A-Za-z])(?: \S+)*[^\s.?!,;:]")


def worth_reading(extracted: Extract) -> list[Candidate]:
    """The sentences that bear most on the question, and those with most of its words besides names.

    No questions, which tell nothing, no commands, and no lines that are but a name of it.
    """
    named = {word for name in extracted.names for word in content_words(name)}
    asked = extracted.asked
    idle = (asks(one.text) or _is_command(one.text) or _is_only_named(one, named) for one in extracted.ranked)
    ranked = [one for one, tells_nothing in zip(extracted.ranked, idle, strict=True) if not tells_nothing]
    telling = sorted(range(len(ranked)), key=lambda at: -asked.coverage(ranked[at].covered - named))[:MAX_TELLING]
    others = [at for at in range(len(ranked)) if at not in telling]
    return [ranked[at] for at in [*telling, *others][:MAX_READ]]


def _is_command(text: str) -> bool:
    """Not "use --fast to unpack old files", whose small words are a sentence's."""
    return _COMMAND.fullmatch(text) is not None and not any(map(is_function_word, text.split()))


def _is_only_named(one: Candidate, named: Set[str]) -> bool:
    """Whether it is a heading of what is asked about: "Heron 6.0"."""
    said = {word for word in one.words if not word[0].isdigit()}
    return bool(said) and said <= named and is_heading(one.text)


async def read_yes_or_no(
    question: str, sentences: Sequence[Candidate], read: Read, weights: Mapping[str, float]
) -> Decided | None:
    """None where no sentence tells. Raises what `read` raises."""
    if not sentences:
        return None
    found = await _read_each(question, sentences, passages_of(sentences), read)
    if max(map(best_odds, found)) < MIN_ODDS:
        return None
    again = sorted(found, key=best_odds, reverse=True)[:MAX_AGAIN]
    likeliest = [one.sentence for one in again]
    around = [passage for near in AROUND for passage in passages_of(likeliest, before=near, after=near)]
    reread = await _read_each(question, likeliest * len(AROUND), around, read)
    leads = [lead_of(reread[start : start + len(again)]) for start in range(0, len(reread), len(again))]
    word, place, likely = weigh(question, found, weights, leads)
    odds = [one.odds(word) for one in found]
    best, other = max(odds), max(one.odds("no" if word == "yes" else "yes") for one in found)
    if best < MIN_ODDS:
        return None
    deciding = _deciding(sentences, odds, place)
    if _rules_out(question, deciding.text):
        word = "no"
    return Decided(word, deciding, by_rule=False, odds=best, ahead=best - other, likely=likely)


async def _read_each(
    question: str, sentences: Sequence[Candidate], passages: Sequence[Passage], read: Read
) -> list[ReadSentence]:
    return [with_odds(*each) for each in zip(sentences, await read(question, passages), strict=True)]


def _rules_out(question: str, said: str) -> bool:
    """Whether it demands what the question does without, or is of other days, and denies nothing."""
    if denies(said):  # "you need none" demands nothing
        return False
    return is_required(question, said) or (is_of_another_day(question, said) and is_settled(said))


def _deciding(sentences: Sequence[Candidate], odds: Sequence[float], best: int) -> Candidate:
    """The likeliest, or the one before it, which was read with it, where that says so by itself and as much of it."""
    chunk, span = sentences[best].hit.chunk, sentences[best].span
    end = len(chunk.text[: span.start].rstrip())
    before = [
        at
        for at, one in enumerate(sentences)
        if (one.hit.chunk.id, one.span.end) == (chunk.id, end) and len(one.covered) >= len(sentences[best].covered)
    ]
    return sentences[next((at for at in before if odds[at] > TELLING_ODDS), best)]


def passages_of(sentences: Sequence[Candidate], *, before: int = 1, after: int = 0) -> list[Passage]:
    """What the reader is given of each."""
    return [
        passage_of(chunk.text, chunk.sentences or split_sentences(chunk.text), one.span, chunk.title, before, after)
        for one in sentences
        for chunk in (one.hit.chunk,)
    ]


def with_odds(sentence: Candidate, reading: Reading) -> ReadSentence:
    """The sentence as it was read."""
    return ReadSentence(sentence, _odds(reading, YES), _odds(reading, NO))


def passage_of(
    text: str, sentences: Sequence[Span], sentence: Span, title: str, before: int = 1, after: int = 0
) -> Passage:
    """The words to choose from, and the sentence with so many around it: the one before often names its "it"."""
    starts = sorted((span.start for span in sentences if span.end <= sentence.start), reverse=True)[:before]
    ends = sorted(span.end for span in sentences if span.start >= sentence.end)[:after]
    return Passage(WORDS + text[min([*starts, sentence.start]) : max([*ends, sentence.end])], title)


def _odds(reading: Reading, place: tuple[int, int]) -> float:
    """Of the word at `place` against none; a logarithm."""
    found = (span.score - reading.no_answer for span in reading.spans if (span.start, span.end) == place)
    return next(found, -math.inf)

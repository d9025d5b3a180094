"""Yes or no by reading: the reader points at one of the two words before a sentence, where that decides."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trivium.domain.chunks import Span
from trivium.ports.inference import Passage, Reading
from trivium.text.sentences import split_sentences
from trivium_query.answer.direct.hops import Read
from trivium_query.answer.direct.opposites import is_required
from trivium_query.answer.direct.yes_no import Decided, denies, denies_another, denies_what_is_asked
from trivium_query.answer.evidence import Candidate
from trivium_query.answer.extractive import Extract
from trivium_query.words import content_words

WORDS = "yes no\n\n"  # before the text, as BoolQ's readers have them; `bench/reader_written.py` teaches it so
MAX_READ = 16  # sentences
MAX_TELLING = 6  # of them, those that tell most of what is asked, names apart: "She never married"
# Of 226 questions of thirteen sets (bench/everyday, unseen to unseen12) 158 are right and 61 wrong by this, 144 and 58
# by -4, 163 and 63 without a bound. How likely the word is right, `confidence` tells.
MIN_ODDS = -8.0  # of the word against "this sentence does not tell"; a logarithm
TELLING_ODDS = -0.5  # of a sentence that tells it by itself
YES, NO = (0, 3), (4, 6)  # characters


def worth_reading(extracted: Extract) -> list[Candidate]:
    """The sentences that bear most on the question, and those with most of its words besides names."""
    named = {word for name in extracted.names for word in content_words(name)}
    asked = extracted.asked
    ranked = extracted.ranked
    telling = sorted(range(len(ranked)), key=lambda at: -asked.coverage(ranked[at].covered - named))[:MAX_TELLING]
    others = [at for at in range(len(ranked)) if at not in telling]
    return [ranked[at] for at in [*telling, *others][:MAX_READ]]


async def read_yes_or_no(question: str, sentences: Sequence[Candidate], read: Read) -> Decided | None:
    """None where no sentence tells, or they tell different things. Raises what `read` raises."""
    if not sentences:
        return None
    readings = await read(question, list(map(_passage, sentences)))
    odds = {word: [_odds(one, place) for one in readings] for word, place in (("yes", YES), ("no", NO))}
    other, word = sorted(odds, key=lambda each: max(odds[each]))
    best = max(odds[word])
    ahead = best - max(odds[other])
    if best < MIN_ODDS or not ahead:
        return None
    deciding = _deciding(sentences, odds[word])
    if is_required(question, deciding.text) and not denies(deciding.text):  # "you need none" demands nothing
        return Decided("no", deciding, by_rule=False, odds=best, ahead=ahead)
    if word == "no" and denies_another(question, deciding.text):
        word = "yes"
    elif word == "yes" and not denies(question) and denies_what_is_asked(question, deciding.text):
        word = "no"
    return Decided(word, deciding, by_rule=False, odds=best, ahead=ahead)


def _deciding(sentences: Sequence[Candidate], odds: Sequence[float]) -> Candidate:
    """The likeliest, or the one before it, which was read with it, where that says so by itself."""
    best = max(range(len(odds)), key=odds.__getitem__)
    chunk, span = sentences[best].hit.chunk, sentences[best].span
    end = len(chunk.text[: span.start].rstrip())
    before = [at for at, one in enumerate(sentences) if one.hit.chunk.id == chunk.id and one.span.end == end]
    return sentences[next((at for at in before if odds[at] > TELLING_ODDS), best)]


def passage_of(text: str, sentences: Sequence[Span], sentence: Span, title: str) -> Passage:
    """The words to choose from, and the sentence after the one before it, which often has the name for its "it"."""
    before = max((span.start for span in sentences if span.end <= sentence.start), default=sentence.start)
    return Passage(WORDS + text[before : sentence.end], title)


def _passage(one: Candidate) -> Passage:
    chunk = one.hit.chunk
    return passage_of(chunk.text, chunk.sentences or split_sentences(chunk.text), one.span, chunk.title)


def _odds(reading: Reading, place: tuple[int, int]) -> float:
    """Of the word at `place` against none."""
    found = (span.score - reading.no_answer for span in reading.spans if (span.start, span.end) == place)
    return next(found, -math.inf)

"""How well each sentence of the hits bears on the question: the features, and one score from them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter

import msgspec
import numpy as np

from trivium.domain.chunks import Span
from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import Hit
from trivium.ports.inference import Vector
from trivium.text.languages import ENGLISH
from trivium.text.names import names_in
from trivium.text.sentences import split_sentences
from trivium_query.answer.spoken import language_of_question
from trivium_query.words import content_words, fold

MAX_HITS = 12  # deeper hits hold more chance overlap than answers
MAX_SENTENCE_CHARS = 1_000
NAME_WEIGHT = 2.0  # a name or number of the question counts twice a common word
MIN_PART = 5  # letters of a part of a compound, stemmed; of 4, too much is answered that is not told
MIN_POOL = 10  # of fewer hits, a word that two share would seem common
MIN_ADDRESSES = 3  # of a list of references, and no more than so many characters for each
MAX_REFERENCE_CHARS = 400
HEADING_SHARE = 0.5  # a word found only in the chunk's heading counts half
# Weights of the score, tuned on a third of 2wiki_dev, hotpotqa_train100 and qasper_full10.
COSINE_WEIGHT = 1.0
COVERAGE_WEIGHT = 0.5
# The rows of one table are embedded in one pass and lie close together: there the words decide.
ROW_COSINE_WEIGHT = 0.5
ROW_COVERAGE_WEIGHT = 1.0
TYPE_WEIGHT = 0.2
RANK_WEIGHT = 0.25

_NUMBER = re.compile(r"\d")
_WEB_ADDRESS = re.compile(r"https?://|\bwww\.", re.I)
_ASKS_FOR_ADDRESSES = frozenset(content_words("address homepage http link online page site url web website"))
_IDLE = frozenset(content_words("new current currently actual actually exactly"))
_DATE = re.compile(
    r"\b(?:1\d{3}|20\d{2})\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b"
    r"|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b",
    re.I,
)
_PLACE = re.compile(r"\b(?:in|at|near|from|of|im|aus|bei|en|dans|à|a|de)\s+[^\W\d_a-zß-ÿ]")
_WANTED = (
    (
        "number",
        re.compile(
            r"\bhow (?:many|much|large|big|long|old|far|high|tall)\b"
            r"|\bwie ?viele?\b|\bcombien\b|\bcuant[oa]s?\b"
        ),
    ),
    (
        "date",
        re.compile(
            r"\bwhen\b|\b(?:what|which) (?:year|date|month|day|time)\b|\bhow (?:late|early)\b"
            r"|\bwann\b|\bquand\b|\bcuando\b"
        ),
    ),
    ("place", re.compile(r"\bwhere\b|\b(?:what|which) (?:country|city|place|town|state)\b|\bwo\b|\bdonde\b")),
    (
        "name",
        re.compile(
            r"\bwho(?:m|se)?\b|\bwhat(?: is| was|['\u2019]s) the (?:\w+ )?(?:sur)?name of\b"
            r"|\bwer\b|\bwen\b|\bqui\b|\bquien\b|\b(?:what|which) (?:person|company|team)\b"
        ),
    ),
    ("", re.compile(r"\b(?:what|which|how|why)\b")),  # of no kind that is known, where none of those above begins
)


class Candidate(msgspec.Struct, frozen=True):
    """One sentence of one hit. `covered` are the question's words it holds; `cosine` is with the question.

    `via` is the sentence of another hit that leads to it.
    """

    hit: Hit
    span: Span
    text: str
    words: frozenset[str]
    covered: frozenset[str]
    cosine: float
    score: float
    vector: Vector | None = None
    via: Candidate | None = None


class Asked(msgspec.Struct, frozen=True):
    """The question's words with their weights (they sum to 1), its names, the kind of answer it wants, its language.

    `compounds` are words of the passages that a word of the question begins or ends with, or that do with it.
    """

    weights: dict[str, float]
    names: tuple[str, ...]
    wants: str
    language: str = ""
    compounds: Mapping[str, frozenset[str]] = {}

    def words_in(self, text: str) -> frozenset[str]:
        """The stems of a text in the question's language, and the question's words that they are parts of."""
        found = content_words(text, self.language)
        return frozenset(found).union(*(self.compounds[word] for word in found if word in self.compounds))

    def coverage(self, words: frozenset[str]) -> float:
        """The weight of the question's words that are among `words`, 0 to 1."""
        return sum(weight for word, weight in self.weights.items() if word in words)


def analyse(question: str, hits: Sequence[Hit]) -> Asked:
    """Weigh the question's words: names and numbers more, words that most hits share less."""
    language = language_of_question(question)
    names = tuple(dict.fromkeys(span.key for span in names_in(question)))
    in_names = {word for name in names for word in content_words(name, language)}
    words = _words_of(question, language, hits)
    asked = Asked(words, names, "", language)
    pool = [asked.words_in(f"{hit.chunk.heading} {hit.chunk.text}") for hit in hits]
    if language not in ("", ENGLISH):
        asked = msgspec.structs.replace(asked, compounds=_compounds(words, frozenset[str]().union(*pool)))
        pool = [chunk.union(*(asked.compounds.get(word, ()) for word in chunk)) for chunk in pool]
    frequency = Counter(word for chunk in pool for word in chunk if word in words)
    raw = {
        word: (NAME_WEIGHT if word in in_names or _NUMBER.search(word) else 1.0)
        * math.log(1 + (max(len(pool), MIN_POOL) + 1) / (frequency[word] + 0.5))
        for word in words
    }
    total = sum(raw.values()) or 1.0
    folded = fold(question)
    asking = [(match.start(), kind) for kind, pattern in _WANTED if (match := pattern.search(folded))]
    wants = min(asking, key=itemgetter(0))[1] if asking else ""  # "Who decides when there is fog?" wants a name
    weights = {word: weight / total for word, weight in raw.items()}
    return msgspec.structs.replace(asked, weights=weights, wants=wants)


def _words_of(question: str, language: str, hits: Sequence[Hit]) -> dict[str, float]:
    """Without "new" and the like where no hit has them beside another word: whoever was elected is the new chair."""
    words = dict.fromkeys(content_words(question, language), 0.0)
    idle, others = words.keys() & _IDLE, words.keys() - _IDLE
    if not idle or not others:
        return words
    pool = [frozenset(content_words(f"{hit.chunk.heading} {hit.chunk.text}", language)) for hit in hits]
    told = frozenset[str]().union(*(held for held in pool if held & others))
    return {word: 0.0 for word in words if word not in idle or word in told}


def _compounds(asked: Iterable[str], told: Iterable[str]) -> dict[str, frozenset[str]]:
    """The Amazon's basin is "Amazonasbecken" in the question and "Amazonas" in the passage."""
    long = [word for word in asked if len(word) >= MIN_PART and not _NUMBER.search(word)]
    parts = ((word, frozenset(one for one in long if _is_part(one, word))) for word in told if len(word) >= MIN_PART)
    return {word: found for word, found in parts if found}


def _is_part(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return short != long and (long.startswith(short) or long.endswith(short))


def candidates(
    asked: Asked,
    hits: Sequence[Hit],
    question_vector: Vector | None,
    sentence_vectors: Mapping[str, Vector],
) -> list[Candidate]:
    """Every sentence of the best hits, best first. Without vectors the cosine is 0 for all of them.

    Vectors of another length than the question's are none: another model made them.
    """
    width = 0 if question_vector is None else len(question_vector)
    known = {chunk: rows for chunk, rows in sentence_vectors.items() if rows.shape[-1] == width}
    found: list[Candidate] = []
    for hit in hits[:MAX_HITS]:
        heading = asked.words_in(hit.chunk.heading) & asked.weights.keys()
        listed = is_reference_list(hit.chunk.text)
        before: Candidate | None = None
        for span, vector in _sentences(hit, known.get(hit.chunk.id)):
            cosine = (
                float(np.dot(question_vector, vector)) if question_vector is not None and vector is not None else 0.0
            )
            replied = before if before is not None and asks(before.text) else None
            before = _candidate(asked, hit, span, heading, cosine, vector, listed=listed, replied=replied)
            found.append(before)
    return sorted((one for one in found if one.words), key=lambda one: (-one.score, one.hit.rank, one.span.start))


def _sentences(hit: Hit, vectors: Vector | None) -> list[tuple[Span, Vector | None]]:
    """A chunk's sentences with their vectors, when there is one for each."""
    spans = hit.chunk.sentences or split_sentences(hit.chunk.text)
    spans = tuple(Span(span.start, min(span.end, span.start + MAX_SENTENCE_CHARS)) for span in spans)
    if vectors is None or len(vectors) != len(spans):
        return [(span, None) for span in spans]
    return list(zip(spans, vectors, strict=True))


def _candidate(
    asked: Asked,
    hit: Hit,
    span: Span,
    heading: frozenset[str],
    cosine: float,
    vector: Vector | None,
    *,
    listed: bool,
    replied: Candidate | None,
) -> Candidate:
    """`replied` is the sentence before, where that asks: a reply is about what was asked, though it does not say so."""
    text = span.of(hit.chunk.text)
    words = asked.words_in(text)
    if replied is not None:
        words, cosine = words | replied.words, max(cosine, replied.cosine)
    covered = words & asked.weights.keys()
    coverage = asked.coverage(covered) + HEADING_SHARE * asked.coverage(heading - covered)
    row = hit.chunk.kind is UnitKind.TABLE
    score = (
        (ROW_COSINE_WEIGHT if row else COSINE_WEIGHT) * cosine
        + (ROW_COVERAGE_WEIGHT if row else COVERAGE_WEIGHT) * coverage
        + TYPE_WEIGHT * _is_wanted(asked, text)
        + RANK_WEIGHT / hit.rank
    )
    return Candidate(
        hit, span, text, words, covered, cosine, score - _penalty(asked, text, words, hit, listed=listed), vector
    )


def _is_wanted(asked: Asked, text: str) -> bool:
    """Whether the sentence holds something of the kind that answers the question."""
    if asked.wants == "number":
        return _NUMBER.search(text) is not None
    if asked.wants == "date":
        return _DATE.search(text) is not None
    if asked.wants == "place":
        return _PLACE.search(text) is not None
    if asked.wants == "name":
        return any(span.key not in asked.names for span in names_in(text))
    return False


def may_be_named(asked: Asked, text: str) -> bool:
    """Whether a name stands in it that the question lacks; other languages begin sentences with words that look so."""
    english = asked.language in ("", ENGLISH)
    new = [span for span in names_in(text) if span.key not in asked.names]
    return any(english or span.start > 0 or " " in span.key for span in new)


def _penalty(asked: Asked, text: str, words: frozenset[str], hit: Hit, *, listed: bool) -> float:
    """Headings and fragments answer nothing, a source's own question repeats ours best of all.

    And a title in a list of references only sounds like an answer.
    """
    if hit.chunk.kind is UnitKind.TABLE:
        return 0.0
    fragment = 0.3 if len(words) < 3 else 0.0
    question = 0.4 if asks(text) else 0.0
    reference = 0.4 if (listed or has_address(text)) and not asked.weights.keys() & _ASKS_FOR_ADDRESSES else 0.0
    return fragment + question + reference


def asks(text: str) -> bool:
    """Whether the sentence is a question."""
    return text.rstrip(" \n*_").endswith(("?", "\uff1f"))


def has_address(text: str) -> bool:
    """Whether it names a web address."""
    return _WEB_ADDRESS.search(text) is not None


def is_reference_list(text: str) -> bool:
    """Whether a chunk is little but web addresses and what stands at them."""
    addresses = len(_WEB_ADDRESS.findall(text))
    return addresses >= MIN_ADDRESSES and len(text) <= addresses * MAX_REFERENCE_CHARS

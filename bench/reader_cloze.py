"""Questions made of a corpus's own sentences, to learn reading from before the real ones (Lewis et al. 2019).

A name, a date or a number of a sentence is the answer; the words around it, some of them dropped, are the question,
with the question word that fits it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from typing import Any

from reader_examples import Corpus, Example, Question

from trivium.ports.inference import Passage
from trivium.text.sentences import split_sentences

MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
KINDS = {
    "date": rf"(?:\d{{1,2}} )?(?:{MONTHS})(?: \d{{1,2}}(?!\d),?)?(?: \d{{4}})?",
    "year": r"(?<![\d,.])(?:1[0-9]|20)\d\d(?![\d,.]\d)",
    "number": r"(?<![\w.,])\d[\d,.]*(?: ?%| percent| million| billion| [a-z]+)?(?!\w)",
    "name": r"(?<![.!?] )(?<!^)[A-Z][\w'-]+(?: (?:of |the |de |van |von )?[A-Z][\w'.-]*\w)*",
    "phrase": r"(?<= the )(?:[a-z][a-z-]{3,} ){1,2}[a-z][a-z-]{3,}",
}
WORDS = {
    "date": ("When", "On what date"),
    "year": ("When", "In what year"),
    "number": ("How many", "What number", "How much"),
    "name": ("Who", "What", "Which"),
    "place": ("Where", "In which place"),
    "phrase": ("What", "What kind of thing"),
}
PLACE_BEFORE = re.compile(r"\b(?:in|at|from|near) (?:the )?$")
PRONOUN = re.compile(r"^(?:He|She|It|They|His|Her|Its|Their)\b")
AROUND = 12  # words of the sentence on either side of the answer
DROPPED = 0.2  # of the words
MIN_WORDS = 5


def clozes(corpus: Corpus, count: int, chance: random.Random) -> Iterator[Question]:
    """At most `count`, of passages at random; each with a passage that lacks the answer."""
    rows = list(corpus.rows.values())
    chance.shuffle(rows)
    made = 0
    while made < count and rows:
        for row in rows:
            if question := _cloze(corpus, row, chance):
                yield question
                made += 1
            if made >= count:
                return


def _cloze(corpus: Corpus, row: Mapping[str, Any], chance: random.Random) -> Question | None:
    text = row["text"]
    spans = list(split_sentences(text))
    if not spans:
        return None
    span = chance.choice(spans)
    sentence = text[span.start : span.end]
    kind = chance.choice(tuple(KINDS))
    found = list(re.finditer(KINDS[kind], sentence))
    if not found:
        return None
    match = chance.choice(found)
    question = _question(sentence, match, kind, row["title"], chance)
    if not question:
        return None
    start = span.start + match.start()
    near = corpus.nearest(row["title"], 3)
    right = corpus.example(question, row["id"], [(start, start + len(match[0]))], near, chance)
    return (right, _wrong(corpus, row, match[0], (span.start, span.end), question, chance))


def _question(sentence: str, match: re.Match[str], kind: str, title: str, chance: random.Random) -> str:
    before, after = sentence[: match.start()], sentence[match.end() :]
    if kind == "name" and PLACE_BEFORE.search(before):
        kind = "place"
    before = PRONOUN.sub(lambda _: title, before) if title else before
    left, right = before.split()[-AROUND:], after.rstrip(" .").split()[:AROUND]
    left, right = _thinned(left, chance), _thinned(right, chance)
    if len(left) + len(right) < MIN_WORDS:
        return ""
    word = chance.choice(WORDS[kind])
    if chance.random() < 0.3:
        return " ".join([*left, word.lower(), *right]) + "?"
    parts = [right, left] if chance.random() < 0.3 else [left, right]
    return " ".join([word, *parts[0], *parts[1]]) + "?"


def _thinned(words: list[str], chance: random.Random) -> list[str]:
    return [word.strip(",;()") for word in words if chance.random() > DROPPED]


def _wrong(
    corpus: Corpus, row: Mapping[str, Any], answer: str, sentence: tuple[int, int], question: str, chance: random.Random
) -> Example:
    """The same passage without the sentence, or another that shares words with the question."""
    text = row["text"]
    rest = (text[: sentence[0]] + text[sentence[1] :]).strip()
    if rest and answer not in rest and chance.random() < 0.5:
        return Example(question, Passage(rest, row["title"]))
    others = [name for name in corpus.nearest(question, 6) if answer not in corpus.rows[name]["text"]]
    if not others:
        return Example(question, Passage("", row["title"]))
    return corpus.example(question, chance.choice(others), [], [row["id"]], chance)

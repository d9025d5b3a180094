"""Context without a model: the most central sentences of the document.

Centrality is the cosine between a sentence and the document's centroid over TF-IDF, counted within the
document (Radev et al. 2004, MEAD), with a little weight for standing early. A sentence that stands at several places
(on every page, as a notice does) tells none of them apart and is left out.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

import msgspec

from trivium.domain.chunks import Chunk, Span
from trivium.domain.parsed import ParsedDocument, UnitKind
from trivium_ingest.chunk.layout import Layout

MIN_CHUNKS: Final = 4  # the sentences of a shorter document are close to every chunk anyway
# Of a report of hundreds of pages no two sentences place every chunk; they only make chunks alike. Over UDA's PDFs
# their absence raised the gold passages that come first from 54 to 62 % (bench/RESULTS.md).
MAX_CHUNKS: Final = 24
MAX_CONTEXT_CHARS: Final = 300  # about a quarter of a 256-token window: the text must stay inside
MAX_SENTENCES: Final = 2
_CANDIDATES: Final = 32  # enough that some stand outside any one chunk
_MIN_WORDS: Final = 6
_MAX_WORDS: Final = 40
_LEAD_WEIGHT: Final = 0.2  # of the first sentence, halved at the fifth

_WORD = re.compile(r"[^\W_]{2,}")
_PROSE = frozenset({UnitKind.TEXT, UnitKind.NOTE, UnitKind.LIST})


class _Sentence(msgspec.Struct, frozen=True):
    text: str
    span: Span  # of the document
    words: Counter[str]


def central_contexts(chunks: Sequence[Chunk], document: ParsedDocument) -> list[str]:
    """One context per chunk, at most 300 characters; "" for short and long documents and where nothing is central.

    A chunk's context never repeats a sentence of the chunk.
    """
    if not MIN_CHUNKS <= len(chunks) <= MAX_CHUNKS:
        return [""] * len(chunks)
    central = _central(_sentences(chunks, document))
    return [_context(chunk, central) for chunk in chunks]


def _sentences(chunks: Sequence[Chunk], document: ParsedDocument) -> list[_Sentence]:
    """Sentences of prose that are whole in a chunk and stand nowhere else, each once although chunks overlap."""
    whole = frozenset(Layout(document).sentences)
    found: dict[Span, _Sentence] = {}
    for chunk in chunks:
        for span in chunk.sentences if chunk.kind in _PROSE else ():
            place = Span(chunk.span.start + span.start, chunk.span.start + span.end)
            if place in found or place not in whole:
                continue
            text = " ".join(span.of(chunk.text).split())
            words = _WORD.findall(text.lower())
            if _MIN_WORDS <= len(words) <= _MAX_WORDS and len(text) <= MAX_CONTEXT_CHARS and text[-1] in ".!?…。":
                found[place] = _Sentence(text, place, Counter(words))
    times = Counter(sentence.text for sentence in found.values())
    return [sentence for sentence in found.values() if times[sentence.text] == 1]


def _central(sentences: Sequence[_Sentence]) -> list[_Sentence]:
    if not sentences:
        return []
    spread = Counter(word for sentence in sentences for word in sentence.words)
    weight = {word: math.log(1 + len(sentences) / count) for word, count in spread.items()}
    centroid: Counter[str] = Counter()
    for sentence in sentences:
        centroid.update(sentence.words)
    middle = {word: count * weight[word] for word, count in centroid.items() if spread[word] > 1}

    def score(place: int) -> float:
        words = sentences[place].words
        shared = sum(count * weight[word] * middle.get(word, 0.0) for word, count in words.items())
        length = math.sqrt(sum((count * weight[word]) ** 2 for word, count in words.items()))
        return shared / length * (1 + _LEAD_WEIGHT / (1 + place / 4))

    scores = [score(place) for place in range(len(sentences))]
    best = sorted(range(len(sentences)), key=lambda place: (-scores[place], place))[:_CANDIDATES]
    return [sentences[place] for place in best if scores[place] > 0]


def _context(chunk: Chunk, central: Sequence[_Sentence]) -> str:
    chosen: list[_Sentence] = []
    room = MAX_CONTEXT_CHARS
    told = " ".join(chunk.text.split())
    for sentence in central:
        apart = sentence.span.end <= chunk.span.start or chunk.span.end <= sentence.span.start
        if apart and len(sentence.text) <= room and sentence.text not in told:
            chosen.append(sentence)
            room -= len(sentence.text) + 1
        if len(chosen) == MAX_SENTENCES:
            break
    return " ".join(sentence.text for sentence in sorted(chosen, key=lambda sentence: sentence.span.start))

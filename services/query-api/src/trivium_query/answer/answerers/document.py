# ruff: noqa: SIM905  (word lists read best as words)
"""What one document is about, or its summary: title, first sentence, central sentences and headings, cited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from trivium.domain.answers import Kind, Verdict
from trivium.domain.chunks import Chunk
from trivium.domain.documents import Document
from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import Hit
from trivium.ports.inference import Vector
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.blocks import headings, is_heading
from trivium_query.answer.answerers.closest import cited
from trivium_query.answer.citations import Draft, Shelf
from trivium_query.words import content_words, fold, tokens

SENTENCES = {Kind.ABOUT: 3, Kind.SUMMARY: 5, Kind.THEMES: 5}
MAX_HEADINGS = 8
MIN_WORDS = 4  # content words of a sentence that informs
TOO_LIKE = 0.85  # cosine from which on a sentence says again what was said
_CUES = frozenset(
    content
    for word in """summary summarise summarize sum overview key main point points nutshell tldr tl dr brief short few
    sentence sentences topic topics subject theme cover covers deal deals describe describes content contents document
    documents file paper text worum wovon geht gehts handelt es um zusammenfassung zusammenfassen fasse fass zusammen
    kurz kurze uberblick gib mir datei dokument inhalt thema quoi parle traite agit resume resumer resumez moi fais
    peux-tu sujet fichier trata habla resumen resumir hazme dame puedes documento archivo tema bitte can what""".split()
    for content in (*content_words(word), word)
)


def named_in(question: str, documents: Sequence[Document]) -> Document | None:
    """The document that the question names, by its file's name or by all of its words; None unless it is one."""
    by_file = [each for each in documents if _file(each) in question.casefold()]
    if by_file:
        return max(by_file, key=lambda each: len(_file(each)))
    asked = {word for word in content_words(question) if word not in _CUES}
    if not asked:
        return documents[0] if len(documents) == 1 else None
    fitting = sorted(
        (len(words - asked), place) for place, words in enumerate(map(_words, documents)) if asked <= words
    )
    tied = any(one[0] == other[0] for one, other in list(pairwise(fitting))[:1])
    return None if tied or not fitting else documents[fitting[0][1]]


def answer_of_document(kind: Kind, chunks: Sequence[Chunk], vectors: Mapping[str, Vector]) -> Answered | None:
    """Its sentences that inform, the first and the most central ones, in their order; None without any."""
    hits = tuple(Hit(chunk, rank, 0.0) for rank, chunk in enumerate(chunks, start=1))
    chosen = _central(hits, vectors, SENTENCES[kind])
    if not chosen:
        return None
    lines, citations = cited(chosen, hits)
    marker = Shelf(hits).marker(hits[0])
    title, sections = chunks[0].title, headings(chunks)[:MAX_HEADINGS]
    lead = [f"{title} {marker}"] if title else []
    contents = [f"Sections: {'; '.join(sections)} {marker}"] if sections else []
    draft = Draft("\n".join([*lead, *lines, *contents]), True, citations, short=title)
    return Answered(draft, Verdict.SUPPORTED, hits)


def _central(hits: Sequence[Hit], vectors: Mapping[str, Vector], count: int) -> list[tuple[Hit, str]]:
    """The first sentence that informs, and those nearest the centroid of all (Radev et al. 2004), none said twice."""
    told = [(hit, number) for hit in hits for number in _informing(hit)]
    known = [(hit, number) for hit, number in told if number < len(vectors.get(hit.chunk.id, ()))]
    if len(known) < len(told) or not told:
        return [(hit, hit.chunk.sentence(number)) for hit, number in told[:count]]
    rows = np.stack([vectors[hit.chunk.id][number] for hit, number in told])
    order = [0, *(int(place) for place in np.argsort(-(rows @ rows.mean(axis=0)), kind="stable"))]
    chosen: list[int] = []
    for place in order:
        if len(chosen) < count and all(float(rows[place] @ rows[other]) < TOO_LIKE for other in chosen):
            chosen.append(place)
    return [(told[place][0], told[place][0].chunk.sentence(told[place][1])) for place in sorted(chosen)]


def _informing(hit: Hit) -> list[int]:
    """The sentences that say something by themselves: no heading, no row, no fragment, no question."""
    if hit.chunk.kind in (UnitKind.TABLE, UnitKind.CODE, UnitKind.HEADING):
        return []
    texts = [span.of(hit.chunk.text) for span in hit.chunk.sentences]
    return [
        number
        for number, text in enumerate(texts)
        if len(content_words(text)) >= MIN_WORDS and not is_heading(text) and not text.rstrip().endswith("?")
    ]


def _file(document: Document) -> str:
    """The bare name of its file, folded in case."""
    return document.source.casefold().replace("\\", "/").rsplit("/", 1)[-1].rsplit(" > ", 1)[-1]


def _words(document: Document) -> frozenset[str]:
    """Of its file's name and its title."""
    return frozenset(content_words(f"{' '.join(tokens(fold(_file(document))))} {document.title}"))

# ruff: noqa: SIM905  (word lists read best as words)
"""Passages for a question about a whole collection: the central ones of its topics, as many of each as it weighs.

A question that asks for themes at large weighs topics by their size, any other by how near their central passages
are to it and how many of its words they are told by. Places go to topics by D'Hondt's method (1878): the n-th passage
of a topic counts an n-th of its weight. So the best topics come first and none crowds out the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from trivium.domain.retrieval import RowFilter, Scored
from trivium.domain.topics import Topic, Topics
from trivium.ports.vectors import Vector
from trivium_query.words import content_words

MAX_RANKED = 200  # topics whose passages are compared with the question
LOOKED_AT = 4  # central passages of each
WORDS_COUNT = 0.5  # beside a cosine: that every content word of the question is one of the topic's
FEW = 8  # topics of a level that are too few to choose from: the next level is taken, if there is one
_ANY = frozenset(
    content
    for word in """about all archive article articles central chief collection collections common content contents
    corpus cover covered covers data dataset deal deals describe discuss discussed document documents file files general
    important issue issues key library main major material mostly note notes overall overview paper papers principal
    question questions report reports say source sources subject subjects sum summarise summarize summary talk text
    texts theme themes topic topics treat treated
    thema themen hauptthemen schwerpunkte sammlung archiv dokumente dateien texte handeln handelt geht worum wovon
    wichtigsten uberblick zusammenfassung fasse zusammen unterlagen quellen
    themes sujets principaux principales grands collection fichiers textes parlent parle traitent traite quoi resume
    temas tema principales coleccion documentos archivos textos tratan trata hablan habla resumen resume""".split()
    for content in (*content_words(word), word)
)


STALE_NOTE = "Documents came since these topics were made; new ones are being made."
"""What whoever is told of stale topics hears beside them."""


class RankedTopics(msgspec.Struct, frozen=True):
    """Passages best first, and the topic of each."""

    rows: list[Scored]
    topic_of: dict[str, Topic]
    stale: bool = False


def has_topics(where: RowFilter) -> bool:
    """Whether what is searched has topics of its own: everything has, and each dataset."""
    return where == RowFilter(dataset=where.dataset)


def is_at_large(question: str) -> bool:
    """Whether it asks for themes whatever they are, and none of its words says of what."""
    return all(word in _ANY for word in content_words(question))


def candidates(topics: Topics, question: str) -> list[Topic]:
    """The topics to choose from: the largest that cover everything, and for a question of something the finer too."""
    coarse = topics.at(0)
    finer = topics.at(1) if topics.levels > 1 else coarse
    if is_at_large(question):
        return list((coarse if len(coarse) >= FEW else finer)[:MAX_RANKED])
    asked = set(content_words(question))
    return sorted(finer, key=lambda topic: (-len(asked & words_of(topic)), -topic.passages, topic.id))[:MAX_RANKED]


def ranked(question: str, chosen: Sequence[Topic], similarity: Mapping[str, float], top_k: int) -> RankedTopics:
    """At most `top_k` passages. `similarity` has the cosine with the question of each passage that is looked at."""
    asked = set(content_words(question))
    at_large = is_at_large(question)
    scored: list[tuple[Scored, Topic]] = []
    for topic in chosen:
        known = topic.central
        weight = float(topic.passages)
        if not at_large:
            known = tuple(sorted(topic.central[:LOOKED_AT], key=lambda one: (-similarity.get(one, 0.0), one)))
            near = max((similarity.get(one, 0.0) for one in known), default=0.0)
            weight = near + WORDS_COUNT * len(asked & words_of(topic)) / max(len(asked), 1)
        scored += [(Scored(one, weight / place), topic) for place, one in enumerate(known, start=1)]
    scored.sort(key=lambda pair: (-round(pair[0].score, 9), pair[1].id))
    best: dict[str, tuple[Scored, Topic]] = {}
    for row, topic in scored:
        best.setdefault(row.chunk_id, (row, topic))
    kept = list(best.values())[: max(top_k, 1) * 2]  # some may be gone since
    return RankedTopics([row for row, _ in kept], {row.chunk_id: topic for row, topic in kept})


def similarities(vector: Vector, passages: Mapping[str, Vector]) -> dict[str, float]:
    """The cosine of the question's vector with each passage's that is as long; both are unit vectors."""
    return {key: float(np.dot(row, vector)) for key, row in passages.items() if len(row) == len(vector)}


def words_of(topic: Topic) -> set[str]:
    """The content words that it is told by."""
    told = [topic.name, *topic.terms, *(member.name for member in topic.members)]
    return {word for text in told for word in content_words(text)}

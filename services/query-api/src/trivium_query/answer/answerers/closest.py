"""A refusal that offers the passages nearest to the question as such, never as an answer."""

from __future__ import annotations

from collections.abc import Sequence

from trivium.domain.answers import Citation, Verdict
from trivium.domain.retrieval import Hit
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.citations import Draft, Shelf
from trivium_query.answer.extractive import NOT_FOUND
from trivium_query.words import content_words

MAX_OFFERED = 3
MIN_SHARE = 0.5  # of the question's content words that a passage must hold to be near it


def refused(question: str, hits: Sequence[Hit], read: Sequence[tuple[Hit, str]] = ()) -> Answered:
    """That it was not found, and the sentence nearest to the question of each passage near it; before them `read`."""
    near = [*dict.fromkeys([*read, *nearest(question, hits)])][:MAX_OFFERED]
    if not near:
        return Answered(Draft(NOT_FOUND, found=False), Verdict.NOT_SUPPORTED)
    lines, citations = cited(near, hits)
    text = "\n".join([f"{NOT_FOUND} The closest passages:", *lines])
    return Answered(Draft(text, found=False, citations=citations), Verdict.NOT_SUPPORTED)


def nearest(question: str, hits: Sequence[Hit]) -> list[tuple[Hit, str]]:
    """The sentence that shares the most words with the question, of each of the best passages that share enough."""
    asked = set(content_words(question))
    found = [(hit, _sentence(asked, hit)) for hit in hits if asked and _share(asked, hit) >= MIN_SHARE]
    return [(hit, sentence) for hit, sentence in found if sentence][:MAX_OFFERED]


def cited(sentences: Sequence[tuple[Hit, str]], hits: Sequence[Hit]) -> tuple[list[str], tuple[Citation, ...]]:
    """A line for each sentence with its marker, and the citations."""
    shelf = Shelf([*hits, *(hit for hit, _ in sentences if hit not in hits)])
    lines = [f"{' '.join(sentence.split())} {shelf.marker(hit)}" for hit, sentence in sentences]
    return lines, tuple(shelf.cite(hit, sentence) for hit, sentence in sentences)


def _share(asked: set[str], hit: Hit) -> float:
    return len(asked & set(content_words(f"{hit.chunk.heading} {hit.chunk.text}"))) / len(asked)


def _sentence(asked: set[str], hit: Hit) -> str:
    sentences = [span.of(hit.chunk.text) for span in hit.chunk.sentences]
    return max(sentences, key=lambda sentence: len(asked & set(content_words(sentence))), default="")

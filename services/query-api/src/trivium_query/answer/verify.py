"""CRAG's judge (CORTEX C8): is every claim of the answer borne out by the source it cites?"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from typing import Annotated

import msgspec
import numpy as np

from trivium.domain.answers import Verdict
from trivium.domain.retrieval import Hit
from trivium.llm.prompt_files import prompt_named
from trivium.ports.inference import Vector
from trivium.ports.llm import Completion, Llm, Message
from trivium.text.names import fold_name, names_in
from trivium.text.sentences import split_sentences
from trivium_query.answer.citations import MARKER, Draft, Shelf
from trivium_query.answer.fence import fenced, source_of
from trivium_query.words import content_words

MIN_SUB_QUESTIONS = 2
MAX_SUB_QUESTIONS = 4
MIN_OVERLAP = 0.6  # of a claim's content words, in the source it cites
SURE_COSINE = 0.75  # a claim that one sentence of its source says in other words
MIN_NAMES = 0.5  # of the claim's names, in the source or its heading
_MIN_CLAIM_WORDS = 2  # less is a lead-in ("In short:"), not a claim, where the answer says more
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WRITTEN = re.compile(r"[^\W_]+")
_MARKERS = re.compile(rf"(?<!\s)(?:\s*{MARKER.pattern})+")
_JOINTS = re.compile(r"\s*(?:[;?]|,?\s+(?:and|while|whereas|but|und|et|y)\s+)\s*", re.I)
PROMPT = prompt_named("verify")


class Claim(msgspec.Struct, frozen=True):
    """One sentence of an answer and the hits it cites."""

    text: str
    hits: tuple[Hit, ...]


class Judgement(msgspec.Struct, frozen=True):
    """The verdict of a language model."""

    verdict: Verdict
    sub_questions: Annotated[
        list[str],
        msgspec.Meta(description=f"{MIN_SUB_QUESTIONS} to {MAX_SUB_QUESTIONS}; empty unless PARTIALLY_SUPPORTED."),
    ]

    def asked(self) -> tuple[str, ...]:
        """The first `MAX_SUB_QUESTIONS`: one too many voids no judgement."""
        return tuple(question for question in self.sub_questions if question.strip())[:MAX_SUB_QUESTIONS]


def claims_of(draft: Draft, hits: Sequence[Hit], among: Sequence[Hit] | None = None) -> list[Claim]:
    """The answer's claims. A citation covers the sentences since the one before it, in its paragraph.

    A word alone ("Paris [1].") is a claim where a citation covers nothing else, and the answer says no more than that.
    `among` as in `Shelf`.
    """
    covered = _covered(draft, Shelf(hits, among))
    said = [one for part in covered for one in part if len(content_words(one.text)) >= _MIN_CLAIM_WORDS]
    return said or [part[0] for part in covered if len(part) == 1 and part[0].hits]


def _covered(draft: Draft, shelf: Shelf) -> list[list[Claim]]:
    """The sentences that say something, together where one citation covers them, or none does."""
    by_marker = {shelf.marker(hit): hit for hit in shelf.hits}
    found: list[list[Claim]] = []
    for paragraph in draft.text.splitlines():
        start = 0
        for cluster in _MARKERS.finditer(paragraph):
            cited = tuple(by_marker[mark] for mark in MARKER.findall(cluster.group()) if mark in by_marker)
            found.append(_sentences(paragraph[start : cluster.start()], cited))
            start = cluster.end()
        found.append(_sentences(paragraph[start:], ()))
    return found


def judge_claims(
    claims: Sequence[Claim],
    claim_vectors: Vector | None = None,
    sentence_vectors: Mapping[str, Vector] | None = None,
) -> Verdict:
    """The verdict without a model: each claim against the words, numbers, names and sentences it cites."""
    if not claims:
        return Verdict.NOT_SUPPORTED
    borne_out = [
        is_borne_out(claim, None if claim_vectors is None else claim_vectors[index], sentence_vectors or {})
        for index, claim in enumerate(claims)
    ]
    if all(borne_out):
        return Verdict.SUPPORTED
    return Verdict.PARTIALLY_SUPPORTED if any(borne_out) else Verdict.NOT_SUPPORTED


async def judge_with_llm(
    question: str, draft: Draft, hits: Sequence[Hit], llm: Llm, timeout_s: float
) -> tuple[Judgement, Completion]:
    """The verdict of the model, of what the writer read. Raises what the client raises."""
    cited = {citation.chunk_id for citation in draft.citations}
    shelf = Shelf(hits)
    sources = [f"{shelf.marker(hit)}\n{source_of(hit)}" for hit in hits if hit.chunk.id in cited]
    token = secrets.token_hex(8)
    content = f"Sources:\n{fenced(sources, token)}\n\nQuestion: {question}\n\nAnswer:\n{fenced([draft.text], token)}"
    messages = [Message("system", PROMPT.text), Message("user", content)]
    return await llm.complete_json(messages, Judgement, max_tokens=512, timeout_s=timeout_s)


def sub_questions(question: str, names: Sequence[str], missing: Sequence[str]) -> tuple[str, ...]:
    """The question's own parts, or its names with what is still missing of it; none, or two to four.

    `names` are keys, `missing` stems of words of the question that the answer did not cover; they are told as written.
    """
    parts = [part for part in _JOINTS.split(question) if len(content_words(part)) >= 2]
    if len(parts) < MIN_SUB_QUESTIONS and missing:
        wanted = " ".join(word for word in _WRITTEN.findall(question) if set(content_words(word)) & set(missing))
        written = {span.key: span.surface for span in names_in(question)}
        parts = [f"{written.get(name, name)} {wanted or ' '.join(missing)}" for name in names]
    parts = list(dict.fromkeys(parts))[:MAX_SUB_QUESTIONS]
    return tuple(parts) if len(parts) >= MIN_SUB_QUESTIONS else ()


def _sentences(text: str, cited: tuple[Hit, ...]) -> list[Claim]:
    sentences = [span.of(text).strip() for span in split_sentences(text)]
    return [Claim(one, cited) for one in sentences if content_words(one)]


def is_borne_out(claim: Claim, vector: Vector | None, sentence_vectors: Mapping[str, Vector]) -> bool:
    """Whether its numbers, most of its names and words stand in what it cites, or one sentence there says the same."""
    if not claim.hits:
        return False
    source = " \n ".join(f"{hit.chunk.heading}\n{hit.chunk.text}" for hit in claim.hits)
    numbers = set(_NUMBER.findall(source))
    if not numbers.issuperset(_NUMBER.findall(claim.text)):
        return False
    folded = f" {fold_name(f'{source} .')} "
    names = [f" {span.key} " in folded for span in names_in(claim.text)]
    if names and sum(names) / len(names) < MIN_NAMES:
        return False
    words = set(content_words(claim.text))
    overlap = len(words.intersection(content_words(source))) / len(words)
    return overlap >= MIN_OVERLAP or _best_cosine(vector, claim.hits, sentence_vectors) >= SURE_COSINE


def _best_cosine(vector: Vector | None, hits: Sequence[Hit], sentence_vectors: Mapping[str, Vector]) -> float:
    """The best of a sentence there; 0 without one whose vector is as long, as those of another model are not."""
    if vector is None:
        return 0.0
    known = [sentence_vectors[hit.chunk.id] for hit in hits if hit.chunk.id in sentence_vectors]
    rows = [matrix for matrix in known if len(matrix) and matrix.shape[1] == len(vector)]
    return float(np.max(np.vecdot(np.concatenate(rows), vector))) if rows else 0.0

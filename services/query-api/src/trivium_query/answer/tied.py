"""A model's sentences, tied to those of the sources that bear them out. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from trivium.domain.answers import Citation
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.citations import Draft, Shelf
from trivium_query.answer.extractive import NOT_FOUND
from trivium_query.answer.verify import Claim, claims_of, is_borne_out
from trivium_query.words import content_words

_END = ".!?\u3002"


def quoting_sentences(draft: Draft, shelf: Shelf) -> Draft:
    """Each citation with the sentence that bears its claim out; the whole chunk where none has a word of it."""
    cited: dict[tuple[str, str], Citation] = {}
    for claim in claims_of(draft, shelf.hits, shelf.among):
        for hit in claim.hits:
            if quote := _nearest(claim.text, hit):
                cited.setdefault((hit.chunk.id, quote), shelf.cite(hit, quote))
    quoted = {chunk_id for chunk_id, _ in cited}
    rest = (citation for citation in draft.citations if citation.chunk_id not in quoted)
    return msgspec.structs.replace(draft, citations=(*cited.values(), *rest))


def tied(draft: Draft, shelf: Shelf) -> Draft:
    """A draft that cites nothing: each sentence with the source that bears it out, without those that have none."""
    lines, dropped = [], 0
    citations: dict[str, Citation] = {}
    for line in draft.text.splitlines():
        sentences = [span.of(line).strip() for span in split_sentences(line)]
        kept = [(one, hit) for one in sentences if (hit := _bearing_out(one, shelf.hits))]
        dropped += len([one for one in sentences if content_words(one)]) - len(kept)
        lines.append(" ".join(_with_source(one, hit, shelf) for one, hit in kept))
        for one, hit in kept:
            citations.setdefault(hit.chunk.id, shelf.cite(hit, _nearest(one, hit) or hit.chunk.text))
    text = "\n".join(lines).strip()
    if not text:
        return Draft(NOT_FOUND, found=False, notes=draft.notes)
    notes = (
        (*draft.notes, f"{dropped} sentence(s) that no document bears out were left out.") if dropped else draft.notes
    )
    return quoting_sentences(Draft(text, found=True, citations=tuple(citations.values()), notes=notes), shelf)


def _with_source(sentence: str, hit: Hit, shelf: Shelf) -> str:
    """With the hit's marker before its full stop."""
    bare = sentence.rstrip(_END)
    return f"{bare} {shelf.marker(hit)}{sentence[len(bare) :]}"


def _bearing_out(sentence: str, hits: Sequence[Hit]) -> Hit | None:
    """The first hit that does; None where there is none, or it says nothing."""
    if not content_words(sentence):
        return None
    return next((hit for hit in hits if is_borne_out(Claim(sentence, (hit,)), None, {})), None)


def _nearest(claim: str, hit: Hit) -> str:
    """The sentence with most of the claim's words; "" where none has any."""
    words = set(content_words(claim))
    text = hit.chunk.text
    spans = hit.chunk.sentences or split_sentences(text)
    best = max(spans, key=lambda span: len(words.intersection(content_words(span.of(text)))), default=None)
    found = best.of(text).strip() if best is not None else ""
    return found if words.intersection(content_words(found)) else ""

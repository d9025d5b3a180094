"""How something is done: the steps of an ordered list that the question is about, or what stands under its heading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from trivium.domain.answers import Verdict
from trivium.domain.retrieval import Hit
from trivium.text.names import names_in
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.blocks import Block, blocks
from trivium_query.answer.answerers.closest import cited
from trivium_query.answer.citations import Draft
from trivium_query.answer.evidence import asks
from trivium_query.words import content_words

MIN_STEPS = 2
MAX_STEPS = 20
MAX_SENTENCES = 8
MIN_TOLD = 0.5  # of the question's words in the headings and the sentences before the list


def answer_by_steps(question: str, hits: Sequence[Hit]) -> Answered | None:
    """None where no list tells of it, and no heading; nor where only a name is asked about: any list may be of it."""
    asked = set(content_words(question))
    if _names_alone(question, asked):
        return None
    ranked = sorted(_lists(asked, hits), key=lambda one: -one[0])
    if not ranked or ranked[0][0] < MIN_TOLD:
        return _under_its_heading(asked, hits)
    share, hit, block = ranked[0]
    lines, citations = cited([(hit, step) for step in block.numbered[:MAX_STEPS]], hits)
    verdict = Verdict.SUPPORTED if share == 1.0 else Verdict.PARTIALLY_SUPPORTED
    return Answered(Draft("\n".join(lines), True, citations), verdict)


def _names_alone(question: str, asked: Set[str]) -> bool:
    """Whether a name is all that it says; not where each word has a capital."""
    named = {word for name in names_in(question) for word in content_words(name.surface)}
    return asked <= named and any(word[:1].islower() for word in question.split()[1:])


def _under_its_heading(asked: set[str], hits: Sequence[Hit]) -> Answered | None:
    """The sentences under the first heading with all words of the question: told in part, as nobody numbered them."""
    for hit in hits:
        for block in blocks(hit.chunk):
            if asked and len(block.sentences) >= MIN_STEPS and asked.issubset(content_words(block.heading)):
                lines, citations = cited([(hit, one) for one in block.sentences[:MAX_SENTENCES]], hits)
                return Answered(Draft("\n".join(lines), True, citations), Verdict.PARTIALLY_SUPPORTED)
    return None


def _lead(block: Block) -> str:
    """What is said before the first step, from the last question on: what stands above it has an answer of its own."""
    before = block.sentences[: block.sentences.index(block.numbered[0])]
    asked = max((at for at, sentence in enumerate(before) if asks(sentence)), default=0)
    return " ".join(before[asked:])


def _lists(asked: set[str], hits: Sequence[Hit]) -> Iterator[tuple[float, Hit, Block]]:
    """Each ordered list, with the share of the question's words that what leads to it holds."""
    for hit in hits:
        for block in blocks(hit.chunk):
            if len(block.numbered) >= MIN_STEPS and asked and not _is_contents(block, hit):
                said = content_words(f"{hit.chunk.heading} {block.heading} {_lead(block)}")
                yield len(asked.intersection(said)) / len(asked), hit, block


def _is_contents(block: Block, hit: Hit) -> bool:
    """Whether it lists questions, or what the passage has again as headings."""
    return any(asks(one) or f"\n\n{one.strip()}\n\n" in hit.chunk.text for one in block.numbered)

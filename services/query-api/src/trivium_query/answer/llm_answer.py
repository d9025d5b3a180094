"""An answer written by the language model from numbered, fenced sources, its citations checked as it comes."""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Sequence

import msgspec

from trivium.domain.answers import Kind, TextPiece, TextWithdrawn
from trivium.domain.errors import NeverWill, TriviumError
from trivium.domain.retrieval import Hit
from trivium.llm.prompt_files import Prompt, prompt_named
from trivium.ports.llm import Completion, Llm, Message
from trivium_query.answer.citations import Draft, MarkerWriter, Shelf
from trivium_query.answer.extractive import NOT_FOUND
from trivium_query.answer.fence import Unfenced, fenced, source_of
from trivium_query.answer.instructions import instruction
from trivium_query.answer.tied import quoting_sentences, tied
from trivium_query.answer.verify import claims_of

MAX_ANSWER_TOKENS = 1_024
MAX_PROMPT_CHARS = 24_000  # of sources; some 6,000 tokens, which every served model reads
PROMPT = prompt_named("answer")
CITE = prompt_named("cite")


class Generated(msgspec.Struct, frozen=True):
    """A finished answer and what it cost, in so many `calls`."""

    draft: Draft
    completion: Completion
    calls: int = 1

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """What the model was told."""
        return (PROMPT, CITE)[: self.calls]


async def generate(
    question: str, hits: Sequence[Hit], llm: Llm, timeout_s: float, kind: Kind = Kind.FACT
) -> AsyncIterator[TextPiece | TextWithdrawn | Generated]:
    """Pieces of text with markers in place, then the whole. Raises what the client raises.

    Numbers of sources that do not exist are removed and counted in a note; repeated marks of the prompt are removed.
    An answer that cites nothing is asked for once more; then its sentences are tied to their sources or left out.
    """
    shelf = Shelf(_fitting(hits), among=hits)
    messages = prompt(question, shelf.hits, secrets.token_hex(8), kind)
    ends = time.monotonic() + timeout_s
    async for piece in _written(messages, shelf, llm, timeout_s):
        if not isinstance(piece, Generated):
            yield piece
        elif _is_cited(piece.draft):
            yield _quoting(piece, shelf)
        else:
            yield TextWithdrawn("The answer named none of its sources.")
            again = [*messages, Message("assistant", piece.draft.text), Message("user", CITE.text)]
            async for second in _once_more(again, piece, shelf, llm, ends - time.monotonic()):
                yield second


async def _once_more(
    messages: Sequence[Message], first: Generated, shelf: Shelf, llm: Llm, timeout_s: float
) -> AsyncIterator[TextPiece | TextWithdrawn | Generated]:
    """The second answer where it cites; else what of the first is borne out."""
    second: Generated | None = None
    with contextlib.suppress(TriviumError):  # the first answer is there
        async for piece in _written(messages, shelf, llm, timeout_s):
            if isinstance(piece, Generated):
                second = piece
            else:
                yield piece
    spent = first.completion if second is None else _sum(first.completion, second.completion)
    if second is not None and second.draft.found and _is_cited(second.draft):
        yield _quoting(Generated(second.draft, spent, calls=2), shelf)
        return
    draft = tied(first.draft, shelf)
    yield TextWithdrawn("What no source bears out is left out.")
    yield TextPiece(draft.text)
    yield Generated(draft, spent, calls=1 if second is None else 2)


async def _written(
    messages: Sequence[Message], shelf: Shelf, llm: Llm, timeout_s: float
) -> AsyncIterator[TextPiece | TextWithdrawn | Generated]:
    """One completion, as it comes."""
    writer, unfenced = MarkerWriter(shelf), Unfenced()
    written: list[str] = []
    completion = Completion("")
    async for delta in llm.stream(messages, max_tokens=MAX_ANSWER_TOKENS, timeout_s=timeout_s):
        if delta.withdrawn:
            writer, unfenced = MarkerWriter(shelf), Unfenced()
            written.clear()
            yield TextWithdrawn("The language model was only thinking.")
        if delta.final is not None:
            completion = delta.final
        ready = unfenced.feed(delta.text) if delta.final is None else unfenced.finish()
        piece = writer.feed(ready) + (writer.finish() if delta.final is not None else "")
        if piece:
            written.append(piece)
            yield TextPiece(piece)
    text = "".join(written)
    if not text.strip():
        raise NeverWill("llm_empty", f"{llm.name} answered with nothing.", "Ask again, or use another model.")
    draft = _draft(text.strip(), shelf, writer, completion)
    for correction in _corrections(text, draft.text):
        yield correction
    yield Generated(draft, completion)


def _corrections(sent: str, told: str) -> tuple[TextPiece | TextWithdrawn, ...]:
    """What makes of the text that was sent the one that is told."""
    if sent.split() == told.split():
        return ()
    if told.startswith(sent):
        return (TextPiece(told[len(sent) :]),)
    return TextWithdrawn("The documents do not hold the answer."), TextPiece(told)


def _is_cited(draft: Draft) -> bool:
    """Whether it needs no source, or names one."""
    return not draft.found or bool(draft.citations)


def _quoting(generated: Generated, shelf: Shelf) -> Generated:
    return msgspec.structs.replace(generated, draft=quoting_sentences(generated.draft, shelf))


def _sum(one: Completion, other: Completion) -> Completion:
    tokens = one.input_tokens + other.input_tokens, one.output_tokens + other.output_tokens
    return Completion(other.text, *tokens, truncated=other.truncated)


def prompt(question: str, hits: Sequence[Hit], token: str, kind: Kind) -> list[Message]:
    """The messages: rules as system, the last of them by the question's kind; sources and question as user."""
    sources = fenced([source_of(hit) for hit in hits], token)
    system = f"{PROMPT.text}\n{instruction(kind)}".rstrip()
    return [Message("system", system), Message("user", f"Sources:\n{sources}\n\nQuestion: {question}")]


def _fitting(hits: Sequence[Hit]) -> list[Hit]:
    """As many of the best hits as the prompt's bound holds, one at least."""
    kept: list[Hit] = []
    room = MAX_PROMPT_CHARS
    for hit in hits:
        room -= len(source_of(hit))
        if kept and room < 0:
            break
        kept.append(hit)
    return kept


def _draft(text: str, shelf: Shelf, writer: MarkerWriter, completion: Completion) -> Draft:
    notes: list[str] = []
    if writer.invented:
        notes.append(f"{writer.invented} citation(s) of sources that do not exist were removed.")
    if completion.truncated:
        notes.append("The answer was cut off at its length limit.")
    citations = tuple(shelf.cite(hit, hit.chunk.text) for hit in writer.cited)
    draft = Draft(text, found=True, citations=citations, notes=tuple(notes))
    return Draft(NOT_FOUND, found=False) if _finds_nothing(draft, shelf) else draft


def _finds_nothing(draft: Draft, shelf: Shelf) -> bool:
    """Whether it says that nothing was found, and no other sentence of it cites a source."""
    if not _is_not_found(draft.text):
        return False
    return not any(one.hits and not _is_not_found(one.text) for one in claims_of(draft, shelf.hits, shelf.among))


def _is_not_found(text: str) -> bool:
    return text.strip(" .\"'").casefold().startswith(NOT_FOUND.strip(".").casefold())

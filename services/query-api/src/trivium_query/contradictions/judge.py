"""Pairs that rules cannot tell, judged by a language model: within a budget, and each once."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import Annotated

import msgspec

from trivium.domain.errors import NeverWill, NotFound, TryLater
from trivium.domain.ids import digest
from trivium.llm.address import LlmAddress
from trivium.llm.prompt_files import prompt_named
from trivium.ports.llm import Llm, Message
from trivium.ports.objects import ObjectStore
from trivium_query.answer.fence import fenced
from trivium_query.contradictions.compare import MIN_CONFIDENCE
from trivium_query.contradictions.kept import Kept, Pair
from trivium_query.contradictions.match import Shelf
from trivium_query.contradictions.statements import Statement

PROMPT = prompt_named("contradict")
PREFIX = "contradictions/judged/"
TIMEOUT_S, MAX_TOKENS = 30.0, 200
MAX_FAILURES = 3  # in a row: then the model is taken to be away


class Judgement(msgspec.Struct, frozen=True):
    """Whether both statements can be true."""

    same_thing: Annotated[bool, msgspec.Meta(description="both speak of the same thing, part, place and time")]
    contradict: Annotated[bool, msgspec.Meta(description="both cannot be true")]
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)]


def judged(known: Kept, shelf: Shelf, objects: ObjectStore, llm: LlmAddress, most: int) -> tuple[Kept, int]:
    """What the model finds among the doubtful pairs, the likeliest first, and how many were looked at.

    At most `most` are asked in one look. A judgement is kept without the words it is about, under a hash of them, the
    prompt and the model. A pair that was judged is doubtful no more.
    """
    sources = {source.document_id: source for source in known.sources}
    found, left, budget, failures = list(known.found), [], most, 0
    for pair in known.doubtful:
        one, other = (shelf.statement(sources[place[0]], place[1]) for place in (pair.one, pair.other))
        if not isinstance(one, Statement) or not isinstance(other, Statement):
            continue
        told = (*sorted((one.text, other.text)), *sorted((one.heading, other.heading)))
        key = f"{PREFIX}{digest(PROMPT.label, llm.name, *told)}"
        judgement = _remembered(objects, key)
        if judgement is None:
            if budget <= 0 or failures >= MAX_FAILURES:
                left.append(pair)
                continue
            budget -= 1
            judgement = _asked(llm, one, other)
            if judgement is None:
                failures += 1
                left.append(pair)
                continue
            failures = 0
            objects.put(key, msgspec.json.encode(judgement))
        if judgement.contradict and judgement.same_thing and judgement.confidence >= MIN_CONFIDENCE:
            found.append(Pair(pair.one, pair.other, judgement.confidence, f"llm:{PROMPT.label}"))
    looked = len(known.doubtful) - len(left)
    return msgspec.structs.replace(known, found=tuple(found), doubtful=tuple(left)), looked


def _remembered(objects: ObjectStore, key: str) -> Judgement | None:
    with suppress(NotFound, msgspec.DecodeError):
        return msgspec.json.decode(objects.get(key), type=Judgement)
    return None


def _asked(llm: LlmAddress, one: Statement, other: Statement) -> Judgement | None:
    """None where the model fails, or is away."""

    async def ask(client: Llm) -> Judgement:
        token = secrets.token_hex(8)
        told = fenced([f"{each.heading}\n{each.text}" for each in (one, other)], token)
        messages = [Message("system", PROMPT.text), Message("user", f"Two statements:\n{told}")]
        judgement, _ = await client.complete_json(messages, Judgement, max_tokens=MAX_TOKENS, timeout_s=TIMEOUT_S)
        return judgement

    try:
        return llm.run(ask)
    except (TryLater, NeverWill):
        return None

"""Topics named by a language model: the largest of each level, within a budget, and each only once.

What the model is told of a topic is digested; a topic of which it would be told the same as before keeps its name and
costs nothing. One that fails keeps the name by its terms.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from typing import Annotated

import msgspec

from trivium.domain.chunks import Chunk
from trivium.domain.errors import NeverWill, TryLater
from trivium.domain.ids import digest
from trivium.domain.topics import Topic, Topics
from trivium.llm.prompt_files import prompt_named
from trivium.ports.llm import Llm, Message
from trivium_query.answer.fence import fenced
from trivium_query.topics.quote import quote_of

MAX_NAMED = 60  # topics of one making
CONCURRENCY = 4
TIMEOUT_S = 20.0
MAX_TOKENS = 200
MAX_FAILURES = 3  # then the model is taken to be away
SENTENCES = 4
NAMES = 12
MAX_SENTENCE_CHARS = 300
MAX_NAME_CHARS = 80

PROMPT = prompt_named("name_topic")


class Title(msgspec.Struct, frozen=True):
    """The topic's name."""

    title: Annotated[str, msgspec.Meta(description="at most eight words", min_length=1, max_length=200)]


def may_be_named(topics: Topics) -> tuple[Topic, ...]:
    """The largest, coarse levels first."""
    return topics.topics[:MAX_NAMED]


def read_for_names(topics: Topics) -> list[str]:
    """The passages (chunk ids) that the model is told sentences of."""
    return [key for topic in may_be_named(topics) for key in topic.central[:SENTENCES]]


def named_before(topics: Topics, before: Topics | None, chunks: Mapping[str, Chunk]) -> Topics:
    """With the names that a model gave to what is still told the same."""
    known = {one.told: one for one in before.topics if one.told} if before else {}
    largest = [(topic, known.get(told_of(topic, chunks))) for topic in may_be_named(topics)]
    found = [*largest, *((topic, None) for topic in topics.topics[MAX_NAMED:])]
    kept = tuple(
        msgspec.structs.replace(topic, name=old.name, named_by=old.named_by, told=old.told) if old else topic
        for topic, old in found
    )
    return msgspec.structs.replace(topics, topics=kept)


async def name_by_llm(topics: Topics, chunks: Mapping[str, Chunk], llm: Llm) -> Topics:
    """With names for the largest topics that have none of the model's; coarse levels first."""
    wanted = [topic for topic in may_be_named(topics) if topic.named_by != llm.name]
    gate = asyncio.Semaphore(CONCURRENCY)
    failures = 0
    named: dict[str, Topic] = {}

    async def one(topic: Topic) -> None:
        nonlocal failures
        async with gate:
            if failures >= MAX_FAILURES:
                return
            try:
                said, _ = await llm.complete_json(
                    messages_for(topic, chunks), Title, max_tokens=MAX_TOKENS, timeout_s=TIMEOUT_S
                )
            except (TryLater, NeverWill):
                failures += 1
                return
        title = " ".join(said.title.split())[:MAX_NAME_CHARS]
        if title:
            told = told_of(topic, chunks)
            named[topic.id] = msgspec.structs.replace(topic, name=title, named_by=llm.name, told=told)

    await asyncio.gather(*(one(topic) for topic in wanted))
    return msgspec.structs.replace(topics, topics=tuple(named.get(topic.id, topic) for topic in topics.topics))


def messages_for(topic: Topic, chunks: Mapping[str, Chunk]) -> list[Message]:
    """The instructions, then what is known of the topic, fenced as data."""
    data = fenced([_described(topic, chunks)], secrets.token_hex(8))
    return [Message("system", PROMPT.text), Message("user", data)]


def told_of(topic: Topic, chunks: Mapping[str, Chunk]) -> str:
    """Equal where a model would be told the same."""
    return digest(PROMPT.label, _described(topic, chunks))


def _described(topic: Topic, chunks: Mapping[str, Chunk]) -> str:
    names = ", ".join(member.name for member in topic.members[:NAMES])
    known: Sequence[Chunk] = [chunks[key] for key in topic.central[:SENTENCES] if key in chunks]
    sentences = "\n".join(f"- {quote_of(topic, chunk)[:MAX_SENTENCE_CHARS]}" for chunk in known)
    return f"Names: {names}\nWords: {', '.join(topic.terms)}\nSentences:\n{sentences}"

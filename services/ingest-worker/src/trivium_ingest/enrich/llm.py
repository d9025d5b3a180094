"""Context by a language model: two or three sentences that place the chunk in its document (CORTEX C3)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from trivium.domain.chunks import Chunk
from trivium.domain.errors import TriviumError
from trivium.domain.parsed import ParsedDocument
from trivium.llm.prompt_files import prompt_named
from trivium.ports.llm import Llm, Message

CONCURRENCY: Final = 4
MAX_DOCUMENT_CHARS: Final = 24_000  # about 6,000 tokens, which every current model reads
MAX_CONTEXT_CHARS: Final = 600
MAX_TOKENS: Final = 160
TIMEOUT_S: Final = 30.0
GIVE_UP_AFTER: Final = 3  # failures of one document: the model is away, and every further call would wait too

PROMPT: Final = prompt_named("situate")


async def situate(chunks: Sequence[Chunk], document: ParsedDocument, llm: Llm) -> tuple[list[str], list[str]]:
    """One context per chunk, "" where the model failed, and the failures' reasons.

    Every prompt of a document begins alike, so that a server with a prefix cache reads the document once; the
    first call goes alone to fill it.
    """
    opening = _opening(document)
    failures: list[str] = []
    turns = asyncio.Semaphore(CONCURRENCY)

    async def one(chunk: Chunk) -> str:
        async with turns:
            if len(failures) >= GIVE_UP_AFTER:
                return ""
            try:
                done = await llm.complete(_messages(opening, chunk), max_tokens=MAX_TOKENS, timeout_s=TIMEOUT_S)
            except TriviumError as error:
                failures.append(error.message)
                return ""
            return bounded(done.text)

    first = await one(chunks[0])
    rest = await asyncio.gather(*(one(chunk) for chunk in chunks[1:]))
    return [first, *rest], failures


def bounded(text: str) -> str:
    """One line of at most 600 characters, ending with a sentence where there is one."""
    line = " ".join(text.split())
    if len(line) <= MAX_CONTEXT_CHARS:
        return line
    cut = line[:MAX_CONTEXT_CHARS]
    end = max(cut.rfind(". "), cut.rfind("! "), cut.rfind("? "))
    return cut[: end + 1] if end > 0 else cut.rsplit(" ", 1)[0]


def _opening(document: ParsedDocument) -> str:
    text = document.text[:MAX_DOCUMENT_CHARS]
    title = f"Title: {document.title}\n" if document.title else ""
    return f"<document>\n{_fenced(title + text)}\n</document>\n\n"


def _messages(opening: str, chunk: Chunk) -> list[Message]:
    section = f"It stands under: {' > '.join(chunk.section)}\n" if chunk.section else ""
    passage = f"<passage>\n{_fenced(section + chunk.text)}\n</passage>"
    return [Message("system", PROMPT.text), Message("user", opening + passage)]


def _fenced(text: str) -> str:
    """`text` without the tags that could end its fence."""
    return text.replace("</document", "< /document").replace("</passage", "< /passage")

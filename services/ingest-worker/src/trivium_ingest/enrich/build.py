"""Chunks get the context that is embedded and indexed before their text.

With an LLM each chunk is situated by it (CORTEX C3); without one, or where it fails, by the document's most
central sentences. Title and section path are fields of the chunk already and are not repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from trivium.domain.chunks import Chunk
from trivium.domain.parsed import ParsedDocument
from trivium.llm.address import LlmAddress
from trivium_ingest.enrich.extractive import central_contexts
from trivium_ingest.enrich.llm import PROMPT, situate

ENRICH_VERSION: Final = 3


def enrich(
    chunks: Sequence[Chunk], document: ParsedDocument, llm: LlmAddress | None
) -> tuple[list[Chunk], tuple[str, ...]]:
    """The chunks with their context, and warnings for the reader. Called from a thread without an event loop."""
    extracted = central_contexts(chunks, document)
    if llm is None or not chunks:
        return _with_contexts(chunks, extracted), ()
    written, failures = llm.run(lambda client: situate(chunks, document, client))
    contexts = [said or fallback for said, fallback in zip(written, extracted, strict=True)]
    return _with_contexts(chunks, contexts), _warnings(written, failures)


def fingerprint(llm: LlmAddress | None) -> str:
    """Method, prompt and model."""
    method = "extractive" if llm is None else f"{llm.name}:{PROMPT.version}"
    return f"enrich:{ENRICH_VERSION}:{method}"


def _with_contexts(chunks: Sequence[Chunk], contexts: Sequence[str]) -> list[Chunk]:
    return [
        msgspec.structs.replace(chunk, context=context) if context else chunk
        for chunk, context in zip(chunks, contexts, strict=True)
    ]


def _warnings(written: Sequence[str], failures: Sequence[str]) -> tuple[str, ...]:
    missing = sum(not said for said in written)
    if not missing:
        return ()
    reason = failures[0] if failures else "It answered nothing."
    return (
        f"The language model did not describe {missing} of {len(written)} passages; their context was extracted"
        f" instead. {reason}",
    )

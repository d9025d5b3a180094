"""The tools, each a few calls of the client; what they give is short, for a model has to read it."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field

from trivium import api
from trivium.domain.documents import DEFAULT_DATASET, DocumentState
from trivium.domain.errors import NotFound
from trivium.domain.retrieval import Mode
from trivium.mcp_door.calls import CLIENT, Tool
from trivium.within import Within

URI = "trivium://sources/{document_id}/{chunk_number}"
MAX_HITS = 50
MAX_AROUND = 5
MAX_TEXT_CHARS = 500_000

Answered = dict[str, Any]
Question = Annotated[str, Field(min_length=1, max_length=api.MAX_QUESTION_CHARS)]
Dataset = Annotated[str, Field(description="Only this dataset; empty: everything.")]
DocumentId = Annotated[str, Field(min_length=1, max_length=64, description="As search or list_documents gave it.")]
ModeName = Literal["vector", "keyword", "graph", "bfs", "ppr", "rrf", "weighted", "hybrid", "topics", "deep"]


async def search(
    query: Question,
    dataset: Dataset = "",
    mode: Annotated[ModeName | None, Field(description="The strategy; leave it out.")] = None,
    top_k: Annotated[int, Field(ge=1, le=MAX_HITS)] = 10,
) -> Answered:
    """Find passages in the documents, best first. Use it to read what they say; cite `citation`."""
    chosen = Mode(mode) if mode else None
    found = await CLIENT.get().search(query, mode=chosen, top_k=top_k, within=Within(dataset))
    hits = [{"rank": hit.rank, "score": hit.score, **_passage(hit.chunk)} for hit in found.hits]
    return {"hits": hits, "notes": list(found.notes or ())}


async def ask(question: Question, dataset: Dataset = "") -> Answered:
    """Have a question answered from the documents, with citations and a verdict on the answer. Not found is said so."""
    answer = await CLIENT.get().ask(question, within=Within(dataset))
    citations = [
        {
            "marker": cited.marker,
            "document_id": cited.document_id,
            "chunk_number": cited.chunk_number,
            "quote": cited.quote,
            "uri": URI.format(document_id=cited.document_id, chunk_number=cited.chunk_number),
        }
        for cited in answer.citations
    ]
    told = {"answer": answer.text, "found": answer.found, "verdict": str(answer.verdict), "notes": list(answer.notes)}
    return told | {"citations": citations}


async def open_source(
    document_id: DocumentId,
    chunk_number: Annotated[int, Field(ge=1, le=2**31 - 10, description="The passage that a citation names.")] = 1,
    around: Annotated[int, Field(ge=0, le=MAX_AROUND, description="So many passages before and after.")] = 2,
) -> Answered:
    """Read a document at a place: a passage among its neighbours."""
    client = CLIENT.get()
    numbers = range(max(1, chunk_number - around), chunk_number + around + 1)
    source = await client.source(document_id)
    found = await asyncio.gather(*(_if_there(document_id, number, chunk_number) for number in numbers))
    passages = [_passage(chunk) for chunk in found if chunk is not None]
    return {"document": _document(source), "passages": passages}


async def _if_there(document_id: str, number: int, wanted: int) -> api.Chunk | None:
    """A neighbour may not be there; the passage itself has to."""
    try:
        return await CLIENT.get().chunk(document_id, number)
    except NotFound:
        if number == wanted:
            raise
        return None


async def find_entities(
    prefix: Annotated[str, Field(max_length=200, description="How the name begins; empty: the most mentioned.")] = "",
    limit: Annotated[int, Field(ge=1, le=100)] = 20,
) -> Answered:
    """Find names (people, places, organisations, works) in the graph of what the documents say."""
    page = await CLIENT.get().entities(prefix, limit=limit)
    return {"entities": [msgspec.to_builtins(entity) for entity in page.entities]}


async def read_entity(entity_id: Annotated[str, Field(min_length=1, max_length=64)]) -> Answered:
    """Read what the graph says of a name: its relations, and the sentences that state them."""
    picture: Answered = msgspec.to_builtins(await CLIENT.get().entity(entity_id))
    return {name: picture[name] for name in ("entity", "neighbours", "relations", "mentions") if name in picture}


async def list_documents(
    dataset: Dataset = "",
    state: Annotated[DocumentState | None, Field(description="Only those in this state.")] = None,
    limit: Annotated[int, Field(ge=1, le=100)] = 50,
    cursor: Annotated[str, Field(description="From the page before.")] = "",
) -> Answered:
    """List the documents, newest first, with how far each has come or why it failed."""
    page = await CLIENT.get().sources(state, within=Within(dataset), limit=limit, cursor=cursor)
    return {"documents": [_document(source) for source in page.sources], "cursor": page.cursor}


async def add_text(
    name: Annotated[str, Field(min_length=1, max_length=500, description="A file name, as notes/today.md.")],
    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT_CHARS)],
    dataset: str = DEFAULT_DATASET,
) -> Answered:
    """Add a text as a document. It is searchable once its state is `ready`: see list_documents."""
    return _document(await CLIENT.get().submit_text(name, text, dataset=dataset))


async def add_url(
    url: Annotated[str, Field(pattern="^https?://", max_length=2000)], dataset: str = DEFAULT_DATASET
) -> Answered:
    """Have a web page or a file on the web read as a document."""
    return _document(await CLIENT.get().submit_url(url, dataset=dataset))


READING: tuple[Tool, ...] = (search, ask, open_source, find_entities, read_entity, list_documents)
WRITING: tuple[Tool, ...] = (add_text, add_url)


def _passage(chunk: api.Chunk) -> Answered:
    return {
        "text": chunk.text,
        "citation": f"[Source: {chunk.source}, chunk {chunk.number}]",
        "document_id": chunk.document_id,
        "chunk_number": chunk.number,
        "section": list(chunk.section),
        "positions": msgspec.to_builtins(chunk.positions),
        "uri": URI.format(document_id=chunk.document_id, chunk_number=chunk.number),
    }


def _document(source: api.Source) -> Answered:
    told: Answered = {"document_id": source.id, "name": source.name, "title": source.title, "dataset": source.dataset}
    if source.about:
        told["about"] = msgspec.to_builtins(source.about)
    failure = {"reason": msgspec.to_builtins(source.reason)} if source.reason else {}
    return told | {"state": source.state.value, "passages": source.chunks} | failure

"""What the stores say to a question, and what a step over names needs of them: every read of a search.

Each function is a handful of batched reads; what they return is plain values for the pure files.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence

import msgspec

from trivium.domain.chunks import Chunk
from trivium.domain.graph import Mention, Step
from trivium.domain.retrieval import Places, RowFilter, Scored
from trivium.ports.graph import GraphReader
from trivium.ports.keywords import KeywordReader
from trivium.ports.vectors import Vector, VectorReader
from trivium_query.retrieve import anchors, bfs, decisive, deep, path, topics
from trivium_query.retrieve.budgeted_reads import GRAPH, HYPERNODE, KEYWORD, TOPICS, VECTOR, VISUAL, BudgetedReads
from trivium_query.topics.kept import Current
from trivium_query.words import is_function_word, terms

MAX_ANCHORED = 100  # anchored passages that are scored although neither vectors nor keywords found them

EmbedQueries = Callable[[Sequence[str]], Awaitable[Vector]]
"""(n, d) float32, one row per text, embedded as queries are."""

DocumentChunks = Callable[[str, str], Awaitable[Mapping[str, Chunk]]]
"""(document id, version) -> its chunks by id, without the keyword store; empty when they are not known."""


ReadTopics = Callable[[str], Awaitable[Current]]
"""dataset -> the present topics of it, of "" those of everything. Raises `TryLater` while they are made anew."""


class Visuals(msgspec.Struct, frozen=True):
    """One tenant's pictures, and the model that puts questions into their space."""

    vectors: VectorReader
    embed: EmbedQueries


class Readers(msgspec.Struct, frozen=True):
    """One tenant's stores, and the model that turns its questions into vectors; `visuals` with a visual encoder."""

    vectors: VectorReader
    keywords: KeywordReader
    graph: GraphReader
    embed: EmbedQueries
    published_chunks: DocumentChunks
    visuals: Visuals | None = None
    topics: ReadTopics | None = None
    hypernodes: VectorReader | None = None


class Query(msgspec.Struct, frozen=True):
    """A question, the hits wanted, where to look, and the rows to fetch per source."""

    text: str
    top_k: int
    where: RowFilter
    limit: int


class Evidence(msgspec.Struct, frozen=True):
    """The first round's results. `asked` are the question's names, `anchored` those that passages are about.

    `decided` are the passages that the words decide for, `pictures` those with the pictures nearest to the question.
    """

    dense: list[Scored]
    keyword: list[Scored]
    decided: list[str]
    about: dict[str, list[Scored]]
    asked: frozenset[str]
    anchored: list[str]
    sentences: dict[str, path.Similarities]
    pictures: list[Scored] = []
    vector: Vector | None = None


async def dense(query: Query, readers: Readers, reads: BudgetedReads) -> tuple[Vector | None, list[Scored]]:
    """The question's vector and its nearest passages."""

    async def read() -> tuple[Vector | None, list[Scored]]:
        vector: Vector = (await readers.embed([query.text]))[0]
        return vector, await readers.vectors.search(vector, query.limit, query.where)

    return await reads.ask(VECTOR, read(), (None, []))


async def keyword(query: Query, readers: Readers, reads: BudgetedReads) -> tuple[list[Scored], list[str]]:
    """The best passages by BM25, and those among them that the words decide for."""
    asked = terms(query.text)
    rows, rarities = await asyncio.gather(
        reads.ask(KEYWORD, readers.keywords.search(query.text, query.limit, query.where), []),
        _rarities(asked, readers, reads),
    )
    if not rows or not rarities:
        return rows, []
    best = [row.chunk_id for row in rows[: decisive.LOOKED_AT]]
    chunks = await reads.ask(KEYWORD, readers.keywords.chunks(best), {})
    passages = {key: "\n".join((chunk.heading, chunk.context, chunk.text)) for key, chunk in chunks.items()}
    return rows, decisive.decided(asked, rarities, passages)


async def _rarities(asked: Sequence[decisive.Term], readers: Readers, reads: BudgetedReads) -> dict[str, float]:
    """Of every token that may decide; none for a question too long to be about one."""
    words = dict.fromkeys(token for term in asked for token in term if not is_function_word(token) or len(term) > 1)
    if not words or len(asked) > decisive.MAX_TERMS:
        return {}
    return await reads.ask(KEYWORD, readers.keywords.rarities(list(words)), {})


async def pictured(query: Query, readers: Readers, reads: BudgetedReads) -> list[Scored]:
    """The passages whose pictures are nearest to the question; none without a visual encoder."""
    visuals = readers.visuals
    if visuals is None:
        return []

    async def read() -> list[Scored]:
        vector: Vector = (await visuals.embed([query.text]))[0]
        return await visuals.vectors.search(vector, query.limit, query.where)

    return await reads.ask(VISUAL, read(), [])


async def gather(query: Query, readers: Readers, reads: BudgetedReads) -> Evidence:
    """The three sources at once, and the sentences of everything they found."""
    names = anchors.question_names(query.text)
    asked = frozenset(name.key for name in names)
    (vector, nearest), (worded, decided), about, pictures = await asyncio.gather(
        dense(query, readers, reads),
        keyword(query, readers, reads),
        reads.ask(GRAPH, readers.graph.about(sorted(asked), query.where), {}),
        pictured(query, readers, reads),
    )
    anchored = anchors.anchor_names(names, about)
    found = dict.fromkeys(row.chunk_id for row in (*nearest, *worded))
    named = [row.chunk_id for key in anchored for row in about[key] if row.chunk_id not in found][:MAX_ANCHORED]
    sentences = await similarities([*found, *named], vector, readers, reads)
    return Evidence(nearest, worded, decided, about, asked, anchored, sentences, pictures, vector)


async def descended(query: Query, found: Evidence, readers: Readers, reads: BudgetedReads) -> deep.Descent:
    """The HyperNodes nearest to the question, and the passages within them; says so where some are missing."""
    nodes: list[Scored] = []
    if readers.hypernodes is not None and found.vector is not None:
        nodes = await reads.ask(HYPERNODE, readers.hypernodes.search(found.vector, deep.NODES, query.where), [])
    nearest = [row.chunk_id for row in found.dense]
    if not nearest or HYPERNODE in reads.lost:
        return deep.NOWHERE
    members, within = await asyncio.gather(
        reads.ask(GRAPH, readers.graph.evidence_of([row.chunk_id for row in nodes], deep.MEMBERS, query.where), {}),
        reads.ask(GRAPH, readers.graph.hypernodes_of(nearest), {}),
    )
    if GRAPH not in reads.lost and (lacking := deep.lacking(nearest, within, nodes)):
        reads.miss(HYPERNODE, lacking)
    return deep.descent(nodes, members, within)


async def looked_at(chunk_ids: Sequence[str], found: Evidence, readers: Readers, reads: BudgetedReads) -> Evidence:
    """The same evidence with these passages compared with the question too."""
    known = {row.chunk_id for row in found.dense}
    new = [chunk for chunk in chunk_ids if chunk not in known]
    unread = [chunk for chunk in chunk_ids if chunk not in found.sentences]
    vector = found.vector
    if vector is None or not (new or unread):
        return found
    rows, sentences = await asyncio.gather(
        reads.ask(VECTOR, readers.vectors.passage_vectors(new), {}), similarities(unread, vector, readers, reads)
    )
    nearer = [Scored(chunk, score) for chunk, score in topics.similarities(vector, rows).items()]
    dense = sorted([*found.dense, *nearer], key=lambda row: (-row.score, row.chunk_id))
    return msgspec.structs.replace(found, dense=dense, sentences=found.sentences | sentences)


async def similarities(
    chunk_ids: Sequence[str], vector: Vector | None, readers: Readers, reads: BudgetedReads
) -> dict[str, path.Similarities]:
    """Cosine of the question with every sentence of the passages."""
    if vector is None or not chunk_ids:
        return {}
    return await reads.ask(VECTOR, readers.vectors.sentence_cosines(chunk_ids, vector), {})


async def mentions(chunk_ids: Sequence[str], readers: Readers, reads: BudgetedReads) -> dict[str, list[Mention]]:
    """Every name of the passages."""
    return await reads.ask(GRAPH, readers.graph.mentions_in(chunk_ids), {}) if chunk_ids else {}


async def beside(chunk_ids: Sequence[str], readers: Readers, reads: BudgetedReads) -> dict[str, list[Step]]:
    """The tables, pictures and formulas of the passages, and the texts that have them."""
    return await reads.ask(GRAPH, readers.graph.beside(chunk_ids), {}) if chunk_ids else {}


async def places(
    parts: Collection[str], whole: Collection[str], where: RowFilter, readers: Readers, reads: BudgetedReads
) -> Places:
    """Where names lead to. `parts` are looked up among titles and headings, `whole` in the text."""
    nowhere = Places({}, {}, {})
    if not parts:
        return nowhere
    return await reads.ask(GRAPH, readers.graph.places(list(parts), list(whole), path.MAX_SHARED, where), nowhere)


async def central_passages(query: Query, readers: Readers, reads: BudgetedReads) -> topics.RankedTopics | None:
    """The passages of the topics that the question asks for; None where topics could not be had."""
    read_topics = readers.topics if topics.has_topics(query.where) else None
    known = await reads.ask(TOPICS, read_topics(query.where.dataset), None) if read_topics else None
    if known is None:
        return None
    chosen = topics.candidates(known.topics, query.text)
    similarity: dict[str, float] = {}
    if not topics.is_at_large(query.text):
        looked_at = [chunk for topic in chosen for chunk in topic.central[: topics.LOOKED_AT]]

        async def read() -> dict[str, float]:
            vector: Vector = (await readers.embed([query.text]))[0]
            return topics.similarities(vector, await readers.vectors.passage_vectors(looked_at))

        similarity = await reads.ask(VECTOR, read(), {})
    ranked = topics.ranked(query.text, chosen, similarity, query.top_k)
    return msgspec.structs.replace(ranked, stale=known.stale)


async def breadth_first(
    names: Iterable[str], guesses: Iterable[str], where: RowFilter, readers: Readers, reads: BudgetedReads
) -> Mapping[str, float]:
    """CORTEX's graph scores of passages, for the names of a question; `guesses` are those that nobody capitalised."""
    asked = list(dict.fromkeys([*names, *guesses]))

    async def read() -> Mapping[str, float]:
        direct = bfs.direct_entities(await readers.graph.match(asked), guesses)
        seen = list(direct)
        border = direct
        for _ in range(bfs.DEPTH):
            if not border:
                break
            border = bfs.neighbours(await readers.graph.edges(border, bfs.EDGES_PER_NODE), seen)
            seen.extend(border)
        mentioned = await readers.graph.mentioned_by(seen, path.MAX_SHARED, where=where) if seen else {}
        return bfs.graph_scores(direct, seen[len(direct) :], mentioned)

    nothing: Mapping[str, float] = {}
    return await reads.ask(GRAPH, read(), nothing)

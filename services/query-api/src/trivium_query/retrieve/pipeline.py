"""From a question to ranked passages, in one of ten named modes.

evidence (vectors, keywords and graph at once, each within its budget) -> ranking -> hits

`hybrid`, the default, is path retrieval over all three sources (`path`); `graph` is what of it the
graph alone reached, and `hybrid` without a graph when that is late or down (RAGA R11); `deep` is `hybrid`
from whole sections and documents down (`deep`), without those that are not there; `topics` is for
questions about the whole collection (`topics`), and `hybrid` while there are none. The other modes
are the published methods. In those that have words, what the words decide for comes first
(`decisive`). A source that is late or down costs its own results and is named in the answer; the only
one of a mode is waited for longer, as there is nothing to answer without it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec

from trivium.domain.errors import TryLater
from trivium.domain.retrieval import Mode, Scored, SearchFilter, SearchResult
from trivium.text.names import names_in
from trivium_query.retrieve import anchors, bfs, fuse, pagerank, path, store_reads, topics
from trivium_query.retrieve.budgeted_reads import (
    GRAPH,
    HYPERNODE,
    KEYWORD,
    TOPICS,
    VECTOR,
    VISUAL,
    BudgetedReads,
    Budgets,
)
from trivium_query.retrieve.coverage import missing
from trivium_query.retrieve.hits import Ranking, load_hits
from trivium_query.retrieve.store_reads import Query, Readers
from trivium_query.retrieve.texts import ActiveVersions, Texts

RRF_DEPTH = 3  # CORTEX C6: each source fetches max(3 * top_k, 30)
MIN_RRF_DEPTH = 30
MORE = 10  # times as many candidates where those found may not be seen
MOST_CANDIDATES = 2_000


async def search(
    question: str,
    mode: Mode,
    top_k: int,
    restrict: SearchFilter,
    readers: Readers,
    active: ActiveVersions,
    budgets: Budgets,
) -> SearchResult:
    """At most `top_k` hits, best first.

    Raises `TryLater` when every source that the mode uses is lost, or the hits' text can be read nowhere.
    """
    started = time.perf_counter()
    query = Query(question, top_k, restrict.rows(), path.CANDIDATES)
    while True:
        reads = BudgetedReads(budgets.patient(*_ONLY.get(mode, ())))
        ranking = await _MODES[mode](query, readers, reads)
        if not ranking.rows and reads.lost:
            reasons = "; ".join(f"{lost.source}: {lost.reason}" for lost in reads.lost.values())
            raise TryLater(
                "no_source", f"No source could answer ({reasons}).", "Or try again; /readyz says what is down."
            )
        ranked_at = time.perf_counter()
        hits = await load_hits(ranking, top_k, restrict, Texts(readers, active, reads, top_k))
        if not _is_crowded(query, ranking, len(hits)):
            break
        query = msgspec.structs.replace(query, limit=query.limit * MORE)
    now = time.perf_counter()
    timings = {
        **reads.timings_ms,
        "load": round((now - ranked_at) * 1000, 3),
        "search": round((now - started) * 1000, 3),
    }
    uncovered = missing((hit.chunk for hit in hits), restrict.modalities)
    return SearchResult(hits, tuple(reads.lost.values()), timings, tuple(uncovered), ranking.notes)


def _is_crowded(query: Query, ranking: Ranking, hits: int) -> bool:
    """Whether rows that nobody sees yet (a document that is being read, or failed) may have left others no room."""
    full = any(len(rows) >= query.limit for rows in ranking.sources.values())
    return hits < min(query.top_k, len(ranking.rows)) and full and query.limit * MORE <= MOST_CANDIDATES


async def _vector(query: Query, readers: Readers, reads: BudgetedReads) -> Ranking:
    _, rows = await store_reads.dense(_deep(query), readers, reads)
    return Ranking(rows, {VECTOR: rows})


async def _keyword(query: Query, readers: Readers, reads: BudgetedReads) -> Ranking:
    rows, decided = await store_reads.keyword(_deep(query), readers, reads)
    return Ranking(fuse.led(rows, decided), {KEYWORD: rows})


async def _weighted(query: Query, readers: Readers, reads: BudgetedReads) -> Ranking:
    (_, dense), (sparse, decided) = await asyncio.gather(
        store_reads.dense(query, readers, reads), store_reads.keyword(query, readers, reads)
    )
    return Ranking(fuse.led(fuse.weighted_hybrid(dense, sparse), decided), {VECTOR: dense, KEYWORD: sparse})


async def _bfs(query: Query, readers: Readers, reads: BudgetedReads) -> Ranking:
    names = [name.surface for name in names_in(query.text)]
    guesses = bfs.uncapitalised((name.key for name in anchors.question_names(query.text)), names)
    (_, dense), graph = await asyncio.gather(
        store_reads.dense(query, readers, reads), store_reads.breadth_first(names, guesses, query.where, readers, reads)
    )
    return Ranking(bfs.mix(graph, dense), {VECTOR: dense, GRAPH: fuse.as_ranking(graph)})


async def _hybrid(query: Query, readers: Readers, reads: BudgetedReads) -> Ranking:
    walk = await _walk(query, readers, reads)
    return Ranking(_whole(walk.ranked, walk.found), walk.sources(), walk.links, walk.steps)


async def _graph(query: Query, readers: Readers, reads: BudgetedReads) -> Ranking:
    walk = await _walk(query, readers, reads)
    rows = _whole(walk.ranked, walk.found) if GRAPH in reads.lost else walk.sources()[GRAPH]
    return Ranking(rows, walk.sources(), walk.links, walk.steps)


async def _rrf(query: Query, readers: Readers, reads: BudgetedReads) -> Ranking:
    depth = max(RRF_DEPTH * query.top_k, MIN_RRF_DEPTH)
    walk = await _walk(query, readers, reads)
    sources = {source: rows[:depth] for source, rows in walk.sources().items()}
    rows = fuse.led(fuse.reciprocal_rank_fusion(sources.values()), walk.found.decided)
    return Ranking(rows, sources, walk.links, walk.steps)


async def _topics(query: Query, readers: Readers, reads: BudgetedReads) -> Ranking:
    found = await store_reads.central_passages(query, readers, reads)
    if found is None or not found.rows:
        return await _hybrid(query, readers, reads)
    named = {key: topic.name for key, topic in found.topic_of.items()}
    return Ranking(found.rows, {TOPICS: found.rows}, topics=named, notes=(topics.STALE_NOTE,) if found.stale else ())


async def _deep_walk(query: Query, readers: Readers, reads: BudgetedReads) -> Ranking:
    found = await store_reads.gather(query, readers, reads)
    down = await store_reads.descended(query, found, readers, reads)
    found = await store_reads.looked_at(list(down.gains), found, readers, reads)
    walk = await _walk_from(found, down.gains, query, readers, reads)
    sources = walk.sources() | ({HYPERNODE: fuse.as_ranking(down.gains)} if down.gains else {})
    return Ranking(_whole(walk.ranked, walk.found), sources, walk.links, walk.steps, through=down.through)


async def _ppr(query: Query, readers: Readers, reads: BudgetedReads) -> Ranking:
    found = await store_reads.gather(query, readers, reads)
    base = path.base_scores(found.dense, found.keyword, found.sentences)
    scores = path.added(base, anchors.anchor_gains(found.anchored, found.about))
    seeds = pagerank.best_seeds(scores)
    mentions = await store_reads.mentions(list(seeds), readers, reads)
    keys = list(dict.fromkeys(row.key for rows in mentions.values() for row in rows))
    places = await store_reads.places(keys, keys, query.where, readers, reads)
    arrived = pagerank.arrivals(pagerank.local_graph(mentions, places), seeds)
    sources = {VECTOR: found.dense, KEYWORD: found.keyword, GRAPH: fuse.as_ranking(arrived)}
    return Ranking(_whole(fuse.as_ranking(path.added(scores, arrived)), found), sources)


class Walk(msgspec.Struct, frozen=True):
    """Path retrieval's outcome: all passages ranked, which of them the graph reached, and by which link."""

    found: store_reads.Evidence
    ranked: list[Scored]
    reached: frozenset[str]
    links: dict[str, path.Link]
    steps: dict[str, path.Beside]

    def sources(self) -> dict[str, Sequence[Scored]]:
        """The three sources; the graph's holds only what anchors, links and steps reached. And pictures, if any."""
        graph = [row for row in self.ranked if row.chunk_id in self.reached]
        sources: dict[str, Sequence[Scored]] = {VECTOR: self.found.dense, KEYWORD: self.found.keyword, GRAPH: graph}
        return sources | {VISUAL: self.found.pictures} if self.found.pictures else sources


async def _walk(query: Query, readers: Readers, reads: BudgetedReads) -> Walk:
    return await _walk_from(await store_reads.gather(query, readers, reads), {}, query, readers, reads)


async def _walk_from(
    found: store_reads.Evidence, more: Mapping[str, float], query: Query, readers: Readers, reads: BudgetedReads
) -> Walk:
    """From the evidence over names to other passages; `more` is what passages gain beside it."""
    base = path.base_scores(found.dense, found.keyword, found.sentences)
    gains = anchors.anchor_gains(found.anchored, found.about)
    scores = path.added(path.added(path.added(base, gains), path.picture_gains(found.pictures)), more)
    starts = path.sources(scores)
    mentions = await store_reads.mentions(starts, readers, reads)
    leaving = path.departures(starts, scores, mentions, found.sentences, found.asked)
    parts, whole = path.leads(leaving, found.asked)
    places, beside = await asyncio.gather(
        store_reads.places(parts, whole, query.where, readers, reads), store_reads.beside(starts, readers, reads)
    )
    links = path.best_links(parts, whole, places)
    steps = path.best_steps(starts, scores, beside)
    total = path.stepped(path.linked(scores, links), steps)
    return Walk(found, fuse.as_ranking(total), frozenset({*gains, *links, *steps}), links, steps)


def _whole(ranked: Sequence[Scored], found: store_reads.Evidence) -> list[Scored]:
    """The ranking, what words decide for first; last, at 0, what vectors and keywords found below average."""
    known = {row.chunk_id for row in ranked}
    below = fuse.reciprocal_rank_fusion([found.dense, found.keyword], without=known)
    return fuse.led([*ranked, *(Scored(row.chunk_id, 0.0) for row in below)], found.decided)


def _deep(query: Query) -> Query:
    return msgspec.structs.replace(query, limit=max(query.limit, query.top_k))


_ONLY: dict[Mode, tuple[str]] = {Mode.VECTOR: (VECTOR,), Mode.KEYWORD: (KEYWORD,)}
"""The source of modes that have one alone."""

_MODES: dict[Mode, Callable[[Query, Readers, BudgetedReads], Awaitable[Ranking]]] = {
    Mode.VECTOR: _vector,
    Mode.KEYWORD: _keyword,
    Mode.GRAPH: _graph,
    Mode.BFS: _bfs,
    Mode.PPR: _ppr,
    Mode.RRF: _rrf,
    Mode.WEIGHTED: _weighted,
    Mode.HYBRID: _hybrid,
    Mode.TOPICS: _topics,
    Mode.DEEP: _deep_walk,
}

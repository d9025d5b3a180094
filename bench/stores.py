"""The embedded stores at 20,000 chunks: `python bench/stores.py [--chunks N]`.

Prints one figure a line. The corpus is made up (words by Zipf's law, so that common words are as common as
in English), and the vectors are random; both from a fixed seed. Nothing is needed but a temporary folder.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import statistics
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trivium.adapters.embedded.keywords import SqliteKeywords
from trivium.adapters.embedded.vectors import SqliteVectors
from trivium.domain.chunks import Chunk, ChunkVectors, Span
from trivium.domain.ids import chunk_id, content_version, digest
from trivium.domain.retrieval import RowFilter
from trivium.domain.scope import DEFAULT_TENANT, Scope
from trivium.ports.keywords import keyword_rows
from trivium.ports.vectors import VectorRow

DIMENSION = 384
WORDS_PER_CHUNK = 180
SENTENCES_PER_CHUNK = 6
CHUNKS_PER_DOCUMENT = 2
VOCABULARY = 30_000
QUESTION_WORDS = 14
SEED = 7


class Corpus:
    """Documents of two chunks, made when asked for."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(SEED)
        weights = 1 / (np.arange(VOCABULARY) + 2.7)
        self.cumulated = np.cumsum(weights / weights.sum())
        self.names = [
            digest("word", str(n)).translate(str.maketrans("0123456789", "ghijklmnop"))[:7] for n in range(VOCABULARY)
        ]

    def words(self, count: int) -> str:
        return " ".join(self.names[n] for n in np.searchsorted(self.cumulated, self.random.random(count)))

    def vectors(self, count: int) -> NDArray[np.float32]:
        found = self.random.standard_normal((count, DIMENSION)).astype(np.float32)
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    def document(self, number: int) -> tuple[list[Chunk], list[VectorRow]]:
        identifier, version = digest("bench", str(number)), content_version(str(number).encode())
        chunks, rows = [], []
        for ordinal in range(CHUNKS_PER_DOCUMENT):
            text = self.words(WORDS_PER_CHUNK)
            key = chunk_id(identifier, version, ordinal)
            chunks.append(Chunk(key, identifier, version, ordinal, text, Span(0, len(text)), f"{number}.txt"))
            vectors = self.vectors(1 + SENTENCES_PER_CHUNK)
            stored = ChunkVectors(key, vectors[0].tobytes(), vectors[1:].tobytes())
            rows.append(VectorRow(stored, identifier, version, Scope(DEFAULT_TENANT)))
        return chunks, rows


def resident_mb() -> float:
    """What the process holds now; its peak where the system does not tell."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


async def timed(name: str, call: Callable[[int], Awaitable[object]], times: int = 200) -> None:
    started = time.perf_counter()
    await call(0)
    first = (time.perf_counter() - started) * 1e3
    taken = []
    for number in range(times):
        started = time.perf_counter()
        await call(number)
        taken.append((time.perf_counter() - started) * 1e3)
    taken.sort()
    print(f"{name:<58} p50 {statistics.median(taken):7.2f}  p95 {taken[int(times * 0.95)]:7.2f}  first {first:7.1f} ms")


def write(corpus: Corpus, vectors: SqliteVectors, keywords: SqliteKeywords, numbers: range) -> list[float]:
    taken = []
    vector_writer, keyword_writer = vectors.writer(DEFAULT_TENANT), keywords.writer(DEFAULT_TENANT)
    for number in numbers:
        chunks, rows = corpus.document(number)
        started = time.perf_counter()
        vector_writer.upsert(rows)
        keyword_writer.upsert(keyword_rows(chunks, Scope(DEFAULT_TENANT)))
        taken.append((time.perf_counter() - started) * 1e3)
    return taken


async def read(corpus: Corpus, vectors: SqliteVectors, keywords: SqliteKeywords, chunks: int) -> None:
    reader, words = vectors.reader(DEFAULT_TENANT), keywords.reader(DEFAULT_TENANT)
    queries = corpus.vectors(200)
    questions = [corpus.words(QUESTION_WORDS) for _ in range(200)]
    long_question = corpus.words(20_000)[:100_000]
    documents = [digest("bench", str(number)) for number in range(chunks // CHUNKS_PER_DOCUMENT)]
    found = [[hit.chunk_id for hit in await reader.search(query, 300)] for query in queries]
    before = resident_mb()
    await timed("vector search, best 100", lambda n: reader.search(queries[n], 100))
    await timed(
        "vector search, best 100 of 100 documents",
        lambda n: reader.search(queries[n], 100, RowFilter(tuple(documents[n : n + 100]))),
    )
    await timed("sentence vectors of 300 chunks", lambda n: reader.sentence_vectors(found[n]))
    await timed("passage vectors of 300 chunks", lambda n: reader.passage_vectors(found[n]))
    await timed(f"BM25, {QUESTION_WORDS} words, best 100", lambda n: words.search(questions[n], 100))
    await timed(
        "BM25, best 100 of 100 documents",
        lambda n: words.search(questions[n], 100, RowFilter(tuple(documents[n : n + 100]))),
    )
    await timed("BM25, a question of 100,000 characters", lambda _: words.search(long_question, 100), times=20)
    await timed("text of 10 chunks", lambda n: words.chunks(found[n][:10]))
    await timed("text of 300 chunks", lambda n: words.chunks(found[n]))
    print(f"resident: {before:.0f} MB before, {resident_mb():.0f} MB after these reads")
    await while_writing(corpus, vectors, keywords, chunks, queries, questions)


async def while_writing(
    corpus: Corpus,
    vectors: SqliteVectors,
    keywords: SqliteKeywords,
    chunks: int,
    queries: NDArray[np.float32],
    questions: list[str],
) -> None:
    reader, words = vectors.reader(DEFAULT_TENANT), keywords.reader(DEFAULT_TENANT)
    stop = threading.Event()

    def keep_writing() -> None:
        number = chunks
        while not stop.is_set():
            write(corpus, vectors, keywords, range(number, number + 1))
            number += 1
            time.sleep(0.015)

    thread = threading.Thread(target=keep_writing)
    thread.start()
    await timed("vector search while 60 documents/s are written", lambda n: reader.search(queries[n], 100))
    await timed("BM25 while 60 documents/s are written", lambda n: words.search(questions[n], 100))
    stop.set()
    thread.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=20_000)
    chunks = parser.parse_args().chunks
    corpus = Corpus()
    with tempfile.TemporaryDirectory() as folder:
        vectors, keywords = SqliteVectors(Path(folder)), SqliteKeywords(Path(folder))
        empty = resident_mb()
        taken = sorted(write(corpus, vectors, keywords, range(chunks // CHUNKS_PER_DOCUMENT)))
        total = sum(taken) / 1e3
        print(
            f"{'write a document of 2 chunks, vectors + keywords':<58} p50 {statistics.median(taken):7.2f}"
            f"  p95 {taken[int(len(taken) * 0.95)]:7.2f}  {chunks / total:.0f} chunks/s"
        )
        for file in sorted(Path(folder).rglob("*.sqlite")):
            print(f"{file.name}: {file.stat().st_size / 1e6:.0f} MB on disk")
        print(f"resident: {empty:.0f} MB empty, {resident_mb():.0f} MB after writing")
        asyncio.run(read(corpus, vectors, keywords, chunks))
        vectors.close()
        keywords.close()


if __name__ == "__main__":
    main()

"""Index files and answer questions with another library, in that library's own environment (see `peers.py`).

Usage: python peer_library.py txtai|haystack TASK

TASK is a JSON file: `{model, files, warm_up, questions, depth}`. When the model is loaded, and after each phase, it
prints a JSON line and waits for one to go on: `{}`, `{"index_s"}`, `{"spent_ms", "found"}`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

Index = Callable[[dict[str, str]], None]
Search = Callable[[str, int], list[str]]


def txtai(model: str) -> tuple[Index, Search]:
    """Dense vectors and BM25, mixed as it does by default; it keeps the texts."""
    from txtai import Embeddings

    embeddings = Embeddings(path=model, hybrid=True, content=True)
    embeddings.batchtransform(["The first text loads what is loaded late."])
    return (
        lambda texts: embeddings.index((name, text, None) for name, text in texts.items()),
        lambda question, limit: [row["id"] for row in embeddings.search(question, limit)],
    )


def haystack(model: str) -> tuple[Index, Search]:
    """BM25 and dense vectors in memory, joined by reciprocal ranks, as its own example of hybrid retrieval does."""
    from haystack import Document, Pipeline
    from haystack.components.joiners import DocumentJoiner
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
    from haystack.components.writers import DocumentWriter
    from haystack.document_stores.in_memory import InMemoryDocumentStore
    from haystack_integrations.components.embedders.sentence_transformers import (
        SentenceTransformersDocumentEmbedder,
        SentenceTransformersTextEmbedder,
    )

    store = InMemoryDocumentStore(embedding_similarity_function="cosine")
    embedder = SentenceTransformersDocumentEmbedder(model=model, progress_bar=False)
    embedder.warm_up()
    indexing = Pipeline()
    indexing.add_component("embed", embedder)
    indexing.add_component("write", DocumentWriter(document_store=store))
    indexing.connect("embed", "write")
    question_embedder = SentenceTransformersTextEmbedder(model=model, progress_bar=False)
    question_embedder.warm_up()
    searching = Pipeline()
    searching.add_component("embed", question_embedder)
    searching.add_component("dense", InMemoryEmbeddingRetriever(document_store=store))
    searching.add_component("words", InMemoryBM25Retriever(document_store=store))
    searching.add_component("join", DocumentJoiner(join_mode="reciprocal_rank_fusion"))
    searching.connect("embed.embedding", "dense.query_embedding")
    searching.connect("dense", "join")
    searching.connect("words", "join")

    def index(texts: dict[str, str]) -> None:
        indexing.run({"embed": {"documents": [Document(id=name, content=text) for name, text in texts.items()]}})

    def search(question: str, limit: int) -> list[str]:
        asked = {"embed": {"text": question}, "words": {"query": question}, "join": {"top_k": limit}}
        return [document.id for document in searching.run(asked)["join"]["documents"]]

    return index, search


LIBRARIES = {"txtai": txtai, "haystack": haystack}


def main() -> None:
    library, task = sys.argv[1:]
    wanted = json.loads(Path(task).read_text())
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    index, search = LIBRARIES[library](wanted["model"])
    _tell(answers, {})
    began = time.perf_counter()
    index({Path(file).name: Path(file).read_text() for file in wanted["files"]})
    _tell(answers, {"index_s": time.perf_counter() - began})
    for question in wanted["warm_up"]:
        search(question, wanted["depth"])
    found, spent_ms = [], []
    for question in wanted["questions"]:
        began = time.perf_counter()
        found.append(search(question, wanted["depth"]))
        spent_ms.append(1000 * (time.perf_counter() - began))
    _tell(answers, {"spent_ms": spent_ms, "found": found})


def _tell(answers: object, phase: dict[str, object]) -> None:
    print(json.dumps(phase), file=answers, flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    main()

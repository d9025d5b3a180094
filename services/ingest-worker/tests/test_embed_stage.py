"""Embedding as a stage: a long document's vectors are in memory once, and a stop costs one slice."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest

from trivium.adapters.embedded.objects import LocalObjects
from trivium.domain.chunks import Chunk, ChunkVectors, Span
from trivium.domain.documents import Document, Stage
from trivium.domain.scope import DEFAULT_TENANT
from trivium.flow import artifacts
from trivium.flow.chain import Entry
from trivium.flow.stage import Job, Outcome, StageProgress
from trivium.ports.inference import Passage, PassageVectors
from trivium.stopping import Stopped
from trivium_ingest import stages
from trivium_ingest.stages import EMBEDDED_AT_ONCE, LONG_PASSAGES, EmbedWork, forget_parts

DIMENSION = 384
SENTENCES = 20
SLICES = LONG_PASSAGES // EMBEDDED_AT_ONCE + 2
LONG = EMBEDDED_AT_ONCE * SLICES


class Counting:
    """Gives each passage the vector of its number, and remembers how many it was given at a time."""

    dimension, max_tokens = DIMENSION, 256

    def __init__(self) -> None:
        self.fingerprint = "counting"
        self.calls: list[int] = []

    def embed_passages(self, passages: Sequence[Passage]) -> list[PassageVectors]:
        self.calls.append(len(passages))
        rows = [np.full((1 + SENTENCES, DIMENSION), int(passage.text), np.float32) for passage in passages]
        return [PassageVectors(row[0], row[1:]) for row in rows]

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        raise AssertionError

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        raise AssertionError


class Stops(StageProgress):
    """The process stops before a slice, counted from 0."""

    def __init__(self, before: int) -> None:
        super().__init__()
        self.left = before

    def tell(self, done: float) -> None:
        if not self.left:
            raise Stopped
        self.left -= 1


@pytest.fixture
def embedder() -> Counting:
    return Counting()


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return job_of(tmp_path, LONG)


def job_of(folder: Path, passages: int) -> Job:
    objects = LocalObjects(folder).for_tenant(DEFAULT_TENANT)
    sentences = (Span(0, 1),) * SENTENCES
    chunks = [Chunk(f"c{n}", "d", "v", n, str(n), Span(0, 1), "s", sentences) for n in range(passages)]
    key = f"{artifacts.artifact_prefix('d', 'v')}{Stage.ENRICH.value}-1"
    artifacts.save(objects, key, chunks)
    return Job(Document("d", DEFAULT_TENANT.name, "s", "v"), Entry("d", "v", 1, {Stage.ENRICH.value: key}), objects)


def numbers(outcome: Outcome) -> list[tuple[str, float, int]]:
    """Of each row of the artifact: its id, the first number of its vector, and how many sentences it has."""
    value = artifacts.made("key", outcome.value, outcome.facts).value
    rows = artifacts.value_of(value, list[ChunkVectors], "key")
    first = [float(np.frombuffer(row.passage, np.float32)[0]) for row in rows]
    return [(row.chunk_id, one, len(row.sentences) // DIMENSION // 4) for row, one in zip(rows, first, strict=True)]


def test_every_passage_has_its_vectors_alone_and_together(tmp_path: Path, embedder: Counting) -> None:
    work = EmbedWork(embedder)
    few, long = job_of(tmp_path / "few", 3), job_of(tmp_path / "long", LONG)
    assert numbers(work.run(few)) == [(f"c{n}", n, SENTENCES) for n in range(3)]
    assert [len(numbers(outcome)) for outcome in work.run_all([few, job_of(tmp_path / "none", 0), few])] == [3, 0, 3]
    assert numbers(work.run(long)) == [(f"c{n}", n, SENTENCES) for n in range(LONG)]


def test_vectors_that_are_missing_leave_no_artifact(job: Job) -> None:
    class Forgetful(Counting):
        def embed_passages(self, passages: Sequence[Passage]) -> list[PassageVectors]:
            return super().embed_passages(passages)[1:]

    with pytest.raises(ValueError, match="shorter"):
        EmbedWork(Forgetful()).run(job)


def test_a_list_is_stored_as_long_as_it_is() -> None:
    made = artifacts.made("key", artifacts.encoded_rows(iter(range(300))), {})
    assert artifacts.value_of(made.value, list[int], "key") == list(range(300))


def test_the_vectors_of_a_long_document_are_in_memory_once(job: Job, embedder: Counting) -> None:
    work = EmbedWork(embedder)
    tracemalloc.start()
    try:
        outcome = work.run(job)
        made = artifacts.made("key", outcome.value, outcome.facts)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.5 * memoryview(made.value).nbytes


def test_a_long_document_goes_on_behind_the_slice_at_which_it_was_stopped(job: Job, embedder: Counting) -> None:
    work = EmbedWork(embedder)
    with pytest.raises(Stopped):
        work.run(msgspec.structs.replace(job, progress=Stops(before=SLICES - 2)))
    embedder.calls.clear()
    assert numbers(work.run(job)) == [(f"c{n}", n, SENTENCES) for n in range(LONG)]
    assert embedder.calls == [EMBEDDED_AT_ONCE] * 2


def test_another_model_takes_up_nothing_that_was_begun(job: Job, embedder: Counting) -> None:
    work = EmbedWork(embedder)
    with pytest.raises(Stopped):
        work.run(msgspec.structs.replace(job, progress=Stops(before=SLICES - 2)))
    embedder.calls.clear()
    embedder.fingerprint = "another"
    work.run(job)
    assert embedder.calls == [EMBEDDED_AT_ONCE] * SLICES


def test_a_long_document_that_was_not_stored_is_not_embedded_again(job: Job, embedder: Counting) -> None:
    work = EmbedWork(embedder)
    first = numbers(work.run(job))
    embedder.calls.clear()
    assert numbers(work.run(job)) == first
    assert not embedder.calls


def test_slices_of_another_size_are_not_taken_up(job: Job, embedder: Counting, monkeypatch: pytest.MonkeyPatch) -> None:
    work = EmbedWork(embedder)
    first = numbers(work.run(job))
    monkeypatch.setattr(stages, "EMBEDDED_AT_ONCE", 2 * EMBEDDED_AT_ONCE)
    assert numbers(work.run(job)) == first


def test_parts_go_when_the_vectors_are_stored(job: Job, embedder: Counting) -> None:
    before = list(job.objects.keys())
    EmbedWork(embedder).run(job)
    key = artifacts.artifact_key(job.entry, Stage.EMBED, EmbedWork(embedder).fingerprint())
    forget_parts(msgspec.structs.replace(job, document=msgspec.structs.replace(job.document, chunks=LONG)), key)
    assert list(job.objects.keys()) == before

"""Processes that die, again and again, wherever a document happens to be."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import pytest
from cluster import CONTROL, GRAPH, INFERENCE, INGEST
from storm import Holdings, Storm, documents

from trivium.domain.documents import STAGES, DocumentState, Stage
from trivium.flow.pipeline import PIPELINE, Worker

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

SEED = 4
MAX_ATTEMPTS = 3
Undisturbed = Callable[[Mapping[str, str]], dict[str, Holdings]]


def worker_of(stage: Stage) -> str:
    return GRAPH if PIPELINE[stage].worker is Worker.GRAPH else INGEST


def test_sigkill_at_every_stage_boundary_leaves_what_an_undisturbed_run_leaves(
    storm: Storm, undisturbed: Undisturbed
) -> None:
    choose = random.Random(SEED)
    killings = [(worker_of(stage), stage) for stage in STAGES]
    killings += [(CONTROL, choose.choice(STAGES)), (INFERENCE, Stage.EMBED)]
    choose.shuffle(killings)
    texts: dict[str, str] = {}
    for turn, (victim, stage) in enumerate(killings):
        for attempt in range(8):  # the documents may be through before the look at them, more of them take longer
            some = documents(f"kill{turn}-{attempt}", 7 * (1 + attempt))
            texts |= some
            if hit := storm.at_stage(storm.submit(some), stage):
                break
        assert hit, f"no document was seen at {stage}"
        storm.kill(victim)
        storm.start(victim)
        print(f"killed {victim} when {hit.source} was at {stage.value}, attempt {hit.attempt}")
    ids = [document["id"] for document in storm.documents() if document["name"] in texts]
    ended = storm.settled_all(ids)
    assert len(ended) == len(texts)
    assert {document.state for document in ended.values()} == {DocumentState.READY}
    assert storm.holdings(ids) == undisturbed(texts)


def test_a_storm_of_sigterm_loses_no_document_and_counts_no_failure(storm: Storm, undisturbed: Undisturbed) -> None:
    """Scaling down again and again: what a worker has in hand is finished, or goes back."""
    choose = random.Random(SEED)
    texts = documents("terminated", 30)
    ids = storm.submit(texts)
    for turn in range(4):
        name, text = f"in-hand-{turn}.txt", "\n\n".join(documents(f"long{turn}", 120).values())
        (long,) = storm.submit({name: text})
        texts[name] = text
        ids.append(long)
        hit = storm.at_stage([long], Stage.EMBED)
        victims = [INGEST] if choose.random() < 0.5 else [INGEST, GRAPH]
        storm.stop(*victims)
        print(f"SIGTERM to {', '.join(victims)} when {name} was {'at embed' if hit else 'through'}")
        storm.start(*victims)
        assert storm.at_stage([long], Stage.EMBED, attempt=2) is None, "what was in hand was not finished"
    ended = storm.settled_all(ids)
    assert {document.state for document in ended.values()} == {DocumentState.READY}
    assert {document.attempt for document in ended.values()} == {1}
    assert storm.holdings(ids) == undisturbed(texts)


def test_a_document_that_kills_its_worker_every_time_fails_alone(storm: Storm, undisturbed: Undisturbed) -> None:
    """The worker dies whenever this document is at `embed`: it is long enough to be seen there."""
    storm.stop(INGEST)
    neighbours = documents("neighbour", 12)
    poison = "\n\n".join(documents("poison", 1500).values())
    ids = storm.submit(neighbours | {"poison.txt": poison})
    killer = ids[-1]
    deaths = 0
    while True:
        storm.start(INGEST, TRIVIUM_MAX_ATTEMPTS=str(MAX_ATTEMPTS))
        if not storm.killed_at(INGEST, killer, Stage.EMBED, attempt=deaths + 1):
            break
        deaths += 1
        assert deaths <= MAX_ATTEMPTS, "it is tried for ever"
        print(f"killed the worker, {deaths} times; {storm.unfinished(ids)} documents unfinished")
    ended = storm.settled_all(ids)
    failed = ended.pop(killer)
    assert (failed.state, deaths) == (DocumentState.FAILED, MAX_ATTEMPTS)
    assert failed.failure
    assert (failed.failure.code, failed.failure.stage) == ("poison", Stage.EMBED.value)
    assert {document.state for document in ended.values()} == {DocumentState.READY}
    assert storm.holdings(ended) == undisturbed(neighbours)
    storm.stop(INGEST)  # it has this test's settings

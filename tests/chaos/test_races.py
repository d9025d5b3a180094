"""Something newer happens to a document while an older version of it is being worked on."""

from __future__ import annotations

import random
import signal
import time

import pytest
from cluster import GRAPH, INGEST
from storm import LEASE_S, Storm, documents, text_of

from trivium.domain.documents import STAGES, DocumentState, Stage

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

SEED = 6
OLD, NEW = 1801, 1902


def test_an_overwrite_at_every_stage_of_the_older_version_wins_everywhere(storm: Storm) -> None:
    stages = random.Random(SEED).sample(STAGES, len(STAGES))
    names = {f"overwritten/{stage.value}.txt": (number, stage) for number, stage in enumerate(stages)}
    ids = {}
    for name, (number, stage) in names.items():
        (ids[name],) = storm.submit({name: text_of("overwritten", number, OLD)})
        hit = storm.at_stage([ids[name]], stage)
        storm.submit({name: text_of("overwritten", number, NEW)})
        print(f"{name}: overwritten when the older one was {f'at {stage.value}' if hit else 'through'}")
    ended = storm.settled_all(list(ids.values()))
    assert {document.state for document in ended.values()} == {DocumentState.READY}
    for name, held in storm.holdings(ids.values()).items():
        assert f"in {NEW} by" in " ".join(held.texts)
        assert storm.versions_held(ids[name]) == {held.version}


def test_a_deletion_at_every_stage_leaves_nothing(storm: Storm) -> None:
    stages = random.Random(SEED).sample(STAGES, len(STAGES))
    ids = []
    for number, stage in enumerate(stages):
        (document,) = storm.submit({f"deleted/{stage.value}.txt": text_of("deleted", number)})
        hit = storm.at_stage([document], stage)
        with storm.http() as client:
            assert client.delete(f"/v1/sources/{document}").status_code == 200
        ids.append(document)
        print(f"deleted when it was {f'at {stage.value}' if hit else 'through'}")
    through = storm.submit(documents("after", 1))  # what was in hand is behind it
    storm.settled_all(through)
    time.sleep(2)
    assert {document.state for document in storm.records.get_many(ids).values()} == {DocumentState.DELETED}
    for document in ids:
        assert storm.versions_held(document) == set()


@pytest.mark.parametrize("stage", [Stage.EMBED, Stage.INDEX, Stage.LINK, Stage.PUBLISH])
def test_a_worker_that_was_paused_past_its_lease_comes_too_late(storm: Storm, stage: Stage) -> None:
    """Its version is overwritten while it sleeps, and another worker does the newer one."""
    worker = GRAPH if stage is Stage.LINK else INGEST
    name = f"paused/{stage.value}.txt"
    for attempt in range(5):  # the document may be through before the look at it
        name = f"paused/{stage.value}-{attempt}.txt"
        (document,) = storm.submit({name: text_of("paused", attempt, OLD)})
        if storm.at_stage([document], stage):
            break
    storm.signal(worker, signal.SIGSTOP)
    try:
        held = storm.records.get(document)
        print(f"paused {worker} at {held.stage} of {held.source}, fence {held.fence}")
        storm.submit({name: text_of("paused", attempt, NEW)})
        storm.start(f"{worker}#2")
        ended = storm.settled_all([document])[document]
    finally:
        storm.signal(worker, signal.SIGCONT)
    storm.settled_all(storm.submit(documents(f"awake-{stage.value}", 20)))
    time.sleep(LEASE_S / 2)
    storm.stop(f"{worker}#2")
    assert storm.records.get(document) == ended, "the late commit changed the record"
    assert ended.state is DocumentState.READY
    (holding,) = storm.holdings([document]).values()
    assert f"in {NEW} by" in " ".join(holding.texts)
    assert storm.versions_held(document) == {ended.version}

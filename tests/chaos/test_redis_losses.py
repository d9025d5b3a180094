"""Redis is the broker and the newest state of every record, and may lose all of it at any moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import pytest
from storm import Holdings, Storm, documents

from trivium.domain.documents import DocumentState

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

Undisturbed = Callable[[Mapping[str, str]], dict[str, Holdings]]


def test_redis_killed_and_started_again_under_load_costs_a_delay(storm: Storm, undisturbed: Undisturbed) -> None:
    texts = documents("restarted", 40)
    ids = storm.submit(texts)
    for left, pause_s in ((32, 0.0), (20, 3.0)):
        storm.down_to(ids, left)
        storm.redis.kill()
        time.sleep(pause_s)
        storm.redis.start()
        print(f"Redis was away for {pause_s} s with {storm.unfinished(ids)} of {len(ids)} documents unfinished")
    ended = storm.settled_all(ids)
    assert {document.state for document in ended.values()} == {DocumentState.READY}
    assert storm.holdings(ids) == undisturbed(texts)


def test_flushall_in_the_middle_of_300_documents_loses_none(storm: Storm, undisturbed: Undisturbed) -> None:
    texts = documents("flushed", 300)
    ids = storm.submit(texts)
    for left in (270, 150):
        storm.down_to(ids, left)
        storm.redis.flush()
        print(f"FLUSHALL with {storm.unfinished(ids)} of {len(ids)} documents unfinished")
    ended = storm.settled_all(ids)
    assert {document.state for document in ended.values()} == {DocumentState.READY}
    sample = dict(list(texts.items())[::10])
    some = [document.id for document in ended.values() if document.source in sample]
    assert storm.holdings(some) == undisturbed(sample)

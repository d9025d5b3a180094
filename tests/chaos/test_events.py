"""An object server's notifications are lost, repeated and reordered; the bucket decides."""

from __future__ import annotations

import json
import random
import time

import pytest
from storm import Storm, text_of

from trivium.config import Settings
from trivium.domain.documents import Document, DocumentState

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

SEED = 5
KEYS = 40
DROPPED = 0.2
EVENTS_LIST = Settings().events_key
OLD, NEW = 1801, 1902
HISTORIES: list[list[int | None]] = [[OLD], [OLD, NEW], [OLD, None], [OLD, None, NEW]]  # None: removed


def test_a_fifth_of_the_events_lost_and_the_rest_shuffled_and_tripled_end_as_the_bucket_is(storm: Storm) -> None:
    choose = random.Random(SEED)
    keys = [f"events/{number:03}.txt" for number in range(KEYS)]
    years: dict[str, int | None] = {}
    events = []
    for number, key in enumerate(keys):
        for year in choose.choice(HISTORIES):
            change(storm, key, number, year)
            years[key] = year
            events.append((key, "s3:ObjectCreated:Put" if year else "s3:ObjectRemoved:Delete"))
    told = [event for event in events if choose.random() >= DROPPED] * 3
    choose.shuffle(told)
    started = time.monotonic()
    with storm.redis.client() as redis:
        for event in told:
            redis.rpush(EVENTS_LIST, message(storm, *event))
    print(f"{len(events)} changes of {KEYS} keys, {len(told) // 3} told three times each")
    storm.until(lambda: state_of(storm, keys) == years, "the documents are as the bucket is")
    print(f"as the bucket is after {time.monotonic() - started:.1f} s")
    time.sleep(2)
    assert state_of(storm, keys) == years, "and stay so"


def change(storm: Storm, key: str, number: int, year: int | None) -> None:
    if year is None:
        storm.s3.remove_object(storm.uploads, key)
    else:
        storm.upload(key, text_of("events", number, year).encode())


def message(storm: Storm, key: str, name: str) -> str:
    """As MinIO pushes it onto a list."""
    record = {"eventName": name, "s3": {"bucket": {"name": storm.uploads}, "object": {"key": key}}}
    return json.dumps([{"Event": [record], "EventTime": "2026-01-01T00:00:00Z"}])


def state_of(storm: Storm, keys: list[str]) -> dict[str, int | None]:
    """The year that questions find for each key: None for a document that is gone, 0 while it is unclear."""
    ids = {storm.upload_id(key): key for key in keys}
    records = storm.records.get_many(list(ids))
    ready = [document.id for document in records.values() if document.state is DocumentState.READY]
    texts = {source: " ".join(held.texts) for source, held in storm.holdings(ready).items()}
    return {key: _year(records.get(identifier), texts) for identifier, key in ids.items()}


def _year(record: Document | None, texts: dict[str, str]) -> int | None:
    if record is None or record.state is DocumentState.DELETED:
        return None
    shown = [year for year in (OLD, NEW) if f"in {year} by" in texts.get(record.source, "")]
    return shown[0] if len(shown) == 1 else 0

"""Conversations when a process dies between two writes, and when two processes append at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from trivium.adapters.distributed.s3.bucket import Bucket
from trivium.adapters.distributed.s3.conversations import ObjectConversations, ObjectConversationStore
from trivium.adapters.distributed.s3.objects import S3Objects
from trivium.config import Settings
from trivium.domain.answers import Turn
from trivium.domain.scope import DEFAULT_TENANT


@pytest.fixture
def objects(own: Settings) -> Iterator[S3Objects]:
    opened = S3Objects(own)
    yield opened
    opened.close()


class Killed(BaseException):
    """The process is gone."""


class DyingBucket:
    """Works until its `writes`th write or removal, and is gone before it."""

    def __init__(self, bucket: Bucket, writes: int) -> None:
        self._bucket, self._left = bucket, writes

    def __getattr__(self, name: str) -> Any:
        if name in ("put", "delete"):
            if not self._left:
                raise Killed
            self._left -= 1
        return getattr(self._bucket, name)


@pytest.mark.parametrize("writes", [0, 1, 2, 3])
def test_an_append_that_died_on_its_way_is_there_whole_or_not_at_all(objects: S3Objects, writes: int) -> None:
    store = ObjectConversations(objects).for_tenant(DEFAULT_TENANT)
    older, newer = store.create("older"), store.create("newer")
    dying: Any = DyingBucket(objects.bucket, writes)
    try:
        ObjectConversationStore(dying, DEFAULT_TENANT, [threading.Lock()]).append(older.id, Turn("q", "a"))
    except Killed:
        assert writes < 3
    listed, cursor = store.list()
    done = writes >= 2
    assert [found.id for found in listed] == ([older.id, newer.id] if done else [newer.id, older.id])
    assert cursor == ""
    assert len(store.get(older.id).turns) == int(done)
    store.append(older.id, Turn("again", "a"))
    assert [found.id for found in store.list()[0]] == [older.id, newer.id]
    first, cursor = store.list(limit=1)
    second, end = store.list(limit=1, cursor=cursor)
    assert ([found.id for found in first + second], end) == ([older.id, newer.id], "")


def test_processes_that_append_at_once_lose_no_turn(objects: S3Objects) -> None:
    made = ObjectConversations(objects).for_tenant(DEFAULT_TENANT).create()

    def append(number: int) -> None:
        store = ObjectConversations(objects).for_tenant(DEFAULT_TENANT)  # with locks of its own, as a process has
        for turn in range(10):
            store.append(made.id, Turn(f"{number}.{turn}", "a"))

    threads = [threading.Thread(target=append, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store = ObjectConversations(objects).for_tenant(DEFAULT_TENANT)
    turns = [turn.question for turn in store.get(made.id).turns]
    assert sorted(turns) == sorted(f"{n}.{t}" for n in range(3) for t in range(10))
    assert len(store.list()[0]) == 1

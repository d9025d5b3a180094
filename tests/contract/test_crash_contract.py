"""A process killed while it writes leaves whole batches, and everything it said was done.

This is about stores that live in the process that is killed. What servers lose with theirs, `tests/distributed` and
`tests/chaos` ask.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from trivium.domain.documents import DocumentState
from trivium.domain.scope import DEFAULT_TENANT

from .conftest import embedded

BATCH = 5
VALUE = 50_000


def write_until_killed(folder: Path, first: int, chance: random.Random) -> int:
    """The last number that the writer reported as done."""
    script = Path(__file__).with_name("crash_writer.py")
    with subprocess.Popen(
        [sys.executable, str(script), str(folder), str(first)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(chance.randint(5, 30))]
        time.sleep(chance.random() * 0.01)
        writer.kill()
        lines += writer.stdout.readlines()
    return max(int(line) for line in lines if line.endswith("\n"))


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_after_sigkill_batches_are_whole_and_what_was_done_is_there(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    done = write_until_killed(tmp_path, 0, chance)
    done = write_until_killed(tmp_path, done + 2, chance)
    with embedded(tmp_path) as stores:
        vectors, keywords = stores.vectors.writer(DEFAULT_TENANT), stores.keywords.writer(DEFAULT_TENANT)
        documents = stores.registry.for_tenant(DEFAULT_TENANT).list(limit=1000).documents
        assert len(documents) >= done - 1
        objects = stores.objects.for_tenant(DEFAULT_TENANT)
        whole: dict[str, set[str]] = {"vectors": set(), "keywords": set()}
        for document in documents:
            number = int(document.id[1:])
            for name, writer in (("vectors", vectors), ("keywords", keywords)):
                ids = writer.ids({document.id: "v1"})[document.id]
                assert len(ids) in (0, BATCH)
                whole[name] |= ids
            if document.state is DocumentState.READY:
                assert objects.get(f"artifacts/{document.id}") == bytes([number % 256]) * VALUE
                assert vectors.ids({document.id: "v1"})[document.id] or number % 4 == 2
                assert keywords.ids({document.id: "v1"})[document.id] or number % 4 == 2
        for key in objects.keys():  # noqa: SIM118 - not a dictionary
            content = objects.get(key)
            assert len(content) == VALUE
            assert len(set(content)) == 1
        query = np.eye(1, 8, dtype=np.float32)[0]
        seen = await stores.vectors.reader(DEFAULT_TENANT).search(query, 10_000)
        assert {hit.chunk_id for hit in seen} == whole["vectors"]
        seen = await stores.keywords.reader(DEFAULT_TENANT).search("apple", 10_000)
        assert {hit.chunk_id for hit in seen} == whole["keywords"]
        talks, _ = stores.conversations.for_tenant(DEFAULT_TENANT).list()
        assert len(talks) == 2

"""Run by `test_crash_contract.py` and killed while it writes: `crash_writer.py FOLDER FIRST_NUMBER`."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import msgspec
import numpy as np

from trivium.adapters.embedded.conversations import SqliteConversations
from trivium.adapters.embedded.keywords import SqliteKeywords
from trivium.adapters.embedded.objects import LocalObjects
from trivium.adapters.embedded.registry import SqliteRegistry
from trivium.adapters.embedded.vectors import SqliteVectors
from trivium.domain.answers import Turn
from trivium.domain.chunks import Chunk, ChunkVectors, Span
from trivium.domain.documents import Document, DocumentState
from trivium.domain.scope import DEFAULT_TENANT, Scope
from trivium.ports.keywords import keyword_rows
from trivium.ports.vectors import VectorRow

BATCH = 5
SCOPE = Scope(DEFAULT_TENANT)
VALUE = 50_000


def main(folder: Path, first: int) -> None:
    objects = LocalObjects(folder).for_tenant(DEFAULT_TENANT)
    registry = SqliteRegistry(folder).for_tenant(DEFAULT_TENANT)
    vectors, keywords = SqliteVectors(folder).writer(DEFAULT_TENANT), SqliteKeywords(folder).writer(DEFAULT_TENANT)
    conversations = SqliteConversations(folder).for_tenant(DEFAULT_TENANT)
    talk = conversations.create()
    vector = np.eye(1, 8, dtype=np.float32).tobytes()
    for number in itertools.count(first):
        name = f"d{number}"
        registry.accept(Document(name, "default", name, "v1"))
        claimed = registry.claim(name, "v1", 60, 1)
        objects.put(f"artifacts/{name}", bytes([number % 256]) * VALUE, durable=False)
        objects.put("replaced", bytes([number % 256]) * VALUE, durable=False)
        ids = [f"{name}.{part}" for part in range(BATCH)]
        vectors.upsert([VectorRow(ChunkVectors(i, vector, vector * 2), name, "v1", SCOPE) for i in ids])
        chunks = [Chunk(i, name, "v1", n, f"apple word{number}", Span(0, 5), name) for n, i in enumerate(ids)]
        keywords.upsert(keyword_rows(chunks, SCOPE))
        if number % 4 == 3:
            vectors.delete(f"d{number - 1}")
            keywords.delete(f"d{number - 1}")
        conversations.append(talk.id, Turn(str(number), "x" * 5000))
        registry.save(msgspec.structs.replace(claimed, state=DocumentState.READY, active_version="v1"))
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))

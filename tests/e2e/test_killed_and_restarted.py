"""SIGKILL in the middle of an ingest costs time, never a document."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from .conftest import Server

FILES = 200
KILLS = 3


def _texts() -> dict[str, str]:
    places = ["harbour", "mill", "bridge", "quarry", "orchard", "weir", "chapel", "signal box"]
    return {
        f"note-{i:03d}.md": f"# Note {i}\n\nThe {places[i % 8]} number {i} was surveyed by Ilse Marten{i} "
        f"in {1900 + i % 90}.\n"
        f"\nIts keeper kept a diary of {i * 7} pages about the weather.\n"
        for i in range(FILES)
    }


def _submit(server: Server, texts: dict[str, str]) -> dict[str, str]:
    ids = {}
    with server.http() as client:
        for name, text in texts.items():
            answer = client.post("/v1/sources", files={"file": (name, text.encode())})
            assert answer.status_code == 202, answer.text
            ids[name] = answer.json()["id"]
    return ids


def _rows(server: Server, ids: dict[str, str]) -> dict[str, list[tuple[str, str]]]:
    with server.http() as client:
        return {
            name: [(c["id"], c["text"]) for c in client.get(f"/v1/sources/{i}/chunks").json()["chunks"]]
            for name, i in ids.items()
        }


def test_an_ingest_killed_several_times_ends_like_an_undisturbed_one(
    start_server: Callable[[str], Server],
) -> None:
    texts = _texts()
    calm = start_server("calm")
    calm_ids = _submit(calm, texts)
    assert calm.wait_idle() == {"ready": FILES}
    expected = _rows(calm, calm_ids)
    calm.stop()

    rng = random.Random(20261121)
    rough = start_server("rough")
    ids = _submit(rough, texts)
    for _ in range(KILLS):
        time.sleep(rng.uniform(0.2, 1.0))
        rough.kill()
        rough.start()
    assert rough.wait_idle() == {"ready": FILES}
    assert ids == calm_ids
    assert _rows(rough, ids) == expected
    with rough.http() as client:
        hits = client.post("/v1/search", json={"query": "Ilse Marten17", "mode": "keyword", "top_k": 5}).json()["hits"]
    assert [hit["chunk"]["source"] for hit in hits].count("note-017.md") == 1

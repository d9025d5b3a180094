"""Keys and limits where several query services share one object store and one Redis."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx2
import pytest
from cluster import QUERY, Cluster
from waiting import wait_until

SECOND = f"{QUERY}#2"
ADMIN = "the-first-admin"
WITHIN_S = 5.0  # what docs/security.md promises is four
PER_S = 20
ASKED_S = 10.0
ASKERS = 3  # for each service


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The addresses of two query services, with models of their own and no ingest behind."""
    settings = {
        "TRIVIUM_API_KEYS": f"default:{ADMIN}",
        "TRIVIUM_LIMITS": f"key.requests={PER_S}/s",
        "TRIVIUM_INFERENCE_URL": "",
    }
    cluster = Cluster(tmp_path_factory.mktemp("access"), **settings)
    cluster.make_buckets(events=False)
    try:
        cluster.start(QUERY)
        yield cluster.url, cluster.start_beside(SECOND)
    finally:
        cluster.remove()


def asking(door: str, key: str) -> httpx2.Client:
    return httpx2.Client(base_url=door, timeout=60, trust_env=False, headers={"x-api-key": key})


def opens(door: str, key: str) -> int:
    with asking(door, key) as client:
        return client.get("/v1/sources", params={"limit": 1}).status_code


def becomes(door: str, key: str, code: int) -> None:
    """Asked as often as the limit lets nobody notice."""
    wait_until(lambda: opens(door, key) == code, f"the key gets {code}", limit_s=WITHIN_S, pause_s=0.2)


def made(door: str, name: str, role: str = "reader") -> tuple[str, str]:
    """A new key's id and secret."""
    with asking(door, ADMIN) as admin:
        told = admin.post("/v1/keys", json={"name": name, "role": role})
        assert told.status_code == 201, told.text
        return told.json()["key"]["id"], told.json()["secret"]


def test_what_becomes_of_a_key_at_one_service_holds_at_the_other(doors: tuple[str, str]) -> None:
    here, there = doors
    key_id, key = made(here, "Mira")
    becomes(there, key, 200)
    with asking(here, ADMIN) as admin:
        rotated = admin.post(f"/v1/keys/{key_id}/rotate").json()
        becomes(there, rotated["secret"], 200)
        becomes(there, key, 401)
        admin.delete(f"/v1/keys/{rotated['key']['id']}").raise_for_status()
    becomes(there, rotated["secret"], 401)
    assert [opens(door, rotated["secret"]) for door in doors] == [401, 401]


def asked_for_a_while(client: httpx2.Client, until: float) -> Counter[int]:
    """How often each status was told. A refusal is ignored."""
    told: Counter[int] = Counter()
    while time.monotonic() < until:
        told[client.get("/v1/sources", params={"limit": 1}).status_code] += 1
    return told


def test_a_limit_holds_over_both_services_together(doors: tuple[str, str]) -> None:
    _, key = made(doors[0], "a robot")
    with ExitStack() as opened:
        askers = [opened.enter_context(asking(door, key)) for door in doors for _ in range(ASKERS)]
        threads = opened.enter_context(ThreadPoolExecutor(len(askers)))
        assert [opens(door, key) for door in doors] == [200, 200], "both know the key from now on"
        began = time.monotonic()
        calls = [threads.submit(asked_for_a_while, asker, began + ASKED_S) for asker in askers]
        told = sum((call.result() for call in calls), Counter[int]())
        permitted = PER_S * (time.monotonic() - began) + PER_S
    assert set(told) == {200, 429}
    assert 0.95 * permitted <= told[200] <= 1.05 * permitted, (told, permitted)

"""Many clients of several tenants at once, while keys are rotated and revoked and limits are hit.

Usage: python bench/clients.py [DURATION] [--clients 64] [--tenants 8] [--limits LIMITS]
                               [--servers | --url URL --admins KEYS]

DURATION in seconds (300 without it). A server of its own is started over an empty folder. With --servers all of
Trivium's processes are, on the servers of `make services` (`set -a; . .services/env`), and what they hold is removed
afterwards; once the documents are read the query service is started again, and the clients begin when `/readyz` lets
them. With --url a running server is asked, embedded or on servers: KEYS are its TRIVIUM_API_KEYS, LIMITS its
TRIVIUM_LIMITS. Its tenants should be empty; they keep what is uploaded here.

Counted: answers of 5xx and calls without an answer, requests of a revoked key that were sent more than 5 s after it was
and were served, and bodies with another tenant's words. Fails where there is one, and where the run did not show it:
no limit was hit, no revoked key was tried that late, or no body held a tenant's own words.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from report import machine
from serving import running_server

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "peers"))
from cluster import QUERY, Cluster
from waiting import wait_until

LIMITS = "key.requests=2/s,tenant.requests=4/s"
LATE_S = 5.0  # after which a revoked key opens nothing
TRIED_S = 12.0  # for so long a revoked key is tried
BETWEEN_REVOCATIONS_S = 2.0  # of one tenant
SETTLED_S = 120
WORDS = ("Quillon", "Zarvane", "Ombrelle", "Tisane", "Vellichor", "Halcyon", "Peridot", "Marzipan")


@dataclass
class Seen:
    """What came back, of all clients."""

    codes: Counter[int] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)
    served_late: list[str] = field(default_factory=list)
    tried_late: int = 0
    own_words: int = 0
    ended: int = 0
    spent_ms: list[float] = field(default_factory=list)


@dataclass
class Tenant:
    """`word` stands in each of its documents and in no other tenant's; `keys` are its clients' own."""

    name: str
    admin: str
    word: str
    keys: dict[int, tuple[str, str]] = field(default_factory=dict)
    ended: list[tuple[str, float]] = field(default_factory=list)


class Run:
    """All clients against one server, until `until` of the monotonic clock."""

    def __init__(self, http: httpx2.AsyncClient, tenants: list[Tenant], duration_s: float) -> None:
        self.seen = Seen()
        self._http = http
        self._tenants = tenants
        self._began = time.monotonic()
        self._until = self._began + duration_s

    async def client(self, number: int) -> None:
        """Asks all the time; every second one waits when it is told to."""
        tenant, chance = self._tenants[number % len(self._tenants)], random.Random(number)
        while time.monotonic() < self._until:
            answer = await self._ask(tenant, tenant.keys[number][1], chance)
            if answer is not None and answer.status_code == httpx2.codes.TOO_MANY_REQUESTS and number % 2:
                await asyncio.sleep(float(answer.headers["retry-after"]))

    async def revoking(self, tenant: Tenant) -> None:
        """One client after the other gets another key: by rotation, or by a new one and revoking."""
        for turn, number in enumerate(itertools.cycle(list(tenant.keys))):
            await asyncio.sleep(BETWEEN_REVOCATIONS_S)
            if time.monotonic() > self._until:
                return
            identifier, secret = tenant.keys[number]
            if turn % 2:
                made = await self._managed(tenant, "POST", f"/v1/keys/{identifier}/rotate", {"keep_s": 0})
                tenant.keys[number] = (made["key"]["id"], made["secret"])
            else:
                tenant.keys[number] = await self._new_key(tenant, number)
                await self._managed(tenant, "DELETE", f"/v1/keys/{identifier}")
            tenant.ended.append((secret, time.monotonic()))
            self.seen.ended += 1

    async def trying_ended_keys(self, tenant: Tenant) -> None:
        """What was revoked goes on asking."""
        chance = random.Random(tenant.name)
        while time.monotonic() < self._until:
            await asyncio.sleep(0.2)
            now = time.monotonic()
            tenant.ended = [(secret, at) for secret, at in tenant.ended if now - at < TRIED_S]
            for secret, at in list(tenant.ended):
                sent = time.monotonic()
                answer = await self._ask(tenant, secret, chance)
                if answer is not None and sent - at > LATE_S:
                    self.seen.tried_late += 1
                    if answer.is_success:
                        self.seen.served_late.append(f"{sent - at:.1f} s after: {answer.request.url.path}")

    async def _ask(self, tenant: Tenant, secret: str, chance: random.Random) -> httpx2.Response | None:
        method, path, body = chance.choice(REQUESTS)
        began = time.perf_counter()
        try:
            answer = await self._http.request(method, path, json=body, headers={"x-api-key": secret})
        except httpx2.HTTPError as error:
            self.seen.failures.append(f"{path}: {type(error).__name__} {error}")
            return None
        self.seen.spent_ms.append((time.perf_counter() - began) * 1000)
        self.seen.codes[answer.status_code] += 1
        if answer.is_server_error:
            at = time.monotonic() - self._began
            self.seen.failures.append(f"{at:.0f} s: {path}: {answer.status_code} {answer.text[:300]}")
        self._look_for_words(tenant, answer)
        return answer

    def _look_for_words(self, tenant: Tenant, answer: httpx2.Response) -> None:
        told = answer.text.casefold()
        self.seen.own_words += tenant.word.casefold() in told
        for other in self._tenants:
            if other is not tenant and (other.word.casefold() in told or other.name in told):
                self.seen.leaks.append(f"{other.name} in {answer.request.url.path} of {tenant.name}")

    async def _managed(self, tenant: Tenant, method: str, path: str, body: object = None) -> dict[str, Any]:
        """As the tenant's admin, who waits when he is told to."""
        while True:
            answer = await self._http.request(method, path, json=body, headers={"x-api-key": tenant.admin})
            if answer.status_code != httpx2.codes.TOO_MANY_REQUESTS:
                answer.raise_for_status()
                told: dict[str, Any] = answer.json()
                return told
            await asyncio.sleep(float(answer.headers["retry-after"]))

    async def _new_key(self, tenant: Tenant, number: int) -> tuple[str, str]:
        made = await self._managed(tenant, "POST", "/v1/keys", {"name": f"client {number}", "role": "reader"})
        return made["key"]["id"], made["secret"]

    async def prepare(self, clients: int) -> None:
        """Documents and keys."""
        for tenant in self._tenants:
            text = f"The {tenant.word} ledger is kept by Orsolya {tenant.word} at the {tenant.word} Tower since 1888.\n"
            files = [("file", (f"{part}-{tenant.word}.md", f"# {tenant.word} {part}\n\n{text}")) for part in range(3)]
            sent = await self._http.post("/v1/sources", files=files, headers={"x-api-key": tenant.admin})
            sent.raise_for_status()
        for number in range(clients):
            tenant = self._tenants[number % len(self._tenants)]
            tenant.keys[number] = await self._new_key(tenant, number)
        await asyncio.gather(*map(self._settled, self._tenants))

    async def _settled(self, tenant: Tenant) -> None:
        for _ in range(SETTLED_S):
            states = (await self._managed(tenant, "GET", "/v1/status"))["by_state"]
            if not states.get("pending") and not states.get("running"):
                return
            await asyncio.sleep(1)
        raise SystemExit(f"The documents of {tenant.name} were not read within {SETTLED_S} s.")


REQUESTS = (
    ("GET", "/v1/sources", None),
    ("GET", "/v1/graph/entities?prefix=orsolya", None),
    ("GET", "/v1/conversations", None),
    ("POST", "/v1/search", {"query": "Who keeps the ledger?"}),
    ("POST", "/v1/search", {"query": "Who keeps the ledger?", "mode": "keyword"}),
    ("POST", "/v1/search", {"query": "Orsolya", "mode": "graph"}),
    ("POST", "/v1/queries", {"query": "Who keeps the ledger, and at which tower?"}),
)
"""They hold no tenant's words, which an answer would repeat."""


async def prepared(url: str, tenants: list[Tenant], clients: int) -> None:
    """Each tenant has read documents, and each client its key."""
    async with client_of(url, clients) as http:
        await Run(http, tenants, 0).prepare(clients)


async def run(url: str, tenants: list[Tenant], clients: int, duration_s: float) -> Seen:
    """Everything at once."""
    async with client_of(url, clients) as http:
        running = Run(http, tenants, duration_s)
        async with asyncio.TaskGroup() as group:
            for number in range(clients):
                group.create_task(running.client(number))
            for tenant in tenants:
                group.create_task(running.revoking(tenant))
                group.create_task(running.trying_ended_keys(tenant))
    return running.seen


def client_of(url: str, clients: int) -> httpx2.AsyncClient:
    """For so many at once."""
    limits = httpx2.Limits(max_connections=2 * clients)
    return httpx2.AsyncClient(base_url=url, timeout=60, limits=limits, trust_env=False)


@contextmanager
def serving(options: argparse.Namespace, settings: dict[str, str]) -> Iterator[tuple[str, Callable[[], None]]]:
    """Where to ask, and what makes the query service a cold one."""
    with tempfile.TemporaryDirectory() as folder:
        if options.url:
            yield options.url, lambda: None
        elif options.servers:
            with on_servers(Path(folder), settings) as (url, again):
                yield url, again
        else:
            with running_server(Path(folder) / "data", **settings) as server:
                yield server.url, lambda: None


@contextmanager
def on_servers(folder: Path, settings: dict[str, str]) -> Iterator[tuple[str, Callable[[], None]]]:
    """All processes; the query service starts anew when that is called, which returns once it says that it is ready."""
    cluster = Cluster(folder, **settings)

    def ready() -> bool:
        return httpx2.get(f"{cluster.url}/readyz", timeout=10, trust_env=False).is_success

    def again() -> None:
        cluster.stop(QUERY)
        cluster.start(QUERY)
        wait_until(ready, "the query service is ready", limit_s=SETTLED_S, told=cluster.logs)

    try:
        cluster.make_buckets()
        cluster.start()
        yield cluster.url, again
    finally:
        cluster.remove()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("duration", nargs="?", type=float, default=300.0)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--tenants", type=int, default=8, choices=range(2, len(WORDS) + 1))
    parser.add_argument("--limits", default=LIMITS)
    parser.add_argument("--servers", action="store_true", help="on those of `make services`")
    parser.add_argument("--url", default="")
    parser.add_argument("--admins", default="", help="of the server at --url, as its TRIVIUM_API_KEYS")
    options = parser.parse_args()
    made = ",".join(f"bench-{word.lower()}-tenant:admin-{word}" for word in WORDS[: options.tenants])
    pairs = [entry.partition(":") for entry in (options.admins or made).split(",")]
    tenants = [Tenant(name, admin, word) for (name, _, admin), word in zip(pairs, WORDS, strict=False)]
    settings = {"TRIVIUM_API_KEYS": made, "TRIVIUM_LIMITS": options.limits}
    with serving(options, settings) as (url, again):
        asyncio.run(prepared(url, tenants, options.clients))
        again()
        seen = asyncio.run(run(url, tenants, options.clients, options.duration))
    raise SystemExit(tell(seen, options))


def tell(seen: Seen, options: argparse.Namespace) -> int:
    """Print what was seen; 0 where nothing is wrong and all of it was tried."""
    print(f"{machine()}; load {os.getloadavg()[0]:.1f}")
    print(f"{options.clients} clients of {options.tenants} tenants, {options.duration:g} s, {options.limits}")
    answers = ", ".join(f"{code}: {count}" for code, count in sorted(seen.codes.items()))
    print(f"answers: {answers}; {seen.ended} keys ended")
    if len(seen.spent_ms) > 1:
        p95_ms = statistics.quantiles(seen.spent_ms, n=20)[-1]
        print(f"p50 {statistics.median(seen.spent_ms):.0f} ms, p95 {p95_ms:.0f} ms, refusals included")
    wrong = {
        "5xx, or no answer": seen.failures,
        f"revoked key served later than {LATE_S:g} s after": seen.served_late,
        "another tenant's words in a body": seen.leaks,
    }
    for what, found in wrong.items():
        print(f"{what}: {len(found)}", *found[:5], *found[5:][-1:], sep="\n  ")
    shown = {
        "limits hit": seen.codes[429],
        "requests of keys revoked that long ago": seen.tried_late,
        "bodies with a tenant's own words": seen.own_words,
    }
    for what, count in shown.items():
        print(f"{what}: {count}" + ("" if count else " (NOT SHOWN)"))
    return int(any(wrong.values()) or not all(shown.values()))


if __name__ == "__main__":
    main()

"""What a key check, the limits and counting its use cost a request: p50 and p99, embedded, and on Redis where named.

python bench/access.py            # embedded
set -a; . .services/env; set +a; python bench/access.py
"""

from __future__ import annotations

import asyncio
import statistics
import time
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from trivium.access.stored_keys import StoredKeys
from trivium.adapters.distributed.stores import DistributedStores
from trivium.adapters.embedded.buckets import MemoryBuckets
from trivium.adapters.embedded.objects import LocalObjects
from trivium.config import load_settings
from trivium.domain.access import Role
from trivium.domain.scope import Tenant
from trivium_query.access.authenticate import Authenticator, Credentials
from trivium_query.access.limiter import Limiter
from trivium_query.access.rules import ROUTES
from trivium_query.access.uses import Uses

REQUESTS = 20_000
LIMITS = "key.requests=100000/s,tenant.requests=100000/s"
REACH_MS = {"embedded": 0.3, "distributed": 1.0}


async def measure(authenticator: Authenticator, limiter: Limiter, given: Credentials) -> list[float]:
    """Milliseconds of each request, the looks that are due among them."""
    took, uses = [], Uses()
    for _ in range(REQUESTS):
        started = time.perf_counter()
        caller = await authenticator.authenticate(given)
        await limiter.admit(caller)
        uses.count(caller, ROUTES["POST /v1/search"])
        took.append((time.perf_counter() - started) * 1000)
    return sorted(took)


def main() -> None:
    """Print a line."""
    settings = msgspec.structs.replace(load_settings(), api_keys="default:first", limits=LIMITS)
    servers = settings.backend == "distributed"
    tenant = Tenant("bench-access")
    with TemporaryDirectory() as folder, DistributedStores(settings) if servers else nullcontext() as stores:
        objects = stores.objects if stores else LocalObjects(Path(folder))
        buckets = stores.buckets if stores else MemoryBuckets()
        keys = StoredKeys(objects)
        key, text = keys.create(tenant, "bench", Role.READER)
        try:
            authenticator, limiter = Authenticator(settings, keys), Limiter(settings.limits, buckets)
            took = asyncio.run(measure(authenticator, limiter, Credentials(api_key=text)))
        finally:
            keys.revoke(tenant, key.id)
            keys.forget(tenant, key.id)
    p50, p99 = statistics.median(took), took[int(len(took) * 0.99)]
    print(
        f"{settings.backend}: {REQUESTS} requests, p50 {p50:.3f} ms, p99 {p99:.3f} ms, longest {took[-1]:.1f} ms"
        f" (reach: p50 {REACH_MS[settings.backend]} ms)"
    )


if __name__ == "__main__":
    main()

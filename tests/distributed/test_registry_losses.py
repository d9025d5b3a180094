"""The registry when Redis forgets, when a process dies between two writes, and when two act at once."""

from __future__ import annotations

import json
import multiprocessing
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from private_redis import PrivateRedis
from waiting import wait_until

from trivium.adapters.distributed.redis.server import REST_S, RedisServer
from trivium.adapters.distributed.registry.manifests import Manifests, Record
from trivium.adapters.distributed.registry.records import HotRecords
from trivium.adapters.distributed.registry.registry import ManifestRegistry, ManifestTenantRegistry
from trivium.adapters.distributed.registry.sweep import Sweep
from trivium.adapters.distributed.s3.bucket import Bucket
from trivium.adapters.distributed.s3.objects import S3Objects
from trivium.adapters.embedded.registry import SqliteRegistry
from trivium.config import Settings
from trivium.domain.documents import Document, DocumentState, Lane, Stage
from trivium.domain.errors import Conflict, NotFound, Refused, TryLater
from trivium.domain.scope import Tenant
from trivium.ports.registry import TenantRegistry

TENANT = Tenant("mine")
LATER = 1e10  # every lease has run out by then


def document(name: str = "d", version: str = "v1", **fields: Any) -> Document:
    fields = {"created_at": 5.0, **fields}
    return Document(name, TENANT.name, f"{name}.txt", version, **fields)


def changed(known: Document, **fields: object) -> Document:
    return msgspec.structs.replace(known, **fields)


def ready(claimed: Document) -> Document:
    return changed(claimed, state=DocumentState.READY, active_version=claimed.version, chunks=3, lease_until=0.0)


@pytest.fixture
def objects(own: Settings) -> Iterator[S3Objects]:
    opened = S3Objects(own)
    yield opened
    opened.close()


@pytest.fixture
def opened(own: Settings, objects: S3Objects) -> Iterator[Callable[[], ManifestRegistry]]:
    """Each call is what another process would open."""
    made: list[RedisServer] = []

    def open_another() -> ManifestRegistry:
        made.append(RedisServer(own))
        return ManifestRegistry(made[-1], objects)

    yield open_another
    for server in made:
        server.close()


@pytest.fixture
def registry(opened: Callable[[], ManifestRegistry]) -> ManifestRegistry:
    return opened()


def stored(objects: S3Objects, prefix: str) -> list[str]:
    return [found.key for found in objects.bucket.listing(prefix)]


# --- Redis forgets ---------------------------------------------------------------------------------------------------


def test_an_emptied_redis_loses_no_document_and_no_fence(
    registry: ManifestRegistry, private_redis: PrivateRedis
) -> None:
    mine = registry.for_tenant(TENANT)
    for number in range(30):
        mine.accept(
            document(f"d{number:02}", created_at=number + 1.0, lane=Lane.BACKFILL if number % 2 else Lane.INTERACTIVE)
        )
    claimed = [mine.claim(f"d{number:02}", "v1", 60, 100) for number in range(20)]
    assert mine.save_many([ready(held) for held in claimed[:10]]) == set()
    private_redis.flush()
    unfinished = [f"d{number:02}" for number in range(10, 30)]
    assert [found.id for found in registry.unfinished(LATER)] == unfinished
    assert [found.id for found in registry.unfinished(LATER, limit=3)] == unfinished[:3]
    assert {d.id for d in registry.unfinished(LATER, lane=Lane.BACKFILL)} == set(unfinished[1::2])
    private_redis.flush()
    assert mine.counts().by_state == {"ready": 10, "running": 10, "pending": 10}
    assert mine.counts().chunks == 30
    assert [found.id for found in mine.list(limit=100).documents] == [f"d{number:02}" for number in reversed(range(30))]
    private_redis.flush()
    assert mine.active_versions([held.id for held in claimed]) == {held.id: "v1" for held in claimed[:10]}
    assert mine.save_many([ready(held) for held in claimed[10:]]) == set()
    assert mine.claim("d29", "v1", 60, 100).fence == 2
    assert registry.in_flight(101) == {**dict.fromkeys(Lane, 0), Lane.BACKFILL: 1}
    assert registry.tenants() == [TENANT]


def test_datasets_are_counted_after_redis_was_emptied_and_where_an_older_version_did_not_count_them(
    registry: ManifestRegistry, opened: Callable[[], ManifestRegistry], private_redis: PrivateRedis, own: Settings
) -> None:
    mine = registry.for_tenant(TENANT)
    for number in range(2500):
        mine.accept(document(f"d{number:04}", created_at=number + 1.0, dataset="odd" if number % 2 else "even"))
    mine.save(ready(mine.claim("d0001", "v1", 60, 100)))
    mine.delete("d0003")
    told = [("even", 1250, 0), ("odd", 1249, 3)]
    assert [(each.name, each.documents, each.chunks) for each in mine.datasets()] == told
    private_redis.flush()
    assert [(each.name, each.documents, each.chunks) for each in mine.datasets()] == told
    with closing(RedisServer(own)) as server:

        def forget(client: Any, prefix: str) -> None:
            kept = list(client.scan_iter(match=f"{prefix}dataset*"))
            assert len(kept) == 4
            client.delete(*kept)

        server.remember(forget)
    mine.accept(document("late", created_at=3000.0, dataset="late"))
    anew = opened().for_tenant(TENANT)
    assert [(each.name, each.documents, each.chunks) for each in anew.datasets()] == [told[0], ("late", 1, 0), told[1]]
    anew.delete("late")
    assert [(each.name, each.documents, each.chunks) for each in mine.datasets()] == told


def test_datasets_are_right_again_after_an_older_version_wrote_beside_this_one(
    registry: ManifestRegistry, own: Settings
) -> None:
    mine = registry.for_tenant(TENANT)
    for number in range(4):
        mine.accept(document(f"d{number}", created_at=number + 1.0, dataset="odd" if number % 2 else "even"))
    with closing(RedisServer(own)) as server:

        def written_by_an_older_version(work: Callable[[], object]) -> None:
            """It counts no datasets, and knows nothing of what counts them."""
            (counted,) = server.remember(
                lambda client, prefix: list(client.scan_iter(match=f"{prefix}dataset_counted*"))
            )
            server.remember(lambda client, _: client.rename(counted, b"aside"))
            work()
            server.remember(lambda client, _: client.rename(b"aside", counted))

        def told() -> list[tuple[str, int, int]]:
            return [(each.name, each.documents, each.chunks) for each in mine.datasets()]

        assert told() == [("even", 2, 0), ("odd", 2, 0)]
        written_by_an_older_version(lambda: mine.accept(document("d4", created_at=5.0, dataset="late")))
        assert told() == [("even", 2, 0), ("late", 1, 0), ("odd", 2, 0)]
        written_by_an_older_version(lambda: mine.save(ready(mine.claim("d1", "v1", 60, 100))))
        assert told() == [("even", 2, 0), ("late", 1, 0), ("odd", 2, 0)], "it counts once a minute"
        server.remember(lambda client, prefix: client.delete(f"{prefix}dataset_recounted:{TENANT}"))
        assert told() == [("even", 2, 0), ("late", 1, 0), ("odd", 2, 3)]
        written_by_an_older_version(lambda: mine.accept(document("d0", "v2", created_at=1.0, dataset="odd")))
        life_s = server.remember(lambda client, prefix: client.ttl(f"{prefix}dataset_counted:{TENANT}"))
        assert 0 < int(life_s) <= 3600
        server.remember(lambda client, prefix: client.delete(f"{prefix}dataset_counted:{TENANT}"))  # its end
        assert told() == [("even", 1, 0), ("late", 1, 0), ("odd", 3, 3)]


def test_a_holder_goes_on_after_redis_was_emptied_and_a_late_one_does_not(
    registry: ManifestRegistry, private_redis: PrivateRedis
) -> None:
    mine = registry.for_tenant(TENANT)
    mine.accept(document())
    late = mine.claim("d", "v1", 10, 100)
    private_redis.flush()
    holder = mine.claim("d", "v1", 10, 200)
    private_redis.flush()
    with pytest.raises(Conflict):
        mine.save(changed(late, stage=Stage.EMBED.value))
    mine.save(changed(holder, stage=Stage.EMBED.value, attempt=1))
    assert mine.get("d").attempt == 1
    private_redis.flush()
    with pytest.raises(Conflict):
        mine.save(ready(late))
    mine.save(ready(holder))
    assert mine.get("d").state is DocumentState.READY


def test_work_under_a_lease_is_taken_up_at_once_after_redis_was_emptied(
    registry: ManifestRegistry, private_redis: PrivateRedis
) -> None:
    mine = registry.for_tenant(TENANT)
    held = []
    for name in ("alive", "dead"):
        mine.accept(document(name))
        held.append(mine.claim(name, "v1", 300, 100))
    assert registry.unfinished(101) == []
    private_redis.flush()
    mine.save(changed(held[0], stage="embed", lease_until=420.0))
    assert [found.id for found in registry.unfinished(101)] == ["dead"]
    assert mine.claim("dead", "v1", 300, 101).fence == 3
    with pytest.raises(Conflict):
        mine.claim("alive", "v1", 300, 101)
    with pytest.raises(Conflict):
        mine.save(ready(held[1]))
    mine.save(ready(held[0]))


def test_attempts_that_killed_their_worker_are_remembered_over_an_emptied_redis(
    registry: ManifestRegistry, private_redis: PrivateRedis
) -> None:
    mine = registry.for_tenant(TENANT)
    mine.accept(document())
    for attempt in range(1, 6):
        claimed = mine.claim("d", "v1", 10, attempt * 100.0)
        assert claimed.attempt == attempt - 1
        mine.save(changed(claimed, stage=Stage.PARSE.value, attempt=attempt))
        assert mine.claim("d", "v1", 0, attempt * 100.0 + 20).attempt == attempt
        private_redis.flush()


def test_a_redis_that_comes_back_with_an_old_state_is_not_believed(
    own: Settings, objects: S3Objects, tmp_path: Path
) -> None:
    server = PrivateRedis(tmp_path)
    server.start()
    connection = RedisServer(msgspec.structs.replace(own, redis_url=server.url))
    registry = ManifestRegistry(connection, objects)
    try:
        mine = registry.for_tenant(TENANT)
        mine.accept(document())
        mine.save(ready(mine.claim("d", "v1", 10, 100)))
        mine.accept(document("e"))
        assert [found.id for found in registry.unfinished(LATER)] == ["e"]
        shutil.copytree(tmp_path, old := tmp_path.with_name("old"))
        mine.accept(document(version="v2"))
        mine.save(ready(mine.claim("d", "v2", 10, 200)))
        mine.delete("e")
        server.kill()
        assert mine.active_versions(["d", "e"]) == {"d": "v2"}  # Redis is away: the manifests answer
        with pytest.raises(TryLater):
            mine.accept(document("f"))
        shutil.rmtree(tmp_path)
        shutil.copytree(old, tmp_path)
        server.start()
        with server.client() as client:
            assert client.keys("*records*"), "the old state must be there to be disbelieved"
        assert mine.active_versions(["d", "e"]) == {"d": "v2"}
        assert registry.unfinished(LATER) == []
        assert mine.counts().by_state == {"ready": 1, "deleted": 1}
        with server.client() as client:
            assert len({bytes(key).split(b":")[2] for key in client.keys("*:records:*")}) == 1, "the old run is cleared"
    finally:
        connection.close()
        server.kill()


def test_a_redis_that_hangs_is_waited_for_once_and_then_left_alone(
    own: Settings, objects: S3Objects, tmp_path: Path
) -> None:
    server = PrivateRedis(tmp_path)
    server.start()
    connection = RedisServer(msgspec.structs.replace(own, redis_url=server.url))
    try:
        mine = ManifestRegistry(connection, objects).for_tenant(TENANT)
        mine.accept(document())
        mine.save(ready(mine.claim("d", "v1", 10, 100)))
        server.pause()
        started = time.monotonic()
        assert mine.active_versions(["d"]) == {"d": "v1"}
        waited_s = time.monotonic() - started
        assert mine.active_versions(["d"]) == {"d": "v1"}
        assert mine.get("d").state is DocumentState.READY
        assert time.monotonic() - started < 2 * waited_s, "two more answers took no wait of their own"
        server.resume()
        time.sleep(REST_S)
        assert mine.delete("d").state is DocumentState.DELETED
        assert mine.active_versions(["d"]) == {}
    finally:
        server.resume()
        connection.close()
        server.kill()


class Pair(RuleBasedStateMachine):
    """The same calls to the registry over S3 and Redis and to the embedded one, while Redis is emptied at any moment.

    What must be durable is equal after every step; leases, and what a stage learnt since its claim, go with Redis.
    """

    def __init__(self, ours: ManifestRegistry, twin: SqliteRegistry, tenant: Tenant, redis: PrivateRedis) -> None:
        super().__init__()
        self.registry, self.tenant, self.redis = ours, tenant, redis
        self.ours, self.twin = ours.for_tenant(tenant), twin.for_tenant(tenant)
        self.now = 1000.0
        self.held: list[Document] = []
        self.fences: dict[str, int] = {}

    def both(self, call: Callable[[TenantRegistry], Document | None]) -> Document | None:
        answers: list[Any] = []
        for registry in (self.ours, self.twin):
            try:
                answers.append(call(registry))
            except (Conflict, NotFound) as error:
                answers.append(type(error))
        mine, theirs = answers
        assert durable(mine) == durable(theirs)
        return mine if isinstance(mine, Document) else None

    @rule(name=st.sampled_from("ab"), version=st.sampled_from(["v1", "v2"]))
    def accept(self, name: str, version: str) -> None:
        new = changed(document(name, version, updated_at=self.now), tenant=self.tenant.name)
        self.both(lambda registry: registry.accept(new))

    @rule(name=st.sampled_from("ab"), version=st.sampled_from(["v1", "v2"]))
    def claim(self, name: str, version: str) -> None:
        claimed = self.both(lambda registry: registry.claim(name, version, 10, self.now))
        if claimed:
            assert claimed.fence > self.fences.get(name, 0), "a fence repeats"
            self.fences[name] = claimed.fence
            self.held.append(claimed)

    @rule(number=st.integers(0, 9), state=st.sampled_from(DocumentState))
    def save(self, number: int, state: DocumentState) -> None:
        if self.held:
            held = self.held[number % len(self.held)]
            commit = changed(held, state=state, attempt=held.attempt + 1, active_version=held.version)
            self.both(lambda registry: registry.save(commit))

    @rule(number=st.integers(0, 9))
    def begin_stage(self, number: int) -> None:
        if self.held:
            commit = changed(self.held[number % len(self.held)], stage="parse")
            self.both(lambda registry: registry.save(commit))

    @rule(name=st.sampled_from("ab"))
    def delete(self, name: str) -> None:
        self.both(lambda registry: registry.delete(name))

    @rule(seconds=st.sampled_from([1.0, 11.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def flush(self) -> None:
        self.redis.flush()
        for running in self.twin.list(DocumentState.RUNNING).documents:
            self.twin.save(changed(running, lease_until=0.0))

    @invariant()
    def what_is_durable_is_equal(self) -> None:
        known = [registry.get_many_cached("ab").items() for registry in (self.ours, self.twin)]
        assert {name: durable(found) for name, found in known[0]} == {name: durable(found) for name, found in known[1]}
        pages = [registry.list().documents for registry in (self.ours, self.twin)]
        assert [durable(found) for found in pages[0]] == [durable(found) for found in pages[1]]
        assert self.ours.active_versions("ab") == self.twin.active_versions("ab")
        assert self.ours.counts().by_state == self.twin.counts().by_state
        unfinished = {d.id for d in pages[1] if not d.state.terminal}
        queued = {d.id for d in self.registry.unfinished(LATER) if d.tenant == self.tenant.name}
        assert queued == unfinished


def durable(answer: Any) -> object:
    if not isinstance(answer, Document):
        return answer
    return answer.id, answer.version, answer.state, answer.active_version, answer.fence, answer.created_at


def test_emptied_at_any_moment_it_decides_as_the_embedded_registry_does(
    registry: ManifestRegistry, private_redis: PrivateRedis, tmp_path: Path
) -> None:
    twin = SqliteRegistry(tmp_path)
    names = iter(range(10_000))

    def pair() -> Pair:
        return Pair(registry, twin, Tenant(f"t{next(names)}"), private_redis)

    quick = hypothesis_settings(deadline=None, max_examples=25, stateful_step_count=25)
    try:
        run_state_machine_as_test(pair, settings=quick)
    finally:
        twin.close()


# --- a process dies between two writes -------------------------------------------------------------------------------


class Killed(BaseException):
    """The process is gone: nothing of ours may catch it."""


class Dying:
    """Forwards calls; the one named, counted from `skip`, kills the process before or after it was done."""

    def __init__(self, alive: object, call: str, *, after: bool) -> None:
        self._alive, self._call, self._after = alive, call, after

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._alive, name)
        if name != self._call:
            return method

        def die(*arguments: Any, **named: Any) -> None:
            if self._after:
                method(*arguments, **named)
            raise Killed

        return die


def accept_first(mine: TenantRegistry) -> Callable[[TenantRegistry], object]:
    return lambda dying: dying.accept(document())


def accept_newer(mine: TenantRegistry) -> Callable[[TenantRegistry], object]:
    mine.accept(document())
    mine.save(ready(mine.claim("d", "v1", 10, 100)))
    return lambda dying: dying.accept(document(version="v2"))


def accept_over_unfinished(mine: TenantRegistry) -> Callable[[TenantRegistry], object]:
    mine.accept(document())
    return lambda dying: dying.accept(document(version="v2"))


def claim(mine: TenantRegistry) -> Callable[[TenantRegistry], object]:
    mine.accept(document())
    return lambda dying: dying.claim("d", "v1", 10, 100)


def publish(mine: TenantRegistry) -> Callable[[TenantRegistry], object]:
    mine.accept(document())
    held = mine.claim("d", "v1", 10, 100)
    return lambda dying: dying.save(changed(held, active_version="v1"))


def finish(mine: TenantRegistry) -> Callable[[TenantRegistry], object]:
    mine.accept(document())
    held = mine.claim("d", "v1", 10, 100)
    return lambda dying: dying.save(ready(held))


def delete(mine: TenantRegistry) -> Callable[[TenantRegistry], object]:
    mine.accept(document())
    mine.save(ready(mine.claim("d", "v1", 10, 100)))
    return lambda dying: dying.delete("d")


STEPS = [("mark", "manifests"), ("write", "manifests"), ("install", "hot"), ("unmark", "manifests")]


def next_turn(redis: PrivateRedis) -> None:
    """As if `RECONCILE_S` had gone by."""
    with redis.client() as client:
        for key in client.keys("*:turn:*"):
            client.delete(key)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("step", STEPS, ids=[step for step, _ in STEPS])
@pytest.mark.parametrize(
    "prepare", [accept_first, accept_newer, accept_over_unfinished, claim, publish, finish, delete]
)
@pytest.mark.parametrize("emptied", [False, True], ids=["", "emptied"])
def test_a_death_between_two_writes_is_healed_by_the_sweep(
    own: Settings,
    objects: S3Objects,
    private_redis: PrivateRedis,
    registry: ManifestRegistry,
    prepare: Callable[[TenantRegistry], Callable[[TenantRegistry], object]],
    step: tuple[str, str],
    after: bool,
    emptied: bool,
) -> None:
    mine = registry.for_tenant(TENANT)
    act = prepare(mine)
    server = RedisServer(own)
    parts: dict[str, Any] = {"hot": HotRecords(server), "manifests": Manifests(objects.bucket)}
    parts[step[1]] = Dying(parts[step[1]], step[0], after=after)
    try:
        act(ManifestTenantRegistry(parts["hot"], parts["manifests"], TENANT))
    except Killed:
        pass
    finally:
        server.close()
    if emptied:
        private_redis.flush()
    fences = []
    for turn in range(4):
        next_turn(private_redis)
        for found in registry.unfinished(LATER):
            try:
                held = mine.claim(found.id, found.version, 10, LATER + turn * 100)
            except (Conflict, NotFound):
                continue
            fences.append(held.fence)
            mine.save(ready(held))
    assert fences == sorted(set(fences)), "a fence repeats"
    manifests = [json.loads(objects.bucket.get(key).content) for key in stored(objects, "registry/mine/")]
    if not manifests:
        assert prepare is accept_first, "a document is lost"
        return
    truth = msgspec.convert(manifests[0]["document"], Document)
    assert truth.state.terminal
    assert mine.get("d") == truth
    assert mine.active_versions(["d"]) == ({"d": truth.active_version} if truth.active_version else {})
    assert mine.counts().by_state == {truth.state.value: 1}
    never_began = (step[0], after) in (("mark", True), ("write", False))
    if not never_began or prepare in (claim, publish, finish):
        wait_until(lambda: not stored(objects, "pending/"), "no marker is left")  # they go in a thread of their own


def test_a_marker_of_what_never_began_is_left_for_an_hour_and_then_removed(
    own: Settings, objects: S3Objects, private_redis: PrivateRedis, registry: ManifestRegistry
) -> None:
    server = RedisServer(own)
    manifests = Manifests(objects.bucket)
    for name in ("new", "known"):
        if name == "known":
            registry.for_tenant(TENANT).accept(document(name))
            registry.for_tenant(TENANT).save(ready(registry.for_tenant(TENANT).claim(name, "v1", 10, 100)))
        dying: Any = Dying(manifests, "write", after=False)
        with pytest.raises(Killed):
            ManifestTenantRegistry(HotRecords(server), dying, TENANT).accept(document(name, version="v2"))
    patient, impatient = (Sweep(server, HotRecords(server), manifests, limit_s) for limit_s in (3600.0, 0.0))
    for sweep, left in ((patient, 2), (patient, 2), (impatient, 0)):
        next_turn(private_redis)
        assert sweep.due(Lane.INTERACTIVE, LATER, 10) == []
        wait_until(lambda left=left: len(stored(objects, "pending/")) == left, f"{left} markers are left")  # type: ignore[misc]
    server.close()


def test_the_sweep_leaves_a_marker_of_unfinished_work_that_changed_lanes(
    registry: ManifestRegistry, objects: S3Objects, private_redis: PrivateRedis
) -> None:
    """The lane changes in Redis alone; the next claim writes it into the manifest, which the marker's key is not of."""
    mine = registry.for_tenant(TENANT)
    mine.accept(document())
    mine.save(changed(mine.claim("d", "v1", 10, 100), lane=Lane.LARGE, stage="parse"))
    held = mine.claim("d", "v1", 10, 200)
    for _ in range(2):
        next_turn(private_redis)
        assert registry.unfinished(201) == []
    assert [key.split("/")[1] for key in stored(objects, "pending/")] == ["large"]
    private_redis.flush()
    assert [(found.id, found.lane) for found in registry.unfinished(201)] == [("d", Lane.LARGE)]
    mine.save(ready(held))
    wait_until(lambda: not stored(objects, "pending/"), "no marker is left")


# --- two act at once -------------------------------------------------------------------------------------------------


def _claim_all(own: Settings, names: Sequence[str], gate: Any, won: Any) -> None:
    objects = S3Objects(own)
    server = RedisServer(own)
    mine = ManifestRegistry(server, objects).for_tenant(TENANT)
    gate.wait()
    won.put([(d.id, d.fence) for d in mine.claim_many([document(name) for name in names], 60, 100.0)])
    server.close()
    objects.close()


def test_of_two_processes_that_claim_the_same_documents_each_document_has_one_holder(
    own: Settings, registry: ManifestRegistry
) -> None:
    names = [f"d{number}" for number in range(40)]
    for name in names:
        registry.for_tenant(TENANT).accept(document(name))
    context = multiprocessing.get_context("spawn")
    gate, won = context.Barrier(2), context.Queue()
    workers = [context.Process(target=_claim_all, args=(own, names, gate, won)) for _ in range(2)]
    for worker in workers:
        worker.start()
    taken = [claim for _ in workers for claim in won.get(timeout=60)]
    for worker in workers:
        worker.join()
    assert sorted(taken) == sorted((name, 2) for name in names)


def test_a_holder_keeps_a_document_of_which_an_emptied_redis_was_told_an_older_record(
    own: Settings, objects: S3Objects, registry: ManifestRegistry, private_redis: PrivateRedis
) -> None:
    mine = registry.for_tenant(TENANT)
    mine.accept(document())
    read_before = Manifests(objects.bucket).load(TENANT, "d")
    assert read_before
    held = mine.claim("d", "v1", 60, 100)
    private_redis.flush()
    with closing(RedisServer(own)) as server:
        HotRecords(server).install([read_before])  # by a process that had read the manifest before the claim
    mine.save(changed(held, stage="embed"))
    mine.save(ready(held))
    assert mine.get("d").state is DocumentState.READY


def test_four_workers_finish_every_document_while_redis_is_emptied_again_and_again(
    opened: Callable[[], ManifestRegistry], private_redis: PrivateRedis
) -> None:
    first = opened().for_tenant(TENANT)
    names = [f"d{number:02}" for number in range(40)]
    claims: list[tuple[str, int]] = []
    finished: list[str] = []
    over = threading.Event()
    for name in names:
        first.accept(document(name))

    def work(registry: ManifestRegistry) -> None:
        mine = registry.for_tenant(TENANT)
        while not over.is_set():
            held = mine.claim_many(registry.unfinished(time.time(), limit=4), 0.5, time.time())
            claims.extend((each.id, each.fence) for each in held)
            for stage in Stage:
                held = [changed(each, stage=stage.value, lease_until=time.time() + 0.5) for each in held]
                late = mine.save_many(held)
                held = [each for each in held if each.id not in late]
                if stage is Stage.EMBED:  # whatever the others are doing
                    private_redis.flush()
            late = mine.save_many([ready(each) for each in held])
            finished.extend(each.id for each in held if each.id not in late)
            if len(set(finished)) == len(names):
                over.set()

    workers = [threading.Thread(target=work, args=(opened(),)) for _ in range(4)]
    for worker in workers:
        worker.start()
    over.wait(60)
    over.set()
    for worker in workers:
        worker.join()
    assert set(finished) == set(names)
    assert len(set(claims)) == len(claims), "a fence repeats"
    assert len(finished) <= len(claims)
    # Who had read a manifest before its last write may have told the emptied Redis afterwards: the next sweep mends it.
    assert first.claim_many(opened().unfinished(LATER), 1, LATER) == []
    assert first.counts().by_state == {"ready": len(names)}


def test_bulk_calls_treat_each_document_by_itself(registry: ManifestRegistry) -> None:
    mine = registry.for_tenant(TENANT)
    for number in range(20):
        mine.accept(document(f"d{number:02}"))
    mine.claim("d03", "v1", 60, 100)
    asked = [document(f"d{number:02}", version="v2" if number == 5 else "v1") for number in range(21)]
    claimed = mine.claim_many(asked, 60, 100)
    assert [held.id for held in claimed] == [f"d{n:02}" for n in range(20) if n not in (3, 5)]
    late = changed(claimed[0], fence=1)
    begun = [changed(held, stage="parse", attempt=1) for held in claimed[1:]]
    assert mine.save_many([late, *begun]) == {"d00"}
    assert mine.save_many([ready(held) for held in begun] + [late]) == {"d00"}
    assert mine.counts().by_state == {"ready": 17, "running": 2, "pending": 1}
    assert mine.claim_many([], 1, 1) == []
    assert mine.save_many([]) == set()


def test_what_was_written_is_known_to_redis_also_when_another_write_of_the_batch_failed(
    own: Settings, objects: S3Objects, registry: ManifestRegistry
) -> None:
    mine = registry.for_tenant(TENANT)
    held = [mine.claim(mine.accept(document(name)).id, "v1", 60, 100) for name in ("d1", "d2", "d3")]
    server = RedisServer(own)
    hot, manifests = HotRecords(server), Manifests(objects.bucket)

    class Failing:
        load, unmark = manifests.load, manifests.unmark

        def write(self, record: Record, replacing: Record | None) -> Record | None:
            if record.document.id == "d2":
                raise TryLater("object_store_busy", "It is busy.")
            return manifests.write(record, replacing)

    with pytest.raises(TryLater):
        ManifestTenantRegistry(hot, Failing(), TENANT).save_many([ready(each) for each in held])  # type: ignore[arg-type]
    known = hot.read(TENANT, ["d1", "d2", "d3"])
    assert {name: record.document.state for name, record in known.items()} == {
        "d1": DocumentState.READY,
        "d2": DocumentState.RUNNING,
        "d3": DocumentState.READY,
    }
    server.close()


def test_requests_to_the_object_store_for_one_document(own: Settings, objects: S3Objects) -> None:
    counted = Counting(objects.bucket)
    server = RedisServer(own)
    mine = ManifestTenantRegistry(HotRecords(server), Manifests(counted), TENANT)  # type: ignore[arg-type]
    mine.accept(document())
    assert counted.taken() == ["put", "put"]
    held = mine.claim("d", "v1", 60, 100)
    assert counted.taken() == ["put"]
    for stage in Stage:
        held = changed(held, stage=stage.value, attempt=1)
        mine.save(held)
        mine.save(changed(held, title="known by now"))
    mine.get("d")
    mine.active_versions(["d"])
    assert counted.taken() == []
    mine.save(ready(held))
    wait_until(lambda: counted.calls == ["put", "delete_many"], "written and unmarked")
    counted.taken()
    assert mine.accept(document()).state is DocumentState.READY
    assert counted.taken() == []
    server.close()


def test_a_cached_look_at_unknown_documents_asks_the_object_store_once_for_all(
    own: Settings, objects: S3Objects, private_redis: PrivateRedis
) -> None:
    counted = Counting(objects.bucket)
    server = RedisServer(own)
    mine = ManifestTenantRegistry(HotRecords(server), Manifests(counted), TENANT)  # type: ignore[arg-type]
    assert mine.get_many_cached([f"d{number}" for number in range(500)]) == {}
    assert counted.taken() == ["page"]  # of the tenant's documents, of which there are none
    stored = mine.accept(document())
    counted.taken()
    assert mine.get_many_cached(["d", *(f"d{number}" for number in range(500))]) == {"d": stored}
    assert counted.taken() == []
    private_redis.flush()
    assert mine.get_many_cached(["d", "none"]) == {"d": stored}
    assert sorted(counted.taken()) == ["get", "page"]
    server.close()


def test_a_cached_look_is_right_while_redis_is_filled_again_or_away(
    own: Settings, registry: ManifestRegistry, private_redis: PrivateRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trivium.adapters.distributed.registry.registry._WHOLE_WITHIN_S", 0.1)
    mine = registry.for_tenant(TENANT)
    stored = [mine.accept(document(name)) for name in ("a", "b")]
    private_redis.flush()
    with closing(RedisServer(own)) as server:
        assert HotRecords(server).begin_rebuild(TENANT)  # and does not go on
    assert mine.get_many_cached(["b", "none"]) == {"b": stored[1]}
    private_redis.kill()
    try:
        assert mine.get_many_cached(["a", "none"]) == {"a": stored[0]}
    finally:
        private_redis.start()


class Counting:
    """A bucket that notes what is asked of it."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket
        self.calls: list[str] = []

    def taken(self) -> list[str]:
        calls, self.calls = self.calls, []
        return calls

    def __getattr__(self, name: str) -> Any:
        self.calls.append(name)
        return getattr(self._bucket, name)


def test_a_listing_while_redis_is_filled_again_waits_for_the_one_who_fills(
    opened: Callable[[], ManifestRegistry], private_redis: PrivateRedis
) -> None:
    first = opened().for_tenant(TENANT)
    for number in range(60):
        first.accept(document(f"d{number}"))
    private_redis.flush()
    seen: list[int] = []

    def count(mine: TenantRegistry) -> None:
        seen.append(mine.counts().by_state["pending"])

    threads = [threading.Thread(target=count, args=(opened().for_tenant(TENANT),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [60, 60, 60, 60]


def test_after_redis_was_emptied_a_sweep_reads_no_more_of_a_large_backlog_than_it_needs(
    own: Settings, objects: S3Objects, registry: ManifestRegistry, private_redis: PrivateRedis
) -> None:
    mine = registry.for_tenant(TENANT)
    names = [f"d{number:04}" for number in range(1100)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: mine.accept(document(name, created_at=1.0 + int(name[1:]))), names))
    private_redis.flush()
    counted, server = Counting(objects.bucket), RedisServer(own)
    sweep = Sweep(server, HotRecords(server), Manifests(counted))  # type: ignore[arg-type]
    assert [found.id for found in sweep.due(Lane.INTERACTIVE, LATER, 5)] == names[:5]
    calls = counted.taken()
    assert calls.count("page") == 1
    assert len(calls) < 100
    assert [found.id for found in registry.unfinished(LATER, limit=2000)] == names
    server.close()


@pytest.mark.parametrize("name", ["", "a/b", "x" * 300, "half\ud800pair", "..", "nul\0byte"])
def test_an_id_that_no_document_can_have_is_not_found(registry: ManifestRegistry, name: str) -> None:
    with pytest.raises(NotFound):
        registry.for_tenant(TENANT).get(name)
    with pytest.raises((NotFound, Refused)):
        registry.for_tenant(TENANT).claim(name, "v1", 1, 1)

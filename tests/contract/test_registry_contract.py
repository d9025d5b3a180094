"""What every registry promises; see `trivium.ports.registry`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from trivium.domain.documents import Document, DocumentState, Failure, Lane
from trivium.domain.errors import Conflict, NotFound, Refused
from trivium.domain.scope import Tenant
from trivium.ports.registry import Registry, TenantRegistry, document_pages, every_document


def document(tenant: Tenant, name: str = "d", version: str = "v1", **fields: object) -> Document:
    return msgspec.structs.replace(Document(name, tenant.name, f"{name}.txt", version), **fields)


def changed(known: Document, **fields: object) -> Document:
    return msgspec.structs.replace(known, **fields)


def own(documents: Sequence[Document], tenant: Tenant) -> list[Document]:
    """Without those of tenants that another test left on a server."""
    return [each for each in documents if each.tenant == tenant.name]


@pytest.fixture
def registry(stores) -> Registry:
    return stores.registry


@pytest.fixture
def mine(registry: Registry, tenant: Tenant) -> TenantRegistry:
    return registry.for_tenant(tenant)


def test_missing_get_claim_delete_and_requeue_raise_not_found(mine: TenantRegistry) -> None:
    for call in (
        lambda: mine.get("none"),
        lambda: mine.claim("none", "v1", 1, 0),
        lambda: mine.delete("none"),
        lambda: mine.requeue("none"),
    ):
        with pytest.raises(NotFound):
            call()
    assert mine.active_versions(["none"]) == {}


def test_missing_save_of_an_unknown_document_is_a_conflict(mine: TenantRegistry, tenant: Tenant) -> None:
    with pytest.raises(Conflict):
        mine.save(document(tenant, fence=1))


def test_dropping_a_tenant_forgets_its_documents_alone_and_refuses_who_still_works(
    registry: Registry, mine: TenantRegistry, tenant: Tenant, other: Tenant
) -> None:
    for name in ("a", "b", "c"):
        mine.accept(document(tenant, name))
        registry.for_tenant(other).accept(document(other, name))
    claimed = mine.claim("b", "v1", lease_s=60, now=0)
    assert len(mine.list().documents) == 3
    registry.drop(tenant)
    registry.drop(tenant)
    assert mine.save_many([changed(claimed, title="late")]) == {"b"}
    with pytest.raises(NotFound):
        mine.get("a")
    with pytest.raises(NotFound):
        mine.claim("c", "v1", lease_s=60, now=0)
    assert mine.list().documents == ()
    assert mine.counts().by_state == {}
    assert tenant not in registry.tenants()
    assert own(registry.unfinished(now=100), tenant) == []
    assert len(own(registry.unfinished(now=100), other)) == 3
    assert mine.accept(document(tenant, "a")).fence == 1


def test_a_document_keeps_its_parent_through_all_that_becomes_of_it(
    registry: Registry, mine: TenantRegistry, tenant: Tenant
) -> None:
    mine.accept(document(tenant, parent="mail"))
    claimed = mine.claim("d", "v1", lease_s=10, now=0)
    mine.save(changed(claimed, stage="embed", lease_until=0.0))
    assert [each.parent for each in own(registry.unfinished(1), tenant)] == ["mail"]
    mine.save(changed(claimed, state=DocumentState.READY, active_version="v1"))
    assert mine.get("d").parent == "mail"
    assert mine.delete("d").parent == "mail"
    assert [each.parent for each in mine.list().documents] == ["mail"]


def test_duplicate_accept_of_a_known_version_changes_nothing(mine: TenantRegistry, tenant: Tenant) -> None:
    first = mine.accept(document(tenant, title="first"))
    assert (first.state, first.fence) == (DocumentState.PENDING, 1)
    assert mine.accept(document(tenant, title="second")) == first
    claimed = mine.claim("d", "v1", 60, now=100)
    assert mine.accept(document(tenant)) == claimed
    ready = changed(claimed, state=DocumentState.READY, active_version="v1")
    mine.save(ready)
    assert mine.accept(document(tenant)) == ready


def test_duplicate_accept_of_a_failed_or_deleted_version_starts_it_again(mine: TenantRegistry, tenant: Tenant) -> None:
    mine.accept(document(tenant))
    claimed = mine.claim("d", "v1", 60, now=100)
    mine.save(changed(claimed, state=DocumentState.FAILED, failure=Failure("bad", "It was bad.")))
    again = mine.accept(document(tenant))
    assert (again.state, again.attempt, again.failure) == (DocumentState.PENDING, 0, None)
    assert again.fence > claimed.fence
    deleted = mine.delete("d")
    assert (deleted.state, deleted.active_version) == (DocumentState.DELETED, "")
    assert mine.delete("d") == deleted
    assert mine.accept(document(tenant)).fence > deleted.fence


def test_a_newer_version_keeps_what_queries_see_until_it_is_published(mine: TenantRegistry, tenant: Tenant) -> None:
    mine.accept(document(tenant, created_at=5))
    mine.save(changed(mine.claim("d", "v1", 60, 100), state=DocumentState.READY, active_version="v1", chunks=3))
    newer = mine.accept(document(tenant, version="v2", created_at=9))
    assert (newer.version, newer.active_version, newer.chunks, newer.created_at) == ("v2", "v1", 3, 5)
    assert newer.state is DocumentState.PENDING
    assert mine.active_versions(["d", "x"]) == {"d": "v1"}
    with pytest.raises(NotFound):
        mine.claim("d", "v1", 60, 200)
    mine.delete("d")
    assert mine.active_versions(["d"]) == {}


def test_empty_tenant_lists_nothing_and_counts_zero(registry: Registry, mine: TenantRegistry, tenant: Tenant) -> None:
    page = mine.list()
    assert (page.documents, page.cursor) == ((), "")
    assert (mine.counts().by_state, mine.counts().by_stage, mine.counts().chunks) == ({}, {}, 0)
    assert tenant not in registry.tenants()


def test_order_newest_first_ties_by_id_and_no_page_repeats_or_skips(mine: TenantRegistry, tenant: Tenant) -> None:
    for number in range(25):
        mine.accept(document(tenant, f"d{number:02}", created_at=100 + number // 3))
    expected = [d.id for d in mine.list(limit=1000).documents]
    assert expected == sorted((f"d{n:02}" for n in range(25)), key=lambda name: (-(int(name[1:]) // 3), name))
    seen: list[str] = []
    for page in document_pages(mine, limit=4):
        assert len(page) <= 4
        seen += [found.id for found in page]
        mine.accept(document(tenant, f"late{len(seen)}", created_at=500))  # arrives while somebody turns pages
        mine.save(changed(mine.claim(page[0].id, "v1", 0, 900), title="changed"))
    assert seen == expected
    assert [found.id for found in every_document(mine)][-len(expected) :] == expected


def test_order_of_one_state_leaves_out_the_others(mine: TenantRegistry, tenant: Tenant) -> None:
    for number in range(5):
        mine.accept(document(tenant, f"d{number}", created_at=number + 1))
    mine.claim("d3", "v1", 60, 100)
    page = mine.list(DocumentState.PENDING, limit=2)
    rest = mine.list(DocumentState.PENDING, limit=2, cursor=page.cursor)
    assert [d.id for d in (*page.documents, *rest.documents)] == ["d4", "d2", "d1", "d0"]
    assert rest.cursor == ""
    assert [d.id for d in every_document(mine, DocumentState.RUNNING)] == ["d3"]


@pytest.mark.parametrize("cursor", ["x", "!!!!", "AAAA", "é", "' OR 1=1 --"])
def test_a_cursor_that_is_not_ours_is_refused(mine: TenantRegistry, cursor: str) -> None:
    with pytest.raises(Refused):
        mine.list(cursor=cursor)


def test_half_done_a_late_holders_save_is_refused_and_changes_nothing(mine: TenantRegistry, tenant: Tenant) -> None:
    mine.accept(document(tenant))
    late = mine.claim("d", "v1", lease_s=10, now=100)
    with pytest.raises(Conflict):
        mine.claim("d", "v1", lease_s=10, now=109)
    current = mine.claim("d", "v1", lease_s=10, now=110)
    assert (current.fence, current.attempt, current.lease_until) == (late.fence + 1, late.attempt, 120)
    with pytest.raises(Conflict):
        mine.save(changed(late, state=DocumentState.READY))
    assert mine.get("d") == current
    mine.save(changed(current, stage="embed"))
    assert mine.get("d").stage == "embed"
    mine.delete("d")
    with pytest.raises(Conflict):
        mine.save(changed(current, state=DocumentState.READY))
    assert mine.get("d").state is DocumentState.DELETED
    with pytest.raises(NotFound):
        mine.claim("d", "v1", 10, 500)


def test_work_that_has_ended_is_not_claimed_again(mine: TenantRegistry, tenant: Tenant) -> None:
    listed = [mine.accept(document(tenant, name)) for name in ("ready", "failed", "waiting")]
    ends = {"ready": DocumentState.READY, "failed": DocumentState.FAILED}
    ended = [changed(mine.claim(name, "v1", 10, now=100), state=state) for name, state in ends.items()]
    mine.save_many(ended)
    assert [each.id for each in mine.claim_many(listed, 10, now=200)] == ["waiting"]
    for each in ended:
        with pytest.raises(Conflict, match="finished"):
            mine.claim(each.id, "v1", 10, now=200)
        assert mine.get(each.id) == each


def test_many_records_are_read_at_once_and_unknown_ones_are_absent(mine: TenantRegistry, tenant: Tenant) -> None:
    stored = [mine.accept(document(tenant, name)) for name in ("a", "b", "c")]
    assert mine.get_many(["b", "none", "a"]) == {"a": stored[0], "b": stored[1]}
    assert mine.get_many([]) == {}
    assert mine.get_many_cached(["b", "none", "a"]) == {"a": stored[0], "b": stored[1]}
    assert mine.get_many_cached([]) == {}


def test_many_saves_are_each_refused_by_themselves(mine: TenantRegistry, tenant: Tenant) -> None:
    for name in ("a", "b", "c"):
        mine.accept(document(tenant, name))
    held = [mine.claim(name, "v1", 10, now=100) for name in ("a", "b", "c")]
    taken_over = mine.claim("b", "v1", 10, now=200)
    unknown = document(tenant, "none", fence=1)
    assert mine.save_many([*(changed(each, stage="embed") for each in held), unknown]) == {"b", "none"}
    assert [mine.get(name).stage for name in ("a", "b", "c")] == ["embed", "", "embed"]
    assert mine.get("b") == taken_over
    assert mine.save_many([]) == set()


def test_many_are_deleted_at_once_and_unknown_ones_are_absent(mine: TenantRegistry, tenant: Tenant) -> None:
    for name in ("a", "b", "c"):
        mine.accept(document(tenant, name))
    before = mine.delete("a")
    deleted = mine.delete_many(["b", "none", "a"])
    assert (sorted(deleted), deleted["a"]) == (["a", "b"], before)
    assert (deleted["b"].state, deleted["b"].fence) == (DocumentState.DELETED, 2)
    assert mine.get_many(["a", "b", "none"]) == deleted
    assert mine.get("c").state is DocumentState.PENDING
    assert mine.delete_many([]) == {}


def test_many_claims_take_what_can_be_taken_in_the_order_given(mine: TenantRegistry, tenant: Tenant) -> None:
    wanted = [mine.accept(document(tenant, name)) for name in ("c", "held", "gone", "newer", "a")]
    mine.claim("held", "v1", 100, now=50)
    mine.delete("gone")
    mine.accept(document(tenant, "newer", version="v2"))
    taken = mine.claim_many([*wanted, document(tenant, "none")], lease_s=10, now=60)
    assert [(d.id, d.state, d.fence, d.lease_until) for d in taken] == [
        ("c", DocumentState.RUNNING, 2, 70),
        ("a", DocumentState.RUNNING, 2, 70),
    ]
    assert [mine.get("c"), mine.get("a")] == taken
    assert mine.claim_many(taken, lease_s=10, now=69) == []
    assert mine.claim_many([], lease_s=10, now=69) == []


def test_the_whole_record_comes_back_as_saved(mine: TenantRegistry, tenant: Tenant) -> None:
    mine.accept(document(tenant))
    full = changed(
        mine.claim("d", "v1", 60, 100.5),
        title="T'; DROP TABLE documents; --",
        media_type="text/plain",
        size_bytes=2**40,
        lane=Lane.BACKFILL,
        warnings=("page 3: nothing", "ü"),
        failure=Failure("code", "message", "action", "parse"),
        updated_at=101.25,
    )
    mine.save(full)
    assert mine.get("d") == full


def test_unfinished_names_pending_and_expired_of_every_tenant_oldest_first(
    registry: Registry, tenant: Tenant, other: Tenant
) -> None:
    mine, theirs = registry.for_tenant(tenant), registry.for_tenant(other)
    for name, age in (("pending", 4), ("held", 1), ("expired", 2), ("ready", 3)):
        mine.accept(document(tenant, name, created_at=age))
    theirs.accept(document(other, "foreign", created_at=3))
    mine.claim("held", "v1", 100, now=50)
    mine.claim("expired", "v1", 10, now=50)
    mine.save(changed(mine.claim("ready", "v1", 10, now=50), state=DocumentState.READY))
    assert [d.id for d in registry.unfinished(now=60)] == ["expired", "foreign", "pending"]
    assert [d.id for d in registry.unfinished(now=60, limit=1)] == ["expired"]
    assert [d.id for d in registry.unfinished(now=59)] == ["foreign", "pending"]
    assert set(registry.tenants()) >= {tenant, other}


def test_unfinished_can_be_asked_lane_by_lane(registry: Registry, tenant: Tenant) -> None:
    mine = registry.for_tenant(tenant)
    mine.accept(document(tenant, "file", created_at=1, lane=Lane.BACKFILL))
    mine.accept(document(tenant, "upload", created_at=2))
    mine.claim("file", "v1", 10, now=50)
    mine.claim("upload", "v1", 10, now=50)
    assert [d.id for d in own(registry.unfinished(now=60, lane=Lane.BACKFILL), tenant)] == ["file"]
    assert [d.id for d in own(registry.unfinished(now=60, lane=Lane.INTERACTIVE), tenant)] == ["upload"]
    assert [d.id for d in own(registry.unfinished(now=60), tenant)] == ["file", "upload"]


def test_in_flight_counts_what_is_under_a_lease_by_lane(registry: Registry, tenant: Tenant, other: Tenant) -> None:
    before = registry.in_flight(now=55)
    for name, lane in (
        ("a", Lane.BACKFILL),
        ("b", Lane.BACKFILL),
        ("c", Lane.INTERACTIVE),
        ("waits", Lane.INTERACTIVE),
    ):
        registry.for_tenant(tenant).accept(document(tenant, name, lane=lane))
    registry.for_tenant(other).accept(document(other, "foreign"))
    registry.for_tenant(other).claim("foreign", "v1", 10, now=50)
    for name in ("a", "b", "c"):
        registry.for_tenant(tenant).claim(name, "v1", 10, now=50)
    added = {lane: count - before[lane] for lane, count in registry.in_flight(now=55).items()}
    assert added == dict.fromkeys(Lane, 0) | {Lane.BACKFILL: 2, Lane.INTERACTIVE: 2}
    mine = registry.for_tenant(tenant)
    mine.save(changed(mine.get("a"), state=DocumentState.READY))
    assert registry.in_flight(now=55)[Lane.BACKFILL] == before[Lane.BACKFILL] + 1
    assert registry.in_flight(now=10**10) == dict.fromkeys(Lane, 0)


def test_waiting_counts_what_a_sweep_would_find_by_lane(registry: Registry, tenant: Tenant) -> None:
    before, mine = registry.waiting(now=55), registry.for_tenant(tenant)
    for name, lane in (
        ("held", Lane.BACKFILL),
        ("lapsed", Lane.BACKFILL),
        ("new", Lane.BACKFILL),
        ("done", Lane.LARGE),
    ):
        mine.accept(document(tenant, name, lane=lane))
    mine.claim("held", "v1", 10, now=50)
    mine.claim("lapsed", "v1", 5, now=50)
    mine.save(changed(mine.claim("done", "v1", 10, now=50), state=DocumentState.READY))
    added = {lane: count - before[lane] for lane, count in registry.waiting(now=55).items()}
    assert added == dict.fromkeys(Lane, 0) | {Lane.BACKFILL: 2}
    assert len(own(registry.unfinished(now=55, lane=Lane.BACKFILL), tenant)) == 2


def test_counts_tell_states_stages_and_chunks(mine: TenantRegistry, tenant: Tenant) -> None:
    for name in ("a", "b", "c", "d"):
        mine.accept(document(tenant, name))
    mine.save(changed(mine.claim("a", "v1", 60, 1), stage="embed"))
    mine.save(changed(mine.claim("b", "v1", 60, 1), state=DocumentState.READY, chunks=7))
    mine.save(changed(mine.claim("c", "v1", 60, 1), state=DocumentState.READY, chunks=5))
    mine.delete("c")
    counts = mine.counts()
    assert counts.by_state == {"running": 1, "ready": 1, "deleted": 1, "pending": 1}
    assert counts.by_stage == {"embed": 1}
    assert counts.chunks == 7


def test_datasets_are_told_by_name_with_what_is_in_them_now(
    registry: Registry, mine: TenantRegistry, tenant: Tenant, other: Tenant
) -> None:
    def told() -> list[tuple[str, int, int]]:
        return [(each.name, each.documents, each.chunks) for each in mine.datasets()]

    assert told() == []
    registry.for_tenant(other).accept(document(other, "d", dataset="theirs"))
    for name, dataset in (("a", "reports"), ("b", "reports"), ("c", "Minutes"), ("d", "default")):
        mine.accept(document(tenant, name, dataset=dataset))
    assert told() == [("Minutes", 1, 0), ("default", 1, 0), ("reports", 2, 0)]
    for name, found in (("a", 3), ("c", 4)):
        claimed = mine.claim(name, "v1", 60, now=100)
        mine.save(changed(claimed, chunks=found))
        mine.save(changed(claimed, chunks=found, state=DocumentState.READY, active_version="v1"))
    assert told() == [("Minutes", 1, 4), ("default", 1, 0), ("reports", 2, 3)]
    mine.move("a", "default")
    assert told() == [("Minutes", 1, 4), ("default", 2, 3), ("reports", 1, 0)]
    mine.delete("c")
    mine.delete("b")
    assert told() == [("default", 2, 3)]
    mine.accept(document(tenant, "b", dataset="again"))
    assert told() == [("again", 1, 0), ("default", 2, 3)]
    registry.drop(tenant)
    assert told() == []
    assert [each.name for each in registry.for_tenant(other).datasets()] == ["theirs"]


def test_datasets_are_told_page_by_page(mine: TenantRegistry, tenant: Tenant) -> None:
    names = [f"set-{number:02}" for number in range(7)]
    for name in reversed(names):
        mine.accept(document(tenant, name, dataset=name))
    found, after = [], ""
    while page := [each.name for each in mine.datasets(3, after)]:
        assert len(page) <= 3
        found += page
        after = page[-1]
    assert found == names
    assert [each.name for each in mine.datasets(50, "set-04x")] == names[5:]


def test_a_dataset_is_there_while_a_document_is_in_it(
    registry: Registry, mine: TenantRegistry, tenant: Tenant, other: Tenant
) -> None:
    registry.for_tenant(other).accept(document(other, "d", dataset="theirs"))
    mine.accept(document(tenant, "a", dataset="reports"))
    assert [mine.has_dataset(name) for name in ("reports", "report", "Reports", "theirs", "")] == [True] + [False] * 4
    mine.move("a", "minutes")
    assert [mine.has_dataset(name) for name in ("reports", "minutes")] == [False, True]
    mine.delete("a")
    assert not mine.has_dataset("minutes")


def test_a_requeued_document_is_pending_again_as_queries_see_it_and_who_still_works_on_it_is_refused(
    mine: TenantRegistry, tenant: Tenant
) -> None:
    mine.accept(document(tenant))
    held = mine.claim("d", "v1", 60, now=100)
    assert (mine.requeue("d").state, mine.get("d").fence) == (DocumentState.PENDING, held.fence + 1)
    with pytest.raises(Conflict):
        mine.save(changed(held, state=DocumentState.READY))
    held = mine.claim("d", "v1", 60, now=100)
    mine.save(changed(held, state=DocumentState.READY, active_version="v1", chunks=3))
    again = mine.requeue("d")
    assert (again.state, again.version, again.fence) == (DocumentState.PENDING, "v1", held.fence + 1)
    assert (again.active_version, again.chunks, mine.active_versions(["d"])) == ("v1", 3, {"d": "v1"})
    assert mine.requeue("d") == again == mine.get("d"), "it waits already"
    assert mine.claim("d", "v1", 60, now=100).fence == again.fence + 1


def test_what_failed_or_was_deleted_is_not_requeued(mine: TenantRegistry, tenant: Tenant) -> None:
    mine.accept(document(tenant))
    failed = changed(mine.claim("d", "v1", 60, now=100), state=DocumentState.FAILED)
    mine.save(failed)
    assert mine.requeue("d") == failed == mine.get("d")
    deleted = mine.delete("d")
    assert mine.requeue("d") == deleted == mine.get("d")


def test_a_tenant_never_sees_anothers_documents(registry: Registry, tenant: Tenant, other: Tenant) -> None:
    mine, theirs = registry.for_tenant(tenant), registry.for_tenant(other)
    stored = mine.accept(document(tenant, "canary"))
    mine.save(changed(mine.claim("canary", "v1", 1, 1), active_version="v1"))
    assert theirs.list().documents == ()
    assert theirs.counts().by_state == {}
    assert theirs.active_versions(["canary"]) == {}
    for call in (
        lambda: theirs.get("canary"),
        lambda: theirs.claim("canary", "v1", 1, 9),
        lambda: theirs.delete("canary"),
    ):
        with pytest.raises(NotFound):
            call()
    with pytest.raises(Refused):
        theirs.accept(stored)
    with pytest.raises(Refused):
        theirs.save(stored)


def test_of_sixteen_threads_exactly_one_takes_the_lease(mine: TenantRegistry, tenant: Tenant) -> None:
    mine.accept(document(tenant))
    barrier = threading.Barrier(16)
    won: list[Document] = []
    lost: list[Conflict] = []

    def claim() -> None:
        barrier.wait()
        try:
            won.append(mine.claim("d", "v1", 60, now=100))
        except Conflict as conflict:
            lost.append(conflict)

    threads = [threading.Thread(target=claim) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(lost)) == (1, 15)
    assert mine.get("d") == won[0]


class LifeOfADocument(RuleBasedStateMachine):
    """One document, several holders, a clock: fences only grow, and only the newest holder's save counts."""

    def __init__(self, mine: TenantRegistry, tenant: Tenant) -> None:
        super().__init__()
        self.mine, self.tenant = mine, tenant
        self.now = 1000.0
        self.stored: Document | None = None
        self.holders: list[Document] = []
        self.highest_fence = 0

    @rule(version=st.sampled_from(["v1", "v2"]))
    def accept(self, version: str) -> None:
        before, self.stored = self.stored, self.mine.accept(document(self.tenant, version=version))
        restarted = before is None or before.version != version or before.state in ("failed", "deleted")
        assert (self.stored != before) == restarted
        assert not restarted or self.stored.state is DocumentState.PENDING

    @rule(version=st.sampled_from(["v1", "v2"]))
    def claim(self, version: str) -> None:
        known = self.stored
        if known is None or known.version != version or known.state is DocumentState.DELETED:
            with pytest.raises(NotFound):
                self.mine.claim("d", version, 10, self.now)
        elif known.state.terminal or (known.state is DocumentState.RUNNING and known.lease_until > self.now):
            with pytest.raises(Conflict):
                self.mine.claim("d", version, 10, self.now)
        else:
            self.stored = self.mine.claim("d", version, 10, self.now)
            assert self.stored.attempt == known.attempt
            self.holders.append(self.stored)

    @rule(number=st.integers(0, 9), state=st.sampled_from([DocumentState.READY, DocumentState.FAILED]))
    def save(self, number: int, state: DocumentState) -> None:
        if not self.holders:
            return
        commit = changed(self.holders[number % len(self.holders)], state=state)
        if self.stored is not None and (commit.fence, commit.version) == (self.stored.fence, self.stored.version):
            self.mine.save(commit)
            self.stored = commit
        else:
            with pytest.raises(Conflict):
                self.mine.save(commit)

    @rule()
    def delete(self) -> None:
        if self.stored is not None:
            self.stored = self.mine.delete("d")

    @rule(seconds=st.sampled_from([1.0, 11.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @invariant()
    def the_record_is_what_was_last_committed(self) -> None:
        if self.stored is not None:
            assert self.mine.get("d") == self.stored
            assert self.stored.fence >= self.highest_fence
            self.highest_fence = self.stored.fence


def test_fences_only_grow_and_late_commits_are_refused(registry: Registry, new_tenant: Callable[[], Tenant]) -> None:
    def life() -> LifeOfADocument:
        tenant = new_tenant()
        return LifeOfADocument(registry.for_tenant(tenant), tenant)

    quick = settings(deadline=None, max_examples=40, stateful_step_count=20, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(life, settings=quick)

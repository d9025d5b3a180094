"""Schemas over every deployment's stores: versions among writers, tenants and datasets, and what a graph says."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from msgspec.structs import replace

from trivium.domain.chunks import Span
from trivium.domain.errors import Conflict, NeverWill, NotFound
from trivium.domain.graph import ChunkGraph, EntityType, Mention, Relation
from trivium.domain.graph_schema import GraphSchema, RelationType
from trivium.domain.scope import Scope, Tenant
from trivium.graph_schema import versions
from trivium.graph_schema.evolve import Author, accepted, given
from trivium.ports.graph import GraphRow
from trivium_query.graph_schema.discover import profiled

P, O = EntityType.PERSON, EntityType.ORGANIZATION  # noqa: E741
AUTHOR = Author("person ana", 1.0, "to try")


def proposing(name: str) -> Any:
    return lambda known: given(known, [RelationType(name, (P,), (O,))], AUTHOR)


def accepting(*names: str) -> Any:
    return lambda known: accepted(known, names, AUTHOR)


def test_a_dataset_without_a_schema_has_number_zero(stores: Any, tenant: Tenant) -> None:
    assert versions.newest(stores.objects.for_tenant(tenant), "default") == GraphSchema("default")


def test_each_change_is_a_version_and_all_of_them_stay(stores: Any, tenant: Tenant) -> None:
    objects = stores.objects.for_tenant(tenant)
    versions.changed(objects, "default", proposing("WORKS_FOR"))
    made = versions.changed(objects, "default", accepting("WORKS_FOR"))
    last = versions.changed(objects, "default", proposing("LEADS"))
    assert (made.number, made.active, last.number, last.active) == (2, 2, 3, 2)
    assert versions.newest(objects, "default") == last
    assert versions.version(objects, "default", 2) == made
    assert versions.version(objects, "default", 1).types == ()
    with pytest.raises(NotFound, match="1 to 3"):
        versions.version(objects, "default", 4)


def test_what_changes_nothing_makes_no_version(stores: Any, tenant: Tenant) -> None:
    objects = stores.objects.for_tenant(tenant)
    made = versions.changed(objects, "default", proposing("WORKS_FOR"))
    assert versions.changed(objects, "default", lambda known: known) == made
    assert versions.newest(objects, "default").number == 1


def test_who_decides_on_an_older_version_is_told(stores: Any, tenant: Tenant) -> None:
    objects = stores.objects.for_tenant(tenant)
    seen = versions.changed(objects, "default", proposing("WORKS_FOR"))
    versions.changed(objects, "default", proposing("LEADS"))
    with pytest.raises(Conflict) as told:
        versions.changed(objects, "default", accepting("WORKS_FOR"), based_on=seen.number)
    assert (told.value.code, versions.newest(objects, "default").number) == ("schema_changed", 2)


def test_of_many_at_once_each_has_a_version_of_its_own(stores: Any, tenant: Tenant) -> None:
    objects = stores.objects.for_tenant(tenant)
    done: list[int] = []
    begin = threading.Barrier(4)

    def work(number: int) -> None:
        begin.wait()
        done.append(versions.changed(objects, "default", proposing(f"TYPE_{number}")).number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [1, 2, 3, 4]
    assert {one.name for one in versions.newest(objects, "default").proposed} == {f"TYPE_{n}" for n in range(4)}


def test_of_many_that_looked_at_the_same_version_one_wins(stores: Any, tenant: Tenant) -> None:
    objects = stores.objects.for_tenant(tenant)
    won: list[int] = []
    lost: list[str] = []
    begin = threading.Barrier(4)

    def work(number: int) -> None:
        begin.wait()
        try:
            won.append(versions.changed(objects, "default", proposing(f"TYPE_{number}"), based_on=0).number)
        except Conflict as error:
            lost.append(error.code)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (won, lost) == ([1], ["schema_changed"] * 3)


def test_datasets_and_tenants_have_schemas_of_their_own(stores: Any, tenant: Tenant, other: Tenant) -> None:
    objects = stores.objects.for_tenant(tenant)
    for dataset in ("a", "a.b", "B"):
        versions.changed(objects, dataset, proposing("WORKS_FOR"))
    versions.changed(objects, "a", proposing("LEADS"))
    assert {one.dataset: one.number for one in versions.of_all_datasets(objects)} == {"a": 2, "a.b": 1, "B": 1}
    assert list(versions.of_all_datasets(stores.objects.for_tenant(other))) == []


def test_a_damaged_version_is_told_and_the_one_before_can_be_had(stores: Any, tenant: Tenant) -> None:
    objects = stores.objects.for_tenant(tenant)
    first = versions.changed(objects, "default", proposing("WORKS_FOR"))
    versions.changed(objects, "default", proposing("LEADS"))
    newest = next(iter(objects.keys(versions.PREFIX)))
    objects.put(newest, b"{")
    with pytest.raises(NeverWill) as told:
        versions.newest(objects, "default")
    assert told.value.code == "schema_unreadable"
    assert newest in told.value.message
    objects.delete(newest)
    assert versions.newest(objects, "default") == first


def test_a_profile_is_read_from_the_graph_of_its_dataset_alone(stores: Any, tenant: Tenant) -> None:
    def row(n: int, dataset: str) -> GraphRow:
        chunk = f"{n:032x}"
        ends = (
            Mention("ana", chunk, 0, Span(0, 3), "Ana", type=P),
            Mention("acme", chunk, 0, Span(4, 8), "Acme", type=O),
        )
        stated = Relation("ana", "acme", "WORKS_FOR", 0.9, chunk, Span(0, 8), "Ana Acme", "pattern:works_for")
        return GraphRow(ChunkGraph(chunk, ends, (stated,)), f"d{n}", "v", Scope(tenant, dataset))

    stores.graphs.writer(tenant).upsert([row(n, "staff" if n % 3 else "other") for n in range(450)])
    [seen] = asyncio.run(_profiled(stores, tenant, "staff"))
    stores.graphs.drop(tenant)
    assert (seen.name, seen.relations, seen.ends) == ("WORKS_FOR", 300, {(P, O): 300})
    assert replace(seen, examples=()).repeated == 1


async def _profiled(stores: Any, tenant: Tenant, dataset: str) -> Any:
    return (await profiled(stores.graphs.reader(tenant), dataset)).observed()

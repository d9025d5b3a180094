"""Connections, whatever they lead to: added, listed, looked at, taken back."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families
from waiting import wait_until

from trivium.adapters.embedded.buckets import MemoryBuckets
from trivium.connections.stored_connections import StoredConnections
from trivium.domain.connections import ConnectionState
from trivium.domain.scope import DEFAULT_TENANT, Tenant
from trivium.flow.originals import Originals
from trivium.ports.schedule import Slot
from trivium.tenants.erase import erase_tenant
from trivium.tenants.export_tenant import export_tenant
from trivium.tenants.import_archive import import_archive
from trivium_query.access.limiter import Limiter
from trivium_query.connect.look import look

from .conftest import World
from .test_folder import write


@pytest.fixture
def folder(tmp_path: Path) -> str:
    write(tmp_path / "papers/one.txt", "The first paper.")
    return str(tmp_path / "papers")


def test_a_connection_is_listed_with_what_it_came_to(world: World, folder: str) -> None:
    assert world.call("GET", "/v1/connections").json() == {"connections": []}
    world.add("folder", folder)
    world.look()
    (told,) = world.call("GET", "/v1/connections").json()["connections"]
    assert told == world.show()
    assert (told["id"], told["kind"], told["location"]) == ("here", "folder", folder)
    assert (told["activity"], told["stored"]) == ("waiting", 1)
    assert told["started_at"] <= told["ended_at"] <= time.time()


@pytest.mark.parametrize("fields", [
    {"id": "Here"}, {"id": "a/b"}, {"id": ""}, {"id": "x" * 64}, {"kind": "ftp"}, {"every_s": 5}, {"max_per_s": 0},
    {"credential": "../other/key"}, {"location": "a\nb"}, {"dataset": "a b"},
])  # fmt: skip
def test_what_does_not_fit_is_refused(world: World, folder: str, fields: dict[str, Any]) -> None:
    body = {"id": "here", "kind": "folder", "location": folder, **fields}
    assert world.call("POST", "/v1/connections", json=body).status_code == 422


def test_names_of_addresses_and_of_others_are_refused(world: World, folder: str) -> None:
    for reserved in ("http", "https", "s3", "file"):
        assert world.refused("folder", folder, id=reserved) == "bad_connection_id"
    world.add("folder", folder)
    assert world.refused("folder", folder) == "connection_exists"
    assert world.refused("folder", folder, id="another", credential="absent") == "no_such_credential"


def test_one_that_is_unknown_is_not_found(world: World) -> None:
    for method, path in (("GET", ""), ("POST", "/run"), ("DELETE", "")):
        answer = world.call(method, f"/v1/connections/nowhere{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, "no_such_connection")


@pytest.mark.parametrize("documents", [True, False])
def test_a_connection_that_is_removed_leaves_its_documents_or_takes_them_along(
    world: World, folder: str, documents: bool
) -> None:
    world.add("folder", folder)
    world.look()
    answer = world.call("DELETE", "/v1/connections/here", params={"documents": str(documents).lower()})
    assert (answer.status_code, answer.json()["activity"]) == (202, "removing")
    wait_until(lambda: world.call("GET", "/v1/connections/here").status_code == 404, "it is removed")
    assert set(world.documents()) == (set() if documents else {"here://one.txt"})
    objects = world.stores.objects.for_tenant(DEFAULT_TENANT)
    wait_until(lambda: not list(objects.keys("connections/")), "nothing is left of it")  # its mark goes last
    world.add("folder", folder)
    assert world.came_to() == (1, 0, 0)


def test_a_connection_is_looked_at_by_itself_and_after_the_schedule_forgot_it(world: World, folder: str) -> None:
    world.add("folder", folder, every_s=3600)
    wait_until(lambda: world.show()["activity"] == "waiting", "its first look")
    assert world.show()["next_at"] == pytest.approx(world.show()["started_at"] + 3600)
    here = Slot(DEFAULT_TENANT, "here")
    wait_until(lambda: world.stores.schedule.take(time.time() + 3601, 0.0) == here, "it is planned")
    world.stores.schedule.forget(here)
    assert world.stores.schedule.take(time.time() + 9999, 0.0) is None
    world.start()  # which lists what there is
    wait_until(lambda: world.stores.schedule.take(time.time() + 3601, 0.0) == here, "planned again")


def test_a_look_that_was_cut_off_is_made_again(world: World, folder: str) -> None:
    world.add("folder", folder)
    kept = StoredConnections(world.stores.objects)
    kept.save(DEFAULT_TENANT, "here", ConnectionState("run", running_since=time.time(), started_at=time.time()))
    assert world.show()["activity"] == "running"
    world.start()
    wait_until(lambda: world.show()["activity"] == "waiting", "it is looked at again")
    assert set(world.documents()) == {"here://one.txt"}


def _told(world: World, name: str, **labels: str) -> float:
    """A metric's value, 0 where it has none yet."""
    text = world.call("GET", "/metrics").text
    assert "here" not in {value for value in re.findall(r'="([^"]*)"', text)}, "no label names a connection"
    found = (sample for family in text_string_to_metric_families(text) for sample in family.samples)
    return sum(sample.value for sample in found if sample.name == name and labels.items() <= sample.labels.items())


def test_looks_are_counted_by_kind_and_what_fails_for_long_is_told(world: World, folder: str) -> None:
    def now() -> list[float]:
        looks, files = "trivium_connection_looks_total", "trivium_connection_documents_total"
        seconds = _told(world, "trivium_connection_look_seconds_count", kind="folder")
        counts = [_told(world, looks, kind="folder", outcome=outcome) for outcome in ("done", "failed")]
        return [*counts, *(_told(world, files, change=change) for change in ("stored", "deleted")), seconds]

    def failing() -> float:
        world.start()  # which lists what there is
        return _told(world, "trivium_connection_failing_seconds", kind="folder")

    before = now()
    world.add("folder", folder, every_s=3600)
    wait_until(lambda: world.show()["activity"] == "waiting", "its first look")
    assert _told(world, "trivium_connection_looked_timestamp_seconds", kind="folder") == pytest.approx(
        time.time(), abs=60
    )
    Path(folder).rename(f"{folder}-away")
    world.look()
    wait_until(lambda: 0 < failing() < 60, "it is told")
    Path(folder).mkdir()
    world.look()
    wait_until(lambda: failing() == 0, "it is over")
    assert [after - was for after, was in zip(now(), before, strict=True)] == [2, 1, 1, 1, 3]


def test_tenants_do_not_see_each_others_connections(world: World, folder: str) -> None:
    world.set(api_keys="default:alpha,other:beta", connect_folders="*")
    world.headers["x-api-key"] = "alpha"
    world.secret("mine", "user:password")
    world.add("folder", folder, credential="mine")
    world.headers["x-api-key"] = "beta"
    assert world.call("GET", "/v1/connections").json() == {"connections": []}
    assert world.call("DELETE", "/v1/connections/here").status_code == 404
    assert world.refused("folder", folder, credential="mine") == "no_such_credential"
    world.add("folder", folder)
    assert world.came_to() == (1, 0, 0)
    assert world.documents(Tenant("default")) == {}
    assert set(world.documents(Tenant("other"))) == {"here://one.txt"}


def test_a_limit_of_the_tenant_holds_for_its_connections(world: World, tmp_path: Path) -> None:
    for n in range(5):
        write(tmp_path / f"many/{n}.txt", str(n))
    world.set(limits="tenant.documents=3/d")
    world.add("folder", str(tmp_path / "many"))
    found = world.look()
    assert (found["stored"], found["error"]["code"]) == (3, "too_many")


@pytest.mark.parametrize("limit", ["tenant.requests", "tenant.uploads", "key.requests", "key.uploads"])
def test_files_of_a_connection_are_neither_requests_nor_uploads(world: World, tmp_path: Path, limit: str) -> None:
    for n in range(5):
        write(tmp_path / f"many/{n}.txt", str(n))
    world.add("folder", str(tmp_path / "many"))
    world.stop()
    desk = msgspec.structs.replace(world.services.connecting.desk, limiter=Limiter(f"{limit}=2/d", MemoryBuckets()))
    found = look(desk, DEFAULT_TENANT, "here", lambda _: None)
    assert found is not None
    assert (found.state.stored, found.state.error) == (5, None)


def test_connections_go_with_an_erased_tenant_and_come_back_with_its_archive(
    world: World, folder: str, tmp_path: Path
) -> None:
    world.secret("mine", "mira:hunter2")
    world.add("folder", folder, credential="mine", every_s=3600)
    wait_until(lambda: world.show()["activity"] == "waiting", "its first look")
    archive = tmp_path / "default.zip"
    assert export_tenant(world.stores, Originals(world.stores.objects), DEFAULT_TENANT, archive) == []
    with ZipFile(archive) as whole:
        assert not any(b"hunter2" in whole.read(name) for name in whole.namelist())

    erase_tenant(world.stores, DEFAULT_TENANT, None, 0.0, lambda _: None)
    objects = world.stores.objects.for_tenant(DEFAULT_TENANT)
    assert not list(objects.keys("connections/"))
    world.stores.schedule.plan(Slot(DEFAULT_TENANT, "here"), 0.0)
    assert world.show()["code"] == "no_such_connection"

    import_archive(world.stores, archive, 10**6)
    assert set(world.documents()) == {"here://one.txt"}
    assert world.came_to() == (0, 0, 0), "what came along is not fetched again"
    Path(folder, "one.txt").unlink()
    assert world.came_to() == (0, 1, 0), "and is followed"

"""Two editors at once: whoever comes second sees what the first did, and is refused where that no longer fits."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import grpc
import httpx2
import pytest
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_status import rpc_status

from trivium.v1 import graph_pb2, graph_pb2_grpc

from .conftest import Server

TIMES = 6
PERSONS = "# The lock keepers\n\nArne Lundvik keeps the lock. Berit Solheim keeps the sluice. Carla Amundsen helps.\n"

Answer = tuple[str, list[str]]
"""How it was refused ("" where it was not), and the ids of the edits."""


@pytest.fixture(scope="module")
def keepers(server: Server) -> Iterator[Server]:
    server.take("keepers.md", PERSONS)
    born = [("Arne Lundvik", "Halden"), ("Berit Solheim", "Drammen")]
    for name, place in born:
        over_http(server, "create_entity", name=place, type="location")
        over_http(server, "create_relation", source=name, type="BORN_IN", target=place)
    yield server
    server.stop()
    assert "as the artifacts say" in server.cli("audit").stderr  # the graph is what the log says, whoever came first


def over_http(server: Server, name: str, /, **arguments: Any) -> Answer:
    with server.http() as client:
        return answered(client.post(f"/v1/graph/tools/{name}", json=arguments))


def over_grpc(server: Server, name: str, /, **arguments: Any) -> Answer:
    with server.channel() as channel:
        asked = graph_pb2.RunToolRequest(name=name, arguments=json.dumps(arguments))
        try:
            result = json.loads(graph_pb2_grpc.GraphServiceStub(channel).RunTool(asked).result)
        except grpc.RpcError as error:
            info = ErrorInfo()
            next(
                each for each in rpc_status.from_call(cast("grpc.Call", error)).details if each.Is(info.DESCRIPTOR)
            ).Unpack(info)
            return info.reason.lower(), []
    return "", [edit["id"] for edit in result["edits"]]


def undone(server: Server, record: str) -> Answer:
    with server.http() as client:
        return answered(client.post(f"/v1/graph/edits/{record}/undo"))


def answered(answer: httpx2.Response) -> Answer:
    assert answer.status_code < 500, answer.text
    found = answer.json()
    return found.get("code", ""), [edit["id"] for edit in found.get("edits", ())]


def at_once(*calls: Callable[[], Answer]) -> list[Answer]:
    """All of them, begun in the same moment."""
    ready = threading.Barrier(len(calls))

    def begin(call: Callable[[], Answer]) -> Answer:
        ready.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(begin, calls))


def put_back(server: Server, *answers: Answer) -> None:
    """Undo what was done, the last first."""
    ids = sorted((edit for _, edits in answers for edit in edits), key=lambda edit: int(edit.partition(".")[0]))
    for record in reversed(list(dict.fromkeys(edit.partition(".")[0] for edit in ids))):
        assert undone(server, record)[0] == ""


def names(server: Server) -> dict[str, list[str]]:
    with server.http() as client:
        entities = client.get("/v1/graph/entities", params={"limit": 200}).json()["entities"]
    return {entity["name"]: entity["aliases"] for entity in entities}


def test_two_merges_that_point_at_each_other_are_one_merge_and_a_refusal(keepers: Server) -> None:
    for turn in range(TIMES):
        other = over_grpc if turn % 2 else over_http
        answers = at_once(
            lambda: over_http(keepers, "merge_entity", entity="Carla Amundsen", into="Arne Lundvik"),
            lambda other=other: other(keepers, "merge_entity", entity="Arne Lundvik", into="Carla Amundsen"),  # type: ignore[misc]
        )
        assert sorted(code for code, _ in answers) in (["", "same_entity"], ["", "merge_circle"])
        put_back(keepers, *answers)
    assert {"Carla Amundsen", "Arne Lundvik"} <= names(keepers).keys()


def test_two_merges_that_would_join_persons_of_different_facts_do_not(keepers: Server) -> None:
    for turn in range(TIMES):
        other = over_grpc if turn % 2 else over_http
        answers = at_once(
            lambda: over_http(keepers, "merge_entity", entity="Arne Lundvik", into="Carla Amundsen"),
            lambda other=other: other(keepers, "merge_entity", entity="Berit Solheim", into="Carla Amundsen"),  # type: ignore[misc]
        )
        assert sorted(code for code, _ in answers) == ["", "facts_differ"]
        put_back(keepers, *answers)


def test_a_rename_beside_a_deletion_came_before_it_or_is_refused(keepers: Server) -> None:
    for _ in range(TIMES):
        removed, renamed = answers = at_once(
            lambda: over_http(keepers, "delete_entity", entity="Carla Amundsen"),
            lambda: over_grpc(keepers, "update_entity", entity="Carla Amundsen", name="Karla Amundsen"),
        )
        assert removed[0] == ""
        assert renamed[0] in ("", "removed_entity")
        assert not {"Carla Amundsen", "Karla Amundsen"} & names(keepers).keys()
        again = over_http(keepers, "update_entity", entity="Carla Amundsen", name="Karla Amundsen")
        assert again[0] == "removed_entity"
        put_back(keepers, *answers)
    assert "Carla Amundsen" in names(keepers)


def test_of_two_who_change_a_relation_that_one_of_them_deletes_the_later_hears_of_it(keepers: Server) -> None:
    born = {"source": "Arne Lundvik", "type": "BORN_IN", "target": "Halden"}
    for _ in range(TIMES):
        answers = at_once(
            lambda: over_http(keepers, "delete_relation", **born),
            lambda: over_http(keepers, "update_relation", **born, new_type="LIVES_IN"),
        )
        assert sorted(code for code, _ in answers) == ["", "unknown_relation"]
        put_back(keepers, *answers)


def test_two_who_undo_the_same_edit_undo_it_once(keepers: Server) -> None:
    for _ in range(TIMES):
        code, [edit] = over_http(keepers, "merge_entity", entity="Carla Amundsen", into="Arne Lundvik")
        assert code == ""
        answers = at_once(*[lambda edit=edit: undone(keepers, edit)] * 3)
        assert sorted(code for code, _ in answers) == ["", "already_undone", "already_undone"]
        assert "Carla Amundsen" in names(keepers)


def test_an_undo_beside_an_edit_of_the_same_entity_leaves_what_the_log_says(keepers: Server) -> None:
    for _ in range(TIMES):
        _, [merge] = over_http(keepers, "merge_entity", entity="Carla Amundsen", into="Arne Lundvik")
        parted, renamed = at_once(
            lambda merge=merge: undone(keepers, merge),  # type: ignore[misc]
            lambda: over_http(keepers, "update_entity", entity="Arne Lundvik", name="Arne L. Lundvik"),
        )
        assert (parted[0], renamed[0]) == ("", "")
        found = names(keepers)
        assert "Carla Amundsen" in found
        assert "Arne L. Lundvik" in found
        put_back(keepers, renamed)


def test_many_editors_at_once_are_all_written_down_each_under_a_number_of_its_own(keepers: Server) -> None:
    def add(number: int) -> Callable[[], Answer]:
        door = over_grpc if number % 2 else over_http
        return lambda: door(keepers, "create_entity", name=f"Keeper Number{number:02}", type="person")

    answers = at_once(*map(add, range(12)))
    assert [code for code, _ in answers] == [""] * 12
    assert len({edit for _, edits in answers for edit in edits}) == 12
    assert {f"Keeper Number{number:02}" for number in range(12)} <= names(keepers).keys()
    put_back(keepers, *answers)
    assert not [name for name in names(keepers) if name.startswith("Keeper Number")]

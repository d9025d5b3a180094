"""Names of different documents that are one thing become one, or a question for a person, through every door."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import grpc
import httpx2
import pytest
from waiting import wait_until

from trivium.v1 import graph_pb2, graph_pb2_grpc

from .conftest import Server

PLAN = "# The weir at Tarn Hollow\n\nIlse Brandt leads the removal of Harrow Weir. Ilse Brandt met Otto Lunde there.\n"
REPORT = "# The count of 2024\n\nBrandt counted salmon below Harrow Weir with Otto Lunde.\n"
CHAIR = "# The chair\n\nThe meeting in Leeds was led by Gerda A. Hollin.\n"
GUEST = "# The guest\n\nA speech was given by Gerda Hollin.\n"


@pytest.fixture(scope="module")
def weir(server: Server) -> Server:
    for name, text in {"plan.md": PLAN, "report.md": REPORT, "chair.md": CHAIR, "guest.md": GUEST}.items():
        server.take(name, text)
    wait_until(lambda: entity(server, "Brandt")["name"] == "Ilse Brandt", "Brandt is Ilse Brandt")
    return server


def entity(server: Server, name: str) -> dict[str, Any]:
    with server.http() as client:
        found = client.get("/v1/graph/entities", params={"prefix": name}).json()["entities"]
    return next((one for one in found if name in (one["name"], *one["aliases"])), {"name": "", "aliases": []})


def done(answer: httpx2.Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def asked(server: Server, **given: Any) -> set[tuple[str, str]]:
    with server.http() as client:
        page = done(client.get("/v1/graph/duplicates", params=given))
    return {(one["likeness"]["key"], one["likeness"]["other"]) for one in page["duplicates"]}


def decide(server: Server, what: str, name: str, other: str) -> httpx2.Response:
    with server.http() as client:
        given = {"name": name, "other": other, "why": "I asked her"}
        return client.post(f"/v1/graph/duplicates/{what}", params={"actor": "anna"}, json=given)


def undo(server: Server, edited: dict[str, Any]) -> None:
    with server.http() as client:
        done(client.post(f"/v1/graph/edits/{edited['edits'][0]['id']}/undo"))


def test_a_last_name_is_the_person_of_another_document_and_why_tells_the_rule(weir: Server) -> None:
    assert "Brandt" in entity(weir, "Ilse Brandt")["aliases"]
    with weir.http() as client:
        why = done(client.get("/v1/graph/provenance", params={"entity": "Brandt"}))
    [joined] = why["joined"]
    assert (joined["key"], joined["other"], joined["merges"]) == ("brandt", "ilse brandt", True)
    assert joined["reasons"][0] == "+0.40 the last name alone"
    assert {said["place"]["source"] for said in why["said"]} == {"plan.md", "report.md"}
    told = weir.cli("graph", "why", "Brandt").stdout
    assert "brandt is ilse brandt, 0." in told
    assert "the last name alone" in told


def test_names_that_rules_joined_are_parted_by_a_person_until_that_is_undone(weir: Server) -> None:
    parted = done(decide(weir, "dismiss", "Brandt", "Ilse Brandt"))
    assert parted["edits"][0]["kind"] == "keep_apart"
    assert entity(weir, "Brandt")["name"] == "Brandt"
    undo(weir, parted)
    wait_until(lambda: entity(weir, "Brandt")["name"] == "Ilse Brandt", "Brandt is Ilse Brandt again")


def test_a_pair_is_asked_dismissed_asked_again_and_accepted_through_every_door(weir: Server) -> None:
    pair = ("gerda hollin", "gerda a hollin")
    wait_until(lambda: pair in asked(weir), "the pair is asked")
    assert "gerda hollin  =  gerda a hollin ?" in weir.cli("graph", "duplicates").stdout
    dismissed = done(decide(weir, "dismiss", "Gerda Hollin", "Gerda A. Hollin"))
    assert pair not in asked(weir)
    assert asked(weir, dismissed=True) == {pair}
    assert decide(weir, "dismiss", "Gerda Hollin", "Gerda A. Hollin").json()["code"] == "already_settled"
    undo(weir, dismissed)
    assert pair in asked(weir)
    with weir.channel() as channel:
        graph = graph_pb2_grpc.GraphServiceStub(channel)
        page = graph.ListDuplicates(graph_pb2.ListDuplicatesRequest(page_size=200))
        assert pair in {(one.likeness.key, one.likeness.other) for one in page.duplicates}
        put_aside = graph.DismissDuplicate(graph_pb2.DismissDuplicateRequest(name=pair[0], other=pair[1]))
        graph.UndoEdit(graph_pb2.UndoEditRequest(id=put_aside.edits[0].id))
        accepted = graph.AcceptDuplicate(graph_pb2.AcceptDuplicateRequest(name=pair[0], other=pair[1]))
        assert [edit.kind for edit in accepted.edits] == ["merge"]
        with pytest.raises(grpc.RpcError, match="No rule says"):
            graph.AcceptDuplicate(graph_pb2.AcceptDuplicateRequest(name="Leeds", other="Otto Lunde"))
        graph.UndoEdit(graph_pb2.UndoEditRequest(id=accepted.edits[0].id))
    weir.cli("graph", "duplicates", "accept", "Gerda Hollin", "Gerda A. Hollin")
    assert pair not in asked(weir)
    assert "Gerda Hollin" in entity(weir, "Gerda A. Hollin")["aliases"]


def test_what_was_dismissed_is_asked_again_when_something_else_is_known_and_never_merged(weir: Server) -> None:
    weir.take("guest-2.md", "# Notes\n\nA note was signed by Anton Reichel.\n")
    weir.take("guest-3.md", "# Letters\n\nA letter was signed by Anton B. Reichel.\n")
    pair = ("anton reichel", "anton b reichel")
    wait_until(lambda: pair in asked(weir), "the pair is asked")
    weir.cli("graph", "duplicates", "dismiss", *pair)
    assert pair not in asked(weir)
    weir.take("guest-4.md", "# Towns\n\nAnton Reichel lives in Kelmore. Anton B. Reichel lives in Kelmore.\n")
    wait_until(lambda: pair in asked(weir), "the pair is asked again")
    assert pair not in asked(weir, dismissed=True)
    with weir.http() as client:
        page = done(client.get("/v1/graph/duplicates"))
    [again] = [one["likeness"] for one in page["duplicates"] if one["likeness"]["key"] == pair[0]]
    assert again["reasons"][1:] == ["+0.30 both are related to kelmore", "+0.00 a person said that they are two"]


def test_what_does_not_exist_or_does_not_fit_is_refused(weir: Server) -> None:
    assert decide(weir, "accept", "Leeds", "Otto Lunde").json()["code"] == "no_such_duplicate"
    assert decide(weir, "accept", "", "x").status_code == 422
    with weir.http() as client:
        assert client.get("/v1/graph/duplicates", params={"cursor": "nonsense"}).json()["code"] == "bad_cursor"


def test_a_killed_server_goes_on_where_it_was(start_server: Callable[..., Server]) -> None:
    server = start_server()
    server.take("plan.md", PLAN)
    server.take("report.md", REPORT)
    server.kill()
    server.start()
    wait_until(lambda: entity(server, "Brandt")["name"] == "Ilse Brandt", "Brandt is Ilse Brandt")

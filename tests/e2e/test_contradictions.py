"""Documents that say different things: a card at every door, in the answer, put aside, gone with its document."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from zipfile import ZipFile

import grpc
import pytest
from openai_peer import OpenAiPeer, Reply, Seen
from tenancy import API_KEYS, BLUE, RED

from trivium.adapters.embedded.objects import LocalObjects
from trivium.domain.scope import DEFAULT_TENANT
from trivium.v1 import query_pb2, query_pb2_grpc

from .conftest import Server

GUIDE = (
    b"# Skerry Point Lighthouse\n\nThe tower of Skerry Point Lighthouse is 31 metres high. Gannets nest on the cliff.\n"
)
NOTES = b"# Notes on Skerry Point Lighthouse\n\nThe tower is 24 m high. It was painted white.\n"
AGREEING = b"# Visiting Skerry Point Lighthouse\n\nSkerry Point Lighthouse stands 102 ft tall.\n"
QUESTION = "How high is the tower of Skerry Point Lighthouse?"


def cards(server: Server, **wanted: str) -> list[dict[str, object]]:
    with server.http() as client:
        found = client.get("/v1/contradictions", params=wanted)
    assert found.status_code == 200, found.text
    return list(found.json()["contradictions"])


def test_a_card_from_its_first_document_to_its_last(start_server: Callable[..., Server]) -> None:
    server = start_server()
    server.take("guide.md", GUIDE)
    server.take("visiting.md", AGREEING)
    assert cards(server) == []
    server.take("notes.md", NOTES)

    found = [
        card
        for card in cards(server)
        if {side["citation"]["source"] for side in card["sides"]} == {"guide.md", "notes.md"}
    ]  # type: ignore[attr-defined]
    (card,) = found
    assert (card["kind"], card["attribute"]) == ("quantity", "height")
    assert {side["value"] for side in card["sides"]} == {"31 metres", "24 m"}  # type: ignore[attr-defined]
    with server.http() as client:
        for side in card["sides"]:  # type: ignore[attr-defined]
            assert client.get(side["citation"]["link"]).status_code == 200
    assert cards(server, kind="date") == []
    assert cards(server, dataset="elsewhere") == []

    shown = server.cli("graph", "contradictions", "--document", "notes.md").stdout
    assert "31 metres" in shown
    assert "24 m" in shown
    with server.http() as client:
        answer = client.post("/v1/queries", json={"query": QUESTION}).json()
    assert card["id"] in {each["id"] for each in answer["contradictions"]}
    assert "Contradicted:" in server.cli("ask", QUESTION).stdout
    with server.channel() as channel:
        listed = query_pb2_grpc.QueryServiceStub(channel).ListContradictions(query_pb2.ListContradictionsRequest())
    assert card["id"] in {each.id for each in listed.contradictions}

    server.cli("graph", "contradictions", "dismiss", str(card["id"]), "--why", "Another tower.")
    assert card["id"] not in {each["id"] for each in cards(server)}
    assert [each["dismissed"]["why"] for each in cards(server, dismissed="true")] == ["Another tower."]  # type: ignore[index]
    with server.http() as client:
        answer = client.post("/v1/queries", json={"query": QUESTION}).json()
    assert card["id"] not in {each["id"] for each in answer["contradictions"]}

    server.take("notes.md", NOTES.replace(b"24 m", b"26 m"))
    (again,) = [
        each
        for each in cards(server)
        if "26 m" in {side["value"] for side in each["sides"]}
        and each["sides"][0]["value"] != "102 ft"
        and each["sides"][1]["value"] != "102 ft"
    ]  # type: ignore[attr-defined, index]
    assert again["id"] != card["id"]
    server.cli("delete", "notes.md", "--yes")
    assert cards(server) == []
    assert cards(server, dismissed="true") == []


def test_putting_a_card_aside_is_an_edit_that_is_logged_and_undone(start_server: Callable[..., Server]) -> None:
    server = start_server()
    server.take("guide.md", GUIDE)
    server.take("notes.md", NOTES)
    (card,) = cards(server)
    server.cli("graph", "contradictions", "dismiss", str(card["id"]), "--why", "Another tower.")
    told = server.cli("graph", "log", "--kind", "dismiss").stdout
    assert "Another tower." in told
    (aside,) = cards(server, dismissed="true")
    edit = str(aside["dismissed"]["edit"])  # type: ignore[index]
    server.cli("graph", "undo", edit)
    assert card["id"] in {each["id"] for each in cards(server)}
    with server.channel() as channel:
        service = query_pb2_grpc.QueryServiceStub(channel)
        wanted = query_pb2.DismissContradictionRequest(id=str(card["id"]), why="Two towers.", actor={"name": "ann"})
        assert service.DismissContradiction(wanted).contradiction.dismissed.by == "person ann"
    assert card["id"] not in {each["id"] for each in cards(server)}
    again = server.cli("graph", "contradictions", "dismiss", str(card["id"]), "--why", "Once more.").stdout
    assert "Put aside" in again
    assert [each["dismissed"]["why"] for each in cards(server, dismissed="true")] == ["Two towers."]  # type: ignore[index]
    for name in ("guide.md", "notes.md"):
        server.cli("delete", name, "--yes")
    with server.http() as client:
        edits = client.get("/v1/graph/edits", params={"kind": "dismiss", "standing": "without_evidence"}).json()[
            "edits"
        ]
    assert [edit["why"] for edit in edits] == ["Two towers."]


def test_what_an_earlier_version_put_aside_stays_aside_and_can_be_undone(start_server: Callable[..., Server]) -> None:
    server = start_server()
    server.take("guide.md", GUIDE)
    server.take("notes.md", NOTES)
    (card,) = cards(server)
    server.stop()
    objects = LocalObjects(server.data_dir).for_tenant(DEFAULT_TENANT)
    objects.put(f"contradictions/dismissed/{card['id']}", json.dumps({"why": "Another tower.", "at": 0.0}).encode())

    again = start_server()
    assert cards(again) == []
    (aside,) = cards(again, dismissed="true")
    assert "Another tower." in str(aside["dismissed"]["why"])  # type: ignore[index]
    again.cli("graph", "undo", str(aside["dismissed"]["edit"]))  # type: ignore[index]
    assert [each["id"] for each in cards(again)] == [card["id"]]
    again.stop()
    assert [each["id"] for each in cards(start_server())] == [card["id"]]


def test_colours_and_negations_of_one_thing_are_cards_and_those_of_another_thing_or_part_are_none(
    start_server: Callable[..., Server],
) -> None:
    server = start_server()
    said = {
        "colour": (
            ("MV Marisol", "MV Marisol has a red hull.", "MV Marisol has a green hull."),
            ("MV Kelpie", "MV Kelpie has a white hull.", "MV Kelpie has a black funnel."),  # another part
        ),
        "negation": (
            (
                "Orrin Footbridge",
                "Orrin Footbridge is open to cyclists in winter.",
                "Orrin Footbridge is not open to cyclists in winter.",
            ),
            (
                "Harrow Reservoir",
                "Harrow Reservoir is safe for swimmers in summer.",
                "Harrow Reservoir is dangerous for swimmers in summer.",
            ),
            (
                "Tarn Weir",
                "Tarn Weir is open to anglers in spring.",
                "Tarn Weir is not open to canoeists in autumn.",
            ),  # others, at another time
        ),
    }
    for kind, pairs in said.items():
        for number, (title, *sentences) in enumerate(pairs):
            for at, sentence in enumerate(sentences):
                server.take(f"{kind}-{number}-{at}.md", f"# {title}\n\n{sentence}\n".encode())

    def found(kind: str) -> list[set[str]]:
        return [{side["citation"]["quote"] for side in card["sides"]} for card in cards(server, kind=kind)]  # type: ignore[attr-defined]

    assert found("colour") == [set(said["colour"][0][1:])]
    assert sorted(map(sorted, found("negation"))) == sorted(sorted(pair[1:]) for pair in said["negation"][:2])
    assert len(cards(server)) == 3


def test_what_was_put_aside_stays_aside_under_another_name_of_the_tenant(start_server: Callable[..., Server]) -> None:
    server = start_server(TRIVIUM_API_KEYS=API_KEYS)
    server.key = RED
    packed = io.BytesIO()
    with ZipFile(packed, "w") as archive:
        archive.writestr("notes/notes.md", NOTES)
    for name, content in (
        ("guide.md", GUIDE),
        ("guide again.md", GUIDE),
        ("bundle.zip", packed.getvalue()),
        ("quay.md", b"# Quay of Tarn Bay\n\nThe quay of Tarn Bay is 90 metres long.\n"),
        ("quay notes.md", b"# Notes on the quay of Tarn Bay\n\nThe quay of Tarn Bay is 70 metres long.\n"),
    ):
        server.take(name, content)
    tower, quay = (of_lengths(server, value) for value in ("24 m", "70 metres"))
    assert tower
    assert quay
    server.cli("graph", "contradictions", "dismiss", tower, "--why", "Another tower.")
    with server.http() as client:
        assert client.post(f"/v1/graph/edits/{quay}/dismiss", json={"why": "It was built on."}).is_success
    file = server.data_dir.parent / "lighthouse.zip"
    for name, renamed in (("red", "pink"), ("pink", "mint")):
        server.stop()
        server.cli("tenants", "export", name, str(file))
        server.cli("tenants", "import", str(file), "--as", renamed)
        file.unlink()
        server.env["TRIVIUM_API_KEYS"] = f"{renamed}:{renamed}-key"
        server.key = f"{renamed}-key"
        server.start()
        server.wait_idle()
        why = {each["dismissed"]["why"]: each for each in cards(server, dismissed="true")}  # type: ignore[index]
        assert set(why) == {"Another tower.", "It was built on."}
        assert cards(server) == []
        kept = why["Another tower."]["id"]
        server.cli("graph", "contradictions", "dismiss", str(kept), "--why", "Once more.")
        assert {each["dismissed"]["why"] for each in cards(server, dismissed="true")} == set(why)  # type: ignore[index]
    server.cli("graph", "undo", str(why["Another tower."]["dismissed"]["edit"]))  # type: ignore[index]
    assert [card["id"] for card in cards(server)] == [kept]


def of_lengths(server: Server, value: str) -> str:
    """The id of the card of which one side has that value."""
    (found,) = (card for card in cards(server) if value in {side["value"] for side in card["sides"]})  # type: ignore[attr-defined]
    return str(found["id"])


def test_tenants_and_datasets_do_not_meet(start_server: Callable[..., Server]) -> None:
    server = start_server(TRIVIUM_API_KEYS=API_KEYS)
    server.key = BLUE
    server.take("guide.md", GUIDE)
    server.take("notes.md", NOTES, dataset="other")
    assert cards(server) == []
    server.key = RED
    server.take("notes.md", NOTES)
    assert cards(server) == []


def test_what_is_asked_badly_is_refused(start_server: Callable[..., Server]) -> None:
    server = start_server()
    with server.http() as client:
        assert client.get("/v1/contradictions", params={"cursor": "x"}).json()["code"] == "bad_cursor"
        assert client.get("/v1/contradictions", params={"kind": "mood"}).json()["code"] == "invalid_request"
        for wanted in ("nothing", "0" * 32):
            refused = client.post(f"/v1/contradictions/{wanted}/dismiss", json={"why": "So."})
            assert (refused.status_code, refused.json()["code"]) == (404, "no_such_contradiction")
        assert client.post(f"/v1/contradictions/{'0' * 32}/dismiss", json={"why": " "}).status_code in (400, 422)
    with server.channel() as channel, pytest.raises(grpc.RpcError):
        query_pb2_grpc.QueryServiceStub(channel).ListContradictions(query_pb2.ListContradictionsRequest(kind="mood"))


def test_a_language_model_judges_what_rules_cannot_once(start_server: Callable[..., Server]) -> None:
    asked: list[str] = []

    def judge(seen: Seen) -> Reply:
        asked.append(seen.prompt)
        return Reply(json.dumps({"same_thing": True, "contradict": True, "confidence": 0.9}))

    with OpenAiPeer(judge) as peer:
        settings = {
            "TRIVIUM_LLM": "openai",
            "TRIVIUM_LLM_URL": peer.url,
            "TRIVIUM_LLM_MODEL": "scripted",
            "TRIVIUM_ENRICH_WITH_LLM": "false",
            "TRIVIUM_EXTRACT_WITH_LLM": "false",
        }
        server = start_server(**settings)
        server.take("one.md", b"# MV Selkie\n\nThe hull of MV Selkie leaks badly in heavy weather.\n")
        server.take("other.md", b"# MV Selkie, survey\n\nThe hull of MV Selkie stays dry in heavy weather.\n")
        (card,) = cards(server)
        assert (card["kind"], card["operation"], card["confidence"]) == ("meaning", "llm:contradict@1", 0.9)
        assert cards(server) == [card]
        assert len(asked) == 1
        server.stop()
        again = start_server(**settings)
        assert cards(again) == [card]
        assert len(asked) == 1


def test_a_look_asks_the_model_no_more_than_its_budget_and_the_next_goes_on(
    start_server: Callable[..., Server],
) -> None:
    asked: list[str] = []

    def judge(seen: Seen) -> Reply:
        asked.append(seen.prompt)
        return Reply(json.dumps({"same_thing": True, "contradict": True, "confidence": 0.9}))

    with OpenAiPeer(judge) as peer:
        server = start_server(
            TRIVIUM_LLM="openai",
            TRIVIUM_LLM_URL=peer.url,
            TRIVIUM_LLM_MODEL="scripted",
            TRIVIUM_ENRICH_WITH_LLM="false",
            TRIVIUM_EXTRACT_WITH_LLM="false",
            TRIVIUM_CONTRADICTION_JUDGEMENTS="1",
        )
        for ship in ("Selkie", "Kelpie", "Morgan"):
            server.take(f"{ship}.md", f"# MV {ship}\n\nThe hull of MV {ship} leaks badly in heavy weather.\n".encode())
            survey = f"# MV {ship}, survey\n\nThe hull of MV {ship} stays dry in heavy weather.\n"
            server.take(f"{ship}-survey.md", survey.encode())
        assert asked == []  # nobody looked yet
        for look in (1, 2, 3, 3):
            assert len(cards(server)) == look
            assert len(asked) == look


def test_a_schema_that_is_accepted_says_which_relations_contradict(start_server: Callable[..., Server]) -> None:
    server = start_server()
    server.take("guide.md", b"# The board\n\nOdalys Prant works for the Oxley Water Board.\n")
    server.take("list.md", b"# The trust\n\nOdalys Prant works for the Kelmore Trust.\n")
    assert cards(server, kind="relation") == []
    schema = ("graph", "schema")
    server.cli(*schema, "propose", "WORKS_FOR", "--from", "person", "--to", "organization", "--targets", "one")
    assert cards(server, kind="relation") == []
    server.cli(*schema, "accept", "WORKS_FOR")
    (card,) = cards(server, kind="relation")
    assert (card["subject"], card["attribute"]) == ("odalys prant", "WORKS_FOR")
    assert {side["value"] for side in card["sides"]} == {"oxley water board", "kelmore trust"}  # type: ignore[attr-defined]
    assert cards(server, kind="relation") == [card]
    server.cli(*schema, "reject", "WORKS_FOR")
    assert cards(server, kind="relation") == []

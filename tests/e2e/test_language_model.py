"""`trivium serve` with a language model behind it that answers well, badly, slowly, or not at all."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator

import pytest
from openai_peer import OpenAiPeer, Reply
from PIL import Image
from scripted_model import BRIDGE, CONTEXT, GOOD, NO_PLAN, QUESTION, Model, work_of

from .conftest import Server

ENGINE = "openai:scripted"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, peer: OpenAiPeer) -> Iterator[Server]:
    running = Server(
        tmp_path_factory.mktemp("model") / "data",
        TRIVIUM_LLM="openai",
        TRIVIUM_LLM_URL=peer.url,
        TRIVIUM_LLM_MODEL="scripted",
        TRIVIUM_LLM_API_KEY="secret-of-the-model",
        TRIVIUM_VISION_MODEL="seeing",
        TRIVIUM_LLM_TIMEOUT_S="3",
        TRIVIUM_QUERY_TIMEOUT_S="8",
    ).start()
    assert running.take("bridge.md", BRIDGE)["state"] == "ready"
    yield running
    running.stop()


@pytest.fixture(autouse=True)
def well_behaved(model: Model) -> Iterator[None]:
    model.behave()
    yield
    model.behave()


def works(peer: OpenAiPeer, since: int = 0) -> list[str]:
    return [work_of(seen) for seen in peer.seen[since:]]


def test_passages_are_placed_by_the_model(server: Server, peer: OpenAiPeer) -> None:
    assert works(peer)[:2] == ["enrich", "extract"]
    assert peer.seen[0].headers["authorization"] == "Bearer secret-of-the-model"
    assert peer.seen[0].body["model"] == "scripted"
    hits = server.search("crossings of the Quillan estuary", "keyword")
    assert [hit["chunk"]["source"] for hit in hits] == ["bridge.md"]
    assert hits[0]["chunk"]["context"] == CONTEXT
    assert "Quillan" not in hits[0]["chunk"]["text"]


def test_a_picture_without_a_word_is_found_by_its_description_and_shown(server: Server, peer: OpenAiPeer) -> None:
    stream = io.BytesIO()
    Image.new("RGB", (64, 48), (20, 90, 160)).save(stream, "PNG")
    before = len(peer.seen)
    taken = server.take("weir.png", stream.getvalue())
    assert taken["state"] == "ready"
    described = next(seen for seen in peer.seen[before:] if work_of(seen) == "describe")
    assert described.body["model"] == "seeing"
    (hit, *_) = server.search("herons on the Tarbeck weir", "keyword")
    assert (hit["chunk"]["source"], hit["chunk"]["kind"]) == ("weir.png", "image")
    (name,) = hit["chunk"]["assets"]
    with server.http() as client:
        assert client.get(f"/v1/sources/{taken['id']}/assets/{name}").content == stream.getvalue()


def test_names_and_relations_are_the_models_as_far_as_the_text_bears_them_out(server: Server) -> None:
    with server.http() as client:
        entities = client.get("/v1/graph/entities", params={"prefix": "maren"}).json()["entities"]
        assert [(entity["name"], entity["type"]) for entity in entities] == [("Maren Tuck", "person")]
        picture = client.get(f"/v1/graph/entities/{entities[0]['id']}").json()
        assert ("ENGINEERED_FOR", "Solway Reach") in [
            (neighbour["relation"], neighbour["entity"]["name"]) for neighbour in picture["neighbours"]
        ]
        assert "llm:extract" in picture["relations"][0]["operation"]
        assert client.get("/v1/graph/entities", params={"prefix": "nowhere"}).json()["entities"] == []


def test_a_good_answer_is_the_models_and_says_so(server: Server, peer: OpenAiPeer) -> None:
    since = len(peer.seen)
    given = server.ask(QUESTION)
    assert works(peer, since) == ["write", "verify"]
    assert given["text"] == "Maren Tuck designed the bridge of Solway Reach [Source: bridge.md, chunk 1]."
    assert (given["engine"], given["verdict"], given["found"]) == (ENGINE, "SUPPORTED", True)
    assert given["usage"] == {"input_tokens": 22, "output_tokens": 14, "calls": 2, "prompts": ["answer@1", "verify@1"]}
    assert given["notes"] == []
    assert f"Answered by: {ENGINE}." in server.cli("ask", QUESTION).stdout


def test_an_answer_streams_as_the_model_writes_it(server: Server, model: Model, peer: OpenAiPeer) -> None:
    model.behave(write=Reply(GOOD, pause_s=0.1))
    arrivals = []
    body = {"question": QUESTION, "stream": True}
    with server.http() as client, client.stream("POST", "/v1/queries", json=body) as answer:
        for line in answer.iter_lines():
            if line == "event: text":
                arrivals.append(peer.open)
    assert len(arrivals) > 3
    assert arrivals[0] == 1, "the model is still writing"


def test_a_follow_up_is_rewritten_by_the_model(server: Server, model: Model, peer: OpenAiPeer) -> None:
    with server.http() as client:
        talk = client.post("/v1/conversations").json()["id"]
        client.post(f"/v1/conversations/{talk}/queries", json={"question": QUESTION})
        since = len(peer.seen)
        model.behave(write=Reply("It opened in 1897 [1]."))
        given = client.post(f"/v1/conversations/{talk}/queries", json={"question": "And when did it open?"}).json()
    assert works(peer, since) == ["understand", "write", "verify"]
    assert "When did the bridge of Solway Reach open?" in peer.seen[since + 1].prompt
    assert "1897" in given["text"]
    assert given["question"] == "And when did it open?"


def test_a_citation_of_what_is_not_there_is_taken_out(server: Server, model: Model) -> None:
    model.behave(write=Reply(f"{GOOD} It is painted green [7]. See [Source: ghost.pdf, chunk 4]."))
    given = server.ask(QUESTION)
    assert given["engine"] == ENGINE
    assert "[7]" not in given["text"]
    assert "ghost" not in given["text"]
    assert [citation["source"] for citation in given["citations"]] == ["bridge.md"]
    assert any("2 citation(s) of sources that do not exist" in note for note in given["notes"])


def test_an_answer_that_no_source_bears_out_carries_a_warning(server: Server, model: Model) -> None:
    model.behave(
        write=Reply("Elvis Presley designed it in 1999 [1]."),
        verify=Reply('{"verdict": "NOT_SUPPORTED", "sub_questions": []}'),
    )
    given = server.ask(QUESTION)
    assert given["verdict"] == "NOT_SUPPORTED"
    assert "do not clearly support" in given["text"]


@pytest.mark.parametrize("opening", ["<think>", ""])
def test_what_a_model_thinks_aloud_reaches_no_reader_and_no_citation(
    server: Server, model: Model, opening: str
) -> None:
    model.behave(write=Reply(f"{opening}Sources [1] and [9] say so, or was it Elvis?</think>\n\n{GOOD}"))
    given = server.ask(QUESTION)
    assert given["engine"] == ENGINE
    assert "Elvis" not in given["text"]
    assert [citation["source"] for citation in given["citations"]] == ["bridge.md"]
    assert not given["notes"]


def test_a_judge_that_asks_too_many_sub_questions_is_heard(server: Server, model: Model) -> None:
    asked = [f"Who paid for part {number} of the bridge?" for number in range(1, 7)]
    model.behave(verify=Reply(json.dumps({"verdict": "PARTIALLY_SUPPORTED", "sub_questions": [*asked, " "]})))
    given = server.ask(QUESTION)
    assert given["sub_questions"] == asked[:4]
    assert "verify" not in [lost["source"] for lost in given["degraded"]]


def test_a_model_that_knows_nothing_is_believed(server: Server, model: Model) -> None:
    model.behave(write=Reply("Not found in the documents."))
    given = server.ask(QUESTION)
    assert (given["found"], given["citations"]) == (False, [])


@pytest.mark.parametrize("broken", [Reply("{broken"), Reply("I think it is fine."), Reply('{"verdict": "MAYBE"}')])
def test_a_judge_that_breaks_its_json_is_replaced_by_our_own(server: Server, model: Model, broken: Reply) -> None:
    model.behave(verify=broken)
    given = server.ask(QUESTION)
    assert (given["engine"], given["verdict"]) == (ENGINE, "SUPPORTED")
    assert any(lost["source"] == "verify" for lost in given["degraded"])


FAULTS: dict[str, tuple[Reply, str]] = {
    "cut in mid-stream": (Reply("One two three four five six seven", cut_after=4, pause_s=0.01), "broke off"),
    "ended without its good-bye": (Reply("One two three four five six", cut_after=4, cut="early"), "broke off"),
    "slow": (Reply(GOOD, delay_s=30), "in time"),
    "slow between words": (Reply(GOOD, pause_s=30), "in time"),
    "busy (429)": (Reply("slow down", status=429), "busy"),
    "busy for long (429)": (Reply("slow down", status=429, headers={"retry-after": "3600"}), "busy"),
    "down (503)": (Reply("maintenance", status=503), "503"),
    "wrong key (401)": (Reply("who are you", status=401), "key"),
    "gibberish": (Reply(raw=b"data: {broken\n\n"), "protocol"),
    "silent": (Reply(""), "nothing"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_model_that_fails_is_replaced_by_an_extract_that_says_why(server: Server, model: Model, fault: str) -> None:
    reply, says = FAULTS[fault]
    model.behave(write=reply, verify=reply)
    given = server.ask(QUESTION)
    assert given["engine"] == "extractive"
    assert "Maren Tuck" in given["text"]
    assert given["citations"][0]["source"] == "bridge.md"
    assert any(says in note and "extracted" in note for note in given["notes"]), given["notes"]
    assert "llm" in [lost["source"] for lost in given["degraded"]]
    assert "secret-of-the-model" not in json.dumps(given)


def test_a_stream_that_is_cut_is_withdrawn_and_answered(server: Server, model: Model) -> None:
    model.behave(write=FAULTS["cut in mid-stream"][0])
    body = {"question": QUESTION, "stream": True}
    with server.http() as client:
        lines = client.post("/v1/queries", json=body).text.splitlines()
    events = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    assert "withdrawn" in events
    assert events.index("withdrawn") < len(events) - 1 - events[::-1].index("text")
    assert events[-1] == "answer"
    assert "Maren Tuck" in lines[-2]


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("busy", {"enrich": Reply("slow down", status=429), "extract": Reply("slow down", status=429)}),
        ("key", {"enrich": Reply("no", status=401), "extract": Reply("no", status=401)}),
        ("slow", {"enrich": Reply("late", delay_s=30), "extract": Reply("late", delay_s=30)}),
        ("half", {"extract": Reply("{broken")}),
    ],
)
def test_an_ingest_ends_ready_with_a_warning_when_the_model_fails(
    server: Server, model: Model, name: str, broken: dict[str, Reply]
) -> None:
    model.behave(**broken)
    source = server.take(f"{name}.md", f"# The {name} lock\n\nIvo Garrick{name} keeps the {name} lock of Penhallow.\n")
    assert source["state"] == "ready", source
    assert any("language model" in warning for warning in source["warnings"]), source
    assert any(f"Ivo Garrick{name}" in hit["chunk"]["text"] for hit in server.search(f"keeps the {name} lock"))
    with server.http() as client:
        prefix = {"prefix": f"ivo garrick{name}"}
        assert client.get("/v1/graph/entities", params=prefix).json()["entities"]


def test_a_model_that_is_away_from_the_start_keeps_nobody_from_reading_and_asking(
    start_server: Callable[..., Server],
) -> None:
    server = start_server(
        TRIVIUM_LLM="vllm", TRIVIUM_LLM_URL="http://127.0.0.1:9", TRIVIUM_LLM_MODEL="m", TRIVIUM_LLM_TIMEOUT_S="2"
    )
    source = server.take("bridge.md", BRIDGE)
    assert source["state"] == "ready"
    assert source["warnings"]
    given = server.ask(QUESTION)
    assert given["engine"] == "extractive"
    assert any("cannot be reached" in note for note in given["notes"])


PEARLS = "Diver,Town,Pearls\nInga Moss,Solway,14\nPer Lunt,Solway,9\nAda Crake,Tarbeck,21\n"
HAUL = "Taken as a whole, what did the divers of Solway haul ashore?"


def _of_solway(**more: object) -> Reply:
    town = {"column": "town", "test": "is", "values": ["Solway"]}
    return Reply(json.dumps({**NO_PLAN, "table": 1, "aggregate": "sum", "column": "Pearls", "filters": [town], **more}))


@pytest.fixture(scope="module")
def pearls(server: Server) -> Server:
    assert server.take("pearls.csv", PEARLS)["state"] == "ready"
    return server


def test_the_model_plans_what_names_alone_do_not_and_the_engine_computes_it(pearls: Server, model: Model) -> None:
    model.behave(plan=_of_solway())
    given = pearls.ask(HAUL)
    assert (given["engine"], given["verdict"], given["text"].splitlines()[0]) == ("tables", "SUPPORTED", "23")
    assert [citation["quote"] for citation in given["citations"]] == [
        "Diver: Inga Moss; Town: Solway; Pearls: 14",
        "Diver: Per Lunt; Town: Solway; Pearls: 9",
    ]
    assert given["usage"]["calls"] == 1


@pytest.mark.parametrize(
    "plan",
    [
        _of_solway(filters=[]),  # forgets the town that was asked for
        _of_solway(column="Oysters"),
        _of_solway(filters=[{"column": "Town", "test": "is", "values": ["Solway'; DROP TABLE t0; --"]}]),
        _of_solway(column="Diver"),  # names are not added up
        _of_solway(table=9),
        Reply("no plan at all"),
    ],
)
def test_a_plan_that_the_table_cannot_follow_is_not_computed(pearls: Server, model: Model, plan: Reply) -> None:
    model.behave(plan=plan, write=Reply("The divers of Solway hauled pearls ashore [1]."))
    assert pearls.ask(HAUL)["engine"] == ENGINE


def test_a_schema_is_the_models_as_far_as_the_graph_bears_it_out_and_extraction_is_told_it(
    server: Server, model: Model, peer: OpenAiPeer
) -> None:
    with server.http() as client:
        made = client.post("/v1/graph/schema/propose").json()
        proposed = {one["type"]["name"]: one for one in made["proposed"]}
        assert made["domain"] == "crossings of rivers"
        assert made["change"]["by"] == f"model {ENGINE} schema@1"
        assert proposed["ENGINEERED_FOR"]["type"]["description"] == "Who designed what stands there."
        assert proposed["OPENED_IN"]["problems"] == ["stated nowhere yet"]
        asked = next(seen for seen in reversed(peer.seen) if work_of(seen) == "schema")
        assert "ENGINEERED_FOR: 1 times; person to location 1 times" in asked.prompt
        assert "Maren Tuck designed the bridge" in asked.prompt

        client.post("/v1/graph/schema/accept", json={"names": ["ENGINEERED_FOR"]})
        before = len(peer.seen)
        assert server.take("second.md", BRIDGE + "\nA second note.")["state"] == "ready"
        told = next(seen for seen in peer.seen[before:] if work_of(seen) == "extract")
        assert "- ENGINEERED_FOR: person -> location" in told.prompt
        tuck = client.get("/v1/graph/entities", params={"prefix": "maren"}).json()["entities"][0]["id"]
        relations = client.get(f"/v1/graph/entities/{tuck}").json()["relations"]
        by_source = {each["place"]["source"]: each for each in relations if each["type"] == "ENGINEERED_FOR"}
        assert by_source["second.md"]["operation"] == "llm:extract@1 schema@2"
        assert by_source["bridge.md"]["operation"] == "llm:extract@1"  # read before: not read again, and in force
        assert {each["compliance"] for each in by_source.values()} == {"active"}

        model.behave(schema=Reply(status=500))
        fallen_back = client.post("/v1/graph/schema/propose").json()
        assert "Proposed without the language model" in fallen_back["notes"][0]
        assert [one["type"]["name"] for one in fallen_back["proposed"]] == ["OPENED_IN"]

"""The reading agent through the product's doors: chosen, refused, killed in mid-passage, deleted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from msgspec.msgpack import decode, encode
from msgspec.structs import replace
from openai_peer import OpenAiPeer, Reply, Seen
from waiting import wait_until

from trivium.adapters.embedded.objects import LocalObjects, LocalObjectStore
from trivium.domain.scope import DEFAULT_TENANT
from trivium.v1 import ingest_pb2, ingest_pb2_grpc
from trivium_graph.agent.record import Reading, State

from .conftest import Server

TEXT = "# The bridge\n\nMaren Tuck designed the bridge of Solway Reach for Orrin Vale.\n"
NAMES = {"Maren Tuck": "person", "Orrin Vale": "person", "Solway Reach": "location"}
ROUNDS = (
    tuple(("search_kg", {"name": name}) for name in NAMES),
    tuple(("create_entity", {"name": name, "type": kind, "confidence": 0.9}) for name, kind in NAMES.items()),
    (
        (
            "create_relation",
            {
                "source": "Maren Tuck",
                "type": "BUILT_FOR",
                "target": "Orrin Vale",
                "confidence": 0.9,
                "snippet": "Maren Tuck designed the bridge of Solway Reach for Orrin Vale",
            },
        ),
    ),
)
READS = "You read one document, passage by passage"


def round_of(seen: Seen) -> int:
    return sum(message["role"] == "assistant" for message in seen.body["messages"])


def agent(seen: Seen) -> Reply:
    if READS not in seen.prompt:
        return Reply("A note on bridges.")
    at = round_of(seen)
    return Reply(calls=ROUNDS[at] if at < len(ROUNDS) else (("finish_paragraph", {}),))


def asked(peer: OpenAiPeer) -> list[int]:
    """The rounds that the agent asked for."""
    return [round_of(seen) for seen in peer.seen if READS in seen.prompt]


def settings(peer: OpenAiPeer, **more: str) -> dict[str, str]:
    return {
        "TRIVIUM_LLM": "openai",
        "TRIVIUM_LLM_URL": peer.url,
        "TRIVIUM_LLM_MODEL": "scripted",
        "TRIVIUM_EXTRACTOR": "rules",
        "TRIVIUM_ENRICH_WITH_LLM": "false",
        **more,
    }


def relations(server: Server, name: str) -> list[dict[str, Any]]:
    """What is stated of an entity, with its operation."""
    with server.http() as client:
        answer = client.get("/v1/graph/provenance", params={"entity": name})
        if answer.status_code == 404:
            return []
        assert answer.status_code == 200, answer.text
        stated: list[dict[str, Any]] = answer.json()["said"]
        return stated


def test_one_upload_is_read_by_the_agent_and_the_next_by_rules(start_server: Callable[..., Server]) -> None:
    with OpenAiPeer(agent) as peer:
        server = start_server(**settings(peer))
        assert server.take("rules.md", TEXT)["state"] == "ready"
        assert asked(peer) == []
        read = server.take("agent.md", TEXT.replace("bridge", "viaduct"), extractor="agent")
        assert (read["state"], read.get("warnings", [])) == ("ready", [])
        assert len(asked(peer)) > 0


def test_the_same_bytes_are_read_again_where_another_extractor_is_asked_for(
    start_server: Callable[..., Server],
) -> None:
    with OpenAiPeer(agent) as peer:
        server = start_server(**settings(peer))
        server.take("note.md", TEXT)
        again = server.take("note.md", TEXT, extractor="agent")
        assert again["state"] == "ready"
        assert asked(peer) == [0, 1, 2, 3]
        server.take("note.md", TEXT, extractor="agent")
        server.take("note.md", TEXT)
        assert asked(peer) == [0, 1, 2, 3]
        assert "agent:openai:scripted@1" in str(relations(server, "Maren Tuck"))


def test_a_dataset_has_an_extractor_of_its_own(start_server: Callable[..., Server]) -> None:
    with OpenAiPeer(agent) as peer:
        server = start_server(**settings(peer, TRIVIUM_DATASET_EXTRACTORS="papers=agent"))
        server.take("a.md", TEXT)
        assert asked(peer) == []
        server.take("b.md", TEXT, dataset="papers")
        assert asked(peer) == [0, 1, 2, 3]


@pytest.mark.parametrize("extractor", ["agent", "llm"])
def test_without_a_language_model_it_is_refused_at_every_door(
    start_server: Callable[..., Server], tmp_path: Path, extractor: str
) -> None:
    server = start_server()
    with server.http() as client:
        answer = client.post("/v1/sources", files={"file": ("a.md", TEXT)}, data={"extractor": extractor})
        assert (answer.status_code, answer.json()["code"]) == (422, "no_language_model")
        assert "TRIVIUM_LLM" in answer.json()["action"]
        answer = client.post("/v1/sources", json={"url": "https://example.org/", "extractor": extractor})
        assert answer.json()["code"] == "no_language_model"
        answer = client.post("/v1/sources", files={"file": ("a.md", TEXT)}, data={"extractor": "wizard"})
        assert answer.status_code == 422
        assert client.get("/v1/sources").json()["sources"] == []
    with server.channel() as channel:
        stub = ingest_pb2_grpc.IngestServiceStub(channel)
        header = ingest_pb2.SourceHeader(name="a.md", extractor=extractor)
        with pytest.raises(grpc.RpcError) as refusal:
            stub.SubmitSource(iter([ingest_pb2.SubmitSourceRequest(header=header)]), timeout=30)
        assert "needs a language model" in str(refusal.value)
    file = tmp_path / "a.md"
    file.write_text(TEXT)
    done = server.cli("ingest", "--extractor", extractor, str(file), check=False)
    assert done.returncode == 1
    assert "needs a language model" in done.stderr


def test_an_extractor_in_the_settings_needs_a_model_too(tmp_path: Path) -> None:
    server = Server(tmp_path / "data", TRIVIUM_EXTRACTOR="agent")
    done = server.cli("status", check=False)
    assert done.returncode != 0
    assert "needs a language model that can call tools" in done.stderr


def test_killed_in_mid_passage_it_goes_on_at_the_same_round_and_nothing_is_paid_twice(
    start_server: Callable[..., Server],
) -> None:
    slow = True

    def model(seen: Seen) -> Reply:
        reply = agent(seen)
        return Reply(calls=reply.calls, delay_s=30) if slow and round_of(seen) == 2 else reply

    with OpenAiPeer(model) as peer:
        server = start_server(**settings(peer, TRIVIUM_LEASE_S="2"))
        with server.http() as client:
            answer = client.post("/v1/sources", files={"file": ("a.md", TEXT)}, data={"extractor": "agent"})
        wait_until(lambda: asked(peer) == [0, 1, 2], "the third question is on its way")
        server.kill()
        slow = False
        server.start()
        assert server.settled(answer.json()["id"])["state"] == "ready"
        assert asked(peer) == [0, 1, 2, 2, 3]  # the answer to the third never came
        assert "BUILT_FOR" in str(relations(server, "Maren Tuck"))


LONG = "It is long. " * 90  # so that a part is a passage of its own


def test_killed_behind_the_last_answer_about_a_passage_it_goes_on_with_the_next(
    start_server: Callable[..., Server],
) -> None:
    slow = True

    def model(seen: Seen) -> Reply:
        if "Passage 1 " in seen.prompt:
            return agent(seen)
        return Reply(calls=(("finish_paragraph", {}),), delay_s=30 if slow else 0)

    def asked_of(peer: OpenAiPeer) -> list[tuple[bool, int]]:
        return [("Passage 1 " in seen.prompt, round_of(seen)) for seen in peer.seen if READS in seen.prompt]

    first = [(True, at) for at in range(4)]
    with OpenAiPeer(model) as peer:
        server = start_server(**settings(peer, TRIVIUM_LEASE_S="2"))
        with server.http() as client:
            files = {"file": ("a.md", f"{TEXT}\n{LONG}\n\n# The ferry\n\nThere is a ferry, too. {LONG}\n")}
            answer = client.post("/v1/sources", files=files, data={"extractor": "agent"})
        wait_until(lambda: asked_of(peer) == [*first, (False, 0)], "the second passage is asked about")
        server.kill()
        objects = LocalObjects(server.data_dir).for_tenant(DEFAULT_TENANT)
        [record] = [
            key for key in objects.keys("") if "/reading/" in key and kept(objects, key).state is State.ARCHIVED
        ]
        before = kept(objects, record)
        verified = replace(before, state=State.VERIFIED)  # as it is kept until the next passage is begun
        objects.put(record, encode(verified))
        slow = False
        server.start()
        assert server.settled(answer.json()["id"])["state"] == "ready"
        assert asked_of(peer) == [*first, (False, 0), (False, 0)]
        assert "BUILT_FOR" in str(relations(server, "Maren Tuck"))
        assert kept(objects, record) == before


def kept(objects: LocalObjectStore, key: str) -> Reading:
    """The record of a passage."""
    return decode(objects.get(key), type=Reading)


def test_persons_whom_the_agent_joined_and_parted_again_are_a_question_for_people(
    start_server: Callable[..., Server],
) -> None:
    born = {"type": "BORN_IN", "confidence": 0.9}

    def person(name: str, place: str) -> tuple[tuple[str, dict[str, Any]], ...]:
        return (
            *(("search_kg", {"name": each}) for each in (name, place)),
            ("create_entity", {"name": name, "type": "person", "confidence": 0.9}),
            ("create_entity", {"name": place, "type": "location", "confidence": 0.9}),
            ("create_relation", {**born, "source": name, "target": place, "snippet": f"{name} was born in {place}"}),
        )

    signed = "She signed as Grey Heron"
    joins = (
        ("search_kg", {"name": "Grey Heron"}),
        ("create_entity", {"name": "Grey Heron", "type": "person", "confidence": 0.9}),
        (
            "merge_entity",
            {"entity": "Grey Heron", "into": "Ilse Brandt", "snippet": f"Ilse Brandt was born in Kelmore. {signed}"},
        ),
    )

    def model(seen: Seen) -> Reply:
        rounds = (
            [person("Ilse Brandt", "Kelmore"), joins]
            if "Passage 1 " in seen.prompt
            else [person("Grey Heron", "Tarn Hollow")]
        )
        at = round_of(seen)
        return Reply(calls=rounds[at] if at < len(rounds) else (("finish_paragraph", {}),))

    letters = f"# Letters\n\nIlse Brandt was born in Kelmore. {signed}. {LONG}\n\n"
    text = f"{letters}# A life\n\nGrey Heron was born in Tarn Hollow. {LONG}\n"
    with OpenAiPeer(model) as peer:
        server = start_server(**settings(peer))
        read = server.take("letters.md", text, extractor="agent")
        with server.http() as client:
            [edit] = client.get("/v1/graph/edits", params={"kind": "review"}).json()["edits"]
        assert "\"grey heron\": Is it 'Ilse Brandt'? So it was read, and parted again" in edit["what"]
        assert all(place in edit["what"] for place in ("kelmore", "tarn hollow"))
        assert read["id"] in str(edit["evidence"])


def test_pages_are_read_while_the_agent_takes_its_time(start_server: Callable[..., Server]) -> None:
    def model(seen: Seen) -> Reply:
        return Reply(calls=agent(seen).calls, delay_s=3)

    with OpenAiPeer(model) as peer:
        server = start_server(**settings(peer))
        with server.http() as client:
            answer = client.post("/v1/sources", files={"file": ("slow.md", TEXT)}, data={"extractor": "agent"})
            assert server.take("quick.md", "Ilse Brandt was born in Oslo.")["state"] == "ready"
            assert client.get(f"/v1/sources/{answer.json()['id']}").json()["state"] == "running"
        assert server.settled(answer.json()["id"])["state"] == "ready"


def test_deleting_what_the_agent_read_leaves_exactly_what_the_others_say(start_server: Callable[..., Server]) -> None:
    with OpenAiPeer(agent) as peer:
        server = start_server(**settings(peer))
        server.take("rules.md", "Orrin Vale was born in Solway Reach.")
        before = relations(server, "Orrin Vale")
        read = server.take("agent.md", TEXT, extractor="agent")
        assert relations(server, "Orrin Vale") != before
        with server.http() as client:
            assert client.delete(f"/v1/sources/{read['id']}").status_code == 200
        assert relations(server, "Orrin Vale") == before
        assert relations(server, "Maren Tuck") == []
        left = [path for path in Path(server.data_dir).rglob("*") if "reading" in path.parts]
        assert not [path for path in left if path.is_file()]
        server.stop()
        assert "Every store is as the artifacts say." in server.cli("audit").stderr


def test_a_document_beyond_its_budget_stays_at_what_was_read_and_says_so(start_server: Callable[..., Server]) -> None:
    text = "\n\n".join(f"# Part {at}\n\nMaren Tuck designed bridge {at}. " + "It is long. " * 90 for at in range(4))
    with OpenAiPeer(agent) as peer:
        server = start_server(**settings(peer, TRIVIUM_AGENT_BUDGET_TOKENS="4500"))
        read = server.take("long.md", text, extractor="agent")
        assert read["state"] == "ready"
        [warning] = read["warnings"]
        assert "did not read" in warning
        assert "TRIVIUM_AGENT_BUDGET_TOKENS" in warning


def test_an_estimate_is_told_before_anything_is_handed_over(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(TEXT)
    (tmp_path / "b.md").write_text("Words and words. " * 2000)
    server = Server(tmp_path / "data", TRIVIUM_AGENT_BUDGET_TOKENS="100000")
    done = server.cli("ingest", "--estimate", "--root", str(tmp_path), str(tmp_path / "a.md"), str(tmp_path / "b.md"))
    first, second, total = done.stdout.splitlines()
    assert first.startswith("a.md\t1 passage\t")
    assert second.endswith("(more than its budget)")
    assert total.startswith("About ")
    assert total.endswith("passages.")
    assert not (tmp_path / "data" / "tenants").exists()


def test_an_estimate_of_a_file_that_cannot_be_read_fails_and_counts_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(TEXT)
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\nbroken")
    done = Server(tmp_path / "data").cli("ingest", "--estimate", "--root", str(tmp_path), str(tmp_path), check=False)
    assert (done.returncode, "Not read: " in done.stderr, "broken.pdf" in done.stderr) == (1, True, True)
    assert done.stdout.startswith("a.md\t1 passage\t")

"""Two tenants on one server: nothing of the one is ever seen by the other, through any door."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from doors import Doors

from trivium.domain.retrieval import Mode
from trivium.v1 import ingest_pb2, ingest_pb2_grpc, query_pb2, query_pb2_grpc

RED, BLUE = "key-of-red", "key-of-blue"
API_KEYS = f"red:{RED},blue:{BLUE}"
CANARIES = ("Zephyrine", "Kvint", "orchid-ledger", "secret-orchids", "Marabou")
LEDGER = "# The Zephyrine ledger\n\nThe ledger of the harbour is kept by Orsolya Kvint at the Marabou Tower.\n"
OWN = "# The ledger\n\nThe ledger of the mill is kept by Bertil Strand at the Heron Tower.\n"
QUESTION = "Who keeps the ledger, and at which tower?"


class TwoTenants:
    """The tests; who derives gives a `server` fixture that knows `API_KEYS` and whose own key is blue's."""

    @pytest.fixture(scope="class")
    @classmethod
    def before(cls, server: Doors) -> dict[str, Any]:
        """What blue finds while it is alone."""
        assert server.take("shared-name.md", OWN)["state"] == "ready"
        return _found_by_blue(server)

    @pytest.fixture(scope="class")
    @classmethod
    def red(cls, server: Doors, before: dict[str, Any]) -> dict[str, str]:
        """Ids of things that are red's."""
        ledger = server.take("orchid-ledger.md", LEDGER, RED, dataset="secret-orchids")
        twin = server.take("shared-name.md", LEDGER, RED, dataset="secret-orchids")
        failed = server.take("orchid-ledger-broken.pdf", b"", RED)
        assert (ledger["state"], twin["state"], failed["state"]) == ("ready", "ready", "failed")
        with server.http(RED) as client:
            talk = client.post("/v1/conversations", json={"title": "About Zephyrine"}).json()["id"]
            answer = client.post(f"/v1/conversations/{talk}/queries", json={"question": QUESTION}).json()
            assert "Kvint" in answer["text"]
            entity = client.get("/v1/graph/entities", params={"prefix": "orsolya"}).json()["entities"][0]["id"]
        return {"source": ledger["id"], "twin": twin["id"], "failed": failed["id"], "talk": talk, "entity": entity}

    def test_another_tenants_ids_lead_nowhere(self, server: Doors, red: dict[str, str]) -> None:
        with server.http() as client:
            for method, path, given in _paths(red):
                answer = client.request(method, path)
                assert answer.status_code == 404, path
                tells_nothing(answer.text + str(answer.headers), red, given=given)
            talk = f"/v1/conversations/{red['talk']}/queries"
            assert client.post(talk, json={"question": QUESTION}).status_code == 404
            body = {"question": QUESTION, "conversation_id": red["talk"]}
            assert client.post("/v1/queries", json=body).status_code == 404
        with server.http(RED) as client:
            assert client.get(f"/v1/sources/{red['source']}").json()["state"] == "ready"

    def test_listings_hold_only_ones_own(self, server: Doors, red: dict[str, str]) -> None:
        listings = (
            "/v1/sources?limit=200",
            "/v1/sources?state=failed",
            "/v1/sources?state=deleted",
            "/v1/conversations",
        )
        graph = ("/v1/graph/entities?limit=200", "/v1/graph/entities?prefix=o", "/v1/graph/entities?prefix=mar")
        with server.http() as client:
            for path in (*listings, *graph, "/v1/status"):
                answer = client.get(path)
                assert answer.status_code == 200
                tells_nothing(answer.text, red)
            assert client.get("/v1/status").json()["by_state"] == {"ready": 1}
            assert len(client.get("/v1/sources").json()["sources"]) == 1
            entity = client.get("/v1/graph/entities", params={"prefix": "bertil"}).json()["entities"][0]["id"]
            tells_nothing(client.get(f"/v1/graph/entities/{entity}").text, red)

    @pytest.mark.parametrize("mode", list(Mode))
    def test_no_mode_finds_another_tenants_words(self, server: Doors, red: dict[str, str], mode: Mode) -> None:
        with server.http() as client:
            of: tuple[dict[str, Any], ...] = ({}, {"document_ids": [red["source"]]}, {"dataset": "secret-orchids"})
            for filters in of:
                for query in (QUESTION, "the harbour tower"):
                    body = {"query": query, "mode": mode, "top_k": 100, "filters": filters}
                    answer = client.post("/v1/search", json=body)
                    assert answer.status_code == 200
                    tells_nothing(answer.text, red, given=filters.get("dataset", ""))
                    assert not filters or answer.json()["hits"] == []

    def test_scores_do_not_tell_of_another_tenants_texts(
        self, server: Doors, before: dict[str, Any], red: dict[str, str]
    ) -> None:
        assert _found_by_blue(server) == before

    def test_answers_are_made_from_ones_own(self, server: Doors, red: dict[str, str]) -> None:
        with server.http() as client:
            for body in ({"question": QUESTION}, {"question": "Who is at the tower of the harbour?"}):
                tells_nothing(client.post("/v1/queries", json=body).text, red)
                tells_nothing(client.post("/v1/queries", json={**body, "stream": True}).text, red)
            assert "Bertil Strand" in client.post("/v1/queries", json={"question": QUESTION}).json()["text"]
            talk = client.post("/v1/conversations").json()["id"]
            tells_nothing(client.post(f"/v1/conversations/{talk}/queries", json={"question": QUESTION}).text, red)

    def test_open_paths_tell_nothing(self, server: Doors, red: dict[str, str]) -> None:
        with server.http("no such key") as client:
            for path in ("/metrics", "/readyz", "/healthz", "/openapi.json", "/docs"):
                answer = client.get(path)
                assert answer.status_code == 200
                tells_nothing(answer.text, red)
                assert RED not in answer.text
            assert 'tenant="' not in client.get("/metrics").text

    def test_the_same_file_in_both_tenants_is_two_documents(self, server: Doors, red: dict[str, str]) -> None:
        mine = server.take("orchid-ledger.md", LEDGER)
        assert mine["id"] != red["source"]
        with server.http() as client:
            assert client.delete(f"/v1/sources/{mine['id']}").status_code == 200
        hits = server.search(QUESTION, key=RED, filters={"document_ids": [red["source"]]})
        assert [hit["chunk"]["document_id"] for hit in hits] == [red["source"]]
        with server.http(RED) as client:
            assert client.get(f"/v1/sources/{red['source']}/content").text == LEDGER

    def test_grpc_keeps_them_apart_too(self, server: Doors, red: dict[str, str]) -> None:
        me = (("x-api-key", BLUE),)
        with server.channel() as channel:
            ingest, query = ingest_pb2_grpc.IngestServiceStub(channel), query_pb2_grpc.QueryServiceStub(channel)
            for call, wanted in (
                (ingest.GetSource, ingest_pb2.GetSourceRequest(id=red["source"])),
                (ingest.DeleteSource, ingest_pb2.DeleteSourceRequest(id=red["source"])),
                (query.Ask, query_pb2.AskRequest(question=QUESTION, conversation_id=red["talk"])),
            ):
                with pytest.raises(grpc.RpcError) as unknown:
                    call(wanted, metadata=me)
                assert unknown.value.code() == grpc.StatusCode.NOT_FOUND
                assert not any(word.lower() in str(unknown.value).lower() for word in CANARIES)
            tells_nothing(str(ingest.ListSources(ingest_pb2.ListSourcesRequest(page_size=200), metadata=me)), red)
            for mode in Mode:
                request = query_pb2.SearchRequest(query=QUESTION, mode=mode, top_k=100)
                tells_nothing(str(query.Search(request, metadata=me)), red)
            asked = query_pb2.AskRequest(question=QUESTION)
            tells_nothing(str(query.Ask(asked, metadata=me)), red)
            tells_nothing(str(list(query.AskStream(query_pb2.AskStreamRequest(request=asked), metadata=me))), red)
            for metadata in ((), (("x-api-key", "guess"),), (("authorization", f"Basic {RED}"),)):
                with pytest.raises(grpc.RpcError) as refused:
                    ingest.ListSources(ingest_pb2.ListSourcesRequest(), metadata=metadata)
                assert refused.value.code() == grpc.StatusCode.UNAUTHENTICATED

    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("GET", "/v1/sources"),
            ("POST", "/v1/sources"),
            ("GET", "/v1/status"),
            ("POST", "/v1/search"),
            ("POST", "/v1/queries"),
            ("GET", "/v1/conversations"),
            ("GET", "/v1/graph/entities"),
        ],
    )
    def test_without_the_right_key_there_is_nothing(self, server: Doors, method: str, path: str) -> None:
        with server.http() as client:
            del client.headers["x-api-key"]
            for headers in (
                {},
                {"x-api-key": "guess"},
                {"authorization": f"Basic {RED}"},
                {"x-api-key": f"{RED} "[:-2]},
            ):
                answer = client.request(method, path, headers=headers)
                assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")
                assert answer.headers["www-authenticate"].startswith("Bearer")

    def test_the_command_line_uses_its_key(self, server: Doors, red: dict[str, str]) -> None:
        aside = Doors({**server.env, "TRIVIUM_URL": server.url, "TRIVIUM_API_KEY": RED})
        assert "orchid-ledger.md" in aside.cli("documents").stdout
        aside.env["TRIVIUM_API_KEY"] = BLUE
        tells_nothing(aside.cli("documents").stdout, red)
        aside.env["TRIVIUM_API_KEY"] = "guess"
        refused = aside.cli("documents", check=False)
        assert refused.returncode == 1
        assert "key" in refused.stderr


def _found_by_blue(server: Doors) -> dict[str, Any]:
    """Hits with ranks and scores in every mode; statistics of another tenant's texts would move the scores."""
    return {
        mode: [(hit["chunk"]["id"], hit["score"], hit["sources"]) for hit in server.search(QUESTION, mode)]
        for mode in Mode
    }


def tells_nothing(text: str, red: dict[str, str], *, given: str = "") -> None:
    """But for what was `given`, which an answer may repeat."""
    for word in CANARIES:
        assert word == given or word.lower() not in text.lower(), text
    for identifier in red.values():
        assert identifier == given or identifier not in text, text


def _paths(red: dict[str, str]) -> list[tuple[str, str, str]]:
    """Method, path, and the id that the path itself holds."""
    paths = []
    for name in ("source", "twin", "failed"):
        place = f"/v1/sources/{red[name]}"
        paths += [("GET", f"{place}{end}", red[name]) for end in ("", "/content", "/content?chunk=1", "/chunks")]
        paths.append(("DELETE", place, red[name]))
    paths += [(method, f"/v1/conversations/{red['talk']}", red["talk"]) for method in ("GET", "DELETE")]
    paths.append(("GET", f"/v1/graph/entities/{red['entity']}", red["entity"]))
    return paths

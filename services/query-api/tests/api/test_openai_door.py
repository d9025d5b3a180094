"""OpenAI's interface: its requests, its answers, its errors."""

from __future__ import annotations

import base64
import json
from contextlib import closing
from typing import Any

import httpx2
import hypothesis
import msgspec
import numpy as np
import pytest
from hypothesis import strategies as st
from length_embedder import Lengths

from trivium.config import Settings
from trivium.domain.answers import (
    Answer,
    Finished,
    TextPiece,
    TextWithdrawn,
    Verdict,
)
from trivium_query.http.app import create_app
from trivium_query.http.openai.wire import Told, growing
from trivium_query.question_vectors import QuestionVectors
from trivium_query.requests import Embeddings, Services

CHAT = "/openai/v1/chat/completions"
ASKED = {"model": "trivium", "messages": [{"role": "user", "content": "Who designed the Analytical Engine?"}]}
TOKENS = (
    "body.input: Send text; the numbers of tokens are of another model (LangChain: check_embedding_ctx_length=False)."
)
SPENT = {"prompt_tokens": 22, "completion_tokens": 14, "total_tokens": 36}


def chunks_of(text: str) -> list[dict[str, Any]]:
    """The data of a stream, whose last line says that it is done."""
    lines = [line.removeprefix("data: ") for line in text.split("\n") if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    return [json.loads(line) for line in lines[:-1]]


async def test_a_chat_is_answered_with_citations_in_the_text_and_beside_it(
    client: httpx2.AsyncClient, engine: str
) -> None:
    answer = (await client.post(CHAT, json=ASKED)).json()
    assert (answer["object"], answer["model"]) == ("chat.completion", "trivium")
    message = answer["choices"][0]["message"]
    assert message["role"] == "assistant"
    cited = [each["url_citation"] for each in message["annotations"]]
    assert cited
    for each in cited:
        marker = message["content"][each["start_index"] : each["end_index"]]
        assert marker.startswith("[Source: engine.html, chunk ")
        assert each["title"] == "engine.html"
        assert each["url"].startswith(f"http://localhost:8080/v1/sources/{engine}/view?unit=")
        assert (await client.get(each["url"])).status_code == 200
    assert answer["usage"] == SPENT
    assert answer["trivium"]["verdict"] == "SUPPORTED"


async def test_a_stream_says_the_same_as_the_whole_answer(client: httpx2.AsyncClient) -> None:
    whole = (await client.post(CHAT, json=ASKED)).json()["choices"][0]["message"]
    options = {"stream": True, "stream_options": {"include_usage": True}}
    streamed = await client.post(CHAT, json=ASKED | options)
    assert streamed.headers["content-type"].startswith("text/event-stream")
    *chunks, usage = chunks_of(streamed.text)
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert deltas[0] == {"role": "assistant", "content": ""}
    text = "".join(delta.get("content", "") for delta in deltas)
    assert text.split() == whole["content"].split()
    (annotations,) = [delta["annotations"] for delta in deltas if "annotations" in delta]
    for each in annotations:
        at = each["url_citation"]
        assert text[at["start_index"] : at["end_index"]].startswith("[Source: engine.html")
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks][-1] == "stop"
    assert (usage["choices"], usage["usage"]) == ([], SPENT)
    without = chunks_of((await client.post(CHAT, json=ASKED | {"stream": True})).text)
    assert all("usage" not in chunk for chunk in without)


async def test_what_is_not_found_spends_nothing(client: httpx2.AsyncClient) -> None:
    asked = ASKED | {"messages": [{"role": "user", "content": "xyzzy"}]}
    answer = (await client.post(CHAT, json=asked)).json()
    assert (answer["trivium"]["found"], answer["usage"]["total_tokens"]) == (False, 0)


async def test_messages_before_the_last_are_the_history(client: httpx2.AsyncClient) -> None:
    messages = [
        {"role": "system", "content": "You are kind."},
        {"role": "assistant", "content": "Hello! How can I help?"},
        {"role": "user", "content": "Who designed it?"},
        {"role": "assistant", "content": [{"type": "text", "text": "Charles Babbage."}]},
        {"role": "user", "content": "Really?"},
        {"role": "user", "content": [{"type": "text", "text": "Who wrote of the engine?"}]},
    ]
    answer = (await client.post(CHAT, json=ASKED | {"messages": messages})).json()
    assert answer["trivium"]["notes"] == ["turns before: 2"]


@pytest.mark.parametrize(
    ("model", "found"),
    [("trivium", True), ("trivium/default", True), ("trivium/default:vector", True), ("trivium:rrf", True)],
)
async def test_the_model_names_dataset_and_strategy(client: httpx2.AsyncClient, model: str, found: bool) -> None:
    answer = (await client.post(CHAT, json=ASKED | {"model": model})).json()
    assert answer["trivium"]["found"] is found
    assert (await client.get(f"/openai/v1/models/{model}")).json()["id"] == model


@pytest.mark.parametrize("model", ["trivium/defualt", "trivium/defualt:vector"])
async def test_a_dataset_that_is_not_there_is_no_model(client: httpx2.AsyncClient, model: str) -> None:
    told = [
        await client.post(CHAT, json=ASKED | {"model": model}),
        await client.post(CHAT, json=ASKED | {"model": model, "stream": True}),
        await client.post("/openai/v1/responses", json={"model": model, "input": "x"}),
        await client.post("/openai/v1/responses", json={"model": model, "input": "x", "stream": True}),
        await client.get(f"/openai/v1/models/{model}"),
    ]
    for answer in told:
        assert answer.status_code == 404
        assert answer.json()["error"] == {
            "message": f"The model {model!r} does not exist: there is no dataset 'defualt'."
            " Do you mean default? GET /openai/v1/models lists them.",
            "type": "invalid_request_error",
            "param": None,
            "code": "model_not_found",
        }


async def test_models_are_listed(client: httpx2.AsyncClient) -> None:
    listed = (await client.get("/openai/v1/models")).json()
    names = [model["id"] for model in listed["data"]]
    assert names[:2] == ["trivium", "trivium/default"]
    assert "trivium:deep" in names
    assert "trivium-embeddings" not in names, "no model of texts is given out here"


@pytest.mark.parametrize(
    ("body", "status", "param"),
    [
        (ASKED | {"model": "gpt-4o"}, 404, None),
        (ASKED | {"model": "trivium:magic"}, 404, None),
        (ASKED | {"model": "trivium/../x"}, 404, None),
        (ASKED | {"model": 5}, 400, "model"),
        ({"model": "trivium"}, 400, "messages"),
        (ASKED | {"messages": []}, 400, "messages"),
        (ASKED | {"messages": [{"role": "assistant", "content": "x"}]}, 400, "messages"),
        (ASKED | {"messages": [{"role": "user", "content": " "}]}, 400, "messages"),
        (ASKED | {"messages": [{"role": "user", "content": "x" * 5000}]}, 400, "messages"),
        (ASKED | {"messages": [{"role": "king", "content": "x"}]}, 400, "messages.0.role"),
        (ASKED | {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, 400, "messages.0.content"),
        (ASKED | {"n": 2}, 400, "n"),
        (ASKED | {"response_format": {"type": "json_object"}}, 400, "response_format.type"),
        ([], 400, None),
    ],
)
async def test_errors_are_openais(client: httpx2.AsyncClient, body: object, status: int, param: str | None) -> None:
    for more in ({}, {"stream": True}):
        answer = await client.post(CHAT, json=body | more if isinstance(body, dict) else body)
        assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
        error = answer.json()["error"]
        assert set(error) == {"message", "type", "param", "code"}
        assert error["type"] == "invalid_request_error"
        assert param is None or error["param"] == param


async def test_other_refusals_are_worded_so_too(client: httpx2.AsyncClient) -> None:
    for answer, status in (
        (await client.post(CHAT, content="{", headers={"content-type": "application/json"}), 400),
        (await client.post(CHAT, content="x", headers={"content-type": "text/plain"}), 415),
        (await client.post(CHAT, content="x" * 2_000_000, headers={"content-type": "application/json"}), 413),
        (await client.get(CHAT), 405),
        (await client.get("/openai/v1/nowhere"), 404),
        (await client.get("/openai/v1/models", headers={"host": "evil.example"}), 403),
    ):
        assert answer.status_code == status, answer.text
        assert answer.json()["error"]["message"]
    assert (await client.get(CHAT)).headers["allow"] == "POST"


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("files", {}, "Not Found. There are models, chat/completions, responses and embeddings."),
        ("chat/completions", {"model": "trivium"}, "body.messages: Field required."),
        ("embeddings", {"model": "trivium-embeddings", "input": [1, 2]}, TOKENS),
        ("embeddings", {"model": "trivium-embeddings", "input": [[1, 2], [3]]}, TOKENS),
    ],
)
async def test_a_refusal_leads_to_what_this_interface_takes(
    client: httpx2.AsyncClient, path: str, body: object, message: str
) -> None:
    answer = await client.post(f"/openai/v1/{path}", json=body)
    assert answer.json()["error"]["message"] == message


async def test_fields_that_steer_a_language_model_are_left_alone(client: httpx2.AsyncClient) -> None:
    more = {"temperature": 0.2, "max_tokens": 100, "top_p": 1, "tools": [], "user": "me", "seed": 1, "stop": None}
    assert (await client.post(CHAT, json=ASKED | more)).status_code == 200


async def test_a_stream_that_fails_says_so(client: httpx2.AsyncClient) -> None:
    body = ASKED | {"messages": [{"role": "user", "content": "break engine"}], "stream": True}
    last = (await client.post(CHAT, json=body)).text.strip().split("\n")[-1]
    error = json.loads(last.removeprefix("data: "))["error"]
    assert (error["type"], error["code"]) == ("server_error", "llm_down")


async def test_text_that_is_withdrawn_is_told_and_followed_by_the_answer() -> None:
    answer = Answer("?", "Right.", "x", Verdict.SUPPORTED, found=True)

    async def events() -> Any:
        for event in (TextPiece("Wro"), TextWithdrawn("The writer failed."), TextPiece("Ri"), Finished(answer)):
            yield event

    told = [piece async for piece in growing(events())]
    text = "".join(piece for piece in told if isinstance(piece, str))
    assert text == "Wro\n\n(The writer failed.)\n\nRight."
    assert told[-1] == Told(text, answer)


class TestWithKeys:
    """A server with API keys."""

    @pytest.fixture
    def settings(self) -> Settings:
        return Settings(api_keys="default:alpha,other:beta")

    async def test_the_bearer_key_is_ours(self, client: httpx2.AsyncClient) -> None:
        assert (await client.get("/openai/v1/models", headers={"authorization": "Bearer alpha"})).status_code == 200
        for headers in ({}, {"authorization": "Bearer sk-wrong"}):
            for method, path in (("GET", "/openai/v1/models"), ("POST", CHAT), ("POST", "/openai/v1/embeddings")):
                refused = await client.request(method, path, headers=headers)
                assert (refused.status_code, refused.json()["error"]["code"]) == (401, "invalid_api_key")


async def test_a_response_is_whole_and_streamed(client: httpx2.AsyncClient) -> None:
    asked = {"model": "trivium", "input": "Who designed the Analytical Engine?", "instructions": "Be brief."}
    whole = (await client.post("/openai/v1/responses", json=asked)).json()
    (text,) = whole["output"][0]["content"]
    assert (whole["object"], whole["status"], text["type"]) == ("response", "completed", "output_text")
    for at in text["annotations"]:
        assert text["text"][at["start_index"] : at["end_index"]].startswith("[Source: engine.html")
    assert text["annotations"]
    spent = {name: whole["usage"][name] for name in ("input_tokens", "output_tokens", "total_tokens")}
    assert spent == {"input_tokens": 22, "output_tokens": 14, "total_tokens": 36}
    streamed = (await client.post("/openai/v1/responses", json=asked | {"stream": True})).text
    events = [json.loads(line[6:]) for line in streamed.split("\n") if line.startswith("data: ")]
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert (events[0]["type"], events[-1]["type"]) == ("response.created", "response.completed")
    deltas = "".join(event["delta"] for event in events if event["type"] == "response.output_text.delta")
    assert deltas == events[-1]["response"]["output"][0]["content"][0]["text"]
    assert deltas.split() == text["text"].split()
    assert events[-1]["response"]["usage"] == whole["usage"]


async def test_a_response_has_a_history_of_messages_and_nothing_is_kept(client: httpx2.AsyncClient) -> None:
    said = [("user", "input_text", "Who?"), ("assistant", "output_text", "He."), ("user", "input_text", "The engine?")]
    messages = [{"type": "message", "role": who, "content": [{"type": kind, "text": text}]} for who, kind, text in said]
    answer = (await client.post("/openai/v1/responses", json={"model": "trivium", "input": messages})).json()
    assert answer["trivium"]["notes"] == ["turns before: 1"]
    refused = await client.post(
        "/openai/v1/responses", json={"model": "trivium", "input": "x", "previous_response_id": "resp-1"}
    )
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "previous_response_id")


async def test_embeddings_are_numbers_or_base64(services: Services) -> None:
    model: Any = Lengths()
    with closing(QuestionVectors(model)) as questions:
        given = msgspec.structs.replace(services, embeddings=Embeddings(questions, model))
        transport = httpx2.ASGITransport(create_app(given))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost/openai/v1") as client:
            texts = [f"a text {'x' * n}" for n in range(40)]
            asked = {"model": "trivium-embeddings", "input": texts}
            told = (await client.post("/embeddings", json=asked)).json()
            assert [row["embedding"] for row in told["data"]] == [[len(text), 1.0] for text in texts]
            assert told["usage"] == {"prompt_tokens": 119, "total_tokens": 119}
            packed = (await client.post("/embeddings", json=asked | {"encoding_format": "base64"})).json()
            assert np.frombuffer(base64.b64decode(packed["data"][1]["embedding"]), "<f4").tolist() == [8.0, 1.0]
            one = (await client.post("/embeddings", json=asked | {"input": "abc", "dimensions": 2})).json()
            assert one["data"][0]["embedding"] == [3.0, 1.0]
            for wrong in ({"dimensions": 3}, {"input": []}, {"input": [1, 2]}, {"input": ["x"] * 300}, {"input": ""}):
                refused = await client.post("/embeddings", json=asked | wrong)
                assert refused.status_code == 400, wrong
            assert (await client.post("/embeddings", json=asked | {"model": "trivium"})).status_code == 404


NAMES = ["model", "messages", "input", "stream", "n", "role", "content", "type", "text", "response_format", "trivium"]
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(NAMES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=8,
)


@hypothesis.given(ANYTHING, st.sampled_from(["chat/completions", "responses", "embeddings"]))
@hypothesis.settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(hypothesis.HealthCheck)
)
async def test_nonsense_is_refused_and_never_a_fault(client: httpx2.AsyncClient, body: object, path: str) -> None:
    sent = {"model": "trivium", **body} if isinstance(body, dict) else body
    answer = await client.post(f"/openai/v1/{path}", json=sent)
    assert answer.status_code in (200, 400, 404), answer.text
    assert answer.status_code == 200 or set(answer.json()["error"]) == {"message", "type", "param", "code"}

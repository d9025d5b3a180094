"""OpenAI's own clients, unchanged, and a chat front end's requests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .conftest import QUESTION, program, run

ANSWER = "Ada Thornfield"
PYTHON = """
import json, openai
from openai import OpenAI
client = OpenAI(base_url=URL, api_key="alpha")
messages = [{"role": "user", "content": QUESTION}]
whole = client.chat.completions.create(model="trivium/letters", messages=messages)
assert whole.choices[0].message.annotations[0].url_citation.title == "one.md", whole
text, cited, usage = "", [], None
options = {"include_usage": True}
for chunk in client.chat.completions.create(model="trivium", messages=messages, stream=True, stream_options=options):
    usage = chunk.usage or usage
    for choice in chunk.choices:
        text += choice.delta.content or ""
        cited += getattr(choice.delta, "annotations", None) or []
assert text.split() == whole.choices[0].message.content.split(), text
assert cited and usage.total_tokens == whole.usage.total_tokens == 0
with client.chat.completions.stream(model="trivium", messages=messages) as stream:
    assert ANSWER in stream.get_final_completion().choices[0].message.content
said = {"role": "assistant", "content": whole.choices[0].message.content}
history = [*messages, said, {"role": "user", "content": "Where does it stand?"}]
followed = client.chat.completions.create(model="trivium", messages=history)
assert "Kessel" in followed.choices[0].message.content, followed
response = client.responses.create(model="trivium", input=QUESTION)
assert ANSWER in response.output_text and response.output[0].content[0].annotations
with client.responses.stream(model="trivium", input=QUESTION) as stream:
    assert ANSWER in stream.get_final_response().output_text
vectors = client.embeddings.create(model="trivium-embeddings", input=["a weir", "a dam", "a violin"])
a, b, c = (each.embedding for each in vectors.data)
dot = lambda x, y: sum(p * q for p, q in zip(x, y))
assert dot(a, b) > dot(a, c) and vectors.usage.prompt_tokens > 0
names = [model.id for model in client.models.list()]
assert "trivium/letters" in names and client.models.retrieve("trivium/letters").id == "trivium/letters"
for wrong, kind in (("gpt-4o", openai.NotFoundError), ("trivium:no", openai.NotFoundError)):
    try:
        client.chat.completions.create(model=wrong, messages=messages)
        raise SystemExit("not refused")
    except kind as error:
        assert error.code == "model_not_found", error
try:
    OpenAI(base_url=URL, api_key="wrong").models.list()
    raise SystemExit("not refused")
except openai.AuthenticationError as error:
    assert error.code == "invalid_api_key", error
print("all of it")
"""
NODE = """
import OpenAI from "openai";
import assert from "node:assert";
const client = new OpenAI({ baseURL: URL_, apiKey: "alpha" });
const messages = [{ role: "user", content: QUESTION }];
const whole = await client.chat.completions.create({ model: "trivium", messages });
assert(whole.choices[0].message.annotations[0].url_citation.url.includes("/v1/sources/"));
let text = "";
for await (const chunk of await client.chat.completions.create({ model: "trivium", messages, stream: true }))
  text += chunk.choices[0]?.delta?.content ?? "";
assert(text.includes(ANSWER), text);
const response = await client.responses.create({ model: "trivium", input: QUESTION });
assert(response.output_text.includes(ANSWER));
const vectors = await client.embeddings.create({ model: "trivium-embeddings", input: "a weir" });
assert(vectors.data[0].embedding.length > 10);
await assert.rejects(client.chat.completions.create({ model: "gpt-4o", messages }), OpenAI.NotFoundError);
console.log("all of it");
"""


def _env(server: Any) -> dict[str, str]:
    return {**server.env, "OPENAI_API_KEY": "alpha", "NO_PROXY": "127.0.0.1"}


def _named(server: Any) -> str:
    names = {"TRIVIUM_URL": server.url, "URL": f"{server.url}/openai/v1", "QUESTION": QUESTION, "ANSWER": ANSWER}
    return "".join(f"{name} = {value!r}\n" for name, value in names.items())


def test_the_three_lines_of_the_docs(server: Any, python: Path) -> None:
    code = _named(server) + program("openai")
    assert ANSWER in run([python, "-c", code], _env(server))


def test_all_of_the_python_client(server: Any, python: Path) -> None:
    assert run([python, "-c", _named(server) + PYTHON], _env(server)) == "all of it\n"


def test_the_node_client(server: Any, node_modules: Path, tmp_path: Path) -> None:
    names = {"TRIVIUM_URL": server.url, "URL_": f"{server.url}/openai/v1", "QUESTION": QUESTION, "ANSWER": ANSWER}
    constants = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in names.items())
    (tmp_path / "node_modules").symlink_to(node_modules)
    for name, code in (("docs.mjs", program("node")), ("all.mjs", NODE)):
        (tmp_path / name).write_text(constants + code)
    assert ANSWER in run(["node", tmp_path / "docs.mjs"], _env(server))
    assert run(["node", tmp_path / "all.mjs"], _env(server)) == "all of it\n"


def test_a_chat_front_ends_requests(server: Any) -> None:
    """As Open WebUI sends them (backend/open_webui/routers/openai.py): the list, then a stream with its extras."""
    browser = {"authorization": "Bearer alpha", "http-referer": "https://openwebui.com/", "x-title": "Open WebUI"}
    with server.http() as client:
        listed = client.get("/openai/v1/models", headers=browser).json()
        assert {"trivium", "trivium/letters"} <= {model["id"] for model in listed["data"]}
        body = {
            "stream": True,
            "model": "trivium/letters",
            "messages": [
                {"role": "system", "content": "You are a helpful assistant."},
                {"role": "user", "content": "Who designed the observatory of Brunnhalde?"},
                {"role": "assistant", "content": "Ada Thornfield"},
                {"role": "user", "content": [{"type": "text", "text": "When?"}]},
            ],
            "stream_options": {"include_usage": True},
            "max_completion_tokens": 400,
            "temperature": 0.7,
        }
        answer = client.post("/openai/v1/chat/completions", json=body, headers=browser)
    lines = [line[6:] for line in answer.text.split("\n") if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    text = "".join(c["delta"].get("content", "") for line in lines[:-1] for c in json.loads(line)["choices"])
    assert "1904" in text

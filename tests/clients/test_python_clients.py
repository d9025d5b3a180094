"""The lines of docs/doors.md for Python, each in the real framework, and what those frameworks do besides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .conftest import QUESTION, program, run

PASSAGE = "Ada Thornfield designed the observatory"
MORE = {
    "langchain": """
import asyncio
from langchain_core.runnables import RunnablePassthrough
found = asyncio.run(retriever.ainvoke(QUESTION))
assert found[0].metadata["citation"].startswith("[Source: one.md, chunk ") and len(found) <= 3
chain = {"context": retriever, "question": RunnablePassthrough()}
from langchain_core.runnables import RunnableParallel
assert RunnableParallel(chain).invoke(QUESTION)["context"][0].page_content == found[0].page_content
assert "alpha" not in repr(retriever)
assert TriviumRetriever(url=TRIVIUM_URL, api_key="alpha", dataset="lettres").invoke(QUESTION) == []
try:
    TriviumRetriever(url=TRIVIUM_URL, top_k=3)
    raise SystemExit("not refused")
except ValueError as error:
    assert "top_k" in str(error)
""",
    "llama_index": """
import asyncio
found = asyncio.run(retriever.aretrieve(QUESTION))
assert found[0].node.metadata["source"] == "one.md" and found[0].score is not None and len(found) <= 3
""",
    "haystack": """
import asyncio
from haystack import Pipeline
pipeline = Pipeline()
pipeline.add_component("trivium", retriever)
import inspect
asks_for_modules = "allowed_modules" in inspect.signature(Pipeline.loads).parameters  # not before 3
again = Pipeline.loads(pipeline.dumps(), **{"allowed_modules": ["trivium_client.haystack"]} if asks_for_modules else {})
assert "alpha" not in pipeline.dumps()
found = again.run({"trivium": {"query": QUESTION, "top_k": 1}})["trivium"]["documents"]
assert len(found) == 1 and found[0].meta["source"] == "one.md"
assert asyncio.run(retriever.run_async(QUESTION))["documents"][0].id == found[0].id
""",
    "client": """
from trivium_client import TriviumError
assert [source.name for source in client.all_sources()]
try:
    TriviumClient(TRIVIUM_URL, "wrong").status()
    raise SystemExit("not refused")
except TriviumError as error:
    assert error.code == "unauthenticated"
""",
    "async_client": "",
}

SPOKEN = "import logging, sys\nlogging.basicConfig(stream=sys.stdout)\n"


@pytest.mark.parametrize("name", MORE)
def test_the_lines_of_the_docs_work(server: Any, python_of_each_age: Path, name: str) -> None:
    names = f"TRIVIUM_URL, QUESTION = {server.url!r}, {QUESTION!r}\n"
    env = {**server.env, "TRIVIUM_API_KEY": "alpha", "HAYSTACK_TELEMETRY_ENABLED": "False", "NO_PROXY": "127.0.0.1"}
    told = run([python_of_each_age, "-c", SPOKEN + names + program(name) + MORE[name]], env)
    assert name != "langchain" or "There is no dataset 'lettres'. Do you mean letters?" in told
    assert (PASSAGE if "client" not in name else "Ada Thornfield") in told

"""A prompt whose words change gets a new version: what was written by the old one says so."""

from __future__ import annotations

import hashlib
from importlib import resources

from trivium.llm.prompt_files import prompt_named

DIGESTS = {
    "answer@1": "73276350c61c",
    "answer_forms@2": "5abb79c934d1",
    "cite@1": "ddfae4948b8f",
    "contradict@1": "8f0024f33b7b",
    "describe@1": "024914a8e8aa",
    "extract@1": "c9fc90b788af",
    "name_topic@1": "4c2fa3a1fca4",
    "extract_schema@1": "80a6c8f783f3",
    "plan_tables@1": "56fe9d81b471",
    "read@1": "034cdd50a163",
    "rerank@1": "2fa9317dd77b",
    "rewrite@1": "d25ed0ab106e",
    "schema@1": "6fde528906a2",
    "situate@1": "219cc17e272c",
    "verify@1": "002ef825fb91",
}


def test_words_change_with_their_version_alone() -> None:
    names = [file.name.removesuffix(".txt") for file in resources.files("trivium.llm").joinpath("prompts").iterdir()]
    prompts = [prompt_named(name) for name in sorted(names)]
    assert {one.label: hashlib.sha256(one.text.encode()).hexdigest()[:12] for one in prompts} == DIGESTS


def test_the_answer_that_is_not_found_is_called_what_the_prompt_says() -> None:
    assert "reply exactly: Not found in the documents." in prompt_named("answer").text

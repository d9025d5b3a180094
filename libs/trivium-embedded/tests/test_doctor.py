from __future__ import annotations

from pathlib import Path

import pytest
from openai_peer import OpenAiPeer, Reply

from trivium.checkup import Finding
from trivium.config import Settings
from trivium_embedded.data_dir import owned
from trivium_embedded.doctor import checkup
from trivium_embedded.wiring import assembled
from trivium_query.handlers.readiness import readiness


def problems(findings: list[Finding]) -> dict[str, Finding]:
    return {finding.part: finding for finding in findings if not finding.ok}


def test_a_fresh_folder_and_the_installed_model_are_fit(tmp_path: Path) -> None:
    findings = checkup(Settings(data_dir=tmp_path / "data"))
    assert problems(findings) == {}
    assert {finding.part for finding in findings} == {"data", "embedding model", "parsers"}


def test_a_folder_in_use_is_told_and_is_no_problem(tmp_path: Path) -> None:
    with owned(tmp_path):
        findings = checkup(Settings(data_dir=tmp_path))
    assert problems(findings) == {}
    assert any("in use by a running Trivium" in finding.found for finding in findings)


def test_a_folder_that_cannot_be_made_is_a_problem_with_its_setting(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    found = problems(checkup(Settings(data_dir=tmp_path / "file" / "data")))
    assert set(found) == {"data"}
    assert "TRIVIUM_DATA_DIR" in found["data"].action


def test_a_model_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    found = problems(checkup(Settings(data_dir=tmp_path, embed_model=str(tmp_path / "no-model"))))
    assert set(found) == {"embedding model"}
    assert found["embedding model"].action


def test_an_inference_service_that_does_not_answer_is_a_problem(tmp_path: Path) -> None:
    found = problems(checkup(Settings(data_dir=tmp_path, inference_url="127.0.0.1:9")))
    assert set(found) == {"inference"}
    assert "127.0.0.1:9" in found["inference"].found
    assert "TRIVIUM_INFERENCE_URL" in found["inference"].action


async def test_a_service_whose_inference_is_away_is_ready_and_names_it(tmp_path: Path) -> None:
    with assembled(Settings(data_dir=tmp_path, inference_url="127.0.0.1:9")) as services:
        found = await readiness(services)
    assert found.can_answer
    assert set(found.missing) == {"inference"}
    assert "127.0.0.1:9" in found.missing["inference"]
    assert "objects" in found.ready


def test_a_language_model_that_does_not_answer_is_a_problem(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, llm="openai", llm_model="any", llm_url="http://127.0.0.1:9/v1")
    found = problems(checkup(settings))
    assert set(found) == {"language model"}
    assert "127.0.0.1:9" in found["language model"].found


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Could not finish the message because max_tokens or model output limit was reached.", set()),
        ("The messages are malformed.", {"language model"}),
    ],
)
def test_a_model_that_thinks_longer_than_the_doctor_lets_it_answers(tmp_path: Path, said: str, told: set[str]) -> None:
    with OpenAiPeer([Reply(said, status=400)]) as peer:
        settings = Settings(data_dir=tmp_path, llm="openai", llm_model="any", llm_url=peer.url)
        assert set(problems(checkup(settings))) == told

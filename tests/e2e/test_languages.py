"""Questions and documents in other languages than the installed model's, through HTTP."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tiny_reader import write_tiny_reader

from .conftest import Server

WEIR = {
    "de": "Die Bauarbeiten am alten Wehr leitete die Ingenieurin Ilse Brandt. Die Fische kehrten im Herbst zurück.",
    "zh": "拆除哈罗堰的工程由工程师伊尔莎负责。鱼类在秋天返回了上游。",
}


@pytest.fixture(scope="module")
def taught(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Server:
    folder = tmp_path_factory.mktemp("languages")
    for language, text in WEIR.items():
        Path(folder, f"{language}.txt").write_text(text, encoding="utf-8")
    server.cli("ingest", str(folder))
    return server


def _asked(server: Server, question: str) -> dict[str, Any]:
    answer = httpx2.post(f"{server.url}/v1/queries", json={"query": question}, timeout=60.0)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


@pytest.mark.parametrize(
    ("question", "told"),
    [("Wer leitete die Bauarbeit am alten Wehr?", "Ilse Brandt"), ("鱼类在什么季节返回上游?", "秋天")],
)
def test_a_document_answers_in_its_own_language(taught: Server, question: str, told: str) -> None:
    answer = _asked(taught, question)
    assert told in answer["text"].splitlines()[0]
    assert answer["found"]
    assert not [note for note in answer["notes"] if "TRIVIUM_EMBED_MODEL" in note]


def test_a_question_in_another_language_than_the_documents_names_the_setting(taught: Server) -> None:
    notes = _asked(taught, "¿Quién dirigió las obras de la presa antigua de Ilse Brandt?")["notes"]
    assert any("The question is in Spanish" in note and "TRIVIUM_EMBED_MODEL" in note for note in notes), notes


def test_a_multilingual_model_by_its_path_knows_both_languages(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    model = write_tiny_reader(tmp_path / "multilingual")
    both = start_server(TRIVIUM_EMBED_MODEL=str(model.path))
    Path(tmp_path, "de.txt").write_text(WEIR["de"], encoding="utf-8")
    both.cli("ingest", str(tmp_path / "de.txt"))
    for question in ("Wer leitete die Bauarbeiten am alten Wehr?", "Who led the work at the old weir of Brandt?"):
        answer = _asked(both, question)
        assert len(answer["hits"]) == 1
        assert any(row["source"] == "vector" for row in answer["hits"][0]["sources"])
        assert not answer["notes"]
    both.stop()
    english_alone = start_server(TRIVIUM_EMBED_MODEL=str(model.path), TRIVIUM_EMBED_LANGUAGES="en")
    assert "what was found is in German" in " ".join(_asked(english_alone, question)["notes"])

"""Who reads a document for the graph: its upload's word, else its dataset's, else the settings'."""

from __future__ import annotations

import pytest

from trivium.config import load_settings
from trivium.domain import lifecycle
from trivium.domain.documents import Document, DocumentState
from trivium.domain.errors import Refused
from trivium.domain.extractors import Extractor, Extractors, read_extractors, require_model

MODEL = {"TRIVIUM_LLM": "openai", "TRIVIUM_LLM_MODEL": "m"}


def document(dataset: str = "default", extractor: str = "") -> Document:
    return Document("d", "default", "a.md", "v", DocumentState.READY, dataset=dataset, extractor=extractor)


def test_the_upload_decides_before_the_dataset_and_the_dataset_before_the_settings() -> None:
    extractors = Extractors(Extractor.LLM, {"logs": Extractor.RULES})
    assert extractors.of(document()) is Extractor.LLM
    assert extractors.of(document("logs")) is Extractor.RULES
    assert extractors.of(document("logs", "agent")) is Extractor.AGENT


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, "rules"),
        (MODEL, "llm"),
        ({**MODEL, "TRIVIUM_EXTRACT_WITH_LLM": "false"}, "rules"),
        ({**MODEL, "TRIVIUM_EXTRACTOR": "rules"}, "rules"),
        ({**MODEL, "TRIVIUM_EXTRACTOR": "agent"}, "agent"),
    ],
)
def test_left_open_it_is_as_it_was_before_there_was_a_choice(given: dict[str, str], wanted: str) -> None:
    assert load_settings(given).extractors.default == wanted


@pytest.mark.parametrize(
    "given",
    [
        {"TRIVIUM_EXTRACTOR": "agent"},
        {"TRIVIUM_EXTRACTOR": "llm"},
        {"TRIVIUM_DATASET_EXTRACTORS": "papers=agent"},
    ],
)
def test_an_extractor_that_needs_a_model_is_refused_without_one(given: dict[str, str]) -> None:
    with pytest.raises(Refused, match="needs a language model") as refusal:
        load_settings(given)
    assert refusal.value.code == "no_language_model"
    assert load_settings({**given, **MODEL}).extractors.all


@pytest.mark.parametrize("text", ["papers", "=agent", "pa pers=agent", "papers=wizard", "a=rules,a=agent"])
def test_rules_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(Refused) as refusal:
        read_extractors(text)
    assert refusal.value.code == "bad_setting"


def test_rules_need_no_model() -> None:
    require_model("rules", has_model=False)
    require_model("", has_model=False)


def test_another_extractor_reads_the_same_version_again_and_no_word_of_one_changes_nothing() -> None:
    known = document(extractor="agent")
    assert lifecycle.changes_nothing(document(), known)
    assert lifecycle.changes_nothing(document(extractor="agent"), known)
    assert not lifecycle.changes_nothing(document(extractor="rules"), known)

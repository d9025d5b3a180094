"""Questions and documents in languages that the embedding model knows, and in others."""

from __future__ import annotations

import msgspec
import pytest

from trivium.domain.answers import Answer
from trivium_query.answer.answer import answer
from trivium_query.answer.spoken import language_of_question
from trivium_query.requests import AskRequest
from trivium_query.words import content_words

from .conftest import Library, Vector, bag_of_words

ENGLISH_ALONE = frozenset({"en"})


class Misled(Library):
    """Its vectors say of each question that a passage about tea is nearest."""

    async def embed(self, texts: list[str]) -> Vector:  # type: ignore[override]
        return bag_of_words(["Tee wird heiß getrunken."] * len(texts))


@pytest.fixture
def german() -> Misled:
    shelf = Misled()
    shelf.add(
        "wehr.txt", "Die Bauarbeiten am alten Wehr leitete die Ingenieurin Ilse Brandt. Sie begannen im Frühling."
    )
    shelf.add("tee.txt", "Tee wird heiß getrunken. In vielen Häusern steht eine Kanne auf dem Tisch.")
    return shelf


async def _asked(library: Library, question: str, languages: frozenset[str]) -> Answer:
    known = msgspec.structs.replace(library.dependencies(), languages=languages)
    return await answer(AskRequest(question=question, timeout_s=30.0, top_k=8), known)


async def test_in_a_language_that_the_model_does_not_know_the_words_decide(german: Misled) -> None:
    question = "Wer leitete die Bauarbeiten am alten Wehr?"
    assert "Ilse Brandt" in (await _asked(german, question, ENGLISH_ALONE)).text.splitlines()[0]
    assert "Tee" in (await _asked(german, question, frozenset())).text.splitlines()[0]


async def test_where_question_and_passages_differ_in_language_the_answer_names_the_setting(german: Misled) -> None:
    said = await _asked(german, "Who led the construction work at the old weir?", ENGLISH_ALONE)
    (note,) = [note for note in said.notes if "TRIVIUM_EMBED_MODEL" in note]
    assert "The question is in English, what was found is in German" in note
    assert "knows English alone" in note


async def test_a_model_that_knows_both_languages_needs_no_such_note(german: Misled) -> None:
    question = "Who led the construction work at the old weir?"
    for known in (frozenset[str](), frozenset({"de", "en"})):
        assert not (await _asked(german, question, known)).notes


async def test_one_language_for_both_needs_no_note(german: Misled) -> None:
    assert not (await _asked(german, "Wer leitete die Bauarbeiten am alten Wehr?", ENGLISH_ALONE)).notes


async def test_a_bare_name_has_no_language(german: Misled) -> None:
    assert not (await _asked(german, "Maureen O'Sullivan", ENGLISH_ALONE)).notes


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("de", "die Häuser der Stadt", "ein Haus in der Stadt"),
        ("es", "los puentes antiguos", "el puente antiguo"),
        ("ru", "старые плотины", "старую плотину"),
        ("hi", "लड़कियों", "लड़की"),
    ],
)
def test_inflected_words_count_as_one(language: str, one: str, other: str) -> None:
    assert content_words(one, language) == content_words(other, language) != []


def test_text_without_spaces_is_cut_at_its_function_words_and_digits() -> None:
    words = content_words("该队取得了136次擒杀", "zh")
    assert {"136", "擒杀"} <= set(words)
    assert not {"得了", "的"} & set(words)


def test_vowel_signs_belong_to_their_word() -> None:
    assert len(content_words("हिन्दी")) == 1


@pytest.mark.parametrize(
    ("question", "code"),
    [("May the tenant sublet?", "en"), ("Was kostete der Bau?", "de"), ("Où est la gare ?", "fr"), ("Is it?", "")],
)
def test_a_short_question_keeps_its_language(question: str, code: str) -> None:
    assert language_of_question(question) == code

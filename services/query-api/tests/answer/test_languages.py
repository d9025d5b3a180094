"""Questions and documents in languages that the embedding model knows, and in others."""

from __future__ import annotations

import msgspec
import pytest

from trivium.domain.answers import Answer, Verdict
from trivium_query.answer.answer import answer
from trivium_query.answer.extractive import extract
from trivium_query.answer.spoken import language_of_question
from trivium_query.requests import AskRequest
from trivium_query.words import content_words, tokens

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


async def test_a_word_of_the_question_is_found_in_a_compound() -> None:
    shelf = Misled()
    shelf.add("a.txt", "Im Jahr 1901 schloss man die Straße. Im Jahr 1902 schloss man die Eisenbahnbrücke.")
    said = await _asked(shelf, "In welchem Jahr schloss man die Brücke?", ENGLISH_ALONE)
    assert said.text.startswith("Im Jahr 1902")


async def test_a_number_is_no_part_of_another() -> None:
    shelf = Misled()
    shelf.add("a.txt", "Die Rechnung 415002 kam im Mai. Die Rechnung 15002 kam im Juni.")
    said = await _asked(shelf, "Wann kam denn die Rechnung 15002 zu uns?", ENGLISH_ALONE)
    assert said.text.startswith("Die Rechnung 15002")


async def test_a_reason_that_no_word_announces_is_told_in_part(german: Misled) -> None:
    german.add("rad.txt", "Das Mühlrad am Wehr steht im Winter still. Das Eis hält seine Schaufeln fest.")
    said = await _asked(german, "Warum dreht sich das Mühlrad im Winter nicht?", ENGLISH_ALONE)
    assert said.found
    assert said.verdict is Verdict.PARTIALLY_SUPPORTED


@pytest.mark.parametrize(
    ("name", "beside", "led"),
    [
        ("Ilse Brandt", "Ilse Brandt baute davor die Fischtreppe am Corrin.", True),
        ("Ilse Brandt", "Am Abend singt Ilse Brandt im Chor.", False),
        ("Gemeinde", "Die Gemeinde baute davor die Fischtreppe am Corrin.", False),
    ],
)
def test_a_path_in_another_language_is_a_full_name_to_what_is_asked(name: str, beside: str, *, led: bool) -> None:
    shelf = Library()
    origin = "Den Abbau des Harrow-Wehrs leitet die Ingenieurin Ilse Brandt für die Gemeinde."
    shelf.bridge(shelf.add("wehr.txt", origin), origin, name, shelf.add("leute.txt", beside))
    question = "Welche Fischtreppe baute die Ingenieurin davor, die den Abbau des Harrow-Wehrs leitet?"
    ranked = extract(question, shelf.hits(question), None, {}).ranked
    assert [one.via is not None for one in ranked if one.text == beside] == [led]


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


@pytest.mark.parametrize(
    ("language", "asking"),
    [
        ("de", "Wofür, worin, wodurch, wieviel"),
        ("el", "Γιατί, ποιος"),
        ("hi", "क्या, किसने, कब, कितने"),
        ("nl", "Hoeveel, waarmee"),
        ("ru", "Какой, какую, чьи"),
        ("tr", "Hangi, kim, kaç, neden"),
    ],
)
def test_words_that_only_ask_carry_no_content(language: str, asking: str) -> None:
    assert content_words(asking, language) == []


def test_text_without_spaces_is_cut_at_its_function_words_and_digits() -> None:
    words = content_words("该队取得了136次擒杀", "zh")
    assert {"136", "擒杀"} <= set(words)
    assert not {"得了", "的"} & set(words)


def test_vowel_signs_belong_to_their_word() -> None:
    assert len(content_words("हिन्दी")) == 1
    assert content_words("パリ") != content_words("ハリ")
    assert tokens("バリ島") != tokens("ハリ島")
    assert len(tokens("バリ島")) == 1


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [("hi", "\u0958लम", "कलम"), ("ar", "مُحَمَّدٌ", "محمد"), ("en", "مُحَمَّدٌ", "محمد"), ("de", "Mu\u0308hle", "Mühle")],
)
def test_spellings_of_a_word_count_as_one(language: str, one: str, other: str) -> None:
    assert content_words(one, language) == content_words(other, language) != []


@pytest.mark.parametrize(
    ("question", "code"),
    [("May the tenant sublet?", "en"), ("Was kostete der Bau?", "de"), ("Où est la gare ?", "fr"), ("Is it?", "")],
)
def test_a_short_question_keeps_its_language(question: str, code: str) -> None:
    assert language_of_question(question) == code

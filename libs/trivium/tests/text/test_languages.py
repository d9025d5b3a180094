import pytest

from trivium.config import load_settings
from trivium.domain.errors import Refused
from trivium.text.languages import language_of, listed
from trivium.text.stemming import stem


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Who planned the removal of the weir?"),
        ("de", "Wer hat den Abriss des Wehrs geplant?"),
        ("es", "¿Quién planificó la retirada de la presa?"),
        ("ru", "Кто спланировал снос плотины?"),
        ("zh", "谁计划拆除这座堰?"),
        ("zh", "水库的负责人是谁?"),
        ("zh", "修复工程花费了多少钱?"),
        ("ja", "東京の人口は?"),
        ("th", "ใครเป็นผู้วางแผนรื้อฝาย"),
    ],
)
def test_the_language_of_a_question_is_known(language: str, text: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize("text", ["", "  \n", "2023", "12.5 %", "!?"])
def test_what_has_no_letters_has_no_language(text: str) -> None:
    assert language_of(text) == ""


def test_half_a_surrogate_pair_harms_nothing() -> None:
    assert language_of("The removal of the weir \ud800 began") == "en"


def test_inflected_words_of_a_language_meet() -> None:
    assert stem("häusern", "de") == stem("haus", "de") == stem("häuser", "de")
    assert stem("плотины", "ru") == stem("плотину", "ru")


def test_a_language_without_a_stemmer_keeps_its_words() -> None:
    assert stem("phần", "vi") == "phần"


def test_languages_are_listed_by_name() -> None:
    assert listed(["en"]) == "English"
    assert listed(["de", "en", "xx"]) == "German, English and xx"


@pytest.mark.parametrize(
    ("given", "known"),
    [
        ({}, {"en"}),
        ({"TRIVIUM_EMBED_MODEL": "/models/many"}, set()),
        ({"TRIVIUM_EMBED_MODEL": "/models/two", "TRIVIUM_EMBED_LANGUAGES": "de,en"}, {"de", "en"}),
        ({"TRIVIUM_EMBED_LANGUAGES": "*"}, set()),
    ],
)
def test_the_settings_say_which_languages_the_embedding_model_knows(given: dict[str, str], known: set[str]) -> None:
    assert load_settings(given).languages_of_embeddings == known


@pytest.mark.parametrize("given", ["German", "de;en", "de, en", "*,de"])
def test_languages_that_are_no_codes_are_refused(given: str) -> None:
    with pytest.raises(Refused, match="TRIVIUM_EMBED_LANGUAGES"):
        load_settings({"TRIVIUM_EMBED_LANGUAGES": given})

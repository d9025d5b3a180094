import pytest
from growth import LINEAR, growth
from hypothesis import given
from hypothesis import strategies as st

from trivium.text.names import fold_name, key_without_marks, name_tokens, names_in, subnames
from trivium.text.titles import short_title, title_parts

SENTENCES = st.lists(
    st.sampled_from(["Ada Lovelace", "wrote", "The", "U.S.", "of", "Paris", '"Blue Sky"', ",", "1999", "O'Brien's"])
).map(" ".join)


def surfaces(text: str) -> list[str]:
    return [name.surface for name in names_in(text)]


@pytest.mark.parametrize(
    ("spelling", "key"),
    [
        ("The Beatles", "beatles"),
        ("Mercury (planet)", "mercury"),
        ("Émile Zola's", "emile zola"),
        ("Émile Zola\u2019s", "emile zola"),
        ("Ginevra D'Este", "ginevra deste"),
        ("AC/DC", "ac dc"),
        ("The", "the"),
        ("(The Who)", "who"),
        ("Дмитри\u0438\u0306", "дмитрии"),
        ("أَحْمَد", "احمد"),
        ("\u095bाकिर", "जाकिर"),
        ("ज\u093cाकिर", "जाकिर"),
        ("นายกรัฐมนตรี (ไทย)", "นายกรัฐมนตรี"),
        ("ශ\u0dca\u200dරී ලංකාව", "ශ\u0dcaරී ලංකාව"),
        ("", ""),
        ("...", ""),
    ],
)
def test_spellings_of_one_name_meet_under_one_key(spelling: str, key: str):
    assert fold_name(spelling) == key


@pytest.mark.parametrize(
    ("one", "other"),
    [("パリ", "バリ"), ("मोदी", "मादा"), ("ไก่", "ไก"), ("முருகன்", "மூருகன்"), ("བོད", "བད"), ("မြန်မာ", "မြန်မီ")],
)
def test_names_that_differ_in_vowels_or_voicing_are_two(one: str, other: str):
    assert fold_name(one) != fold_name(other)
    assert key_without_marks(one) == key_without_marks(other)


@pytest.mark.parametrize(
    "name", ["Émile Zola's", "Αθήνα", "Ёлка", "Łódź", "서울", "東京", "The Who", "القاهرة", "תֵּל אָבִיב"]
)
def test_keys_of_other_scripts_are_as_they_were(name: str):
    assert fold_name(name) == key_without_marks(name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The physicist Marie Curie lived in Paris.", ["Marie Curie", "Paris"]),
        ("He studied at the University of the West Indies.", ["University of the West Indies"]),
        ("It was written by J. R. R. Tolkien in May 1937.", ["J. R. R. Tolkien"]),
        ("In 1969 Apollo 11 landed on Monday, July 20.", ["Apollo 11"]),
        ("Who directed Alan Turing's film?", ["Alan Turing"]),
        ("However, NATO and the UN met.", ["NATO and the UN", "NATO", "UN"]),
        ("She moved to Wilmington, North Carolina.", ["Wilmington, North Carolina", "Wilmington", "North Carolina"]),
        ('He sang "Walk the Line" twice.', ["Walk the Line", "Walk", "Line"]),
        ("Ludwig van Beethoven met Élodie Ñandú.", ["Ludwig van Beethoven", "Élodie Ñandú"]),
        ("nothing here is a name, not even 1984", []),
        ("", []),
    ],
)
def test_names_are_found_by_their_form(text: str, expected: list[str]):
    found = surfaces(text)
    assert [name for name in expected if name not in found] == []
    assert expected != [] or found == []


def test_a_common_word_at_the_start_of_a_sentence_is_no_name():
    text = "Water covers the land. All the water is salt."
    assert names_in(text, [(0, 22), (23, 45)]) == []


def test_no_name_crosses_a_sentence():
    text = "He met Ada Lovelace. Charles Babbage came later."
    names = names_in(text, [(0, 20), (21, 48)])
    assert [(name.surface, name.sentence) for name in names] == [("Ada Lovelace", 0), ("Charles Babbage", 1)]


@given(SENTENCES)
def test_offsets_are_exact_and_names_come_in_order(text: str):
    names = names_in(text)
    assert all(text[name.start : name.end] == name.surface for name in names)
    assert all(name.key == fold_name(name.surface) for name in names)
    assert [(name.start, -name.end) for name in names] == sorted((name.start, -name.end) for name in names)


@given(st.text(max_size=200))
def test_any_text_is_read_without_an_error(text: str):
    for name in names_in(text):
        assert name.key
        assert text[name.start : name.end] == name.surface


@given(st.text(max_size=60))
def test_folding_is_idempotent(name: str):
    assert fold_name(fold_name(name)) == fold_name(name)


@given(st.lists(st.sampled_from(["ada", "of", "the", "paris", "x"]), max_size=9).map(" ".join))
def test_names_within_a_name_are_runs_of_its_words(key: str):
    for part in subnames(key, 4):
        assert f" {part} " in f" {key} "
        assert len(part.split()) <= 4
        assert part.split()[0] not in {"of", "the"}
        assert part.split()[-1] not in {"of", "the"}


def test_names_within_a_long_name_are_found_in_linear_time():
    assert growth(lambda words: subnames("ada " * words, 4), 2_000) < LINEAR


def test_question_words_are_folded_as_names_are():
    assert name_tokens("Who wrote Zola's Émile?") == ["who", "wrote", "zola", "emile"]
    assert name_tokens("The Who") == ["who"]
    assert name_tokens("") == []


def test_the_short_form_of_a_title_stands_before_its_comma():
    short = short_title("Wilmington, North Carolina")
    assert short is not None
    assert (short.key, short.surface) == ("wilmington", "Wilmington")
    assert short_title("Wilmington") is None
    assert short_title("Mercury (planet, inner)") is None


def test_the_parts_of_a_title_are_the_names_in_it():
    assert [part.key for part in title_parts("2018 Kansas elections")] == ["2018 kansas", "kansas"]
    assert list(title_parts("Kansas")) == []


@pytest.mark.parametrize(("begin", "unit"), [("", "A. "), ("", "A"), ("", "Of The "), ('"', "A b "), ("", "A-")])
def test_hostile_text_takes_no_more_than_linear_time(begin: str, unit: str):
    assert growth(lambda count: names_in(begin + unit * count), 4_000) < LINEAR
    assert growth(lambda count: fold_name(begin + " " * count + unit), 4_000) < LINEAR


GERMAN = " Die Stadt liegt an einem Fluss, und die Menschen gehen dort gern spazieren, weil es ruhig ist." * 3
SPANISH = " La ciudad está junto a un río, y la gente pasea por allí con gusto porque es tranquila." * 3
FRENCH = " La ville est au bord d'un fleuve, et les gens s'y promènent volontiers car elle est calme." * 3


@pytest.mark.parametrize(
    ("opened", "rest", "names"),
    [
        ("Die Regierung tagt in Köln.", GERMAN, ["Regierung", "Köln"]),
        ("Obwohl Köln groß ist, blieb sie klein.", GERMAN, ["Köln"]),
        ("Después de la guerra volvió a Sevilla.", SPANISH, ["Sevilla"]),
        ("Pendant la guerre il vivait à Lyon.", FRENCH, ["Lyon"]),
    ],
)
def test_what_opens_a_sentence_of_another_language_is_no_name(opened: str, rest: str, names: list[str]):
    assert [one.surface for one in names_in(opened + rest, [(0, len(opened))])] == names


def test_an_opener_of_another_language_is_part_of_an_english_name():
    text = "Die Hard was shown to a small audience in the old cinema beside the river. " * 4
    assert [one.surface for one in names_in(text, [(0, 74)])] == ["Die Hard"]

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.evaluation.wording import contains, count_words, exact_match, share_of_words, tells, token_f1, tokens


def test_case_punctuation_and_english_articles_do_not_matter_to_exact_match():
    assert exact_match("The Cork.", ["cork"])
    assert exact_match("U.S.", ["US"])
    assert not exact_match("Cork City", ["cork"])


def test_any_of_the_golds_will_do():
    assert exact_match("Stanley Hall", ["G. Stanley Hall", "Stanley Hall"])
    assert token_f1("Stanley Hall", ["Wundt", "G. Stanley Hall"]) == pytest.approx(0.8)


def test_f1_counts_a_repeated_word_as_often_as_both_have_it():
    assert token_f1("duran duran", ["duran"]) == pytest.approx(2 / 3)


def test_without_a_common_word_or_a_gold_f1_is_nothing():
    assert token_f1("Cork", ["Dublin"]) == 0
    assert token_f1("Cork", []) == 0
    assert token_f1("", [""]) == 0


def test_scripts_without_spaces_are_compared_by_character():
    assert tokens("丹佛野马队 308 分") == ["丹", "佛", "野", "马", "队", "308", "分"]
    assert token_f1("野马队", ["丹佛野马队"]) == pytest.approx(0.75)
    assert count_words("丹佛 won 24 games.") == 5
    assert contains("冠军是丹佛野马队。", ["野马队"])
    assert contains("แชมป์คือเดนเวอร์", ["เดนเวอร์"])


def test_a_gold_stands_in_a_text_word_for_word_and_not_within_a_word():
    assert contains("It lasted 1901\u20131905.", ["1901"])
    assert contains("She was born in Cork, Ireland.", ["Cork, Ireland"])
    assert contains("the U.S. Senate", ["US Senate"])
    assert not contains("He lived in Yorkshire.", ["York"])
    assert not contains("Cork", ["the", ""])


@pytest.mark.parametrize(
    ("gold", "text"),
    [
        ("12", "It cost 12,500 euros."),
        ("500", "It cost 12,500 euros."),
        ("250", "It cost 1,250.40."),
        ("1,250", "It cost 1,250.40."),
        ("000", "It costs $2,000.00."),
        ("1,250", "It cost 1,250.05."),
        ("5", "The bridge cost 2.5 million."),
        ("5 million", "2,5 million"),
        ("1", "1,000 ships"),
        ("16", "They work from 8.15 to 16.30."),
        ("36", "It is 3.6 m wide."),
        ("3.6", "It is 36 m wide."),
        ("36", "Sie ist 3,6 m breit."),
        ("1200", "It cost 12.00."),
        ("31415", "Pi is 3.1415."),
    ],
)
def test_a_gold_does_not_stand_within_a_number(gold: str, text: str):
    assert not contains(text, [gold])
    assert not tells(text, [gold])


@pytest.mark.parametrize(
    ("gold", "text"),
    [
        ("12,500", "It cost 12,500 euros."),
        ("12500", "It cost 12,500 euros."),
        ("12500", "Es kostet 12.500 Euro."),
        ("2000.00", "It costs $2,000.00."),
        ("12,500 euros", "It cost 12.500 euros."),
        ("2.5", "The bridge cost 2,5 million."),
        ("16:30", "open 16.30-18.15"),
        ("12", "It cost 12.00 in 2.5 years."),
        ("2,000", "It costs $2,000.00."),
        ("2,000.00", "It costs $2,000.00."),
        ("1,500", "1,500.0 EUR"),
        ("1,234,567.05", "1,234,567.05 EUR"),
        ("1990", "on 12.05.1990"),
        ("1007", "1007,2025-02-21,Hotel Krone,18,7.95,"),
        ("38:05", "2,Nadia Ferro,34,38:05,85"),
        ("2", "It lasted 2.5 of 2, or more."),
    ],
)
def test_a_number_is_found_however_it_is_written_and_among_others(gold: str, text: str):
    assert contains(text, [gold])


def test_most_words_of_a_long_gold_are_enough_but_not_of_a_short_one():
    long = "mother to child transmission is the main cause of infection"
    said = "The main cause of the infection is transmission to a child."
    assert share_of_words(said, [long]) == pytest.approx(8 / 9)
    assert tells(said, [long])
    assert not tells("Smith met John Brown.", ["John Smith"])


@given(st.text(), st.text())
def test_f1_is_a_share_and_whole_for_the_gold_itself(said: str, gold: str):
    assert 0 <= token_f1(said, [gold]) <= 1
    assert token_f1(gold, [gold]) == (1 if tokens(gold) else 0)
    assert token_f1(said, [gold]) == token_f1(gold, [said])

from trivium_query.retrieve.decisive import MOST, decided
from trivium_query.words import terms

RARE = {"ab": 3.0, "1234": 5.0, "x": 3.0, "y": 3.0, "pump": 2.0, "old": 1.0, "is": 0.1, "zerquaddle": 6.0, "mill": 3.0}


def leading(question: str, *passages: str) -> list[int]:
    """The places of the passages that words decide for."""
    found = decided(terms(question), RARE, {str(place): text for place, text in enumerate(passages)})
    return [int(place) for place in found]


def test_a_part_number_decides_for_the_passage_that_holds_it_as_it_is_written():
    passages = ("Part AB-1234/Y is old; X fits a pump.", "The pump has AB-1234/X.", "An old pump.")
    assert leading("AB-1234/X", *passages) == [1]
    assert leading("Which pump is AB-1234/X?", *passages) == [1]


def test_a_word_that_a_few_passages_hold_decides_for_all_of_them_and_one_that_many_hold_for_none():
    assert leading("zerquaddle", "A zerquaddle.", "An old pump.", "Zerquaddles!") == [0, 2]
    assert leading("zerquaddle", *["A zerquaddle."] * (MOST + 1), "An old pump.") == []


def test_words_that_only_ask_weigh_nothing():
    assert leading("What is the zerquaddle?", "What is the pump?", "One zerquaddle.") == [1]


def test_words_that_several_passages_share_out_decide_nothing():
    assert leading("Is the old pump at the mill?", "An old pump.", "The mill.", "The pump is old.") == []


def test_words_in_the_order_of_the_question_weigh_more_than_the_same_words_apart():
    assert leading("old pump mill", "A mill with an old wheel, and a pump.", "The old pump mill.") == [1]


def test_nothing_known_decides_nothing():
    assert leading("unheard of", "An old pump.") == []
    assert leading("", "An old pump.") == []
    assert decided(terms("zerquaddle"), RARE, {}) == []

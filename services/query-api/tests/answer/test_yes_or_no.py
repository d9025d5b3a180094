"""Yes and no: what words alone tell, what they leave to the reader, and how surely it says so."""

from __future__ import annotations

import pytest

from trivium.domain.chunks import Chunk, Span
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.direct.choose import shipped
from trivium_query.answer.direct.polarity import denies_of_another, is_said
from trivium_query.answer.direct.yes_no import asks_yes_or_no, yes_or_no
from trivium_query.answer.direct.yes_no_weighed import ReadSentence, lead_of, weigh
from trivium_query.answer.evidence import Candidate
from trivium_query.answer.extractive import extract
from trivium_query.words import content_words


@pytest.mark.parametrize(
    ("asked", "sentence", "said"),
    [
        ("lifts open", "The lifts are open.", True),
        ("lifts open", "The lifts are not open.", False),
        ("umbrella found", "The scarf was found, the umbrella was not.", False),
        ("scarf found", "The scarf was found, the umbrella was not.", True),
        ("tortoises treat", "Snakes we do not treat, tortoises we do.", True),
        ("meeting Saturday", "The meeting is on Sunday, not on Saturday.", False),
        ("meeting Sunday", "The meeting is on Sunday, not on Saturday.", True),
        ("tea forbidden", "Coffee is forbidden, not tea.", True),
        ("juniors train", "Everybody trains in the hall except the juniors.", False),
        ("train hall", "Everybody trains in the hall except the juniors.", True),
        ("flour soup", "The soup has potato instead of flour.", False),
        ("balcony flat", "The flat has a cellar and no balcony.", False),
        ("cellar flat", "The flat has a cellar and no balcony.", True),
        ("heating rent", "The rent is 740 with heating, but without electricity.", True),
        ("electricity rent", "The rent with heating is 740 without electricity.", False),
        ("dog terrace", "Dogs are welcome on the terrace, not in the boat hall.", True),
        ("dog boat hall", "Dogs are welcome on the terrace, not in the boat hall.", False),
        ("dog terrace", "Dogs are not welcome on the terrace, not even small ones.", False),
        ("coffee", "There is no shop at the lake; coffee is ours.", True),
        ("shop", "There is no shop at the lake; coffee is ours.", False),
        ("coffee lake", "There is no shop at the lake; coffee is ours.", None),  # of both parts
        ("cockerel", "4. Hens are welcome, up to eight a plot; cockerels are not.", False),
        ("hens", "4. Hens are welcome, up to eight a plot; cockerels are not.", True),
        ("horse footbridge", "Cyclists can use the footbridge, horses cannot.", False),
        ("electric barbecue", "Charcoal barbecues are forbidden, electric ones are not.", True),
        ("fridge stay", "The washing machine stays, but the fridge doesn't.", False),
        ("fridge", "The fridge is not.", False),
        ("warranty cover lime", "The warranty lasts three years; it does not cover lime.", False),
        ("pond harmless", "The pond is harmless, but signs ask people not to wade in it.", True),
        ("room open", "The room is open from Tuesday to Saturday.", True),
        ("ladder opened 2016", "Before she came, Brandt built the ladder at Corrin Gorge, which opened in 2016.", True),
        ("Brandt built ladder", "Before that, Brandt built the ladder at Corrin Gorge, which opened in 2016.", True),
        ("Brandt built ladder", "Brandt never built the ladder at Corrin Gorge, which opened in 2016.", False),
        # who only counts words cannot tell
        ("chairman opened meeting", "The meeting was opened by Ms Oduya, as the chairman was ill.", None),
        ("town piers paid", "The state paid for the piers and the town for the railings.", None),
        ("fireworks", "Fireworks were asked for and have been refused.", None),
        ("locker door", "A locker was planned by the door, but the owners voted against it.", None),
        ("market bridge", "A market on the bridge, proposed by the shops, did not find enough votes.", None),
        ("ride free", "Rides are free up to 45 minutes.", None),
        ("shower works", "The shower works only while the engine runs.", None),
        ("anything", "The lifts are open.", None),
    ],
)
def test_which_part_of_a_sentence_says_so(asked: str, sentence: str, said: bool | None) -> None:
    assert is_said(frozenset(content_words(asked)), sentence) is said


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("Are pets allowed in the hostel?", "no"),
        ("Are assistance dogs allowed in the hostel?", "yes"),
        ("Is the kitchen open on Sundays?", "no"),
        ("Is the bar open on Thursdays?", "no"),
        ("Were all guests at breakfast?", ""),
        ("Is it in the cellar?", ""),  # what is?
        ("Is breakfast served in the cellar?", "yes"),
        ("Can guests enter the pool without a cap?", "no"),
    ],
)
def test_words_decide_only_what_they_tell_beyond_doubt(question: str, short: str) -> None:
    text = (
        "Hostel. Pets are not allowed, except assistance dogs. Breakfast is served in the cellar. "
        "The kitchen is open on Mondays and Tuesdays. The bar is open every day except Thursdays. "
        "Guests cannot enter the pool without a cap."
    )
    decided = yes_or_no(question, extract(question, [hit(text)], None, {}))
    assert (decided.short if decided else "") == short


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Did the nurses know whether the light was red or blue?", True),
        ("Is the light red or blue?", False),
        ("Do you know who came?", True),
        ("Who knows whether it was red or blue?", False),
    ],
)
def test_a_choice_within_whether_is_none(question: str, *, asks: bool) -> None:
    assert asks_yes_or_no(question) is asks


def test_what_both_say_to_be_lacking_is_a_condition_and_denies_nothing() -> None:
    question = "Is the sauna heated on days without bookings?"
    read = ReadSentence(sentence(question, "The sauna is no longer heated on days lacking bookings."), 1.0, 1.0)
    assert weigh(question, [read], WEIGHTS).word == "no"


@pytest.mark.parametrize(
    ("leads", "word"), [([], "yes"), ([6.0, 5.0], "yes"), ([-8.0, -8.0], "no"), ([-8.0, 9.0], "yes")]
)
def test_what_was_read_again_counts_beside_what_was_read_first(leads: list[float], word: str) -> None:
    question = "Are dogs allowed?"
    read = [ReadSentence(sentence(question, "Dogs are a matter for the host."), 2.0, 1.0)]
    assert weigh(question, read, WEIGHTS, leads).word == word
    lead, first = lead_of([*read, ReadSentence(read[0].sentence, -30.0, 4.0)]), lead_of(read)
    assert (lead, first) == (-24.0, 1.0)


def test_what_is_read_is_as_sure_as_how_much_of_the_question_the_sentence_has() -> None:
    question = "Are dogs allowed in the garden?"

    def likely(*read: tuple[str, float, float]) -> tuple[str, float]:
        found = weigh(question, [ReadSentence(sentence(question, text), yes, no) for text, yes, no in read], WEIGHTS)
        return found.word, found.likely

    word, near = likely(("Dogs are allowed in the garden.", 6.0, -2.0))
    assert word == "yes"
    assert near > likely(("The café has a terrace.", 6.0, -2.0))[1]
    assert near > likely(("Dogs are allowed in the garden.", 6.0, 5.0))[1]
    assert likely(("Dogs are not allowed in the garden.", 3.0, 3.0))[0] == "no"
    assert likely(("The café has a terrace.", -9.0, -9.0))[1] < 0.1


WEIGHTS = shipped().yes_no


def hit(text: str) -> Hit:
    return Hit(Chunk("c", "d", "1", 0, text, Span(0, len(text)), "d", split_sentences(text)), 1, 1.0)


def sentence(question: str, text: str) -> Candidate:
    words = frozenset(content_words(text))
    covered = words & frozenset(content_words(question))
    return Candidate(hit(text), Span(0, len(text)), text, words, covered, 0.0, 0.0)


@pytest.mark.parametrize(
    ("named", "text", "of_another"),
    [
        ("Okonjo", "Ms Okonjo's turned up at the canal, Mr Lindqvist's has not been found.", True),
        ("Lindqvist", "Ms Okonjo's turned up at the canal, Mr Lindqvist's has not been found.", False),
        ("Okonjo", "Ms Okonjo came, but she did not stay.", False),
        ("Okonjo", "Ms Okonjo stayed for a week.", False),
    ],
)
def test_what_is_denied_of_somebody_else(named: str, text: str, of_another: bool) -> None:
    assert denies_of_another(set(content_words(named)), text) is of_another

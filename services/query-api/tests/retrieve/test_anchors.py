from trivium.domain.retrieval import Scored
from trivium_query.retrieve.anchors import ANCHOR_GAIN, anchor_gains, anchor_names, question_names


def _anchored(question: str, *titles: str) -> list[str]:
    return anchor_names(question_names(question), {title: [Scored("c", 1.0)] for title in titles})


def test_a_title_in_the_question_is_an_anchor_however_it_is_written():
    assert _anchored("who directed THE GODFATHER's sequel?", "godfather") == ["godfather"]


def test_a_title_inside_a_longer_one_is_no_anchor():
    assert _anchored("Is New York City in New York?", "new york", "new york city", "york") == [
        "new york city",
        "new york",
    ]


def test_a_lone_connector_is_never_looked_up():
    assert {"of", "the", "in"}.isdisjoint(name.key for name in question_names("of the rings in"))


def test_an_endless_question_is_looked_up_in_bounds():
    assert len(question_names("word " * 50_000)) <= 256 * 8


def test_passages_about_the_same_name_share_its_gain():
    gains = anchor_gains(["x"], {"x": [Scored(f"c{i}", 1.0) for i in range(4)]})
    assert gains == dict.fromkeys(("c0", "c1", "c2", "c3"), ANCHOR_GAIN / 2)


def test_a_less_certain_topic_gains_less():
    assert anchor_gains(["x"], {"x": [Scored("c", 0.5)]}) == {"c": ANCHOR_GAIN * 0.5}

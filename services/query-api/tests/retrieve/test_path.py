import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.domain.chunks import Span
from trivium.domain.graph import Mention, Mentioning, MentionRole
from trivium.domain.retrieval import Places, Scored
from trivium_query.retrieve import path

NAMES = st.sampled_from(["ada", "ada lovelace", "paris", "london", "turing"])
CHUNKS = st.sampled_from(["c1", "c2", "c3", "c4"])


def mention(key: str, chunk: str, sentence: int = 0, role: MentionRole = MentionRole.MENTION) -> Mention:
    return Mention(key, chunk, sentence, Span(0, 1), key.title(), role)


def near(*cosines: float) -> np.ndarray:
    return np.array(cosines, np.float32)


def walk(scores, mentions, places, sentences, asked=frozenset()):
    leaving = path.departures(path.sources(scores), scores, mentions, sentences, asked)
    return path.best_links(*path.leads(leaving, asked), places)


def test_a_name_in_a_sentence_near_the_question_leads_to_the_passage_about_it():
    links = walk(
        {"film": 1.0},
        {"film": [mention("film", "film", role=MentionRole.TITLE), mention("ada lovelace", "film", 1)]},
        Places({"ada lovelace": [Scored("ada", 1.0)]}, {}, {}),
        {"film": near(0.1, 0.6)},
    )
    assert links["ada"].gain == pytest.approx(1.0)
    assert (links["ada"].source, links["ada"].sentence, links["ada"].surface) == ("film", 1, "Ada Lovelace")


def test_a_sentence_far_from_the_question_passes_on_less():
    places = Places({"ada": [Scored("a", 1.0)]}, {}, {})
    weak = walk({"s": 1.0}, {"s": [mention("ada", "s")]}, places, {"s": near(0.15)})
    assert weak["a"].gain == pytest.approx(0.25)


def test_a_name_that_passes_on_less_than_a_tenth_is_not_followed():
    places = Places({"ada": [Scored("a", 1.0)]}, {}, {})
    rows = {"s": [mention("ada", "s")]}
    assert "a" in walk({"s": 0.2}, rows, places, {"s": near(0.31)})
    assert walk({"s": 0.2}, rows, places, {"s": near(0.29)}) == {}


def test_the_sentence_closest_to_the_question_explains_the_link():
    places = Places({"ada": [Scored("a", 1.0)]}, {}, {})
    rows = {"s": [mention("ada", "s", 0), mention("ada", "s", 1)]}
    assert walk({"s": 1.0}, rows, places, {"s": near(0.2, 0.4)})["a"].sentence == 1


def test_names_of_the_question_and_of_the_source_itself_lead_nowhere():
    rows = {"s": [mention("paris", "s", role=MentionRole.TITLE), mention("paris", "s"), mention("ada", "s")]}
    places = Places({"paris": [Scored("p", 1.0)], "ada": [Scored("a", 1.0)]}, {}, {})
    assert walk({"s": 1.0}, rows, places, {"s": near(0.6)}, frozenset({"ada"})) == {}


def test_a_name_inside_a_longer_mention_leads_on():
    places = Places({"lovelace": [Scored("l", 1.0)]}, {}, {})
    assert "l" in walk({"s": 1.0}, {"s": [mention("countess ada lovelace", "s")]}, places, {"s": near(0.6)})


def test_a_title_is_stronger_than_a_heading_and_a_heading_than_a_mention_elsewhere():
    once = Mentioning(1, (("h", 0),))
    twice = Mentioning(4, (("m", 0), ("s", 0)))
    places = Places({"ada": [Scored("t", 1.0)]}, {"ada": once}, {"ada": twice})
    links = walk({"s": 1.0}, {"s": [mention("ada", "s")]}, places, {"s": near(0.6)})
    assert links["t"].gain > links["h"].gain > links["m"].gain > 0


def test_a_name_that_stands_everywhere_links_nothing():
    everywhere = Mentioning(path.MAX_SHARED + 1, (("m", 0),))
    links = walk({"s": 1.0}, {"s": [mention("ada", "s")]}, Places({}, {}, {"ada": everywhere}), {"s": near(0.6)})
    assert links == {}


def test_a_name_that_more_passages_share_leads_to_each_of_them_with_less():
    rare, usual = Mentioning(2, (("r", 0), ("s", 0))), Mentioning(11, (("u", 0), ("s", 0)))
    rows = {"s": [mention("ada", "s"), mention("turing", "s")]}
    links = walk({"s": 1.0}, rows, Places({}, {}, {"ada": rare, "turing": usual}), {"s": near(0.6)})
    assert links["r"].gain == pytest.approx(10 * links["u"].gain)


def test_passages_that_share_a_name_do_not_lift_each_other_above_the_one_that_answers():
    scores = {"answer": 1.0, "p": 0.9, "q": 0.85}
    mentions = {"p": [mention("ada", "p")], "q": [mention("ada", "q")]}
    places = Places({}, {}, {"ada": Mentioning(4, (("p", 0), ("q", 0), ("new", 0), ("other", 0)))})
    links = walk(scores, mentions, places, dict.fromkeys("pq", near(0.6)))
    linked = path.linked(scores, links)
    assert max(linked, key=linked.__getitem__) == "answer"
    assert linked["new"] == pytest.approx(links["new"].gain)
    assert linked["p"] > scores["p"]


def test_without_vectors_every_sentence_counts_half():
    places = Places({"ada": [Scored("a", 1.0)]}, {}, {})
    assert walk({"s": 1.0}, {"s": [mention("ada", "s")]}, places, {})["a"].gain == path.UNKNOWN_CLOSENESS


def test_the_base_score_needs_no_source_in_particular():
    assert path.base_scores([], [], {}) == {}
    assert path.base_scores([], [Scored("a", 3.0), Scored("b", 1.0)], {}) == {"a": 1.0, "b": 0.0}


@given(
    st.dictionaries(CHUNKS, st.floats(0.01, 2), min_size=1),
    st.lists(st.tuples(NAMES, CHUNKS, st.integers(0, 2))),
    st.dictionaries(NAMES, st.lists(CHUNKS, min_size=1, unique=True)),
)
def test_links_never_lead_home_and_never_add_more_than_their_source_has(scores, mentioned, about):
    mentions = {chunk: [mention(key, chunk, s) for key, c, s in mentioned if c == chunk] for chunk in scores}
    places = Places(
        {key: [Scored(chunk, 1.0) for chunk in chunks] for key, chunks in about.items()},
        {},
        {key: Mentioning(len(chunks), tuple((chunk, 0) for chunk in chunks)) for key, chunks in about.items()},
    )
    sentences = {chunk: near(0.9, 0.3, 0.0) for chunk in scores}
    for target, link in walk(scores, mentions, places, sentences).items():
        assert link.target == target != link.source
        assert 0 <= link.gain <= scores[link.source] + 1e-9
        assert 0 < link.strength <= 1

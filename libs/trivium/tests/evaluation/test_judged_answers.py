import pytest

from trivium.domain.answers import Answer, Citation, Verdict
from trivium.domain.chunks import Chunk, Span
from trivium.domain.retrieval import Hit
from trivium.evaluation.dataset import Judged
from trivium.evaluation.judged_answers import JudgedAnswer, Wanted, judge, wanted_of

SOURCE = "Skarvik was built in 1874. It is 31 metres high."
MARKER = "[Source: a.md, chunk 1]"


def hit(text: str = SOURCE, number: int = 1) -> Hit:
    chunk = Chunk(f"c{number}", f"d{number}", "v", number - 1, text, Span(0, len(text)), "a.md")
    return Hit(chunk, number, 1.0 / number)


def query(question: str, *gold: str, answerable: bool = True) -> Judged:
    return Judged("q", question, {"row": 1.0}, (), gold, answerable)


def judged(asked: Judged, text: str, found: bool = True, cited: bool = True, hits: int = 1) -> JudgedAnswer:
    citations = (Citation(MARKER, "c1", "d1", "a.md", 1, SOURCE),) if cited else ()
    passages = tuple(hit(SOURCE if number == hits else f"Other {number}.", number) for number in range(1, hits + 1))
    answer = Answer(asked.question, text, "extractive", Verdict.SUPPORTED, found, citations, passages)
    return judge(asked, wanted_of(asked), answer, 7.0, {f"d{hits}": "row"})


@pytest.mark.parametrize(
    ("question", "gold", "wanted"),
    [
        ("Is it open?", "Yes.", Wanted.YES_NO),
        ("Which is older, Alien or Psycho?", "Psycho", Wanted.CHOICE),
        ("Who built it?", "Ingrid Solberg", Wanted.TEXT),
        ("How many of the 12 remain?", "12", Wanted.TEXT),
    ],
)
def test_what_a_question_wants_is_seen_from_its_gold(question: str, gold: str, wanted: Wanted):
    assert wanted_of(query(question, gold)) is wanted


def test_a_refusal_is_right_where_the_corpus_has_no_answer_and_only_there():
    strange = query("Who painted it?", answerable=False)
    known = query("When was it built?", "1874")
    assert judged(strange, "Not found.", found=False, cited=False).right
    assert not judged(strange, f"Skarvik was built in 1874. {MARKER}").right
    assert not judged(known, "Built in 1874 or not, it was not found.", found=False, cited=False).right


def test_a_text_is_right_when_the_gold_stands_in_it_and_its_markers_count_for_nothing():
    marked = judged(query("When was it built?", "1874"), f"Skarvik was built in 1874. {MARKER}")
    assert (marked.right, marked.told, marked.words, marked.text) == (True, True, 5, "Skarvik was built in 1874.")
    assert not judged(query("Which chunk?", "chunk 1"), f"Skarvik was built. {MARKER}").right


def test_a_choice_whose_text_names_both_is_told_but_not_right():
    both = judged(query("Which is older, Alien or Psycho?", "Psycho"), "Alien is of 1979, Psycho of 1960.")
    assert (both.right, both.told) == (False, True)
    assert judged(query("Which is older, Alien or Psycho?", "Psycho"), "Psycho.").right


def test_a_yes_or_no_must_be_said_first():
    assert judged(query("Is it high?", "yes"), "Yes, it is 31 metres high.").right
    assert not judged(query("Is it high?", "yes"), "It is 31 metres high, yes.").right


def test_only_sentences_of_a_cited_passage_count_as_standing_in_it():
    text = f"Skarvik was built in 1874. It is painted red. {MARKER}"
    assert (judged(query("?", "1874"), text).statements, judged(query("?", "1874"), text).grounded) == (2, 1)
    assert judged(query("?", "1874"), text, cited=False).grounded == 0


@pytest.mark.parametrize(("rank", "shown"), [(1, True), (5, True), (6, False)])
def test_an_answer_is_shown_when_one_of_the_first_five_passages_holds_it(rank: int, shown: bool):
    assert judged(query("When?", "1874"), "Not found.", found=False, cited=False, hits=rank).shown is shown
    assert judged(query("Is it so?", "yes"), "Not found.", found=False, cited=False, hits=rank).shown is shown

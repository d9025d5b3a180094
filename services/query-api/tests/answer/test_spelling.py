"""Which words of a question are slips of the pen, and what was meant."""

from __future__ import annotations

import pytest

from trivium.domain.chunks import Chunk, Span
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.spelling import mended
from trivium_query.answer.understand import Question

TEXT = (
    "Crutches go back to the physiotherapy desk, day or night. The surveyor was allowed in; the horse stayed outside."
)


def hit(text: str) -> Hit:
    chunk = Chunk("c", "d", "v", 0, text, Span(0, len(text)), "f.md", sentences=tuple(split_sentences(text)))
    return Hit(chunk, 1, 1.0)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("where do i give the cruthces back", "where do i give the crutches back"),
        ("can it stay there at nihgt", "can it stay there at night"),
        ("was he alowed in", "was he allowed in"),
        ("Did the surveyer go in?", "Did the surveyor go in?"),
        ("Is there a house?", "Is there a house?"),  # a word of its own, though a letter makes it "horse"
        ("Did the surveyors go in?", "Did the surveyors go in?"),  # more of them
        ("Which is the most exspensive crutch?", "Which is the most expensive crutch?"),  # no passage's
        ("Which damage is the most extensive?", "Which damage is the most extensive?"),  # not "expensive"
        ("how many kilometers is it", "how many kilometers is it"),
        ("how many different ones are there", "how many different ones are there"),  # no "Differenz"
        ("Where is Nihgt?", "Where is Nihgt?"),  # somebody's name, perhaps
        ("wo geben wir die cruthces bei uns zurück", "wo geben wir die cruthces bei uns zurück"),
    ],
)
def test_a_word_that_no_passage_has_is_read_as_the_one_that_was_meant(written: str, meant: str) -> None:
    question, note = mended(Question(written, written), [hit(TEXT)])
    assert question == Question(written, meant)
    assert bool(note) == (written != meant)


def test_of_two_words_as_near_none_is_meant() -> None:
    question, note = mended(Question("the planed tree", "the planed tree"), [hit("Planned by us. Paned with glass.")])
    assert (question.standalone, note) == ("the planned tree", "'planed' was read as 'planned'.")
    both = hit("Their form. From here, and form.")
    assert mended(Question("a fomr", "a fomr"), [both])[1] == ""  # too short

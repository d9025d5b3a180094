"""What a document takes back elsewhere is not its answer, and what a mail quotes is older than it."""

from __future__ import annotations

import pytest
from msgspec import structs

from trivium.domain.chunks import Chunk, SourceSpan, Span
from trivium.domain.parsed import Position
from trivium.domain.quoted_mails import QUOTED
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.direct.corrections import corrected, is_quoted, only_says_whose
from trivium_query.answer.direct.hops import Found


def found(text: str, span: str, document: str = "d") -> Found:
    chunk = Chunk(text, document, "v", 0, text, Span(0, len(text)), "a.eml", sentences=tuple(split_sentences(text)))
    return Found(Hit(chunk, 1, 1.0), text.index(span), text.index(span) + len(span), 1.0, "")


@pytest.mark.parametrize(
    ("newer", "right", "older", "wrong", "denied"),
    [
        ("The roof has 310 square metres, not 280.", "310", "It has 280 square metres.", "280", True),
        ("The roof has 310 square metres, not the 280.", "310", "It has 280 square metres.", "280 square metres", True),
        ("The stand is B-127 in hall 4, not B-117.", "B-127", "We have booked stand B-117.", "B-117", True),
        (
            "We take the Alder Inn, not the lake house.",
            "Alder Inn",
            "I propose the lake house.",
            "the lake house",
            True,
        ),
        ("Das Fest ist am 26. Juli, nicht am 19.", "26. Juli", "Es ist am 19. Juli.", "19. Juli", True),
        ("The roof has 310 square metres, not 280.", "310", "It has 28 square metres.", "28", False),
        ("It does not have 280 square metres.", "280", "It has 280 square metres.", "280", False),
        ("We do not know Ada.", "Ada", "Bo has 52 euros.", "52 euros", False),
    ],
)
def test_what_a_sentence_with_another_answer_denies_is_known(
    newer: str, right: str, older: str, wrong: str, denied: bool
) -> None:
    rows = [found(newer, right), found(older, wrong)]
    assert corrected("How large is it?", rows) == (rows[1:] if denied else [])


def test_nothing_is_taken_back_by_another_document_or_where_the_question_is_of_before() -> None:
    newer, older = "It has 310 square metres, not 280.", "It has 280 square metres."
    assert corrected("How large is it?", [found(newer, "310"), found(older, "280", "other")]) == []
    assert corrected("How large was it at first?", [found(newer, "310"), found(older, "280")]) == []


def test_what_a_mail_quotes_is_told_from_its_own_words() -> None:
    text = "In May.\n\nIn June."
    old = Position(section=(QUOTED, "Ada wrote"))
    places = (SourceSpan(Span(0, 7), Position()), SourceSpan(Span(9, 17), old))
    chunk = Chunk("c", "d", "v", 0, text, Span(0, len(text)), "a.eml", sentences=(Span(0, 7), Span(9, 17)))
    divided, whole = structs.replace(chunk, places=places), structs.replace(chunk, section=old.section)
    assert [is_quoted(Found(Hit(divided, 1, 1.0), at, at + 6, 1.0, "")) for at in (0, 9)] == [False, True]
    assert is_quoted(Found(Hit(whole, 1, 1.0), 0, 6, 1.0, ""))


@pytest.mark.parametrize(
    ("question", "span", "only"),
    [
        ("Who looks after us in July?", "Ada", True),
        ("Who wrote in May?", "Ada", False),
        ("Who looks after us in July?", "Bo", False),
    ],
)
def test_the_line_that_says_whose_a_quotation_is_tells_of_little_else(question: str, span: str, only: bool) -> None:
    line = "On 3 May, Ada wrote"
    text = f"{line}\n\nBo will look after you."
    section, sentences = (QUOTED, line), (Span(0, len(line)), Span(len(line) + 2, len(text)))
    chunk = Chunk("c", "d", "v", 0, text, Span(0, len(text)), "a.eml", section=section, sentences=sentences)
    start = text.index(span)
    sentence = next(one for one in sentences if one.start <= start < one.end)
    found = structs.replace(Found(Hit(chunk, 1, 1.0), start, start + len(span), 1.0, ""))
    assert found.sentence == sentence
    assert only_says_whose(question, found) is only

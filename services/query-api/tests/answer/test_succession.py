"""Who came first, last, before or after somebody."""

from __future__ import annotations

import pytest

from trivium.domain.answers import Verdict
from trivium.domain.chunks import Chunk, Span
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.answerers.succession import answer_by_succession

CLUB = """Chairs of the rowing club

The club has had several chairs.

Ada Falk founded the club in 1951 and led it until 1960.

Otto Brandt led the club from 1960 to 1968.

Vera Lind led the club from 1968 to 1990.

Jon Ek was elected in 1990 and is our chair.

The boathouse is older than the club."""


def hit(text: str, number: int = 1) -> Hit:
    spans = tuple(split_sentences(text))
    return Hit(Chunk(f"c{number}", f"d{number}", "v", 0, text, Span(0, len(text)), "notes.txt", spans), number, 1.0)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who was the first person to lead the club?", "Ada Falk"),
        ("Who was the first chair of the rowing club?", "Ada Falk"),
        ("Who led the club after Otto Brandt?", "Vera Lind"),
        ("Who came before Jon Ek as chair?", "Vera Lind"),
        ("Who was Vera Lind's predecessor?", "Otto Brandt"),
        ("Who was Brandt's successor as chair of the club?", "Vera Lind"),
        ("Who did Otto Brandt succeed?", "Ada Falk"),
        ("Who was followed by Vera Lind?", "Otto Brandt"),
    ],
)
def test_a_row_of_sentences_tells_who_stood_where(question: str, name: str) -> None:
    answered = answer_by_succession(question, [hit(CLUB)])
    assert answered is not None
    assert (answered.draft.short, answered.verdict) == (name, Verdict.SUPPORTED)


@pytest.mark.parametrize(
    ("question", "text", "name"),
    [
        ("Who succeeded Otto Brandt?", "In 1968 Vera Lind succeeded Otto Brandt as chair.", "Vera Lind"),
        ("Who took over from Otto Brandt?", "Otto Brandt was replaced by Vera Lind in 1968.", "Vera Lind"),
        ("Who did Vera Lind replace?", "Vera Lind, who replaced Otto Brandt, was a baker.", "Otto Brandt"),
        ("Who was before Otto Brandt?", "Brandt took the job over from his aunt Vera, who had it.", "Vera"),
        ("Who will take over from Otto Brandt?", "Brandt retires. His successor, Vera Lind, learns.", "Vera Lind"),
        ("Who succeeds Otto Brandt?", "Otto Brandt's successor will be Vera Lind.", "Vera Lind"),
        ("Who succeeded Queen Anne?", "Queen Anne was succeeded by George I.", "George I"),
        ("Who succeeded Otto Brandt after he left?", "Vera Lind succeeded Otto Brandt.", "Vera Lind"),
        ("Who was chair before Vera Lind?", "Otto Brandt handed over to Vera Lind as chair.", "Otto Brandt"),
    ],
)
def test_one_sentence_tells_who_followed_whom(question: str, text: str, name: str) -> None:
    answered = answer_by_succession(question, [hit(text)])
    assert answered is not None
    assert answered.draft.short == name


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who was the first woman to lead the club?", CLUB),  # nothing tells of women
        ("Who led the club before Ada Falk?", CLUB),  # nobody did
        ("Who led the club after Jon Ek?", CLUB),
        ("Who led the club before 1960?", CLUB),
        ("Who was the treasurer after Otto Brandt?", CLUB),
        ("When did Vera Lind follow Otto Brandt?", CLUB),
        ("Who succeeded Vera Lind?", "In 1968 Vera Lind succeeded Otto Brandt as chair."),
        ("Who succeeds Vera Lind?", "Otto Brandt's predecessor was Vera Lind."),
        ("Who succeeds Vera Lind?", "Otto Brandt met Vera Lind. His successor, Jon Ek, learns."),
        ("Who was the first guest?", "Ada Falk came in 1951.\n\nOtto Brandt, a guest, came in 1953."),  # no row
        ("Who won first prize?", CLUB.replace("led the club", "won first prize")),
        ("Who was first to refuse?", CLUB.replace("Vera Lind led", "Vera Lind refused pay and led")),
        ("Who was the first woman to lead the club?", CLUB.replace("Vera Lind led", "Vera Lind, a woman, led")),
        (
            "Who led the club before Jon Ek?",
            "Ada Falk swam in 1951. Mia Holm left in 1960. Jon Ek led the club in 1970.",
        ),
        ("Who led the club before Vera Lind resigned?", CLUB),
        ("Who was chair before and after Otto Brandt?", CLUB),
        ("Who was the club named after Otto Brandt?", CLUB),
        ("Who was not succeeded by Vera Lind?", "Otto Brandt was succeeded by Vera Lind."),
        ("Who succeeded Otto Brandt?", "In 1990 Vera Lind followed Otto Brandt to Paris."),
        ("Who succeeded Otto Brandt?", "Some believe that Vera Lind succeeded Otto Brandt."),
        ("Who succeeded Otto Brandt?", "Both Vera Lind and Jon Ek succeeded Otto Brandt."),
        ("Who succeeded Otto Brandt?", "Vera Lind replaced Otto Brandt's tyre."),
        ("Who succeeded Otto Brandt as mayor?", "A mayor spoke. Vera Lind succeeded Otto Brandt as chair."),
        ("Who was born first?", "Ada Falk was born in 1951.\n\nOtto Brandt swam in 1940.\n\nJon Ek left in 1960."),
    ],
)
def test_what_the_passages_do_not_tell_is_left_to_others(question: str, text: str) -> None:
    assert answer_by_succession(question, [hit(text)]) is None


def test_two_who_are_told_to_have_followed_are_left_to_others() -> None:
    hits = [hit("Vera Lind succeeded Otto Brandt.", 1), hit("Jon Ek succeeded Otto Brandt.", 2)]
    assert answer_by_succession("Who succeeded Otto Brandt?", hits) is None


@pytest.mark.parametrize(
    ("question", "text", "name", "verdict"),
    [
        ("Who led the club last?", CLUB, "Jon Ek", Verdict.SUPPORTED),
        ("Who led the club last?", CLUB[: CLUB.index("\n\nThe boathouse")], "Jon Ek", Verdict.PARTIALLY_SUPPORTED),
        ("Who was the first to lead the club?", CLUB[CLUB.index("Otto") :], "Otto Brandt", Verdict.PARTIALLY_SUPPORTED),
    ],
)
def test_the_end_of_a_row_is_sure_where_the_passage_goes_on(
    question: str, text: str, name: str, verdict: Verdict
) -> None:
    answered = answer_by_succession(question, [hit(text)])
    assert answered is not None
    assert (answered.draft.short, answered.verdict) == (name, verdict)

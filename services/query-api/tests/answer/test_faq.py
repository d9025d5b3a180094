"""What stands under a question that asks the same."""

from __future__ import annotations

import pytest

from trivium.domain.answers import Kind, Verdict
from trivium.domain.chunks import Chunk, Span
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.answerers.faq import answer_by_faq, faqs_in
from trivium_query.answer.kinds import kind_of

HEADINGS = """2.3 How long is a loan of a map?

Four weeks. It can be renewed twice.

2.4 Can I take an atlas home?

No, atlases are read in the map room.

Opening hours

The map room is open on weekdays."""
MARKED = """Q: I lost my card. What shall I do
about it?
A: Tell the desk at once. They will block it.

Q. Can a child have a card?
A. Yes, from six years on."""
INLINE = "**Who looks after the old maps?** Ines Marlow, on the second floor."
DEFINITIONS = """What is a folio?
A sheet that is folded once.
Does the room have lockers?
Yes. They take a coin."""
CONTENTS = """- How long is a loan of a map?
- Can I take an atlas home?
- What is a folio?"""


def hit(text: str, source: str = "notes.txt") -> Hit:
    spans = tuple(split_sentences(text))
    return Hit(Chunk("c1", "d1", "v", 0, text, Span(0, len(text)), source, spans), 1, 1.0)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            HEADINGS,
            {
                "How long is a loan of a map?": ["Four weeks.", "It can be renewed twice."],
                "Can I take an atlas home?": ["No, atlases are read in the map room."],
            },
        ),
        (
            MARKED,
            {
                "I lost my card. What shall I do about it?": ["A: Tell the desk at once.", "They will block it."],
                "Can a child have a card?": ["A. Yes, from six years on."],
            },
        ),
        (
            DEFINITIONS,
            {
                "What is a folio?": ["A sheet that is folded once."],
                "Does the room have lockers?": ["Yes.", "They take a coin."],
            },
        ),
        ("Q: Is it open?\nOn weekdays it is.", {"Is it open?": ["On weekdays it is."]}),
        (
            "Why is the logo shown?\n\nThe file contains the line\n\n/logo=true\n\nSet it to false.",
            {"Why is the logo shown?": ["The file contains the line", "/logo=true", "Set it to false."]},
        ),
        (CONTENTS, {}),
        (f"{CONTENTS}\n\nAll of this is told at the desk.", {}),
        ("ATLAS: May I take one?\nOn weekdays you may.", {"May I take one?": ["On weekdays you may."]}),
        ('"Did he take the map?"\n\n"No, she has it here."', {}),
        ("How old are you?\n\n____ years at your last birthday", {}),
        ("Who brings the maps?\n\nBest regards,\nInes Marlow of the map room", {}),
        ("The boat sank.\n\nWhy?\n\nNobody knows.", {}),
    ],
)
def test_questions_are_found_with_what_stands_under_them(text: str, told: dict[str, list[str]]) -> None:
    assert {one.question: [*one.sentences] for one in faqs_in("", Kind.FACT, [hit(text)])} == told


def answered(question: str, text: str, cosine: float, source: str = "notes.txt") -> tuple[str, str, Verdict] | None:
    """Short answer, first sentence and verdict, where each question of the text is as near as that."""
    hits = [hit(text, source)]
    kind = kind_of(question)
    found = answer_by_faq(question, kind, [(one, cosine) for one in faqs_in(question, kind, hits)[:1]], hits)
    if found is None:
        return None
    return found.draft.short, found.draft.citations[0].quote, found.verdict


STATED = """1. The bees fly away at noon.
2. The hive smells.

1. The bees fly away at noon.

A new queen has been born.

They look for a home.

SMELL: The hive smells.
The wax is old."""


@pytest.mark.parametrize(
    ("question", "cosine", "told"),
    [
        ("Why do the bees fly away at noon?", 0.85, ("A new queen has been born.", Verdict.PARTIALLY_SUPPORTED)),
        ("Why does the hive smell?", 0.95, ("The wax is old.", Verdict.PARTIALLY_SUPPORTED)),
        ("Why does the hive not smell?", 0.95, None),
        ("When do the bees fly away?", 0.85, None),
        ("Do the bees fly away at noon?", 0.95, None),
    ],
)
def test_why_it_is_so_stands_under_what_is_so(question: str, cosine: float, told: tuple[str, Verdict] | None) -> None:
    found = answered(question, STATED, cosine)
    assert (found and found[1:]) == told


ATLAS = "Can I take an atlas home?\n\nNo, atlases are read in the map room."
LOAN = "How do I renew a loan?\n\nWrite to the desk before it ends."


def test_yes_or_no_is_said_where_the_answer_begins_with_it() -> None:
    assert answered("May I take an atlas home?", ATLAS, 0.95) == (
        "no",
        "No, atlases are read in the map room.",
        Verdict.SUPPORTED,
    )
    assert answered("Can an atlas be taken home for reading?", ATLAS, 0.7) == (
        "no",
        "No, atlases are read in the map room.",
        Verdict.PARTIALLY_SUPPORTED,
    )


@pytest.mark.parametrize(
    ("question", "text", "cosine"),
    [
        ("May I not take an atlas home?", ATLAS, 0.95),  # the other way round
        ("Can I take a globe home?", ATLAS, 0.6),  # not near enough
        ("Why can I take an atlas home?", ATLAS, 0.95),
        ("How much does it cost to renew a loan?", LOAN, 0.8),  # a number is asked for
        ("How do I renew a loan in Oxley?", LOAN, 0.9),  # of another place
        ("How do I renew a loan of version 12?", LOAN, 0.9),
        ("Can I renew a loan?", LOAN, 0.95),  # nobody says yes
        ("May I borrow an atlas for a whole week?", ATLAS, 0.7),  # most of it is not told
        ("How do I join?", LOAN, 0.7),  # no word is the same
    ],
)
def test_a_question_that_asks_something_else_is_not_answered_by_it(question: str, text: str, cosine: float) -> None:
    assert answered(question, text, cosine) is None


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("How do I install the plugin?", "How do I uninstall the plugin?"),
        ("How do I enable alerts?", "How do I disable alerts?"),
        ("How do I import contacts?", "How do I export contacts?"),
        ("Can I cancel before the trial ends?", "Can I cancel after the trial ends?"),
        ("How do I open an account?", "How do I close my account?"),
        ("How do I start the night mode?", "How do I stop the night mode?"),
        ("When was the offer accepted?", "When was the offer rejected?"),
        ("When do trains arrive?", "When do trains leave?"),
        ("Which keys are public?", "Which keys are private?"),
        ("When is the arrival?", "When is the departure?"),
        ("How do I log in?", "How do I log out?"),
        ("How do I turn on alerts?", "How do I turn off alerts?"),
        ("How do I install it on windows?", "How do I install it on linux?"),
        ("Is it open on sundays?", "Is it open on mondays?"),
        ("Can I pay by card?", "Can I pay by cheque?"),
        ("How do I convert pdf to word?", "How do I convert word to pdf?"),
        ("Is Java faster than Python?", "Is Python faster than Java?"),
        ("What does version 2 cost?", "What does version 12 cost?"),
    ],
)
def test_a_question_with_an_opposite_or_another_thing_is_not_the_same(question: str, other: str) -> None:
    assert answered(question, f"{other}\n\nYes, as the desk has told everybody.", 0.99) is None
    assert answered(other, f"{question}\n\nYes, as the desk has told everybody.", 0.99) is None


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("How do I remove the app?", "How do I uninstall the app?"),
        ("What are the opening hours of the museum?", "What are the museum's opening hours?"),
        ("How can I export contacts?", "How do I export my contacts?"),
    ],
)
def test_other_words_for_the_same_are_the_same(question: str, other: str) -> None:
    found = answered(question, f"{other}\n\nLook it up at the desk.", 0.93)
    assert found is not None
    assert found[2] is Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("No, but you may copy pages.", "no"),
        ("Yes, unless it is raining.", "yes"),
        ("Yes it is.", "yes"),
        ("Yes, no card is needed.", "yes"),
        ("A: No.", "no"),
        ("Yes and no, it depends.", None),
        ("No problem, of course you may.", None),
        ("No. 5 of the rules says so.", None),
        ("Not yet, but from May on.", None),
        ("( ) Yes\n( ) No", None),
        ("- Yes\n- No", None),
        ("Yes: 64 %\nNo: 36 %", None),
    ],
)
def test_yes_or_no_is_not_said_where_both_or_another_word_is_meant(told: str, said: str | None) -> None:
    found = answered("Can I take an atlas home?", f"Can I take an atlas home?\n{told}", 1.0)
    assert (found and found[0]) == said


def test_choices_of_a_quiz_are_no_sure_answer() -> None:
    quiz = "What is a folio?\n\nA. A folded sheet\nB. A bound book\nC. A small map"
    found = answered("What is a folio?", quiz, 1.0)
    assert found is not None
    assert found[2] is Verdict.PARTIALLY_SUPPORTED


def test_what_the_document_is_about_need_not_be_said_again() -> None:
    found = answered("How do I renew a loan in Oxley?", LOAN, 0.9, "oxley_library_faq.txt")
    assert found == ("", "Write to the desk before it ends.", Verdict.SUPPORTED)


def test_a_list_of_contents_is_no_answer() -> None:
    assert answered("How long is a loan of a map?", CONTENTS, 1.0) is None
    assert kind_of("How do I renew a loan?") is Kind.PROCEDURE


def test_an_inline_answer_ends_with_its_line() -> None:
    assert answered("Who looks after the old maps?", INLINE.replace("*", ""), 1.0) == (
        "",
        "Ines Marlow, on the second floor.",
        Verdict.SUPPORTED,
    )

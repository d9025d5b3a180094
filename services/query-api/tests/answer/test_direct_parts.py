"""The pure parts of a direct answer: what is asked first, what two values decide, what a bracket tells."""

from __future__ import annotations

import pytest

from trivium.domain.chunks import Chunk, Span
from trivium.domain.retrieval import Hit
from trivium_query.answer.direct.comparison import Attribute, comparison_in, decide
from trivium_query.answer.direct.compose import MAX_SENTENCE_WORDS, _steps_of
from trivium_query.answer.direct.hops import Found
from trivium_query.answer.direct.life import Told, life_in
from trivium_query.answer.direct.nested import nested_in, put
from trivium_query.answer.direct.short import fits_wanted, trimmed
from trivium_query.answer.direct.things import Thing, things_in
from trivium_query.answer.direct.values import day_of, is_same_nation, number_of


def hit(title: str, text: str = "") -> Hit:
    chunk = Chunk("c", "d", "v", 0, text, Span(0, len(text)), "file.md", title=title)
    return Hit(chunk, 1, 1.0)


def things(question: str, *titles: str) -> list[Thing]:
    return things_in(question, [hit(title) for title in titles])


@pytest.mark.parametrize(
    ("question", "title", "first", "rest"),
    [
        (
            "Who is the wife of the architect of Corrin Bridge?",
            "Corrin Bridge",
            "architect of Corrin Bridge",
            "Who is the wife of X?",
        ),
        ("Where did Anna Holm's teacher die?", "Anna Holm", "teacher of Anna Holm", "Where did X die?"),
        (
            "When was the town where Anna Holm was born founded?",
            "Anna Holm",
            "town where Anna Holm was born",
            "When was X founded?",
        ),
        (
            "What does the firm that built Corrin Bridge make?",
            "Corrin Bridge",
            "firm that built Corrin Bridge",
            "What does X make?",
        ),
        (
            "who is the wife of the architect of corrin bridge",
            "Corrin Bridge",
            "architect of corrin bridge",
            "who is the wife of X",
        ),
        ("Who is Anna Holm's maternal grandfather?", "Anna Holm", "mother of Anna Holm", "Who is father of X?"),
    ],
)
def test_the_part_about_the_named_thing_is_asked_first(question: str, title: str, first: str, rest: str) -> None:
    found = [
        (one.question, put(question, one, "X"))
        for thing in things(question, title)
        for one in nested_in(question, thing)
    ]
    assert (first, rest) in found


@pytest.mark.parametrize(
    "question",
    ["Who is the architect of Corrin Bridge?", "When was Corrin Bridge opened?", "Where was Anna Holm born?"],
)
def test_a_question_of_one_step_has_no_such_part(question: str) -> None:
    assert [one for thing in things(question, "Corrin Bridge", "Anna Holm") for one in nested_in(question, thing)] == []


def test_two_titles_with_a_word_between_them_are_two_things() -> None:
    question = "Are Anna Holm and Bo Lund from the same country?"
    assert [thing.text for thing in things(question, "Anna Holm", "Bo Lund (painter)")] == ["Anna Holm", "Bo Lund"]


@pytest.mark.parametrize(
    ("question", "attribute", "role", "values", "answer"),
    [
        ("Who was born first, Anna Holm or Bo Lund?", Attribute.BORN, "", ("4 May 1901", "1899"), "Bo Lund"),
        ("Who is younger, Anna Holm or Bo Lund?", Attribute.BORN, "", ("4 May 1901", "1899"), "Anna Holm"),
        (
            "Which of the two died later, Anna Holm or Bo Lund?",
            Attribute.DIED,
            "",
            ("March 1950", "2 May 1950"),
            "Bo Lund",
        ),
        ("Who lived longer, Anna Holm or Bo Lund?", Attribute.LIFETIME, "", ("1900 - 1950", "1900 - 1960"), "Bo Lund"),
        ("Which opened earlier, Anna Holm or Bo Lund?", Attribute.DATE, "", ("1990", "in June 1989"), "Bo Lund"),
        ("Which has more beds, Anna Holm or Bo Lund?", Attribute.NUMBER, "", ("1,200 beds", "3 thousand"), "Bo Lund"),
        ("Were Anna Holm and Bo Lund of the same nationality?", Attribute.NATION, "", ("Danish", "Denmark"), "yes"),
        ("Do Anna Holm and Bo Lund have the same employer?", Attribute.NAMED, "", ("Novo Works", "Lego"), "no"),
        (
            "Are the directors of Anna Holm and Bo Lund from the same country?",
            Attribute.NATION,
            "director",
            ("US", "American"),
            "yes",
        ),
        (
            "Which film has the older director, Anna Holm or Bo Lund?",
            Attribute.BORN,
            "director",
            ("1920", "1930"),
            "Anna Holm",
        ),
    ],
)
def test_two_things_are_compared_by_what_the_question_asks(
    question: str, attribute: Attribute, role: str, values: tuple[str, str], answer: str
) -> None:
    comparison = comparison_in(question, things(question, "Anna Holm", "Bo Lund"))
    assert comparison is not None
    assert (comparison.attribute, comparison.role) == (attribute, role)
    assert decide(comparison, *values) == answer


@pytest.mark.parametrize(
    "question",
    [
        "Where did Anna Holm and Bo Lund meet?",
        "Who taught Anna Holm or Bo Lund?",
        "When was Anna Holm born?",
        "What did Anna Holm first paint?",
    ],
)
def test_what_names_two_things_without_comparing_is_no_comparison(question: str) -> None:
    assert comparison_in(question, things(question, "Anna Holm", "Bo Lund")) is None


def test_equal_values_decide_nothing() -> None:
    question = "Who was born first, Anna Holm or Bo Lund?"
    comparison = comparison_in(question, things(question, "Anna Holm", "Bo Lund"))
    assert comparison is not None
    assert decide(comparison, "1900", "1900") == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Jan Has (1 April 1925, Kraków \u2013 3 October 2000, Łódź) was",
            ("1 April 1925", "Kraków", "3 October 2000", "Łódź"),
        ),
        ("Jan Has (1925\u20132000) was", ("1925", None, "2000", None)),
        ("Jan Has (born April 1, 1925 in Kraków) is", ("April 1, 1925", "Kraków", None, None)),
        ("Jan Has (b. 1925) is", ("1925", None, None, None)),
        ("Jan Has (died 3 October 2000) was", (None, None, "3 October 2000", None)),
        ("The bridge (212 metres) crosses", (None, None, None, None)),
        ("Jan Has is a painter.", (None, None, None, None)),
    ],
)
def test_a_bracket_after_the_name_tells_birth_and_death(text: str, told: tuple[str | None, ...]) -> None:
    life = life_in(hit("Jan Has", text))

    def words(part: Told | None) -> str | None:
        return text[part.start : part.end].strip() if part else None

    assert tuple(map(words, (life.born, life.birthplace, life.died, life.deathplace))) == told


def test_days_numbers_and_nations_are_read_from_words() -> None:
    assert [day_of(text) for text in ("4 May 1901", "May 4, 1901", "1901", "44 BC", "soon")] == [
        (1901, 5, 4),
        (1901, 5, 4),
        (1901, 0, 0),
        None,
        None,
    ]
    assert [number_of(text) for text in ("1,200 beds", "3.5 million", "none")] == [1200.0, 3_500_000.0, None]
    assert is_same_nation("Indian", "India")
    assert is_same_nation("American", "US")
    assert not is_same_nation("Indian", "Indonesia")


@pytest.mark.parametrize(
    ("wants", "text", "fits"),
    [
        ("number", "412", True),
        ("number", "eleven of forty", True),
        ("number", "21 July 2023", False),
        ("number", "Ilse Brandt", False),
        ("date", "in May 1901", True),
        ("date", "Ilse Brandt", False),
        ("name", "Ilse Brandt", True),
        ("name", "21 July 2023", False),
        ("", "anything", None),
    ],
)
def test_an_answer_is_of_the_kind_that_is_asked_for(wants: str, text: str, fits: bool | None) -> None:
    assert fits_wanted(wants, text) is fits


@pytest.mark.parametrize(
    ("text", "span", "wants", "short"),
    [
        ("It was built by Ingrid Solberg, who", "by Ingrid Solberg,", "", "Ingrid Solberg"),
        ("It opened on 12 May 1968.", "1968", "date", "12 May 1968"),
        ("He met Anna Holm( 1901", "Anna Holm( 1901", "", "Anna Holm"),
        ("led by the engineer Bo Lund and others", "the engineer Bo Lund and others", "name", "Bo Lund"),
    ],
)
def test_a_span_is_cut_to_the_answer(text: str, span: str, wants: str, short: str) -> None:
    start = text.index(span)
    a, b = trimmed(Found(hit("t", text), start, start + len(span), 1.0, "q"), wants)
    assert text[a:b] == short


@pytest.mark.parametrize("between", [" ", "\n", "\t"])
def test_a_long_sentence_is_shown_in_part_whatever_stands_between_its_words(between: str) -> None:
    text = between.join(["heron"] * (MAX_SENTENCE_WORDS + 5))
    (said,) = _steps_of(Found(hit("Weir", text), 0, 5, 1.0, "What waits?"))
    assert len(said.text.split()) <= MAX_SENTENCE_WORDS

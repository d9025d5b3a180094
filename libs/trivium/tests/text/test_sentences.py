# ruff: noqa: RUF001  (other scripts' marks are the subject here)
from __future__ import annotations

import pytest
from growth import LINEAR, growth
from hypothesis import given
from hypothesis import strategies as st

from trivium.domain.chunks import Span
from trivium.text.sentences import MAX_SENTENCE_CHARS, split_sentences


def sentences(text: str) -> list[str]:
    return [span.of(text) for span in split_sentences(text)]


def check_invariants(text: str) -> None:
    spans = split_sentences(text)
    covered = [False] * len(text)
    at = 0
    for span in spans:
        assert at <= span.start < span.end <= len(text)
        assert span.end - span.start <= MAX_SENTENCE_CHARS
        assert span.of(text) == span.of(text).strip()
        at = span.end
        covered[span.start : span.end] = [True] * (span.end - span.start)
    assert all(seen or char.isspace() for seen, char in zip(covered, text, strict=True))


PIECES = st.sampled_from(
    [
        *list('Aa.!)"\n\v\u2028 \t。…'),
        *["Dr. ", "word ", "The ", ". ", "? ", "\n\n", "- ", "1. ", "3.5", "[1]", "\r\n", "x" * 400],
        *["日本", "ร้านกาแฟริมน้ำ ", "  ", "e.g. ", "U.S. ", ", ", "# "],
    ]
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_every_visible_character_lies_in_exactly_one_sentence(text: str) -> None:
    check_invariants(text)


@given(st.text(max_size=300))
def test_any_text_at_all_is_covered_in_order(text: str) -> None:
    check_invariants(text)


def test_lines_that_begin_with_labels_are_no_paragraph() -> None:
    lines = [
        "gauge.keys: height, flow, temperature, keeper # what it tells",
        "gauge.interval: 30 # seconds between two looks at the weir",
        "gauge.keeper: Ada Quill, who lives at the weir # rings back",
    ]
    assert sentences("\n".join(lines)) == lines
    assert sentences("\n".join(lines[:2])) == lines[:2]
    prose = "The weir is looked at by the keeper, who notes the height and the\nflow: both in a book that lies there."
    assert sentences(prose) == [prose]


def test_sentences_end_at_full_stops_question_and_exclamation_marks() -> None:
    assert sentences("It works. Does it? Yes! Good.") == ["It works.", "Does it?", "Yes!", "Good."]


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Smith met Mr. J. R. Tolkien near St. Andrews.",
        "The U.S. Senate voted at 3 p.m. Eastern time.",
        "It costs 3.50 dollars, e.g. Apples from Acme Inc. Chicago.",
        "See Fig. 3 and No. 5 in vol. 2, pp. 10-12.",
        'He asked "why?" and left.',
        "Am 3. Oktober feiert Deutschland.",
        "Use Node.js or example.com/a.b?c for v1.2.3 now.",
        "1. Preheat the oven.",
        "a. Preheat the oven.",
    ],
)
def test_abbreviations_initials_decimals_and_numbering_end_no_sentence(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("He works for Acme Inc. The firm is old.", 2),
        ("She left at 5 p.m. It was dark.", 2),
        ("In the garden music may go on until 9 p.m. Fireworks and confetti are forbidden.", 2),
        ("The office closes for the day at 5 p.m. Monday to Friday.", 1),
        ("At 5 p.m. Anna left.", 1),
        ("The hall is open all day. At 5 p.m. Anna left.", 2),
        (
            "https://example.org/a/long/address/of/a/programme/of/a/summer is open until 9 p.m. Fireworks follow.",
            2,
        ),
        ("He said no. Then he left.", 2),
        ("He was born in 1971. Paris was his home.", 2),
        ('"It ends." She left.', 2),
        ("It ends (so he says.) She left.", 2),
        ("It ends.[12] She left.", 2),
        ("今天天气很好。我们去公园吧！好吗？", 3),
        ("「そうです。」彼は言った。", 2),
        ("यह एक वाक्य है। यह दूसरा है।", 2),
        ("هل هذا جيد؟ نعم.", 2),
        ("Es regnet. Er bleibt zu Hause.", 2),
    ],
)
def test_true_sentence_ends_are_found(text: str, count: int) -> None:
    assert len(sentences(text)) == count


def test_sentences_without_an_end_mark_are_cut_between_clauses() -> None:
    one = "ร้านกาแฟริมน้ำเปิดเมื่อปี 2558 โดยคุณสมชาย ใจดี ตั้งอยู่ที่ถนนเจริญกรุงในกรุงเทพมหานคร"
    other = "ร้านเปิดทุกวันตั้งแต่เจ็ดโมงเช้าถึงหกโมงเย็น คุณมาลี สุขใจ เป็นผู้จัดการร้านคนปัจจุบันของเรา"
    assert sentences(f"{one} {other}") == [one, other]
    assert sentences(f"{other[:45]}  {other[45:]}") == [other[:45].strip(), other[45:].strip()]
    row = "กาแฟเย็น  65 บาท  ชาไทย  50 บาท"
    assert sentences(row) == [row]


def test_list_items_headings_and_table_rows_stand_alone() -> None:
    text = "Intro\n\n- first item\n- second item\n1. third\nName: Ann; Age: 3\nName: Bob; Age: 4"
    assert sentences(text) == [
        "Intro",
        "- first item",
        "- second item",
        "1. third",
        "Name: Ann; Age: 3",
        "Name: Bob; Age: 4",
    ]


def test_a_number_behind_a_dash_stays_with_its_item() -> None:
    items = ["- 4.2. The keeper may end it.", "- a. Rope is lent", "- iv. Boats are not", "- (b) Nets. "]
    assert sentences("\n".join(items)) == [item.strip() for item in items]


def test_lines_of_a_table_stand_alone_though_they_are_long_and_go_on_in_small_letters() -> None:
    lifts = [f"lift {number} load 8 t radius 12 m operator Hallgren" for number in (1, 2, 3)]
    assert sentences("\n".join(lifts)) == lifts
    codes = [f"p{number} means that it takes so many hours to answer it" for number in (1, 2, 3)]
    assert sentences("\n".join(codes)) == codes
    wrapped = (
        "lift 1 is the one that carries most of all and\nlift 1 has the best of the views of the quarry and\nit is red"
    )
    assert len(sentences(wrapped)) == 1


def test_lines_broken_by_width_are_put_together_again() -> None:
    text = (
        "The committee of the association met on the first\n"
        "day of the month and decided with the voice of\n"
        "Barack Obama that nothing at all should ever be\n"
        "changed. The members went home."
    )
    assert len(sentences(text)) == 2


def test_wrapped_lines_with_carriage_returns_are_put_together_too() -> None:
    text = "The committee of the association met on the first\r\nday of the month and then it went home."
    assert sentences(text) == [text]


def test_an_endless_sentence_is_cut_at_a_clause() -> None:
    text = "; ".join(["word " * 30 + "end"] * 20)
    found = sentences(text)
    assert len(found) > 1
    assert all(sentence.endswith((";", "end")) for sentence in found)


def test_text_without_visible_characters_has_no_sentences() -> None:
    assert split_sentences("") == ()
    assert split_sentences(" \n\t\u2028 ") == ()


def test_wrapped_prose_below_a_narrow_term_goes_on_over_its_lines() -> None:
    text = (
        "hiveport port\n"
        "The hiveport directive allows the port that is used for watching\n"
        "hives (via the hivec program) to be altered from its default\n"
        "(323). If set to 0, hived will not open the port, as told by\n"
        "NTP servers."
    )
    assert [one.replace("\n", " ") for one in sentences(text)] == [
        "hiveport port",
        "The hiveport directive allows the port that is used for watching hives (via the hivec program) to be altered "
        "from its default (323).",
        "If set to 0, hived will not open the port, as told by NTP servers.",
    ]


def test_lines_below_a_narrow_one_that_are_no_prose_stay_apart() -> None:
    text = "Guests\nAnna Keller, 12 Mill Lane, Upper Harrow, Kent\nBert Osei, 3 Station Road, Lower Harrow, Kent\nCarl"
    assert len(sentences(text)) == 4


@pytest.mark.parametrize("name", ["retryDelay", "max_size", "iPhone"])
def test_a_sentence_may_begin_with_a_name_in_small_letters(name: str) -> None:
    assert sentences(f"The limit is 5. {name} is 30 by default.") == ["The limit is 5.", f"{name} is 30 by default."]


@pytest.mark.parametrize(
    "text",
    [
        "See e.g. retryDelay in the file.",
        "It took approx. max_size bytes.",
        "He came at 5. pm.",
        "Die Hülle ist inkl. iPhone zu haben.",
        "cp [OPTION]... fileName folder",
    ],
)
def test_an_abbreviation_before_a_name_in_small_letters_ends_no_sentence(text: str) -> None:
    assert len(sentences(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        '"Stop! Thief!" he cried.',
        'The prompt "Go on? Yes or no" appears twice.',
        "He said “Wait. Here it comes!” and ran off.",
        '"Who is it?" Tom asked.',
        "Ada Falk founded the rowing club in August and led it until March\n1996.",
        "It was first named for the plastic dinosaur that appeared in the\nToy Barn films.",
    ],
)
def test_a_sentence_goes_on_behind_a_mark_in_quotes_and_a_line_that_leads_on(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('He cried "Stop!" Tom ran.', 2),
        ('He cried "Stop! Thief!" Tom ran.', 3),
        ('The pipe is 5" wide. It leaks. The 3" one "holds" well.', 3),
        ("The first of the three boats was sold in March\nThe second was kept.", 2),
        ('"It is late." Tom said so twice.', 2),
        ("What the tablets are and what they are used for\nThey hold pelastine.", 2),
        ("15;marriage on a Saturday;castle;May to September\n16;moped plate;at once", 2),
        ("We sold the most boats of the year in March\n12 members joined", 2),
        ("apt install hive\nhivectl init --store /srv/hive/combs --all\nhivectl enable --now every hive in it", 2),
    ],
)
def test_other_quotes_and_lines_end_a_sentence_as_before(text: str, count: int) -> None:
    assert len(sentences(text)) == count


def test_spans_count_in_the_given_text() -> None:
    assert split_sentences("  One.  Two. ") == (Span(2, 6), Span(8, 12))


@pytest.mark.parametrize(
    "unit", [".", "\v", "\n ", ")", "x", " ", "a.", "A. ", "[1]", ".)", "\r\n", "。", "- ", '"! A']
)
def test_hostile_repetition_takes_linear_time(unit: str) -> None:
    assert growth(lambda chars: split_sentences(unit * (chars // len(unit))), 20_000) < LINEAR


def test_a_log_on_one_line_with_many_hours_takes_linear_time() -> None:
    assert growth(lambda hours: split_sentences("At 5 p.m. Xa " * hours), 4_000) < LINEAR

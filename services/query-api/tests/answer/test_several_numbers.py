"""Sentences with several numbers: by how much one differs from another, and which of them the question is of."""

from __future__ import annotations

import pytest

from trivium.domain.chunks import Chunk, Span
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.direct.choose import choose, shipped
from trivium_query.answer.direct.clauses import is_clear
from trivium_query.answer.direct.differences import what_was
from trivium_query.answer.direct.hops import Found
from trivium_query.answer.direct.labels import aged_in, has_another_role, is_part_of_ratio, numbered_in, ratio_in
from trivium_query.answer.direct.opposites import is_required
from trivium_query.answer.direct.short import fits_wanted, trimmed
from trivium_query.answer.direct.yes_no import yes_or_no
from trivium_query.answer.evidence import analyse, candidates
from trivium_query.answer.extractive import extract

LIST = "There are 41 households on the list, nine fewer than a year ago."
MOSSES = "We found 57 mosses, 12 more than at the first visit in 2019."
TICKETS = "Bicycles cost 40 kroner, as before; e-bikes weigh more and cost 60."


def hit(text: str) -> Hit:
    sentences = tuple(split_sentences(text))
    return Hit(Chunk("c", "d", "v", 0, text, Span(0, len(text)), "file.md", sentences=sentences), 1, 1.0)


def found(text: str, span: str, odds: float = 1.0) -> Found:
    return Found(hit(text), text.index(span), text.index(span) + len(span), odds, "")


@pytest.mark.parametrize(
    ("question", "text", "was"),
    [
        ("How many households were on the list a year ago?", LIST, "50"),
        ("How many mosses were found in 2019?", MOSSES, "45"),
        ("How many mosses were found before?", MOSSES, "45"),
        ("What did the pass cost last year?", "The pass costs 48 euros, 6 euros more than last year.", "42 euros"),
        (
            "How many came the year before?",
            "In 2024 38,200 came, about 4,000 more than the year before.",
            "about 34,200",
        ),
        ("What was the score in June?", "The score is 6.4, 2.1 more than in June.", "4.3"),
        (
            "how many children got the 25 metres badge the year before last?",
            "Last year 64 children earned their 25 metres badge, 12 more than the year before.",
            "52",
        ),
        ("How many are there?", "1234567 are there, 3 more than in June.", ""),
        ("How many were there in June?", "There are 1234567, 3 more than in June.", "1234564"),
        ("How many households are on the list?", LIST, ""),
        ("Did the list have 41 households a year ago?", LIST, ""),  # yes or no
        ("How many fewer households are on the list than a year ago?", LIST, ""),
        ("How many houses were on the list a year ago?", LIST, ""),  # of other things
        ("How many mosses were found in 2011?", MOSSES, ""),
        ("What did the pass cost last year?", "The pass costs 48 euros, 6 percent more than last year.", ""),
    ],
)
def test_what_was_follows_from_what_is_and_by_how_much_it_differs(question: str, text: str, was: str) -> None:
    hits = [hit(text)]
    told = what_was(question, candidates(analyse(question, hits), hits, None, {}))
    assert (told.short if told else "") == was


@pytest.mark.parametrize(
    ("question", "text", "span", "clear"),
    [
        ("What does an e-bike cost?", TICKETS, "40", False),
        ("What does an e-bike cost?", TICKETS, "60", True),
        ("What do bicycles cost?", TICKETS, "40", True),
        ("What does the pass cost?", "The pass costs 8 euros; a dog 2 euros.", "8", True),
        ("What does the pass cost for dogs?", "The pass costs 8 euros; dogs pay 2 euros.", "8", False),
    ],
)
def test_a_number_is_not_told_with_confidence_where_another_has_the_questions_words(
    question: str, text: str, span: str, clear: bool
) -> None:
    hits = [hit(text)]
    asked = analyse(question, hits)
    (sentence,) = candidates(asked, hits, None, {})
    assert is_clear(asked, found(text, span), sentence) is clear


@pytest.mark.parametrize(
    ("question", "wants"),
    [
        ("Who decides when there is fog?", "name"),
        ("When was the man who built it born?", "date"),
        ("How many of those who came stayed?", "number"),
        ("What colour is the lamp when the tank is full?", ""),
        ("What's the name of the man who bought it?", "name"),
        ("In what year was it built?", "date"),
        ("What is it?", ""),
    ],
)
def test_the_first_word_that_asks_says_what_is_wanted(question: str, wants: str) -> None:
    assert analyse(question, []).wants == wants


def test_new_is_not_asked_for_where_nothing_is_called_so() -> None:
    question = "Who is the new chair?"
    elsewhere = hit("The new pump works.")
    assert "new" not in analyse(question, [hit("Ada Berg was elected chair."), elsewhere]).weights
    assert "new" in analyse(question, [hit("Ada Berg is the new chair.")]).weights
    assert "new" in analyse("What is new?", []).weights


def test_a_span_of_days_is_told_from_its_beginning() -> None:
    text = "The ship is in the yard from 19 October until 6 November for a new gearbox."
    start, end = trimmed(found(text, "until 6 November"), "number")
    assert text[start:end] == "19 October until 6 November"


@pytest.mark.parametrize(
    ("text", "span", "short"),
    [
        ("It must stand at least 30 cm from any wall.", "at least 30 cm", "at least 30 cm"),
        ("It begins at 30 cm.", "at 30 cm", "30 cm"),
    ],
)
def test_a_bound_is_told_whole(text: str, span: str, short: str) -> None:
    start, end = trimmed(found(text, span), "number")
    assert text[start:end] == short


def test_of_two_ordinals_both_are_told() -> None:
    text = "The dome is open on the first and third Friday of each month."
    start, end = trimmed(found(text, "third Friday"), "")
    assert text[start:end] == "first and third Friday"


def test_a_thing_is_called_by_the_number_behind_it() -> None:
    text = "Bus 41 stops at the church."
    (told,) = numbered_in("Which bus goes to the church?", hit(text))
    assert text[told.start : told.end] == "41"
    assert not list(numbered_in("Which bus of the two goes there?", hit(text)))


VILLAGE = """On Friday Walter Pym turned 100. Nora Quill, who keeps the post office, turned 81 last week.
Edna Pym is 12 km from home and was 97 in March. Old Tom is 12 metres tall."""


@pytest.mark.parametrize(
    ("question", "ages"),
    [
        ("How old is Walter Pym?", ["100"]),
        ("How old is Nora Quill?", ["81"]),
        ("How old is Nora?", ["81"]),
        ("How old is Edna Pym?", []),
        ("How old is Old Tom?", []),
        ("How tall is Walter Pym?", []),
        ("How old was Walter Pym when he left?", []),
    ],
)
def test_an_age_is_told_by_the_way(question: str, ages: list[str]) -> None:
    assert [VILLAGE[told.start : told.end] for told in aged_in(question, hit(VILLAGE))] == ages


MORTAR = "Mix mortar in a ratio of 1 part cement to 4 parts sand. Pave with one part cement to six parts sand. Or 3:2."


@pytest.mark.parametrize(
    ("question", "ratios"),
    [
        ("What is the ratio of cement to sand in mortar?", ["1 part cement to 4 parts sand"]),
        ("In what proportion are cement and sand mixed to pave?", ["one part cement to six parts sand"]),
        ("What is the ratio of cement to sand?", []),  # of two
        ("What is the ratio of lime to gypsum?", []),
        ("How much cement is in mortar?", []),
    ],
)
def test_a_ratio_is_told_whole(question: str, ratios: list[str]) -> None:
    assert [MORTAR[told.start : told.end] for told in ratio_in(question, hit(MORTAR))] == ratios


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("How old is Ada Quill?", "Ada Quill was 12 in 1950.", []),
        ("How old was Ada Quill?", "Ada Quill was 12 in 1950.", ["12"]),
        ("How old is Ada?", "Ada reached 14,000 votes.", []),
        ("How old is Ada?", "Ada is 3 in the queue.", []),
        ("What is the ratio of women to men?", "There are 3 women and men at 10:30.", []),
        ("What is the ratio of women to men?", "We grew from two to three women and men.", []),
        ("What proportion of the members came?", "Of 10 to 12 members came a part.", []),
    ],
)
def test_a_number_of_another_kind_is_no_age_and_no_ratio(question: str, text: str, told: list[str]) -> None:
    found = [*aged_in(question, hit(text)), *ratio_in(question, hit(text))]
    assert [text[one.start : one.end] for one in found] == told


def test_one_number_of_a_ratio_is_no_ratio() -> None:
    at = MORTAR.index("3:2")
    asked = "What ratio was it?"
    assert [is_part_of_ratio(asked, hit(MORTAR), at, at + size) for size in (1, 3)] == [True, False]
    assert not is_part_of_ratio("What was the score?", hit(MORTAR), at, at + 1)


def test_a_weekday_is_no_part_of_a_name() -> None:
    start, end = trimmed(found(VILLAGE, "Friday Walter Pym"), "name")
    assert VILLAGE[start:end] == "Walter Pym"
    start, end = trimmed(found("Miss Friday Jones sang.", "Friday Jones"), "name")
    assert "Miss Friday Jones sang."[start:end] == "Friday Jones"


@pytest.mark.parametrize(("text", "fits"), [("22.40", True), ("6.10", True), ("24.40", False), ("3.75 m", False)])
def test_an_hour_may_be_written_with_a_dot(text: str, fits: bool) -> None:
    assert fits_wanted("date", text) is fits


def test_who_has_another_role_in_brackets_is_not_asked_for() -> None:
    text = "Between Ferris Holdings (the landlord) and Amara Bello (the tenant)."
    ends = [text.index(name) + len(name) for name in ("Ferris Holdings", "Amara Bello")]
    asked = "Who is the landlord of 7 Quay Lane?"
    assert [has_another_role(asked, hit(text), end) for end in ends] == [False, True]
    assert not any(has_another_role("Who signed the lease?", hit(text), end) for end in ends)


def test_what_is_demanded_cannot_be_done_without() -> None:
    demanded = "Keepers must be members and insured."
    assert is_required("Can I keep bees without insurance?", demanded)
    assert not is_required("Can I keep bees without a garden?", demanded)
    assert not is_required("Can I keep bees without insurance?", "Insured keepers pay less.")
    assert not is_required("Do I need insurance?", demanded)


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("Did the list have 41 households a year ago?", ""),  # 50
        ("Are there 41 households on the list?", "yes"),
    ],
)
def test_what_is_told_now_is_not_said_of_what_it_is_compared_with(question: str, short: str) -> None:
    decided = yes_or_no(question, extract(question, [hit(LIST)], None, {}))
    assert (decided.short if decided else "") == short


KEEPER = "Signe Hallberg was born on Skarvholm in 1931. In 1967 she was made head keeper."
ROCK = "For most of its time three families lived on the rock. In 1912 there were fourteen children, the most ever."


@pytest.mark.parametrize(
    ("question", "text", "better", "other"),
    [
        ("When did Signe Hallberg become head keeper?", KEEPER, "1967", "1931"),  # born then
        ("How many children lived on the rock at most?", ROCK, "fourteen", "three"),  # families
        ("How many families lived on the rock?", ROCK, "three", "fourteen"),
    ],
)
def test_a_number_of_what_is_asked_and_a_day_of_no_birth_go_before_others(
    question: str, text: str, better: str, other: str
) -> None:
    rows = [found(text, span) for span in (other, better)]
    told = choose(analyse(question, [hit(text)]), question, rows, {}, {}, shipped())
    assert told[0].short == better


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("Was the cyclist wearing a helmet?", "yes"),
        ("Was the cyclist wearing a red helmet?", ""),
        ("Was the driver wearing a helmet?", ""),  # nobody has named one
        ("Did the cyclist stop near the railway bridge?", ""),
        ("Was the cyclist wearing gloves?", "no"),
    ],
)
def test_whom_a_pronoun_stands_for_is_told_before_it(question: str, short: str) -> None:
    text = (
        "A van overtook a cyclist near the railway bridge. She fell. She was wearing a helmet. "
        "She was not wearing gloves."
    )
    decided = yes_or_no(question, extract(question, [hit(text)], None, {}))
    assert (decided.short if decided else "") == short


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("Is the museum open on Mondays?", "no"),
        ("Is the museum open on Sundays?", "yes"),
        ("Is the café open on Mondays?", ""),  # not what the sentence before is of
    ],
)
def test_what_is_open_is_told_in_the_sentence_before(question: str, short: str) -> None:
    text = "News. There is a café in the yard. Since 1996 the mill is a museum. Open Saturday and Sunday, 11 to 4."
    decided = yes_or_no(question, extract(question, [hit(text)], None, {}))
    assert (decided.short if decided else "") == short


def test_what_the_rest_of_a_sentence_allows_says_nothing_of_what_is_left_out() -> None:
    text = "Hens are welcome, up to eight a plot; cockerels are not."
    for question, short in (("Am I allowed a cockerel?", "no"), ("Are hens allowed?", "yes")):
        decided = yes_or_no(question, extract(question, [hit(text)], None, {}))
        assert (decided.short if decided else "") == short


def test_what_was_in_the_year_of_the_question_goes_first() -> None:
    text = "The mill was built by Jonas Weir in 1874. In 1921 it was bought by the Tolland family."
    rows = [found(text, "Jonas Weir", odds=3.0), found(text, "Tolland", odds=1.0)]
    question = "Who was the mill sold to in 1921?"
    assert choose(analyse(question, [hit(text)]), question, rows, {}, {}, shipped())[0].short == "Tolland"
    question = "Who was the mill sold to?"
    assert choose(analyse(question, [hit(text)]), question, rows, {}, {}, shipped())[0].short == "Jonas Weir"


@pytest.mark.parametrize(("question", "short"), [("a full plot", "64 pounds"), ("a half plot", "36 pounds")])
def test_what_is_for_others_is_left_out(question: str, short: str) -> None:
    text = "The rent is 64 pounds for a full plot and 36 pounds for a half plot."
    rows = [found(text, span) for span in ("64 pounds", "36 pounds")]
    question = f"What does {question} cost?"
    assert [one.short for one in choose(analyse(question, [hit(text)]), question, rows, {}, {}, shipped())] == [short]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How long does program P1 take?", {"11 hours"}),
        ("How long does program P3 take?", {"13 hours"}),
        ("How long does program P7 take?", {"11 hours", "13 hours"}),
        ("How long does program E3 take?", {"11 hours", "13 hours"}),
    ],
)
def test_what_is_told_of_another_code_is_left_out(question: str, told: set[str]) -> None:
    text = "Programs: P1 biscuit firing, 11 hours. P3 stoneware, 13 hours. It dries for 30 minutes."
    rows = [found(text, span) for span in ("11 hours", "13 hours", "30 minutes")]
    chosen = choose(analyse(question, [hit(text)]), question, rows, {}, {}, shipped())
    assert {one.short for one in chosen} == told | {"30 minutes"}


def test_another_code_may_be_what_is_asked() -> None:
    text, question = "E-17 means that the lid is open. Then E-18 is shown.", "Which error follows E-17?"
    rows = [found(text, span) for span in ("the lid is open", "E-18")]
    chosen = choose(analyse(question, [hit(text)]), question, rows, {}, {}, shipped())
    assert "E-18" in {one.short for one in chosen}

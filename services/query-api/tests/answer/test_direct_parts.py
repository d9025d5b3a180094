"""The pure parts of a direct answer: what is asked first, what two values decide, what a bracket tells."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest
from growth import LINEAR, growth

from trivium.domain.answers import Verdict
from trivium.domain.chunks import Chunk, Span
from trivium.domain.citations import Citation
from trivium.domain.retrieval import Hit
from trivium.ports.inference import Passage, Reading, ReadSpan
from trivium.text.sentences import split_sentences
from trivium_query.answer.citations import Draft
from trivium_query.answer.direct import answer_directly as directly
from trivium_query.answer.direct.answer_directly import (
    _bears_on,
    _has_names_of,
    _has_numbers_of,
    _is_form_asked_for,
    _is_heading,
    _is_of_others,
    _is_of_the_kind,
    _is_one_of_several,
    _is_told_elsewhere,
    _is_way_told,
    _tells_of_another,
    answer_directly,
)
from trivium_query.answer.direct.choose import Chosen, shipped
from trivium_query.answer.direct.comparison import Attribute, comparison_in, decide
from trivium_query.answer.direct.compose import MAX_SENTENCE_WORDS, _steps_of, sentences_of
from trivium_query.answer.direct.confidence import Confidence
from trivium_query.answer.direct.direct import Direct, read_directly
from trivium_query.answer.direct.focus import focus_of, is_elsewhere
from trivium_query.answer.direct.hops import Found, read_once
from trivium_query.answer.direct.identifiers import holds_each, identifiers_in
from trivium_query.answer.direct.life import Told, life_in
from trivium_query.answer.direct.listed import list_around
from trivium_query.answer.direct.nested import nested_in, put
from trivium_query.answer.direct.short import fits_wanted, tells_time, trimmed
from trivium_query.answer.direct.things import Thing, things_in
from trivium_query.answer.direct.units import is_measured
from trivium_query.answer.direct.values import day_of, is_same_nation, number_of
from trivium_query.answer.direct.yes_no import Decided
from trivium_query.answer.direct.yes_no_read import MAX_READ, NO, WORDS, YES, passage_of, read_yes_or_no, worth_reading
from trivium_query.answer.evidence import Asked, Candidate
from trivium_query.answer.extractive import Extract, extract
from trivium_query.answer.support import measure


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
        ("number", "half an hour", True),
        ("number", "an hour and a day", True),
        ("number", "an engineer", False),
        ("date", "in May 1901", True),
        ("date", "the third of the month", True),
        ("date", "the first Monday of each month", True),
        ("date", "the third of the brothers", False),
        ("date", "Ilse Brandt", False),
        ("name", "Ilse Brandt", True),
        ("name", "21 July 2023", False),
        ("", "anything", None),
    ],
)
def test_an_answer_is_of_the_kind_that_is_asked_for(wants: str, text: str, fits: bool | None) -> None:
    assert fits_wanted(wants, text) is fits


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("Hot meals until 2.", True),
        ("Supper is served at half past six, in one sitting.", True),
        ("Hand in your claim by the fifth working day of the following month.", True),
        ("The blue tokens can be used until the autumn holidays.", True),
        ("Cancellation is free until 48 hours before arrival.", True),
        ("A second desk was not bought, because the supplier went out of business.", False),
        ("The bus leaves at 7.30 from the north gate.", False),  # of a day or a price, "at 7.30" may be either
        ("For the summer hall we paid the deposit.", False),
    ],
)
def test_a_time_may_be_told_without_a_date(text: str, tells: bool) -> None:
    assert tells_time(text) is tells


@pytest.mark.parametrize(
    ("question", "text", "measured"),
    [
        ("How many years is it under guarantee?", "three years", True),
        ("How many years is it under guarantee?", "60 days", False),
        ("How many litres does the tank hold?", "70 litres", True),
        ("How many litres does the tank hold?", "12 m", False),
        ("How many swans were there?", "41 swans", False),  # in no unit
        ("What thickness of pellet is the right one?", "Only pellets of 6 mm go in.", True),
        ("What thickness of pellet is the right one?", "The right fuse is one of 4 A.", False),
        ("What is the weight of the case?", "It weighs 13 kg.", True),
    ],
)
def test_how_many_of_a_unit_wants_that_unit(question: str, text: str, measured: bool) -> None:
    assert is_measured(question, text) is measured


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


def test_a_question_is_of_one_document_where_most_of_the_best_hits_are() -> None:
    def ranked(*documents: str) -> list[Hit]:
        hits = [hit(name) for name in documents]
        chunks = [
            msgspec.structs.replace(one.chunk, document_id=name) for one, name in zip(hits, documents, strict=True)
        ]
        return [Hit(chunk, rank, 1.0) for rank, chunk in enumerate(chunks, 1)]

    clear = ranked("a", "a", "b", "a")
    assert [is_elsewhere(one, focus_of(clear)) for one in clear] == [False, False, True, False]
    open_ = ranked("a", "b", "c", "b")
    assert not any(is_elsewhere(one, focus_of(open_)) for one in open_)
    assert focus_of([]) == {}


def test_a_short_sentence_that_tells_what_is_asked_is_read_before_those_with_the_name_alone() -> None:
    about = [f"Signe Hallberg and her brother painted wall {number} of the house." for number in range(20)]
    one = hit("Signe Hallberg", " ".join([*about, "She never married."]))
    found = worth_reading(extract("Was Signe Hallberg ever married?", [one], None, {}))
    assert "She never married." in [each.text for each in found]
    assert len(found) == MAX_READ


READ_ALONE = {"odds": 5.0, "said": 0.5}


def told_sentence(text: str) -> Candidate:
    return Candidate(hit("Rules", text), Span(0, len(text)), text, frozenset(), frozenset(), 0.0, 0.0)


@pytest.mark.parametrize(
    ("odds", "decided"),
    [
        (
            {"Dogs stay outside.": {NO: 5.0}, "The café opens at nine.": {YES: -4.0}},
            ("no", "Dogs stay outside.", 5.0, 9.0),
        ),
        ({"Dogs are welcome.": {YES: 9.0, NO: 1.0}}, ("yes", "Dogs are welcome.", 9.0, 8.0)),
        (
            {"Dogs are welcome.": {YES: 5.0}, "Dogs stay outside.": {NO: 4.75}},
            ("yes", "Dogs are welcome.", 5.0, 0.25),
        ),
        (  # what words say counts too
            {"Dogs are welcome.": {YES: 5.0}, "Dogs are not welcome.": {YES: 4.0, NO: 5.25}},
            ("no", "Dogs are not welcome.", 5.25, 0.25),
        ),
        ({"The café opens at nine.": {YES: -9.0, NO: -11.0}}, None),  # it does not tell
        ({"The café opens at nine.": {}}, None),
        ({}, None),
    ],
)
async def test_yes_or_no_is_what_the_reader_points_at_before_a_sentence(
    odds: dict[str, dict[tuple[int, int], float]], decided: tuple[str, str, float, float] | None
) -> None:
    async def read(_: str, passages: Sequence[Passage]) -> list[Reading]:
        assert all(one.text.startswith(WORDS) and one.prefix == "Rules" for one in passages)
        found = (odds[one.text.removeprefix(WORDS)] for one in passages)
        return [Reading(tuple(ReadSpan(*place, 1.0 + x, 0.5) for place, x in of.items()), 1.0) for of in found]

    found = await read_yes_or_no("Are dogs allowed?", [told_sentence(text) for text in odds], read, READ_ALONE)
    assert (found and (found.short, found.sentence.text, found.odds, found.ahead)) == decided


async def read_as_yes(question: str, sentence: str) -> str:
    """What becomes of a sentence in which the reader points at "yes"."""

    async def read(_: str, passages: Sequence[Passage]) -> list[Reading]:
        return [Reading((ReadSpan(*YES, 6.0, 0.5),), 1.0) for _ in passages]

    found = await read_yes_or_no(question, [told_sentence(sentence)], read, READ_ALONE)
    assert found is not None
    return found.short


@pytest.mark.parametrize(
    ("sentence", "short"),
    [("Keepers must be insured.", "no"), ("You need no insurance.", "yes"), ("Insured keepers pay less.", "yes")],
)
async def test_what_a_sentence_demands_cannot_be_done_without(sentence: str, short: str) -> None:
    assert await read_as_yes("Can I keep bees without insurance?", sentence) == short


@pytest.mark.parametrize(
    ("sentence", "short"),
    [
        ("Dogs are welcome, on a lead, Monday to Friday.", "no"),
        ("Dogs are welcome on a lead, Friday to Sunday.", "yes"),
        ("Dogs are welcome on a lead, except on Monday.", "yes"),
        ("Dogs are not welcome on Monday.", "yes"),
    ],
)
async def test_what_holds_on_other_days_alone_does_not_hold_then(sentence: str, short: str) -> None:
    assert await read_as_yes("Can I bring my dog on a Saturday?", sentence) == short


def test_a_command_says_neither_yes_nor_no() -> None:
    question = "Does lzx unpack old files?"
    commands = ["lzx -d --fast OLD.lzx", "$ ./lzx --unpack files"]
    told = ["Lzx unpacks old files -v.", "lzx unpacks files.", "use --fast to unpack old files with lzx"]
    found = extract(question, [hit("", "\n".join([*commands, *told]))], None, {})
    assert sorted(one.text for one in worth_reading(found)) == sorted(told)


def test_a_question_says_neither_yes_nor_no() -> None:
    text = "How can I feed the bees without a veil?\n\nFor your safety, this is not possible.\n\nOther notes"
    found = worth_reading(extract("Can I feed the bees without a veil?", [hit("", text)], None, {}))
    assert found[0].text == "For your safety, this is not possible."
    assert not [one for one in found if one.text.endswith("?")]


async def test_the_sentence_that_decides_is_not_the_one_that_it_was_read_with() -> None:
    text = "Dogs stay outside. The café opens at nine."
    spans = [Span(0, 18), Span(19, 42)]
    ranked = [msgspec.structs.replace(told_sentence(text), span=span, text=span.of(text)) for span in spans]

    async def read(_: str, passages: Sequence[Passage]) -> list[Reading]:
        return [Reading((ReadSpan(*NO, 4.0 + len(one.text), 0.5),), 1.0) for one in passages]

    found = await read_yes_or_no("May my dog come in?", ranked[::-1], read, READ_ALONE)
    assert found is not None
    assert found.sentence.text == "Dogs stay outside."


async def test_the_one_before_decides_only_where_it_has_as_much_of_the_question() -> None:
    text = "Ghosts keep no gear. You cannot sell gear to shops."
    ranked = extract("Can I sell gear in shops?", [hit("", text)], None, {}).ranked

    async def read(_: str, passages: Sequence[Passage]) -> list[Reading]:
        return [Reading((ReadSpan(*NO, 4.0 + len(one.text), 0.5),), 1.0) for one in passages]

    found = await read_yes_or_no("Can I sell gear in shops?", ranked, read, READ_ALONE)
    assert found is not None
    assert found.sentence.text == "You cannot sell gear to shops."


def test_a_heading_that_is_but_the_name_says_neither_yes_nor_no() -> None:
    text = "Heron Hall 6.0\n\nIt was never finished.\n\nOther notes"
    found = worth_reading(extract("Was Heron Hall 6.0 ever finished?", [hit("", text)], None, {}))
    assert "It was never finished." in [one.text for one in found]
    assert "Heron Hall 6.0" not in [one.text for one in found]


def test_yes_or_no_is_read_from_a_sentence_and_the_one_before_it() -> None:
    text = "The pool is heated. It opens in May. Bring a towel."
    spans = [Span(0, 19), Span(20, 36), Span(37, 51)]
    assert passage_of(text, spans, spans[1], "Pool").text == f"{WORDS}The pool is heated. It opens in May."
    assert passage_of(text, spans, spans[0], "Pool").text == f"{WORDS}The pool is heated."
    assert passage_of(text, spans, spans[1], "Pool", 2, 2).text == f"{WORDS}{text}"
    assert passage_of(text, spans, spans[0], "Pool", 1, 1).text == f"{WORDS}The pool is heated. It opens in May."


async def test_what_stands_around_the_likeliest_sentences_decides_too() -> None:
    text = "Dogs are welcome. That was last year; they stay outside now."
    ranked = [
        msgspec.structs.replace(told_sentence(text), span=span, text=span.of(text)) for span in split_sentences(text)
    ]

    async def read(_: str, passages: Sequence[Passage]) -> list[Reading]:
        said = ((YES, NO)[:: -1 if "outside" in one.text else 1] for one in passages)
        return [Reading((ReadSpan(*word, 6.0, 0.5), ReadSpan(*other, 4.0, 0.5)), 1.0) for word, other in said]

    async def decided(sentences: Sequence[Candidate]) -> str:
        found = await read_yes_or_no("Are dogs allowed?", sentences, read, {"odds": 0.5})
        assert found is not None
        return found.short

    assert await decided(ranked[:1]) == "no"
    assert await decided([told_sentence("Dogs are welcome.")]) == "yes"


async def test_of_many_sentences_the_three_likeliest_are_read_again() -> None:
    asked: list[list[str]] = []

    async def read(_: str, passages: Sequence[Passage]) -> list[Reading]:
        asked.append([one.text.removeprefix(WORDS) for one in passages])
        return [Reading((ReadSpan(*YES, float(text.split()[1]), 0.5),), 0.0) for text in asked[-1]]

    sentences = [told_sentence(f"Rule {number} is about dogs.") for number in (4, 9, 2, 7, 8)]
    assert await read_yes_or_no("Are dogs allowed?", sentences, read, {"odds": 0.5}) is not None
    likeliest = [f"Rule {number} is about dogs." for number in (9, 8, 7)]
    assert asked == [[one.text for one in sentences], [*likeliest, *likeliest]]


OFFERS = "Three firms came:\n\n- Toller Roofing: 16,750 euros\n- Garrick & Sons (Ulm): 18,900 euros\n\nWe chose one."


@pytest.mark.parametrize(
    ("question", "span", "short"),
    [
        ("Which firms made an offer?", "Garrick & Sons", "Toller Roofing, Garrick & Sons"),
        ("Which firm is dearer?", "Garrick & Sons", None),  # one is asked for
        ("What was the price of Toller Roofing?", "16,750 euros", None),
        ("Which firms came?", "Three firms", None),  # that stands in no list
    ],
)
def test_who_asks_for_several_gets_the_list_that_the_reader_points_into(
    question: str, span: str, short: str | None
) -> None:
    start = OFFERS.index(span)
    listed = list_around(question, Found(hit("Roof", OFFERS), start, start + len(span), 1.0, question))
    assert (listed and listed.short) == short
    assert listed is None or listed.items == ("- Toller Roofing: 16,750 euros", "- Garrick & Sons (Ulm): 18,900 euros")


def test_a_title_names_things_and_tells_nothing() -> None:
    text = "Fernhill Dairy: the year 2023\n\nIt grew in 2023."
    chunk = msgspec.structs.replace(hit("Fernhill Dairy: the year 2023", text).chunk, sentences=split_sentences(text))
    told = [Found(Hit(chunk, 1, 1.0), at, at + 4, 1.0, "q") for at in (text.index("2023"), text.rindex("2023"))]
    assert [_is_heading(one) for one in told] == [True, False]


def extracted(*told: Candidate) -> Extract:
    asked = Asked({"night": 1.0}, (), "")
    return Extract(told, measure(asked, told, [one.hit for one in told]), asked, told)


def told_in(document: str, text: str, cosine: float, *covered: str) -> Candidate:
    chunk = msgspec.structs.replace(hit(document, text).chunk, id=document, document_id=document)
    return Candidate(Hit(chunk, 1, 1.0), Span(0, len(text)), text, frozenset(), frozenset(covered), cosine, 1.0)


def test_beside_a_doubtful_answer_stands_no_sentence_of_another_document_that_has_nothing_to_do_with_it() -> None:
    answer = told_in("kennel", "A night costs 29 euros.", 0.7, "night")
    near, far = told_in("hotel", "A room is 80 euros.", 0.5), told_in("oaks", "Forty oaks were chosen.", 0.1)
    found = Chosen(Found(answer.hit, 14, 22, 1.0, ""), 0.3, {"misfits": 0.0})
    direct = Direct(chosen=(found,), focus=focus_of([one.hit for one in (answer, near, far)]))
    said = sentences_of(direct, extracted(answer, near, far), sure=False)
    assert [one.text for one in said] == [answer.text, near.text]
    assert far.text in [one.text for one in sentences_of(Direct(focus=direct.focus), extracted(far), sure=False)]


@pytest.mark.parametrize(("cosine", "offered"), [(0.6, True), (0.2, False)])
async def test_a_refusal_offers_the_sentence_that_is_nearest_in_sense(cosine: float, offered: bool) -> None:
    async def read(_: str, passages: Sequence[Passage]) -> list[Reading]:
        return [Reading((), 1.0) for _ in passages]

    one = told_in("kennel", "After that half of the price is due.", cosine)
    answered = await answer_directly("What do I owe for cancelling?", extracted(one), [one.hit], read)
    assert not answered.draft.found
    assert (one.text in answered.draft.text) is offered


@pytest.mark.parametrize(
    ("question", "text", "named", "numbered"),
    [
        ("What did Helga Brandvold die of?", "His mother died of a stroke at 71.", False, True),
        ("What did Helga Brandvold die of?", "Brandvold died of a stroke at 71.", True, True),
        ("What is the rent of a three-room flat?", "The rent of two-room flats (5 to 9) is 825 pounds.", True, False),
        ("What is the rent of a two-room flat?", "A flat with two rooms costs 825 pounds.", True, True),
        ("Which two firms came in 2024?", "Toller Roofing came in 2024.", True, True),
        ("Which firm came in 2024?", "Toller Roofing came in 2023.", True, False),
    ],
)
def test_what_is_sure_was_read_where_the_names_and_numbers_of_the_question_stand(
    question: str, text: str, named: bool, numbered: bool
) -> None:
    read = hit("", text)
    direct = Direct(chosen=(Chosen(Found(read, 0, len(text), 1.0, ""), 0.9, {}),))
    assert _has_names_of(extract(question, [read], None, {}), direct) is named
    assert _has_numbers_of(question, direct) is numbered


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How do I put a rule in front of the others?", False),
        ("How can I delete a rule?", True),
        ("Which word deletes the oldest rule?", True),  # asks for a word, not for a way
    ],
)
def test_how_to_do_something_is_told_where_all_of_it_stands(question: str, told: bool) -> None:
    read = hit("", "Prefix a rule with the word delete.")
    direct = Direct(chosen=(Chosen(Found(read, 0, 35, 1.0, ""), 0.9, {}),))
    assert _is_way_told(question, direct) is told


@pytest.mark.parametrize(
    ("question", "before", "answerable", "elsewhere"),
    [
        ("How much is the dog tax?", "", 0.9, True),
        ("How much is the parking fine?", "", 0.9, False),  # no sentence has more of it
        ("How much is the dog tax?", "The dog tax is high. ", 0.9, False),  # it may be of what was told before
        ("How much is the dog tax for a house?", "", 0.7, True),
        ("How much is the dog tax for a house?", "", 0.9, False),  # clearly told
        ("How much is the dog tax for a big house?", "", 0.7, False),  # it is asked in other words
    ],
)
def test_what_another_sentence_has_more_of_is_not_told_here(
    question: str, before: str, answerable: float, elsewhere: bool
) -> None:
    read = hit("", f"{before}Smoking is forbidden in the house; the fine is 75 pounds.")
    other = hit("", "The dog tax is told in a notice of its own.")
    direct = Direct(chosen=(Chosen(Found(read, len(before) + 48, len(before) + 57, 1.0, ""), 0.9, {}),))
    extracted = extract(question, [read, other], None, {})
    assert _is_told_elsewhere(extracted, direct, [read, other], answerable) is elsewhere


@pytest.mark.parametrize(
    ("question", "short", "several"),
    [
        ("What three things must be mended?", "the rudder", True),
        ("What three things must be mended?", "seacock, rudder and hose", False),
        ("What one thing must be mended?", "the rudder", False),
        ("Which are the 2 cranes?", "Long Meg", True),
        ("Which thing must be mended before day 3?", "the rudder", False),
    ],
)
def test_one_thing_is_not_the_three_that_are_asked(question: str, short: str, several: bool) -> None:
    assert _is_one_of_several(question, Direct(), Draft(short, True, short=short)) is several


@pytest.mark.parametrize(
    ("question", "text", "other"),
    [
        ("How many people died in the wreck?", "Eleven of the fourteen men were saved from the wreck.", True),
        ("How many people were saved from the wreck?", "Eleven of the fourteen men survived the wreck.", False),
        ("How many people were in the wreck?", "Eleven of the fourteen men were saved from the wreck.", False),
    ],
)
def test_a_number_of_those_who_were_saved_is_none_of_those_who_died(question: str, text: str, other: bool) -> None:
    read = hit("", text)
    found = Found(read, 0, len("Eleven"), 1.0, "")
    direct = Direct(chosen=(Chosen(found, 0.9, {}),))
    assert _tells_of_another(question, direct, extract(question, [read], None, {})) is other


@pytest.mark.parametrize(
    ("short", "text", "fits"),
    [
        ("1874", "The old bridge was taken down in 1874.", False),
        ("12 May 1874", "The old bridge was taken down on 12 May 1874.", False),
        ("Ada Finch", "The bridge was taken down by Ada Finch.", False),
        ("bridge._span", "To take it down, bridge._span is set.", False),
        ("Fog", "Fog had hidden the bridge for years.", True),
        ("the new road needed its place in 1874", "It went, as the new road needed its place in 1874.", True),
    ],
)
def test_a_date_or_a_name_does_not_tell_why(short: str, text: str, fits: bool) -> None:
    draft = Draft(text, True, (Citation("", "c", "", "", 1, quote=text),), short=short)
    assert _is_form_asked_for("Why was the bridge taken down?", draft) is fits


@pytest.mark.parametrize(
    ("question", "identifiers", "held"),
    [
        ("Why was the --recursive option removed?", ("--recursive",), False),
        ("Why was the --largemem option removed?", ("--largemem",), True),
        ("What does load_settings read?", ("load_settings",), True),
        ("What does load_setting read?", ("load_setting",), False),
        ("Which text describes the LZ4 format?", ("LZ4",), True),
        ("When was version 3.0 published?", ("3.0",), False),
        ("When was version 3.0.1 published?", ("3.0.1",), True),
        ("When was version 0.1 published?", ("0.1",), False),
        ("When was version 1.9 published?", ("1.9",), True),
        ("When was version 2.4 published?", ("2.4",), True),
        ("Who paid for COVID19 tests?", ("COVID19",), True),
        ("What was paid in FY2024?", ("FY2024",), True),
        ("How much CO2 is let out?", ("CO2",), True),
        ("How is the TC001 wired?", ("TC001",), False),
        ("What is retryDelay?", ("retryDelay",), False),
        ("What is retryCount?", ("retryCount",), True),
        ("What does an iPhone weigh in kWh by McCabe?", (), True),
        ("What does the ferry cost at 9.30 on the A4 road?", (), True),
    ],
)
def test_what_a_question_names_by_its_exact_writing_stands_in_a_hit_or_it_is_not_found(
    question: str, identifiers: tuple[str, ...], held: bool
) -> None:
    text = "Version 3.0.1 drops --largemem. `load_settings` reads lz4 files. v1.9 came with lzx-2.4. "
    text += "In FY 2024 we paid for COVID-19 tests and CO\u2082, not for the TC-0012. retryCount is 3."
    assert identifiers_in(question) == identifiers
    assert holds_each(identifiers, [hit("", text)]) is held


def test_any_question_is_looked_through_for_identifiers_in_linear_time() -> None:
    assert growth(lambda times: identifiers_in("a_" * times + "_"), 2_000) < LINEAR


async def read_year(_: str, passages: Sequence[Passage]) -> list[Reading]:
    """Points at the last word of each passage, at that of 2001 with more certainty."""
    ends = [(len(one.text) - 1, 0.98 if "2001" in one.text else 0.6) for one in passages]
    return [Reading((ReadSpan(end - 4, end, 9.0, likely),), 0.0) for end, likely in ends]


LZX = tuple(
    Hit(msgspec.structs.replace(hit("Lzx", text).chunk, id=text), rank, 1.0)
    for rank, text in enumerate(("Lzx 1.1 was published in 2001.", "Lzx 1.12 was published in 2004."), 1)
)


@pytest.mark.parametrize(("question", "year"), [("When was lzx 1.12 published?", "2004"), ("When was lzx?", "2001")])
async def test_what_is_written_exactly_is_read_where_it_stands(question: str, year: str) -> None:
    direct = await read_directly(question, extract(question, LZX, None, {}), LZX, read_year, shipped())
    assert direct.chosen[0].short == year


@pytest.mark.parametrize(
    ("answerable", "likely", "verdict"),
    [
        (0.4, 0.5, Verdict.PARTIALLY_SUPPORTED),
        (0.4, 0.1, Verdict.NOT_SUPPORTED),
        (0.2, 0.5, Verdict.NOT_SUPPORTED),
        (0.6, 0.5, Verdict.SUPPORTED),
        (0.6, 0.2, Verdict.PARTIALLY_SUPPORTED),  # neither in its passage nor in its sentence is the reader sure
    ],
)
async def test_what_the_reader_finds_is_told_with_a_doubt_where_it_or_the_hits_hardly_answer(
    answerable: float, likely: float, verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def read(_: str, passages: Sequence[Passage]) -> list[Reading]:
        return [Reading((ReadSpan(25, 29, 9.0, likely),), 0.0) for _ in passages]

    monkeypatch.setattr(directly, "confidence", lambda *_: Confidence(answerable, 0.9))
    question = "When was lzx 1.12 published?"
    answered = await answer_directly(question, extract(question, LZX, None, {}), LZX, read)
    assert answered.verdict is verdict


@pytest.mark.parametrize(("option", "found"), [("fast", True), ("--fast", False)])
async def test_an_option_that_the_document_never_names_is_not_found(option: str, found: bool) -> None:
    question = f"When was lzx with {option} published?"
    answered = await answer_directly(question, extract(question, LZX, None, {}), LZX, read_year)
    assert answered.draft.found is found


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("He sold the boat to a vet from Thorley.", False),
        ("He sold the boat to Ada Finch, a vet from Thorley.", True),
    ],
)
def test_a_sentence_that_names_nobody_is_no_sure_answer_to_who(text: str, sure: bool) -> None:
    question = "What is the name of the vet from Thorley who bought the boat?"
    found = hit("", text)
    draft = Draft(text, True, (Citation("", found.chunk.id, "", "", 1, quote=text),))
    assert _is_of_the_kind(question, Direct(), draft, extract(question, [found], None, {}), 0.9) is sure


@pytest.mark.parametrize(
    ("question", "short", "sure"),
    [
        ("Who repairs the boiler?", "landlord", True),
        ("Who repairs the boiler?", "7 May", False),
        ("What is the name of the landlord?", "landlord", False),
    ],
)
def test_who_may_be_told_by_what_they_are(question: str, short: str, sure: bool) -> None:
    text = "The landlord repairs the boiler by 7 May."
    draft = Draft(text, True, (Citation("", "c", "", "", 1, quote=text),), short=short)
    assert _is_of_the_kind(question, Direct(), draft, extract(question, [hit("", text)], None, {}), 0.9) is sure


@pytest.mark.parametrize(
    ("question", "of_others"),
    [
        ("How many of the chicks were not ringed?", True),
        ("Who couldn't come in March?", True),
        ("What colour is the form if you can't find a receipt?", False),
        ("How many walks can I miss without failing?", False),
        ("Why aren't we singing in Antwerp?", False),
        ("What is open for longer, the shop or the café?", True),
    ],
)
def test_an_answer_is_of_others_where_the_question_itself_denies_and_no_clause_of_it(
    question: str, of_others: bool
) -> None:
    draft = Draft("Four.", True, (Citation("", "", "", "", 1, quote="Four were ringed."),))
    assert _is_of_others(question, Direct(), draft) is of_others


def test_what_a_sentence_excepts_is_not_what_was_denied() -> None:
    draft = Draft("Four.", True, (Citation("", "", "", "", 1, quote="All were ringed, except four."),))
    assert not _is_of_others("How many of the chicks were not ringed?", Direct(), draft)


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("The largest was Harrow Weir, which had stood since 1874.", False),
        ("The largest was Harrow Weir, as well as the oldest.", False),
        ("Harrow Weir goes, since no salmon passes it.", True),
        ("Harrow Weir goes: no salmon passes it.", True),
    ],
)
def test_why_is_sure_of_other_words_only_where_they_tell_a_reason(text: str, sure: bool) -> None:
    chunk = msgspec.structs.replace(hit("", text).chunk, sentences=(Span(0, len(text)),))
    told = Found(Hit(chunk, 1, 1.0), 0, len(text), 1.0, "")
    direct = Direct(chosen=(Chosen(told, 0.9, {"predicate": 0.0, "which": 1.0}),))
    assert _bears_on("Why is the weir removed?", direct) is sure


@pytest.mark.parametrize(("text", "sure"), [("Gas, electrics, safety", False), ("The gas hose is safe.", True)])
def test_a_heading_is_no_sure_yes(text: str, sure: bool) -> None:
    direct = Direct(decided=Decided("yes", told_sentence(text), by_rule=False))
    assert _bears_on("Is it safe to cook with gas on board?", direct) is sure


@pytest.mark.parametrize(("by_rule", "sure"), [(False, False), (True, True)])
def test_a_word_that_was_read_is_of_what_the_question_names(by_rule: bool, sure: bool) -> None:
    question, sentence = "Does Wayfarer Plus cover pets?", told_sentence("Pets are not allowed, except guide dogs.")
    direct = Direct(decided=Decided("no", sentence, by_rule))
    assert _has_names_of(extract(question, [sentence.hit], None, {}), direct) is sure


async def test_a_passage_is_read_once_for_a_question() -> None:
    asked: list[tuple[str, list[str]]] = []

    async def read(question: str, passages: Sequence[Passage]) -> list[Reading]:
        asked.append((question, [passage.text for passage in passages]))
        return [Reading((), float(len(passage.text))) for passage in passages]

    once = read_once(read)
    assert [one.no_answer for one in await once("who", [Passage("a"), Passage("bb")])] == [1.0, 2.0]
    again = await once("who", [Passage("bb"), Passage("ccc"), Passage("a")])
    assert [one.no_answer for one in again] == [2.0, 3.0, 1.0]
    assert [one.no_answer for one in await once("who", [Passage("a")])] == [1.0]
    await once("when", [Passage("a")])
    assert asked == [("who", ["a", "bb"]), ("who", ["ccc"]), ("when", ["a"])]

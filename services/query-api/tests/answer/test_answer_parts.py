"""The steps of an answer, each by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from growth import LINEAR, growth
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trivium.domain.answers import Turn, Verdict
from trivium.domain.chunks import Chunk, SourceSpan, Span
from trivium.domain.parsed import Position
from trivium.domain.retrieval import Hit
from trivium_query.answer.citations import Draft, MarkerWriter, Shelf
from trivium_query.answer.extractive import extract
from trivium_query.answer.fence import Unfenced
from trivium_query.answer.pool import pooled
from trivium_query.answer.understand import HISTORY_TURNS, understand
from trivium_query.answer.verify import claims_of, judge_claims, sub_questions
from trivium_query.words import content_words

if TYPE_CHECKING:
    from conftest import Library


def hit(source: str, text: str = "text", rank: int = 1, number: int = 1) -> Hit:
    chunk = Chunk(f"{source}#{number}", source, "v", number - 1, text, Span(0, len(text)), source)
    return Hit(chunk, rank, 1.0 / rank)


SHELF = Shelf([hit("a/x.pdf"), hit("b/x.pdf"), hit("c/y [1].pdf")])


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.text(alphabet="abc [](),;0123\n", max_size=60), st.lists(st.integers(1, 5), min_size=1))
def test_citations_come_out_the_same_however_the_text_is_cut(text: str, sizes: list[int]) -> None:
    text = text.replace("a", "[2]").replace("b", "[Source: a/x.pdf, chunk 1]").replace("c", "(c/y (1).pdf")
    whole, pieces = MarkerWriter(SHELF), MarkerWriter(SHELF)
    expected = whole.feed(text) + whole.finish()
    given_out, start = "", 0
    while start < len(text):
        size = sizes[start % len(sizes)]
        given_out += pieces.feed(text[start : start + size])
        start += size
    assert given_out + pieces.finish() == expected
    assert (pieces.cited, pieces.invented) == (whole.cited, whole.invented)


@pytest.mark.parametrize(
    ("said", "shown", "invented"),
    [
        ("It fell (Source: z.txt, chunk 2).", "It fell [Source: z.txt, chunk 2].", 0),
        ("It fell (z.txt).", "It fell [Source: z.txt, chunk 1].", 0),
        ("It fell {source: 2}.", "It fell [Source: z.txt, chunk 2].", 0),
        ("It fell \u30101\u2020source\u3011.", "It fell [Source: z.txt, chunk 1].", 0),
        ("It fell [^1].", "It fell [Source: z.txt, chunk 1].", 0),
        ("It fell [z.txt, page 3].", "It fell [Source: z.txt, chunk 1].", 0),
        ("It fell (Source: NASA report).", "It fell.", 1),
        ("It fell (annals-1999.pdf, p. 3).", "It fell.", 1),
        ("It fell \u30107\u2020source\u3011.", "It fell.", 1),
        ("It fell (see plan.docx).", "It fell (see plan.docx).", 0),  # the source itself says so
        ("It fell (in 1999, by 2 m) [sic].", "It fell (in 1999, by 2 m) [sic].", 0),
        ("It fell (2) from the (source of the) river.", "It fell (2) from the (source of the) river.", 0),
    ],
)
def test_a_source_is_named_in_any_bracket_and_an_invented_one_left_out(said: str, shown: str, invented: int) -> None:
    writer = MarkerWriter(Shelf([hit("z.txt", "It fell (see plan.docx)."), hit("z.txt", rank=2, number=2)]))
    assert writer.feed(said) + writer.finish() == shown
    assert writer.invented == invented


@pytest.mark.parametrize(("end", "kept"), [("<<", "<<"), ("<<<<end 3 8909c64de", "<")])
@given(sizes=st.lists(st.integers(1, 9), min_size=1))
def test_marks_of_the_prompt_s_fence_are_left_out_however_the_text_is_cut(
    end: str, kept: str, sizes: list[int]
) -> None:
    token = "8909c64dead2b25a"
    text = f"<<<end 3 {token}>>><<<2 {token}>>>1 << 3 < 4 <<<b>>> [1]. <<<12 {token}>><<<7 {token}>>>End {end}"
    reader, shown, start = Unfenced(), "", 0
    while start < len(text):
        size = sizes[start % len(sizes)]
        shown += reader.feed(text[start : start + size])
        start += size
    assert shown + reader.finish() == f"1 << 3 < 4 <<<b>>> [1]. End {kept}"


def test_a_file_inside_another_is_cited_under_both_names() -> None:
    first, second = hit("a/mail.eml > offers/offer.pdf"), hit("drive.zip > in.zip > x.txt")
    shelf = Shelf([first, second])
    assert shelf.marker(first).startswith("[Source: mail.eml > offers/offer.pdf, chunk ")
    assert shelf.marker(second).startswith("[Source: drive.zip > in.zip > x.txt, chunk ")


def test_files_of_one_name_are_told_apart_and_brackets_cannot_close_a_marker() -> None:
    markers = [SHELF.marker(one) for one in SHELF.hits]
    assert markers == [
        "[Source: a/x.pdf, chunk 1]",
        "[Source: b/x.pdf, chunk 1]",
        "[Source: y (1).pdf, chunk 1]",
    ]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Acme sold 5.2 million pumps in 2023 [Source: r.txt, chunk 1].", Verdict.SUPPORTED),
        ("In 2023 the number of pumps sold by Acme was 5.2 million [Source: r.txt, chunk 1].", Verdict.SUPPORTED),
        ("Acme sold 7.9 million pumps in 2023 [Source: r.txt, chunk 1].", Verdict.NOT_SUPPORTED),
        ("Globex sold 5.2 million pumps in 2023 [Source: r.txt, chunk 1].", Verdict.NOT_SUPPORTED),
        ("Acme sold 5.2 million pumps in 2023.", Verdict.NOT_SUPPORTED),
        (
            "Acme sold 5.2 million pumps in 2023. Acme moved to Oslo [Source: r.txt, chunk 1]. It fired everybody.",
            Verdict.PARTIALLY_SUPPORTED,
        ),
    ],
)
def test_a_claim_needs_its_words_numbers_and_names_in_what_it_cites(claim: str, verdict: Verdict) -> None:
    report = hit("r.txt", "Acme sold 5.2 million pumps in 2023. Acme moved to Oslo in May.")
    assert judge_claims(claims_of(Draft(claim, found=True), [report])) is verdict


def test_a_claim_is_not_compared_with_vectors_of_another_model() -> None:
    report = hit("r.txt", "Acme sold 5.2 million pumps in 2023.")
    claims = claims_of(Draft("Its trade went splendidly [Source: r.txt, chunk 1].", found=True), [report])
    asked, same, longer = (np.ones((1, length), np.float32) for length in (4, 4, 8))
    assert judge_claims(claims, asked, {report.chunk.id: same}) is Verdict.SUPPORTED
    assert judge_claims(claims, asked, {report.chunk.id: longer}) is Verdict.NOT_SUPPORTED


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Paris [Source: r.txt, chunk 1].", Verdict.SUPPORTED),
        ("- Paris [Source: r.txt, chunk 1]\n- Seine [Source: r.txt, chunk 1]", Verdict.SUPPORTED),
        ("Lyon [Source: r.txt, chunk 1].", Verdict.NOT_SUPPORTED),
        ("Paris.", Verdict.NOT_SUPPORTED),
        ("Yes [Source: r.txt, chunk 1]. Paris lies on the Seine [Source: r.txt, chunk 1].", Verdict.SUPPORTED),
        ("Overview. Paris lies on the Seine [Source: r.txt, chunk 1].", Verdict.SUPPORTED),
    ],
)
def test_one_word_with_a_source_of_its_own_is_a_claim_where_nothing_says_more(text: str, verdict: Verdict) -> None:
    france = hit("r.txt", "The capital of France is Paris. Paris lies on the Seine.")
    assert judge_claims(claims_of(Draft(text, found=True), [france])) is verdict


LOVELACE = (Turn("Who was Ada Lovelace?", "Ada Lovelace was a mathematician. [Source: Babbage.pdf, chunk 1]"),)


@pytest.mark.parametrize(
    ("question", "carried"),
    [
        ("When was she born?", ("Ada Lovelace",)),
        ("And her husband?", ("Ada Lovelace",)),
        ("Where?", ("Ada Lovelace",)),
        ("Did Charles Babbage know her?", ()),
        ("When was Alan Turing born?", ()),
        ("How is the harvest of tomatoes planned in dry years?", ()),
    ],
)
def test_only_a_follow_up_without_a_subject_carries_names(question: str, carried: tuple[str, ...]) -> None:
    understood = understand(question, LOVELACE)
    assert understood.carried == carried
    assert understood.text == question
    assert all(name in understood.standalone for name in carried)


@pytest.mark.parametrize("word", ["1 ", "the ", "the boards ", "their "])
def test_a_follow_up_costs_in_proportion_to_its_length(word: str) -> None:
    assert growth(lambda size: understand(word * size, (Turn(word * size, ""),)), 1000) < LINEAR


def test_every_turn_that_takes_part_is_looked_at_for_names() -> None:
    history = (*LOVELACE, *[Turn("What is the tide like?", "It is low.")] * (HISTORY_TURNS - 1))
    assert understand("When was she born?", history).carried == ("Ada Lovelace",)
    assert understand("When was she born?", (*history, history[-1])).carried == ()


def test_a_question_is_cleaned_of_what_nobody_sees() -> None:
    assert understand("Who\u200b was\x00\n  Ada\u202e Lovelace?").text == "Who was Ada Lovelace?"


def test_words_meet_across_case_accents_endings_and_scripts() -> None:
    assert content_words("The Studies of CAFÉS") == content_words("study of a cafe")
    assert content_words("played") == content_words("plays")
    assert set(content_words("東京都")) == {"東京", "京都"}
    assert content_words("what is the of") == []


def test_sub_questions_are_two_to_four_or_none() -> None:
    double = sub_questions("Who leads Acme Corporation and where does Globex build pumps?", (), ())
    assert double == ("Who leads Acme Corporation", "where does Globex build pumps")
    assert sub_questions("Who leads Acme?", ("acme",), ("lead",)) == ()
    assert len(sub_questions("a1 b1; a2 b2; a3 b3; a4 b4; a5 b5", (), ())) == 4


def test_pooled_rankings_hold_each_chunk_once_and_reward_agreement() -> None:
    one, two, three = hit("one"), hit("two"), hit("three")
    merged = pooled([[one, two], [two, three]], 10)
    assert [found.chunk.source for found in merged] == ["two", "one", "three"]
    assert [found.rank for found in merged] == [1, 2, 3]
    assert len(pooled([[one, two], [two, three]], 2)) == 2


def test_hostile_chunks_are_read_without_harm(library: Library) -> None:
    library.add("empty.txt", "")
    library.add("noise.bin", "\x00\ufffd" * 400)
    library.add("long.txt", "word " * 20_000)
    found = extract("Who commanded the Apollo 11 mission?", library.hits("Apollo"), None, {})
    assert found.chosen[0].text.startswith("Neil Armstrong commanded")
    assert all(len(one.text) <= 1_000 for one in found.chosen)


def test_a_bridge_whose_sentence_is_not_in_its_chunk_is_not_shown(library: Library) -> None:
    apollo, armstrong, _ = library.chunks
    library.bridge(apollo, "A sentence that nobody wrote.", "Neil Armstrong", armstrong)
    found = extract("Where was the commander of Apollo 11 born?", library.hits("commander born"), None, {})
    assert all(one.text in one.hit.chunk.text for one in found.chosen)
    assert msgspec.json.encode(found.support)


def test_a_line_of_a_list_of_references_is_no_bridge(library: Library) -> None:
    armstrong = library.chunks[1]
    reference = "7. Commander of Apollo 11: Neil Armstrong (https://moon.example/commander)."
    library.bridge(library.add("notes.pdf", reference), reference, "Neil Armstrong", armstrong)
    found = extract("Where was the commander of Apollo 11 born?", library.hits("commander born"), None, {})
    assert found.chosen
    assert reference not in {one.via.text for one in found.chosen if one.via}


@pytest.mark.parametrize(
    ("quote", "seconds"),
    [
        ("The ferry sank.", [(40.0, 44.0)]),
        ("Good evening.", [(0.0, 3.0)]),
        ("The ferry sank.\n\nNobody", [(40.0, 44.0), (95.5, 99.0)]),
        ("words of nobody", [(0.0, 99.0)]),
        ("", [(0.0, 99.0)]),
    ],
)
def test_a_citation_points_where_its_quote_stands(quote: str, seconds: list[tuple[float, float]]) -> None:
    said = "Good evening.\n\nThe ferry sank.\n\nNobody came."
    places = tuple(
        SourceSpan(Span(said.index(words), said.index(words) + len(words)), _at(*times))
        for words, times in zip(said.split("\n\n"), ((0.0, 3.0), (40.0, 44.0), (95.5, 99.0)), strict=True)
    )
    whole = (_at(0, 99),)
    chunk = Chunk("c", "d", "v", 0, said, Span(0, len(said)), "talk.mp3", positions=whole, places=places)
    cited = SHELF.cite(Hit(chunk, 1, 1.0), quote)
    assert [position.seconds for position in cited.positions] == seconds


def _at(start: float, end: float) -> Position:
    return Position(seconds=(start, end))


def test_sub_questions_are_told_in_the_words_of_the_question() -> None:
    asked = sub_questions("When was she born? (Ottilie Falk, Lübeck)", ("ottilie falk", "lubeck"), ("bear",))
    assert asked == ("Ottilie Falk born", "Lübeck born")

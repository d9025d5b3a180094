from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from growth import LINEAR, growth
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.domain.chunks import Chunk
from trivium.domain.errors import Refused
from trivium.domain.parsed import Box, ParsedDocument, Position, Unit, UnitKind
from trivium.ports.inference import Passage, PassageVectors, Vector
from trivium_ingest.chunk.build import K2RAG_DENSE, ChunkOptions, chunk_document, fingerprint
from trivium_ingest.chunk.layout import Layout
from trivium_ingest.chunk.options import ChunkerName
from trivium_ingest.chunk.semantic import FALLBACK_TOKENS, MIN_SENTENCES

CHUNKERS: tuple[ChunkerName, ...] = ("structural", "semantic", "paragraph", "fixed", "tokens")

STRUCTURAL = ChunkOptions()


class WordEmbedder:
    """An embedder whose tokens are words and whose vectors are sums of hashed words."""

    fingerprint = "words"
    dimension = 32
    max_tokens = 256

    def embed_passages(self, passages: Sequence[Passage]) -> list[PassageVectors]:
        vectors = self.embed_queries([passage.text for passage in passages])
        return [PassageVectors(vector, np.empty((0, self.dimension), np.float32)) for vector in vectors]

    def embed_queries(self, texts: Sequence[str]) -> Vector:
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, hashlib.sha256(word.encode()).digest()[0] % self.dimension] += 1
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(lengths, 1e-9), np.float32)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def chunks_of(document: ParsedDocument, options: ChunkOptions = STRUCTURAL) -> list[Chunk]:
    return chunk_document(document, "doc", "v1", "file.txt", options, WordEmbedder())


def document(*units: Unit | str) -> ParsedDocument:
    return ParsedDocument(
        "text/plain", tuple(Unit(UnitKind.TEXT, unit) if isinstance(unit, str) else unit for unit in units)
    )


def prose(chars: int) -> str:
    text = ""
    number = 0
    while len(text) < chars:
        number += 1
        text += f"Sentence number {number} tells of the city and of its {number} people. "
    return text[:chars].rstrip()


WORDS = st.sampled_from(
    ["alpha ", "beta. ", "Gamma ", "Delta! ", "\n", "\n\n", "- ", "x" * 90, "日本。", "  ", "1. ", ""]
)
UNITS = st.builds(
    lambda kind, words, level, section, page: Unit(
        kind, "".join(words), Position(page=page, section=section), level=level
    ),
    st.sampled_from(UnitKind),
    st.lists(WORDS, max_size=40),
    st.integers(0, 4),
    st.sampled_from([(), ("A",), ("A", "B"), ("C",)]),
    st.sampled_from([None, 1, 2]),
)
OPTIONS = st.builds(
    lambda chunker, size, share: ChunkOptions(chunker, size, int(size * share)),
    st.sampled_from(CHUNKERS),
    st.integers(1, 400),
    st.sampled_from([0.0, 0.1, 0.5, 0.99]),
)


@settings(deadline=None, max_examples=400)
@given(st.lists(UNITS, max_size=12), OPTIONS)
def test_no_text_is_lost_no_chunk_is_over_its_bound_and_every_offset_is_exact(
    units: list[Unit], options: ChunkOptions
) -> None:
    parsed = ParsedDocument("text/plain", tuple(units))
    text = parsed.text
    found = chunks_of(parsed, options)
    short = len(Layout(parsed).sentences) < MIN_SENTENCES
    covered = [False] * len(text)
    for number, chunk in enumerate(found):
        assert chunk.ordinal == number
        assert chunk.text == chunk.span.of(text)
        assert chunk.text == chunk.text.rstrip() != ""
        assert chunk.kind is UnitKind.CODE or not chunk.text[0].isspace()
        if options.chunker == "tokens":
            assert len(chunk.text.split()) <= options.size
        elif options.chunker == "semantic" and short:
            assert len(chunk.text.split()) <= FALLBACK_TOKENS
        else:
            assert len(chunk.text) <= options.size
        covered[chunk.span.start : chunk.span.end] = [True] * len(chunk.text)
        at = 0
        for ordinal, span in enumerate(chunk.sentences):
            assert at <= span.start < span.end <= len(chunk.text)
            assert chunk.sentence(ordinal) == chunk.sentence(ordinal).strip()
            at = span.end
        assert sum(len("".join(s.of(chunk.text).split())) for s in chunk.sentences) == len("".join(chunk.text.split()))
    assert all(seen or char.isspace() for seen, char in zip(covered, text, strict=True))
    assert [c.span.end for c in found] == sorted({c.span.end for c in found})
    assert len({chunk.id for chunk in found}) == len(found)
    assert chunks_of(parsed, options) == found


@pytest.mark.parametrize("chunker", CHUNKERS)
def test_a_document_without_text_has_no_chunks(chunker: ChunkerName) -> None:
    assert chunks_of(document(), ChunkOptions(chunker)) == []
    assert chunks_of(document(" \n ", ""), ChunkOptions(chunker)) == []


@pytest.mark.parametrize("chunker", ["structural", "paragraph", "fixed"])
def test_a_text_of_two_thousand_characters_becomes_two_even_chunks(chunker: ChunkerName) -> None:
    found = chunks_of(document(prose(2000)), ChunkOptions(chunker))
    assert len(found) == 2
    assert all(850 <= len(chunk.text) <= 1150 for chunk in found)


@pytest.mark.parametrize("chunker", ["structural", "paragraph", "fixed"])
def test_a_short_passage_stays_one_chunk(chunker: ChunkerName) -> None:
    assert len(chunks_of(document(prose(600), prose(500)), ChunkOptions(chunker))) == 1


def test_structural_chunks_begin_at_headings_and_carry_their_section() -> None:
    def section(name: str) -> list[Unit]:
        place = Position(section=("Book", name))
        return [Unit(UnitKind.HEADING, name, place, level=2), Unit(UnitKind.TEXT, prose(800), place)]

    found = chunks_of(document(*section("One"), *section("Two"), *section("Three")))
    assert [chunk.section for chunk in found] == [("Book", "One"), ("Book", "Two"), ("Book", "Three")]
    assert [chunk.text.split("\n")[0] for chunk in found] == ["One", "Two", "Three"]


def test_no_chunk_ends_with_a_heading() -> None:
    units = []
    for number in range(30):
        units.append(Unit(UnitKind.HEADING, f"Heading {number}", level=1 + number % 3))
        units.append(Unit(UnitKind.TEXT, prose(100 + 70 * (number % 7))))
    assert not any(chunk.text.rsplit("\n", 1)[-1].startswith("Heading") for chunk in chunks_of(document(*units)))


def test_a_question_stays_with_its_answer() -> None:
    asked = [f"How is part {number} put into the machine?" for number in range(30)]
    answers = [prose(100 + 70 * (number % 7)) for number in range(30)]
    paragraphs = [text for pair in zip(asked, answers, strict=True) for text in pair]
    lines = Unit(UnitKind.LIST, "\n".join(text for pair in zip(asked, answers, strict=True) for text in pair))
    assert not any(
        chunk.text.endswith("?") for chunk in [*chunks_of(document(*paragraphs)), *chunks_of(document(lines))]
    )


def test_a_question_at_the_end_of_a_section_stays_with_its_section() -> None:
    names = [f"Heading {number}" for number in range(3)]
    units = [part for name in names for part in (Unit(UnitKind.HEADING, name, level=2), prose(800), "And who knew?")]
    found = chunks_of(document(*units))
    assert [chunk.text.split("\n")[0] for chunk in found] == names


def test_neighbouring_chunks_of_prose_share_whole_sentences() -> None:
    first, second = chunks_of(document(prose(2000)))
    shared = first.text[second.span.start - first.span.start :]
    assert 0 < len(shared) <= 120
    assert shared.startswith("Sentence number")


def test_a_large_table_is_split_by_rows_and_each_part_knows_its_rows() -> None:
    rows = [f"Name: person {number}; Age: {number}; City: Rome" for number in range(2, 82)]
    table = Unit(UnitKind.TABLE, "\n".join(rows), Position(sheet="People", rows=(2, 81)))
    found = chunks_of(document("Some words before.", table, "Some words after."))
    parts = [chunk for chunk in found if chunk.kind is UnitKind.TABLE]
    assert len(parts) > 2
    for chunk in parts:
        lines = chunk.text.split("\n")
        assert [chunk.sentence(n) for n in range(len(chunk.sentences))] == lines
        (place,) = chunk.positions
        assert place.sheet == "People"
        assert place.rows == (int(lines[0].split()[2].strip(";")), int(lines[-1].split()[2].strip(";")))
    assert [chunk.text for chunk in found if chunk.kind is UnitKind.TEXT] == ["Some words before.", "Some words after."]


def test_a_small_table_stays_whole_with_the_prose_around_it() -> None:
    table = Unit(UnitKind.TABLE, "A | B\n1 | 2")
    (only,) = chunks_of(document("Before.", table, "After."))
    assert only.kind is UnitKind.TEXT


def test_the_heading_over_a_large_listing_goes_with_it() -> None:
    code = Unit(UnitKind.CODE, "\n".join(f"line_{n} = {n}" for n in range(60)))
    found = chunks_of(document(prose(300), Unit(UnitKind.HEADING, "Listing", level=2), code))
    assert [chunk.kind for chunk in found] == [UnitKind.TEXT, UnitKind.CODE]
    assert found[1].text.startswith("Listing\n\nline_0")


COMMENTED = "".join(
    f"def open_gate_{n}():\n    # Gate {n} is opened by hand, because the motor of the old one was never\n"
    f"    # replaced. It is shut again at noon.\n    turn(gate_{n})\n\n"
    for n in range(30)
)


def test_a_comment_over_several_lines_of_code_is_a_paragraph_that_no_chunk_cuts_within_a_sentence() -> None:
    found = chunks_of(document(Unit(UnitKind.CODE, COMMENTED)))
    assert len(found) > 2
    said = [chunk.sentence(n) for chunk in found for n in range(len(chunk.sentences))]
    for n in range(30):
        assert f"# Gate {n} is opened by hand, because the motor of the old one was never\n    # replaced." in said
    assert not any("motor" in sentence and not sentence.endswith("# replaced.") for sentence in said)


def test_a_chunk_of_a_recording_keeps_the_time_of_each_of_its_units() -> None:
    times = ((0.0, 4.0), (4.0, 9.5), (60.0, 61.0))
    units = [Unit(UnitKind.TEXT, f"Said {n}.", Position(seconds=at)) for n, at in enumerate(times)]
    (chunk,) = chunks_of(document(*units))
    assert [position.seconds for position in chunk.positions] == list(times)


def test_a_quote_is_placed_at_its_unit_and_the_text_at_all_of_them() -> None:
    units = [
        Unit(UnitKind.HEADING, "Weirs", Position(page=1, box=Box(10, 5, 50, 9), section=("Weirs",)), level=1),
        Unit(UnitKind.TEXT, "The weir fell.", Position(page=1, box=Box(10, 10, 50, 20), section=("Weirs",))),
        Unit(UnitKind.TEXT, "The mill stands.", Position(page=1, box=Box(10, 30, 50, 40), section=("Mills",))),
    ]
    (chunk,) = chunks_of(document(*units))
    assert chunk.positions_of("The mill stands.") == (units[2].position,)
    assert chunk.positions_of("fell.\n\nThe mill") == (units[1].position, units[2].position)
    assert chunk.positions_of(chunk.text) == chunk.positions_of("not in it") == chunk.positions


def test_a_quoted_row_is_placed_at_its_number_with_words_around_the_table_or_without() -> None:
    table = Unit(
        UnitKind.TABLE, "\n".join(f"Name: {name}; Age: 7" for name in "ABC"), Position(sheet="People", rows=(2, 4))
    )
    for units in ((table,), (Unit(UnitKind.HEADING, "People", Position(sheet="People"), level=1), table)):
        (chunk,) = chunks_of(document(*units))
        assert chunk.positions_of("Name: B; Age: 7") == (Position(sheet="People", rows=(3, 3)),)


def test_a_quote_in_plain_text_is_placed_at_its_characters() -> None:
    original = "\n\nThe weir fell.\n\n  The mill stands. It is old."
    first, second = original.index("The weir"), original.index("The mill")
    units = [
        Unit(UnitKind.TEXT, "The weir fell.", Position(offset=(first, first + 14))),
        Unit(UnitKind.TEXT, original[second:], Position(offset=(second, len(original)))),
    ]
    (chunk,) = chunks_of(document(*units))
    (place,) = chunk.positions_of("It is old.")
    assert place.offset is not None
    assert original[slice(*place.offset)] == "It is old."


def test_units_that_stand_at_one_place_are_told_once() -> None:
    units = [Unit(UnitKind.TEXT, text, Position(section=("Plan",))) for text in ("One.", "Two.")]
    (chunk,) = chunks_of(document(*units))
    assert chunk.places == ()
    assert chunk.positions_of("Two.") == (Position(section=("Plan",)),)


def test_a_chunk_over_two_pages_names_both_with_merged_boxes() -> None:
    units = [
        Unit(UnitKind.TEXT, "One.", Position(page=1, box=Box(10, 10, 50, 20))),
        Unit(UnitKind.TEXT, "Two.", Position(page=1, box=Box(5, 30, 40, 40))),
        Unit(UnitKind.TEXT, "Three.", Position(page=2, box=Box(1, 1, 2, 2))),
    ]
    (only,) = chunks_of(document(*units))
    assert only.positions == (Position(page=1, box=Box(5, 10, 50, 40)), Position(page=2, box=Box(1, 1, 2, 2)))


def test_a_chunk_over_two_sections_names_both_where_nothing_else_places_it() -> None:
    units = [
        Unit(UnitKind.TEXT, "One.", Position(section=("Plan", "Risks"))),
        Unit(UnitKind.TEXT, "Two.", Position(section=("Plan", "Risks"))),
        Unit(UnitKind.TEXT, "Three.", Position(section=("Costs",))),
    ]
    (only,) = chunks_of(document(*units))
    assert only.positions == (Position(section=("Plan", "Risks")), Position(section=("Costs",)))


def test_plain_text_chunks_know_their_exact_range_in_the_original() -> None:
    original = "\n\n\n" + prose(3000)
    unit = Unit(UnitKind.TEXT, original[3:], Position(offset=(3, len(original))))
    for chunk in chunks_of(document(unit)):
        (place,) = chunk.positions
        assert place.offset is not None
        assert original[slice(*place.offset)] == chunk.text


@pytest.mark.parametrize("kind", [UnitKind.CODE, UnitKind.TABLE])
def test_a_long_line_of_blanks_in_code_or_a_table_takes_linear_time(kind: UnitKind) -> None:
    def work(blanks: int) -> None:
        chunks_of(document(Unit(kind, "x\n" + " " * blanks + "\ny\n" + "z = 1\n" * 400)))

    assert growth(work, 10_000) < LINEAR


def test_semantic_chunks_end_where_the_subject_changes() -> None:
    cats = " ".join(f"The cat sleeps on the soft red mat {n}." for n in range(6))
    tax = " ".join(f"Revenue tax rose by quarter percent yearly {n}." for n in range(6))
    found = chunks_of(document(f"{cats} {tax}"), ChunkOptions("semantic"))
    assert not any("cat" in chunk.text and "tax" in chunk.text for chunk in found)


def test_a_short_document_is_one_semantic_chunk_up_to_512_tokens_whatever_the_size_in_characters() -> None:
    text = " ".join(f"longish{n}" for n in range(500))
    assert [chunk.text for chunk in chunks_of(document(text), ChunkOptions("semantic", 1200, 120))] == [text]


def test_a_short_document_of_more_tokens_is_split_recursively_at_its_paragraphs_with_50_tokens_of_overlap() -> None:
    paragraphs = [" ".join(f"p{number}w{n}" for n in range(300)) for number in range(3)]
    found = chunks_of(document("\n\n".join(paragraphs)), ChunkOptions("semantic", 1200, 120))
    assert [chunk.text.split()[-1] for chunk in found] == [paragraph.split()[-1] for paragraph in paragraphs]
    for before, after in pairwise(found):
        assert after.text.split()[:50] == before.text.split()[-50:]


def test_a_paragraph_that_is_too_large_is_split_at_its_lines_and_a_line_within_itself() -> None:
    lines = [" ".join(f"{n}{name}" for n in range(size)) for name, size in (("a", 300), ("b", 300), ("c", 520))]
    found = [chunk.text.split() for chunk in chunks_of(document("\n".join(lines)), ChunkOptions("semantic"))]
    assert [words[-1] for words in found[:2]] == ["299a", "299b"]
    assert found[-1][-1] == "519c"
    assert all(len(words) <= FALLBACK_TOKENS for words in found)


def test_token_chunks_overlap_by_tokens() -> None:
    words = [f"w{n}" for n in range(1000)]
    found = chunks_of(document(" ".join(words)), K2RAG_DENSE)
    assert all(len(chunk.text.split()) <= 256 for chunk in found)
    for before, after in pairwise(found):
        assert len(set(before.text.split()) & set(after.text.split())) == 20


@pytest.mark.parametrize(
    "options", [ChunkOptions(size=0), ChunkOptions(size=100, overlap=100), ChunkOptions(overlap=-1)]
)
def test_sizes_that_cannot_work_are_refused(options: ChunkOptions) -> None:
    with pytest.raises(Refused):
        chunks_of(document("x"), options)


def test_a_semantic_chunker_without_an_embedder_is_refused() -> None:
    with pytest.raises(Refused):
        chunk_document(document("x"), "d", "v", "s", ChunkOptions("semantic"))


def test_the_fingerprint_changes_with_every_option_and_with_the_embedder_where_it_matters() -> None:
    options = [
        ChunkOptions(),
        ChunkOptions("fixed"),
        ChunkOptions(size=1000),
        ChunkOptions(overlap=100),
        ChunkOptions("semantic"),
    ]
    names = [fingerprint(option, WordEmbedder()) for option in options]
    assert len(set(names)) == len(options)
    assert "words" in names[-1]
    assert "words" not in names[0]

"""What the part of a document says that a question names by its number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec
import pytest

from trivium.domain.answers import Verdict
from trivium.domain.chunks import Chunk, Span
from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.answer import answer
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.listing import Collection
from trivium_query.answer.answerers.numbered import answer_by_number, part_asked, part_within, within_part
from trivium_query.answer.answerers.outline import parts_in
from trivium_query.requests import AskRequest

if TYPE_CHECKING:
    from conftest import Library

Ask = Callable[..., AskRequest]
LEASE = """Lease of the kiln

3. Use

3.1 The Tenant shall:
(a) fire the kiln at night only;
(b) keep a log of each firing.
3.2 Glazes with lead are not allowed.

4. Repairs

4.1 The Landlord repairs the chimney.

4.2 The Tenant repairs the shelves.

It does so every spring.

4.3 The limit of clause 3.2 holds.

10. General

10.1 Changes are made in writing.

Signed in Hexley by both.

Appendix A: Keys

Two keys and a fob."""
BYLAWS = """By-laws of the Angling Club

Article 1 - Name

The club is called Hexley Anglers.

Article 2 - Members

(1) Anyone over ten may join.
(2) The committee decides.

Article 3 - Fees

(1) Fees are due in March.
(2) Children pay half."""
MANUAL = """Mill manual

1. Setting up

1. Unpack the mill.
2. Screw it to the bench.

2. Cleaning

1. Pull the plug.
2. Brush the stones.
3. Put the lid on.

3. Repair

Send it to us."""


def chunk(text: str, source: str, ordinal: int = 0) -> Chunk:
    spans = tuple(split_sentences(text))
    return Chunk(f"{source}{ordinal}", source, "v", ordinal, text, Span(0, len(text)), source, spans)


READ = [[chunk(LEASE, "kiln_lease.txt")], [chunk(BYLAWS, "bylaws.txt")], [chunk(MANUAL, "manual.txt")]]


def told(question: str, read: Sequence[Sequence[Chunk]] = READ) -> tuple[list[str], Verdict | None]:
    """The lines without their marks, and the verdict; none where others are to answer."""
    asked = part_asked(question)
    assert asked is not None
    hits = [Hit(chunks[0], rank, 1.0) for rank, chunks in enumerate(read, 1)]
    answered: Answered | None = answer_by_number(asked, read, hits)
    if answered is None:
        return [], None
    return [line.partition(" [Source")[0] for line in answered.draft.text.splitlines()], answered.verdict


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("What does clause 4.1 of the lease say?", ["4.1 The Landlord repairs the chimney."]),
        ("What does 4.1 say?", ["4.1 The Landlord repairs the chimney."]),
        ("clause 4.2", ["4.2 The Tenant repairs the shelves.", "It does so every spring."]),
        ("What does clause 10.1 say?", ["10.1 Changes are made in writing."]),
        ("clause 3.1(b)", ["3.1 The Tenant shall:", "(b) keep a log of each firing."]),
        ("What does paragraph (b) of clause 3.1 say?", ["3.1 The Tenant shall:", "(b) keep a log of each firing."]),
        ("What's in section 4 of the lease?", LEASE[LEASE.index("4. R") : LEASE.index("10. G")].split("\n\n")[:-1]),
        ("What does Appendix A contain?", ["Appendix A: Keys", "Two keys and a fob."]),
        ("What does article 2 require?", BYLAWS.split("\n\n")[3:4] + BYLAWS.split("\n\n")[4].split("\n")),
        ("Was steht in Artikel 1?", ["Article 1 - Name", "The club is called Hexley Anglers."]),
        ("What does article 3(2) say?", ["Article 3 - Fees", "(2) Children pay half."]),
        ("What does paragraph 2 of article 3 say?", ["Article 3 - Fees", "(2) Children pay half."]),
        ("What is step 3 of the cleaning?", ["3. Put the lid on."]),
        ("What does section 3 of the manual say?", ["3. Repair", "Send it to us."]),
        ("What is required under clause 3.1(b)?", ["3.1 The Tenant shall:", "(b) keep a log of each firing."]),
        ("What is repaired under clause 4.1?", ["4.1 The Landlord repairs the chimney."]),
        ("What does clause 3.2 allow?", ["3.2 Glazes with lead are not allowed."]),
        (
            "What does article 3 of the by-laws cover?",
            ["Article 3 - Fees", "(1) Fees are due in March.", "(2) Children pay half."],
        ),
    ],
)
def test_a_part_says_what_stands_from_its_number_to_the_next(question: str, lines: list[str]) -> None:
    assert told(question) == (lines, Verdict.SUPPORTED)


@pytest.mark.parametrize(
    "question",
    [
        "What does clause 9.9 say?",
        "What does clause 4.1 of the mortgage say?",
        "What does article 7 of the by-laws say?",
        "What does clause 3.1(c) say?",
        "What does appendix B contain?",
    ],
)
def test_a_part_that_is_not_there_is_refused(question: str) -> None:
    lines, verdict = told(question)
    assert lines[0].startswith("Not found in the documents. There is no ")
    assert verdict is Verdict.NOT_SUPPORTED


def test_where_it_is_may_be_told_by_the_line_above_its_list() -> None:
    minutes = [chunk("Meeting of 4 May\n\nAgenda:\n1. Welcome\n2. Budget\n3. Pump", "meeting.txt")]
    assert told("What is point 3 of the agenda?", [minutes]) == (["3. Pump"], Verdict.PARTIALLY_SUPPORTED)
    bread = [chunk("1. Knead.\n2. Bake the loaf.", "bread.txt")]
    assert told("What is step 2 in making bread?", [bread]) == (["2. Bake the loaf."], Verdict.PARTIALLY_SUPPORTED)


@pytest.mark.parametrize(
    "question", ["What is chapter 3 about?", "What is step 2?", "What is item 9?", "What does number 7 do?"]
)
def test_a_number_that_may_be_written_in_words_or_of_no_part_is_not_refused(question: str) -> None:
    novel = [chunk("Chapter Three\n\nThe second step creaked as she went up.\n9 saws", "novel.txt")]
    assert told(question, [novel])[1] is None


def test_of_several_documents_with_that_part_each_is_shown() -> None:
    other = [chunk("Sale of a cart\n\n4. Price\n\n4.1 The cart costs 90 euros.", "cart.txt")]
    lines, verdict = told("What does clause 4.1 say?", [*READ, other])
    assert lines == ["4.1 The Landlord repairs the chimney.", "4.1 The cart costs 90 euros."]
    assert verdict is Verdict.PARTIALLY_SUPPORTED
    assert told("What does clause 4.1 of the cart's sale say?", [*READ, other])[0] == lines[1:]


def test_a_part_goes_on_in_the_next_passage() -> None:
    cut = LEASE.index("(b)")
    read = [[chunk(LEASE[:cut], "kiln.txt"), chunk(LEASE[cut:], "kiln.txt", 1)]]
    assert told("clause 3.1", read)[0][1:] == ["(a) fire the kiln at night only;", "(b) keep a log of each firing."]


def test_what_is_only_mentioned_or_may_stand_in_a_table_is_left_to_others() -> None:
    assert (
        told("What does section 230 say?", [[chunk("Hosts are free of it by Section 230 of the act.", "a.txt")]])[1]
        is None
    )
    table = msgspec.structs.replace(chunk("Item: 7; Name: saw", "b.csv"), kind=UnitKind.TABLE)
    assert told("What is item 7?", [[table]])[1] is None
    assert told("What does step 3 cost?")[1] is None
    assert told("What is due under clause 4.1?")[1] is None


@pytest.mark.parametrize(
    "question",
    [
        "Who pays under clause 4.2?",
        "What is the point of the club?",
        "Which articles are below their minimum?",
        "What do they charge for a new pump, part 0117?",
        "What is 4.2?",
        "What changed in version 4.2?",
        "How many items are lent?",
        "Explain clause 4.2 in simple words",
    ],
)
def test_other_questions_ask_for_no_part(question: str) -> None:
    assert part_asked(question) is None


def test_contents_at_the_beginning_hide_no_part() -> None:
    contents = "Contents\n\n3. Use 1\n4. Repairs 2\n10. General 3\n\n"
    lines, _ = told("What is in section 10 of the lease?", [[chunk(contents + LEASE, "kiln_lease.txt")]])
    assert lines == ["10. General", "10.1 Changes are made in writing.", "Signed in Hexley by both."]


def test_letters_and_roman_numerals_nest_as_they_count() -> None:
    text = "1. Duties:\n(a) to sweep:\n(i) floors;\n(ii) stairs;\n(b) to wash.\n" + "".join(
        f"({letter}) to {letter}.\n" for letter in "cdefghij"
    )
    nested = [(part.key, len(part.within)) for part in parts_in(text)]
    assert nested == [("1", 0), ("a", 1), ("i", 2), ("ii", 2), *((letter, 1) for letter in "bcdefghij")]


def test_a_list_that_begins_anew_is_no_part_of_the_one_before() -> None:
    lists = "Cleaning:\n1. Pull the plug.\n2. Brush it.\n\nRepair:\n1. Open it.\n2. Close it."
    assert [(part.key, len(part.within)) for part in parts_in(lists)] == [("1", 0), ("2", 0)] * 2
    inner = "1. Clean:\n1. Brush.\n2. Wash.\n2. Dry.\n   1. Hang it.\n4.2. Repair.\n1. Open."
    assert [len(part.within) for part in parts_in(inner)] == [0, 1, 1, 0, 1, 0, 1]


def test_numbers_at_the_beginning_of_lines_of_prose_are_no_parts() -> None:
    assert not parts_in("In all\n12 people came, and\n4.5 litres were drunk as\nsection 5 applies to\n3 of them.")


async def test_the_whole_document_is_looked_through_where_a_hit_is_of_it(library: Library, ask: Ask) -> None:
    library.add("kiln_lease.txt", LEASE[: LEASE.index("4. R")], title="Lease of the kiln")
    later = library.add("kiln_lease.txt", LEASE[LEASE.index("4. R") :], title="Lease of the kiln", number=2)

    class Whole:
        async def passages(self, document_id: str, version: str) -> list[Chunk]:
            return [each for each in library.chunks if each.document_id == document_id and each.version == version]

    collection: Collection = Whole()  # type: ignore[assignment]
    opened = msgspec.structs.replace(library.dependencies(), collection=collection)
    given = await answer(ask("What does clause 4.3 of the lease say?", top_k=1), opened)
    assert given.text.startswith("4.3 The limit of clause 3.2 holds. [Source")
    assert given.verdict is Verdict.SUPPORTED
    assert later.id in {hit.chunk.id for hit in given.hits}
    none = await answer(ask("What does clause 8.1 of the lease say?"), opened)
    assert (none.found, none.verdict) == (False, Verdict.NOT_SUPPORTED)


CARRIAGE = """Terms of carriage

4.1 The carrier waits for an hour. The carrier may not refuse goods.

4.2 The carrier may refuse goods that smell. Loading is paid by the sender.

5. The sender may refuse to pay."""


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("May the carrier refuse goods under clause 4.2?", "The carrier may refuse goods that smell."),
        ("Who pays the loading according to clause 4.2 of the terms?", "The carrier may refuse goods that smell."),
        ("May the carrier refuse goods under clause 9?", ""),
        ("May the carrier refuse goods under clause 4.2 of the moon treaty?", ""),
        ("What does clause 4.2 say?", None),
        ("May the carrier refuse goods in rule of thumb?", None),
        ("May the carrier refuse goods in section two?", None),
        ("Can I park in number 5?", None),
    ],
)
def test_what_is_asked_in_a_part_is_read_in_it_alone(question: str, says: str | None) -> None:
    asked = part_within(question)
    assert (asked is None) == (says is None)
    if asked is None:
        return
    spans = tuple(split_sentences(CARRIAGE))
    chunk = Chunk("c1", "d1", "v", 0, CARRIAGE, Span(0, len(CARRIAGE)), "terms.txt", spans)
    (hit,) = within_part(asked, [[chunk]], [Hit(chunk, 1, 1.0)])
    told = [one.of(hit.chunk.text) for one in hit.chunk.sentences]
    assert len(hit.chunk.text) == len(CARRIAGE)
    assert (says in " ".join(told) and len(told) < len(spans)) if says else hit.chunk is chunk


async def test_the_part_is_found_and_read_in_the_documents_of_the_hits(library: Library, ask: Ask) -> None:
    library.add("terms.txt", CARRIAGE, title="Terms of carriage")

    class Whole:
        async def passages(self, document_id: str, version: str) -> list[Chunk]:
            return [each for each in library.chunks if each.document_id == document_id and each.version == version]

    collection: Collection = Whole()  # type: ignore[assignment]
    opened = msgspec.structs.replace(library.dependencies(), collection=collection)
    given = await answer(ask("May the carrier refuse goods under clause 4.2?"), opened)
    assert "that smell" in given.text
    assert "may not refuse" not in given.text
    assert CARRIAGE in [hit.chunk.text for hit in given.hits]  # as it stands, not with blanks
    which = await answer(ask("Which clause deals with loading?"), opened)
    assert which.short == "clause 4.2"

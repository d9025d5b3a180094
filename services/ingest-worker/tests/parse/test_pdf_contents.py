"""Tables of contents and indexes of a PDF are left out; what has leaders and is none of them stays."""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec
import pytest
from reportlab.pdfgen.canvas import Canvas

from trivium_ingest.parse.pdf.blocks import Block
from trivium_ingest.parse.pdf.contents import without_contents

from .conftest import Parse, pdf

PARTS = ["Preparing the nets", "Mending the boat", "Weather and tides", "Selling the catch", "Keeping accounts"]


def _block(text: str, page: int, level: int = 0) -> Block:
    return Block(text, 0, 0, 1, 1, 10, 0, page=page, level=level)


def _leaders(name: str, number: object) -> str:
    return f"{name} {'. ' * 20}{number}"


def _kept(*blocks: Block) -> list[str]:
    return [block.text for block in without_contents(blocks)]


def _parts(first_page: int = 3) -> list[Block]:
    return [
        block
        for number, part in enumerate(PARTS)
        for block in (
            _block(part, first_page + number, level=1),
            _block(f"Long text of {part.lower()}. " * 9, first_page + number),
        )
    ]


def test_a_pdf_is_read_without_its_table_of_contents(parse: Parse) -> None:
    def titled(canvas: Canvas, title: str) -> None:
        canvas.setFont("Helvetica-Bold", 18)
        canvas.drawString(72, 780, title)
        canvas.setFont("Helvetica", 11)

    def draw(canvas: Canvas) -> None:
        titled(canvas, "Contents")
        for number, part in enumerate(PARTS):
            canvas.drawString(72, 740 - 16 * number, _leaders(f"{number + 1} {part}", number + 1))
        for part in PARTS:
            canvas.showPage()
            titled(canvas, part)
            canvas.drawString(72, 750, f"What is told of {part.lower()} by somebody who knows.")

    text = parse(pdf(draw)).text
    assert ". . ." not in text
    assert all(part in text for part in PARTS)


def test_what_is_counted_from_another_page_is_found_by_where_most_names_stand() -> None:
    lines = [_block(_leaders(f"{n + 1}.1 {part}", n + 1), 2) for n, part in enumerate(PARTS)]
    rest = _parts(first_page=9)
    assert _kept(_block("Contents", 2, level=1), *lines, *rest) == [block.text for block in rest]


def test_entries_in_one_block_parts_without_leaders_and_roman_numbers_go_too() -> None:
    entries = " ".join(_leaders(part, n + 3) for n, part in enumerate(PARTS[:4]))
    contents = [_block(_leaders("Preface", "iv"), 2), _block(entries, 2), _block(f"{PARTS[4]} 7", 2)]
    after = _block(_leaders(PARTS[4], 7), 2)
    rest = [_block("Preface", 2, level=1), *_parts()]
    assert _kept(*contents, after, *rest) == [block.text for block in rest]


def test_an_index_with_several_pages_a_word_goes() -> None:
    words = ["nets", "boat", "tides", "catch", "accounts"]
    index = [_block(_leaders(word, f"{n + 3}, 40"), 9) for n, word in enumerate(words)]
    assert _kept(*_parts(), *index) == [block.text for block in _parts()]


@pytest.mark.parametrize(
    "lines",
    [
        ["Guided walk", "Boat trip", "Net mending course", "Supper", "Night fishing"],  # a list of fees
        PARTS,  # which are told of, but not on the pages of these numbers
    ],
)
def test_a_list_of_prices_stays(lines: Sequence[str]) -> None:
    prices = [_block(_leaders(line, price), 1) for line, price in zip(lines, (4, 7, 12, 3, 9), strict=True)]
    assert _kept(*prices, *_parts()) == [block.text for block in (*prices, *_parts())]


@pytest.mark.parametrize("prices", [(4, 5, 6, 7, 3), (5, 5, 5, 5, 5)])
def test_prices_of_what_is_told_of_on_every_page_or_on_one_stay(prices: Sequence[int]) -> None:
    fees = [_block(_leaders(part, price), 1) for part, price in zip(PARTS, prices, strict=True)]
    on_every_page = [_block(f"We teach {', '.join(PARTS).lower()}.", page) for page in range(2, 9)]
    on_one = [_block(", ".join(PARTS), 5), *(_block("Welcome to the coast.", page) for page in (2, 3, 4, 6))]
    for rest in (on_every_page, on_one):
        assert _kept(*fees, *rest) == [block.text for block in (*fees, *rest)]


def test_an_entry_that_names_what_stands_nowhere_else_stays_and_its_heading() -> None:
    lines = [_block(_leaders(part, n + 3), 2) for n, part in enumerate(PARTS)]
    letter = _block(_leaders("A letter of Jane Osei", 8), 2)
    heading = _block("Contents", 2, level=1)
    assert _kept(heading, *lines, letter, *_parts()) == [heading.text, letter.text, *_kept(*_parts())]
    in_one = _block(" ".join(block.text for block in (*lines, letter)), 2)
    assert _kept(heading, in_one, *_parts()) == [heading.text, letter.text, *_kept(*_parts())]


def test_a_heading_over_others_stays_when_the_contents_under_it_go() -> None:
    lines = [_block(_leaders(part, n + 3), 2) for n, part in enumerate(PARTS)]
    below = [msgspec.structs.replace(block, level=2 * block.level) for block in _parts()]
    assert _kept(_block("The fisher's year", 2, level=1), *lines, *below)[0] == "The fisher's year"


def test_names_in_hidden_text_are_no_evidence() -> None:
    lines = [_block(_leaders(part, n + 3), 2) for n, part in enumerate(PARTS)]
    hidden = [msgspec.structs.replace(block, hidden=True) for block in _parts()]
    assert len(_kept(*lines, *hidden)) == len(lines) + len(hidden)


def test_dots_to_write_on_take_no_time() -> None:
    form = _block(f"Name {'.' * 50_000}", 1)
    began = time.process_time()
    assert _kept(form) == [form.text]
    assert time.process_time() - began < 1


def test_a_sentence_between_and_dots_in_prose_stay() -> None:
    lines = [_block(_leaders(part, n + 3), 2) for n, part in enumerate(PARTS)]
    told = _block("He waited . . . . . 3 days, and then the others came back with all that they had caught there.", 2)
    assert _kept(*lines, told, *_parts()) == [told.text, *(block.text for block in _parts())]


def test_a_document_of_nothing_but_entries_keeps_them() -> None:
    lines = [_block(_leaders(part, n + 1), n // 3 + 1) for n, part in enumerate(PARTS * 3)]
    assert len(_kept(*lines)) == len(lines)

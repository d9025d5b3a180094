"""Pairs of statements that teach the reader natural language inference: `bench/written/statements/*.txt`.

A block has two lines "> title", those of its documents, and a line a pair: what both say to each other, and the two
sentences, with " | " between. "c" is a contradiction, "s" the same in other words, "n" neither, though it may look like
one. None is of a list that is measured (`bench/contradictions`).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from reader_examples import Example, Question
from reader_written import files_in

from trivium.ports.inference import Passage
from trivium_query.answer.direct.yes_no_read import NO, WORDS, YES

FOLDER = Path(__file__).with_name("written") / "statements"
SPANS = {"c": (NO,), "s": (YES,), "n": ()}
TITLED = 0.65  # of the pairs: with the titles of their documents
UNLIKE = 2  # pairs of a block that were not written as such: of one document any sentence, of the other another


class Said(NamedTuple):
    """A sentence, and the title of its document."""

    text: str
    title: str


def statement_questions(
    chance: random.Random, names: str = "*", apart: str = "", folder: Path = FOLDER
) -> list[Question]:
    """Every pair both ways, one statement asked of the other, and some that have nothing to do with each other."""
    files = files_in(folder, names, apart)
    return [one for file in files for block in file.read_text().split("\n\n") for one in _asked(block, chance)]


def _asked(block: str, chance: random.Random) -> Iterator[Question]:
    lines = [line for line in block.split("\n") if line.strip()]
    if not lines:
        return
    first, second = (line.removeprefix("> ").strip() for line in lines[:2])
    rows = [line.split(" | ") for line in lines[2:]]
    pairs = [(mark, Said(one, first), Said(other, second)) for mark, one, other in rows]
    for mark, one, other in pairs:
        titled = chance.random() < TITLED
        yield (_example(mark, one, other, titled=titled),)
        yield (_example(mark, other, one, titled=titled),)
    for _ in range(UNLIKE):
        some = chance.sample(range(len(pairs)), 2)
        two = [pairs[some[0]][1], pairs[some[1]][2]]
        chance.shuffle(two)
        yield (_example("n", *two, titled=chance.random() < TITLED),)


def _example(mark: str, one: Said, other: Said, *, titled: bool) -> Example:
    """One statement is the question, the other stands behind the words to choose from, as a sentence of yes or no."""
    question = f"{one.text} ({one.title})" if titled else one.text
    return Example(question, Passage(WORDS + other.text, other.title if titled else ""), SPANS[mark])

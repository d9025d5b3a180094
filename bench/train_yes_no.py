"""Fit the weights by which a question is answered with yes or no (`yes_no` of `direct/weights.json`).

Usage: python bench/train_yes_no.py [--every N]      (ten minutes on two cores)

Every Nth question of the files in `bench/written/yes_no` that the reader has not learnt from (v and w), with the
passages of its own document and the first passages of three others. What is wanted is the deciding sentence with its
word, or no sentence where the document does not tell: a conditional logit (`yes_no_weighed.py`).

It prints, for files v with weights of w, and the other way round: of the questions that are told, the words that are
right, by the reader's odds alone and by the weights; and for each range of the probability how many questions fall
into it, the share of right words, and of questions that the document does not answer. Then the weights of all are
written into the package.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from reader_written import ASKED, FOLDER, YES_NO
from train_answers import conditional_logit

from trivium.config import load_settings
from trivium.domain.chunks import Chunk, Span
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_inference.model_files import locate_model
from trivium_inference.reader import SpanReader, build_reader
from trivium_query.answer import extractive
from trivium_query.answer.direct import choose
from trivium_query.answer.direct.yes_no_read import passages_of, with_odds, worth_reading
from trivium_query.answer.direct.yes_no_weighed import ANSWERS, SIGNALS, ReadSentence, signals_of, weigh

NEW = ("v", "w")  # the first letters of files that the reader has not learnt from
EVERY = 4
OTHERS = 3  # documents
PASSAGE = 1000  # characters
RIDGE = 2.0
SEED = 13
BOUNDS = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.01)


class Asked(NamedTuple):
    """A question, "" or its word and the sentence that decides, and the sentences that were read."""

    question: str
    word: str
    decides: str
    read: list[ReadSentence]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--every", type=int, default=EVERY, metavar="N", help="only every Nth question")
    every = arguments.parse_args().every
    reader = build_reader(locate_model(), load_settings({}).cache_dir.expanduser())
    assert reader, "the default embedder has a reader"
    asked = {letter: list(questions(letter, every, reader)) for letter in NEW}
    for letter, rows in asked.items():
        rest = [one for other in NEW if other != letter for one in asked[other]]
        print(f"{letter}: {figures(rows, fitted(rest))}", flush=True)
    weights = fitted([one for rows in asked.values() for one in rows])
    print(weights)
    content = msgspec.json.encode(msgspec.structs.replace(choose.shipped(), yes_no=weights))
    Path(choose.__file__).with_name(choose.WEIGHTS).write_bytes(msgspec.json.format(content, indent=2) + b"\n")


def questions(letter: str, every: int, reader: SpanReader) -> Iterator[Asked]:
    files = sorted((FOLDER / YES_NO).glob(f"{letter}*.txt"))
    documents = {file.name: passages(file.name, (FOLDER / file.name).read_text()) for file in files}
    chance = random.Random(SEED)
    for file in files:
        others = [documents[name][0] for name in chance.sample(sorted(documents), OTHERS) if name != file.name]
        hits = [Hit(chunk, rank, 1.0 / rank) for rank, chunk in enumerate([*documents[file.name], *others], 1)]
        for question, answer in ASKED.findall(file.read_text())[::every]:
            word, _, decides = answer.strip().partition(" || ")
            sentences = worth_reading(extractive.extract(question, hits, None, {}))
            readings = reader.read_now(question, passages_of(sentences))
            if sentences:
                yield Asked(question, word, " ".join(decides.split()), list(map(with_odds, sentences, readings)))


def passages(name: str, content: str) -> list[Chunk]:
    """Paragraphs together up to a length, the title before the first."""
    title, _, text = content.partition("\n===")[0].partition("\n\n")
    texts = [title.strip("# \n")]
    for paragraph in text.strip().split("\n\n"):
        if len(texts[-1]) + len(paragraph) > PASSAGE:
            texts.append(paragraph)
        else:
            texts[-1] += f"\n\n{paragraph}"
    return [
        Chunk(f"{name}#{at}", name, "1", at, text, Span(0, len(text)), name, split_sentences(text), title=title)
        for at, text in enumerate(texts)
    ]


def fitted(rows: Sequence[Asked]) -> dict[str, float]:
    groups = [
        (signals_of(one.question, one.read), wanted, 1.0) for one in rows if (wanted := wanted_of(one)) is not None
    ]
    begun = np.array([float(name == "odds") for name in SIGNALS])
    found = conditional_logit(groups, RIDGE, begun)
    return {name: round(float(value), 4) for name, value in zip(SIGNALS, found, strict=True)}


def wanted_of(one: Asked) -> NDArray[np.float64] | None:
    """Of every sentence's yes and no, and of none; None where the sentence that decides was not read."""
    wanted = np.zeros(len(ANSWERS) * len(one.read) + 1)
    texts = [" ".join(each.sentence.text.split()) for each in one.read]
    places = [at for at, text in enumerate(texts) if text in one.decides or one.decides in text] if one.word else []
    if not one.word:
        wanted[-1] = 1.0
    for at in places:
        wanted[len(ANSWERS) * at + ANSWERS.index(one.word)] = 1.0 / len(places)
    return wanted if wanted.any() else None


def figures(rows: Sequence[Asked], weights: dict[str, float]) -> str:
    found = [weigh(one.question, one.read, weights) for one in rows]
    told = [
        (by_odds(one.read) == one.word, each.word == one.word)
        for one, each in zip(rows, found, strict=True)
        if one.word
    ]
    lines = [f"{len(told)} told: right by odds {share(a for a, _ in told)}, weighed {share(b for _, b in told)}"]
    for low, high in pairwise(BOUNDS):
        own = [(one, each) for one, each in zip(rows, found, strict=True) if low <= each.likely < high]
        right, untold = share(each.word == one.word for one, each in own), share(not one.word for one, _ in own)
        lines.append(f"  {low:.1f} to {min(high, 1.0):.1f}: {len(own):5}  right {right}  not told {untold}")
    return "\n".join(lines)


def by_odds(read: Sequence[ReadSentence]) -> str:
    """The likelier word by the best sentence of each."""
    return max(ANSWERS, key=lambda word: max(one.odds(word) for one in read))


def share(of: Iterable[bool]) -> str:
    values = list(of)
    return f"{100 * sum(values) / max(1, len(values)):5.1f} %"


if __name__ == "__main__":
    main()

"""Documents and questions written to teach the reader what the sets do not: `bench/written/*.txt`.

A file has a title, a blank line, the text, a line `===`, and for each question a line `Q: ` and a line `A: `: the
answer word for word; ` || ` and the words around it where it stands in the text more than once; nothing where the text
does not answer. `bench/written/yes_no` has questions that are answered by yes or no, of the document in the file of the
same name: `A: yes || ` and the sentence that decides. No set that is measured is among them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from reader_examples import Corpus, Example, Question

from trivium.domain.chunks import Span
from trivium.ports.inference import Passage
from trivium.text.sentences import split_sentences
from trivium_query.answer.direct.yes_no_read import NO, YES, passage_of

FOLDER = Path(__file__).with_name("written")
YES_NO = "yes_no"
PASSAGE = (450, 1000)  # characters, as the product's passages mostly have
TOGETHER = 40  # files in whose passages wrong ones are looked for
ASKED = re.compile(r"^Q: (.+)\nA:(.*)$", re.MULTILINE)
Row = dict[str, Any]


def written_questions(
    chance: random.Random, names: str = "*", apart: str = "", folder: Path = FOLDER
) -> list[Question]:
    """Every question of the files of these names, but of those `apart`, with passages that hold its answer or none."""
    found: list[Question] = []
    for some in _together(files_in(folder, names, apart)):
        files = [file.read_text() for file in some]
        documents = [_passages(f"written-{number}", text, chance) for number, text in enumerate(files)]
        corpus = Corpus(row for rows in documents for row in rows)
        found += (
            question
            for rows, text in zip(documents, files, strict=True)
            for asked, answer in ASKED.findall(text)
            if (question := _question(corpus, rows, asked, answer.strip(), chance))
        )
    return found


def _together(files: Sequence[Path]) -> Iterator[Sequence[Path]]:
    return (files[start : start + TOGETHER] for start in range(0, len(files), TOGETHER))


def files_in(folder: Path, names: str, apart: str) -> list[Path]:
    """Those of these names, but of those `apart`."""
    return [file for file in sorted(folder.glob(f"{names}.txt")) if not fnmatch(file.stem, apart)]


def write_set(out: Path, folder: Path = FOLDER) -> None:
    """The documents and questions as a folder in the evaluation format."""
    (out / "documents").mkdir(parents=True, exist_ok=True)
    documents, queries = [], []
    for file in sorted(folder.glob("*.txt")):
        title, text = _document(file.read_text())
        (out / "documents" / file.name).write_text(f"{title}\n\n{text}\n")
        documents.append({"id": file.stem, "file": f"documents/{file.name}"})
        queries += [{"id": key, "question": asked} for key, asked, _ in _asked(file)]
    for name, rows in (("corpus", documents), ("queries", queries)):
        (out / f"{name}.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, rows)))


def with_passages(found: Mapping[str, Sequence[Passage]], folder: Path = FOLDER) -> list[Question]:
    """Every question of the set that `write_set` writes, with the passages found for it.

    One whose answer stands in none of them is left out, as is a passage that has its words at another place.
    """
    questions = []
    for key, asked, answer in (one for file in sorted(folder.glob("*.txt")) for one in _asked(file)):
        places = [(passage, _place(passage.text, answer) if answer else None) for passage in found.get(key, ())]
        words = answer.partition(" || ")[0].lower()
        examples = [
            Example(asked, passage, (place,) if place else ())
            for passage, place in places
            if place or not answer or words not in passage.text.lower()
        ]
        if examples and (not answer or any(one.spans for one in examples)):
            questions.append(tuple(examples))
    return questions


def _asked(file: Path) -> list[tuple[str, str, str]]:
    """Each question's id, words and answer."""
    rows = enumerate(ASKED.findall(file.read_text()))
    return [(f"{file.stem}-{number}", asked.strip(), answer.strip()) for number, (asked, answer) in rows]


@cache
def yes_no_questions(names: str = "*", apart: str = "", folder: Path = FOLDER) -> list[Question]:
    """The same of yes or no, with sentences as the product has them read: the one that decides, and others."""
    some = _together(files_in(folder / YES_NO, names, apart))
    return [question for files in some for question in _of_yes_or_no(folder, files)]


def _of_yes_or_no(folder: Path, some: Sequence[Path]) -> list[Question]:
    files = {file.stem: file.read_text() for file in some}
    told = [one for name in files for one in _sentences(name, (folder / f"{name}.txt").read_text())]
    sentences = {str(number): one for number, one in enumerate(told)}
    corpus = Corpus({"id": key, "title": one.title, "text": one.text} for key, one in sentences.items())
    own: dict[str, dict[str, Sentence]] = {name: {} for name in files}
    for key, one in sentences.items():
        own[one.document][key] = one
    return [
        question
        for name, file in files.items()
        for asked, answer in ASKED.findall(file)
        if (question := _decided(corpus, sentences, own[name], asked, answer.strip()))
    ]


class Sentence(NamedTuple):
    """One of a document, where it stands in its text, and as the reader is given it."""

    document: str
    title: str
    text: str
    whole: str
    span: Span
    passage: Passage


def _sentences(name: str, file: str) -> list[Sentence]:
    title, text = _document(file)
    spans = split_sentences(text)
    return [
        Sentence(name, title, text[span.start : span.end], text, span, passage_of(text, spans, span, title))
        for span in spans
    ]


def _decided(
    corpus: Corpus, sentences: dict[str, Sentence], own: dict[str, Sentence], asked: str, answer: str
) -> Question | None:
    """`own` are those of its document. None where the sentence that decides is not found."""
    word, _, said = answer.partition(" || ")
    place = _find(said, next(iter(own.values())).whole) if word else None
    home = [key for key, one in own.items() if place and one.span.start < place[1] and place[0] < one.span.end]
    if word and not home:
        return None
    shown = " ".join(said.split())
    others = (key for key in corpus.nearest(asked, 12) if key not in home)
    near = [key for key in others if not word or shown not in " ".join(sentences[key].passage.text.split())]
    wrong = dict.fromkeys([*[key for key in near if key in own][:3], *near[:2]])
    right = [Example(asked, sentences[home[-1]].passage, ({"yes": YES, "no": NO}[word],))] if home else []
    return (*right, *(Example(asked, sentences[key].passage) for key in wrong))


def _document(file: str) -> tuple[str, str]:
    """Its title and its text."""
    head, _, text = file.partition("\n===\n")[0].partition("\n\n")
    return head.strip("# \n"), text.strip()


def _passages(name: str, file: str, chance: random.Random) -> list[Row]:
    """Paragraphs after one another up to a length at random."""
    title, text = _document(file)
    texts = [""]
    room = chance.randint(*PASSAGE)
    for paragraph in re.split(r"\n\n+", text):
        if texts[-1] and len(texts[-1]) + len(paragraph) > room:
            texts.append("")
            room = chance.randint(*PASSAGE)
        texts[-1] += f"\n\n{paragraph}" if texts[-1] else paragraph
    return [{"id": f"{name}-{number}", "title": title, "text": text} for number, text in enumerate(texts)]


def _question(corpus: Corpus, rows: list[Row], asked: str, answer: str, chance: random.Random) -> Question | None:
    places = [(row["id"], place) for row in rows if (place := _place(row["text"], answer))] if answer else []
    if answer and not places:
        return None  # it stands in the title, or over two passages
    home = places[0][0] if places else ""
    near = [name for name in corpus.nearest(asked, 8) if name != home]
    own = [row["id"] for row in rows if row["id"] != home]
    wrong = list(dict.fromkeys([*chance.sample(own, min(2, len(own))), *near[:2]]))
    lacking = [name for name in wrong if not answer or not _place(corpus.rows[name]["text"], answer)]
    examples = [corpus.example(asked, home, [place], near, chance) for _, place in places[:1]]
    return tuple(examples + [corpus.example(asked, name, (), near, chance) for name in lacking[:3]])


def _place(text: str, answer: str) -> tuple[int, int] | None:
    """Characters of the answer, inside the words around it where these are told."""
    words, _, around = answer.partition(" || ")
    holder = _find(around, text) if around else (0, len(text))
    found = _find(words, text[holder[0] : holder[1]]) if holder else None
    return (holder[0] + found[0], holder[0] + found[1]) if holder and found else None


def _find(words: str, text: str) -> tuple[int, int] | None:
    pattern = r"\s+".join(map(re.escape, words.split()))
    match = re.search(rf"(?<!\w){pattern}(?!\w)", text)
    return match.span() if match else None

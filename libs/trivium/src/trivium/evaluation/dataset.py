"""Reading an evaluation folder: `corpus*.jsonl.gz` (id, title, text) and `queries.jsonl.gz` (id, question, evidence).

Both may be plain `.jsonl` too.
A query may carry `grades` (document id to grade). A higher grade is better, as in TREC's judgements,
unless the folder's `meta.json` says that grade 1 is the most relevant, as in Cranfield's. A row with a `file` instead
of a text is that file of the folder, and a query may name the `modalities` that its answer needs.

The right answer stands in `answer` (a text, a number, or a list whose members all belong to it); further wordings in
`answer_aliases` and `answers`. The types `null_query` and `unanswerable` say that the corpus holds no answer.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from trivium.domain.errors import Refused
from trivium.domain.parsed import UnitKind

QUERIES = "queries.jsonl"
CORPUS = "corpus*.jsonl"
PACKED = ".gz"
META = "meta.json"
_GRADE_ONE_IS_BEST = re.compile(r"grade 1 is the (?:most relevant|best)", re.IGNORECASE)

Identifier = Annotated[str, msgspec.Meta(min_length=1)]
T = TypeVar("T")
Plain = str | int | float
UNANSWERABLE = frozenset({"null_query", "unanswerable"})  # as MultiHop-RAG and QASPER call such questions


class Row(msgspec.Struct, frozen=True):
    """One document of the corpus: a text, or a file by its path within the folder. Without a title, none is made up."""

    id: Identifier
    text: str = ""
    title: str | None = None
    file: str = ""


class Judged(msgspec.Struct, frozen=True):
    """One question; `relevant` maps document ids to gains above 0 and is empty when the right answer is to abstain.

    `modalities` are kinds of passages (`UnitKind`) that the results should hold. `gold` are the wordings of the right
    answer, each of them enough; none where the set tells no answer, or the corpus holds none (not `answerable`).
    """

    id: str
    question: str
    relevant: dict[str, float]
    modalities: tuple[str, ...] = ()
    gold: tuple[str, ...] = ()
    answerable: bool = True


class EvaluationSet(msgspec.Struct, frozen=True):
    """A folder in memory. Document ids are unique: of two rows with one id, the first counts."""

    name: str
    documents: tuple[Row, ...]
    queries: tuple[Judged, ...]

    @property
    def judgements(self) -> dict[str, dict[str, float]]:
        """Query id to relevant documents, for the questions that have any."""
        return {query.id: query.relevant for query in self.queries if query.relevant}


class _Reference(msgspec.Struct, frozen=True):
    """One annotator's answer."""

    answer: str = ""


class _Query(msgspec.Struct, frozen=True):
    id: Identifier
    question: Identifier
    evidence: tuple[str, ...] = ()
    grades: dict[str, float] | None = None
    modalities: tuple[UnitKind, ...] = ()
    answer: Plain | list[Plain] | None = None
    answer_aliases: tuple[str, ...] = ()
    answers: tuple[Plain | _Reference, ...] | None = None
    type: str | None = None


def load_set(folder: Path) -> EvaluationSet:
    """Everything in `folder`. Raises `Refused` (`bad_evaluation_set`) saying which file and line is wrong."""
    sources = _sources(folder, CORPUS)
    documents: dict[str, Row] = {}
    for source in sources:
        for row in _rows(source, Row):
            documents.setdefault(row.id, _inside(row, folder, source))
    return EvaluationSet(folder.resolve().name, tuple(documents.values()), load_questions(folder))


def load_questions(folder: Path) -> tuple[Judged, ...]:
    """The questions alone. Ids are unique: of two rows with one id, the last counts. Raises as `load_set`."""
    first_is_best = _grade_one_is_best(folder / META)
    queries = (
        Judged(row.id, row.question, _relevant(row, first_is_best), row.modalities, _gold(row), _answerable(row))
        for source in _sources(folder, QUERIES)[:1]
        for row in _rows(source, _Query)
    )
    return tuple({query.id: query for query in queries}.values())


def _sources(folder: Path, pattern: str) -> list[Path]:
    """The files of that name, packed or plain. Raises `Refused` where there are none."""
    found = sorted([*folder.glob(pattern), *folder.glob(f"{pattern}{PACKED}")])
    if not found:
        raise _refused(
            f"{folder} has no {pattern}{PACKED}.", f"Name a folder with {CORPUS}{PACKED} and {QUERIES}{PACKED}."
        )
    return found


def _rows(source: Path, kind: type[T]) -> Iterator[T]:
    decoder = msgspec.json.Decoder(kind)
    number = 0
    try:
        with gzip.open(source, "rb") if source.suffix == PACKED else source.open("rb") as lines:
            for line in lines:
                number += 1  # the handler below names it
                if line.strip():
                    yield decoder.decode(line)
    except (OSError, EOFError, zlib.error, msgspec.DecodeError) as error:
        raise _refused(f"{source}, line {number}: {error}.", "Mend or leave out that line.") from error


def _inside(row: Row, folder: Path, source: Path) -> Row:
    """The row, its file known to lie in the folder."""
    if row.file:
        place = (folder / row.file).resolve()
        if not place.is_relative_to(folder.resolve()) or not place.is_file():
            raise _refused(f"{source}: {row.file!r} of row {row.id!r} is no file in {folder}.", "Mend or leave it out.")
    return row


def _relevant(query: _Query, first_is_best: bool) -> dict[str, float]:
    """Gains: the grades where there are any, else 1 each; evidence without a usable grade has the least gain, 1."""
    grades: Mapping[str, float] = query.grades or {}
    worst = max(grades.values(), default=0.0)
    gains = {document: 1.0 for document in query.evidence}
    for document, grade in grades.items():
        if grade > 0:
            gains[document] = worst + 1 - grade if first_is_best else grade
    return gains


def _answerable(query: _Query) -> bool:
    return query.type not in UNANSWERABLE


def _gold(query: _Query) -> tuple[str, ...]:
    """Every wording once."""
    if not _answerable(query):
        return ()
    listed = query.answer if isinstance(query.answer, list) else [query.answer]
    first = ", ".join(str(part) for part in listed if part is not None)
    others = (one.answer if isinstance(one, _Reference) else str(one) for one in query.answers or ())
    wordings = (one.strip() for one in (first, *query.answer_aliases, *others))
    return tuple(dict.fromkeys(one for one in wordings if one))


def _grade_one_is_best(meta: Path) -> bool:
    return meta.is_file() and _GRADE_ONE_IS_BEST.search(meta.read_text(encoding="utf-8", errors="replace")) is not None


def _refused(message: str, action: str) -> Refused:
    return Refused("bad_evaluation_set", message, action)

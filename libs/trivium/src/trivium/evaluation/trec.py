"""TREC files, so that anybody can score a run with another tool (trec_eval, ranx, pytrec_eval)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from trivium.domain.retrieval import Scored

_STEP = 1e-5  # trec_eval reads 32-bit floats; a smaller distance could become a tie, which it breaks by id


def collapse(rows: Iterable[tuple[str, float]]) -> list[Scored]:
    """A ranking of documents from one of their chunks: each document once, where its first chunk stands."""
    best: dict[str, float] = {}
    for document, score in rows:
        best.setdefault(document, score)
    return [Scored(document, score) for document, score in best.items()]


def write_run(path: Path, run: Mapping[str, Sequence[Scored]], tag: str) -> None:
    """`query Q0 document rank score tag`, one line a result; replaces the file whole.

    Scores are lowered where they do not fall from line to line, so that sorting by score gives the ranks.
    """
    lines = []
    for query, ranking in run.items():
        previous = float("inf")
        for rank, row in enumerate(ranking, start=1):
            previous = min(row.score, previous - _STEP * max(1.0, abs(previous))) if rank > 1 else row.score
            lines.append(f"{_word(query)} Q0 {_word(row.chunk_id)} {rank} {previous:.8g} {_word(tag)}\n")
    _replace(path, lines)


def write_qrels(path: Path, judged: Mapping[str, Mapping[str, float]]) -> None:
    """`query 0 document gain`, one line a judgement, gains rounded to whole numbers; replaces the file whole."""
    lines = [
        f"{_word(query)} 0 {_word(document)} {max(1, round(gain))}\n"
        for query, relevant in judged.items()
        for document, gain in relevant.items()
    ]
    _replace(path, lines)


def _word(value: str) -> str:
    """The format separates by white space, so an id cannot hold any."""
    return "_".join(value.split()) or "_"


def _replace(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text("".join(lines), encoding="utf-8")
    partial.replace(path)

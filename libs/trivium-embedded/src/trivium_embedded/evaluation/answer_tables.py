"""The figures of `trivium eval --answers`, as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table

from trivium.evaluation.answer_scores import AnswerScores, Bin, Share

NOTHING = "-"


def tables_of(name: str, scores: AnswerScores) -> Iterator[Table]:
    """What the answers are worth, then how far verdicts and probabilities can be trusted."""
    table = Table("what", "figure", title=f"{name}: answers to {scores.questions:,} questions")
    table.columns[1].justify = "right"
    for row in _rows(scores):
        table.add_row(*row)
    yield table
    yield _reliability(scores)


def _rows(scores: AnswerScores) -> Iterator[tuple[str, str]]:
    yield "exact match of the short answer, %", _percent(scores.exact)
    yield "F1 of the short answer, %", _percent(scores.f1)
    yield "gold in the text (or 80 % of a long gold's words), %", _percent(scores.told)
    yield "gold's words in the text, %", _percent(scores.gold_words)
    yield "words an answer, median", NOTHING if scores.words is None else f"{scores.words:.0f}"
    yield "yes/no questions right", _of(scores.yes_no)
    yield "choices right", _of(scores.choice)
    yield "SUPPORTED that are right, %", _percent(scores.sure_right)
    yield "the same, choices by the text alone, %", _percent(scores.sure_told)
    yield "right answers that are SUPPORTED, %", _percent(scores.right_sure)
    yield "answerable questions refused, %", _percent(scores.refused)
    yield "refused with the answer in the first five passages, %", _percent(scores.refused_shown)
    yield "unanswerable questions refused", _of(scores.unanswerable)
    yield "questions of the foreign set refused", _of(scores.foreign)
    yield "of these two kinds, answered and SUPPORTED", f"{scores.false_sure}"
    yield "sentences that stand in a cited passage, %", _percent(scores.grounded)
    if scores.faithful_of or scores.relevant_of:
        yield f"faithfulness (RAGAS, of {scores.faithful_of} judged), %", _percent(scores.faithful)
        yield f"answer relevance (RAGAS, of {scores.relevant_of} judged), %", _percent(scores.relevant)
    yield "ms a question, p50 / p95", f"{scores.ms.p50:.0f} / {scores.ms.p95:.0f}"
    yield "questions that ended with an error", f"{scores.failed}"


def _reliability(scores: AnswerScores) -> Table:
    table = Table("answers given, by", "answers", "right", "right, %", "stated, %", title=_calibration(scores))
    for column in table.columns[1:]:
        column.justify = "right"
    _add(table, scores.verdicts)
    table.add_section()
    _add(table, [each for each in scores.bins if each.answers])
    return table


def _calibration(scores: AnswerScores) -> str:
    error = _percent(scores.calibration_error)
    return f"Reliability; expected calibration error {error} %" if error != NOTHING else "Reliability"


def _add(table: Table, rows: Sequence[Bin]) -> None:
    for row in rows:
        share = _percent(row.right / row.answers if row.answers else None)
        table.add_row(row.name, f"{row.answers}", f"{row.right}", share, _percent(row.mean))


def _of(counted: Bin) -> str:
    return f"{counted.right} of {counted.answers}" if counted.answers else NOTHING


def _percent(share: Share) -> str:
    return NOTHING if share is None else f"{100 * share:.1f}"

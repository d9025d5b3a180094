"""`trivium eval`: measure retrieval, or answers, through the product's own flow."""

from __future__ import annotations

from pathlib import Path

import click

from trivium.cli import runtime
from trivium.config import load_settings
from trivium.domain.retrieval import Mode

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command(name="eval")
@click.argument("folder", type=FOLDER)
@click.option(
    "--run-dir",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write a TREC run file per mode, and the judgements, into this folder.",
)
@click.option(
    "--mode",
    "modes",
    multiple=True,
    type=click.Choice([mode.value for mode in Mode]),
    help="Measure this mode; give it again for more. Without, all.",
)
@click.option("--answers", is_flag=True, help="Measure the answers instead of the rankings.")
@click.option("--questions", type=click.IntRange(min=1), help="Ask this many, the same ones each time; without, all.")
@click.option("--foreign", type=FOLDER, help="Ask questions of this folder too, which should be refused.")
@click.option(
    "--asked-in", type=FOLDER, help="Word each question as the one of its id in this folder: another language."
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a line a question into this file: the answer, its gold and how they compare.",
)
def evaluate(
    folder: Path,
    run_dir: Path | None,
    modes: tuple[str, ...],
    answers: bool,
    questions: int | None,
    foreign: Path | None,
    asked_in: Path | None,
    json_file: Path | None,
) -> None:
    """Measure retrieval on FOLDER (corpus*.jsonl.gz and queries.jsonl.gz), or its answers.

    The documents go through ingest into a throw-away tenant, every mode (or those of --mode) is run, and a table is
    printed of how often the first document is right (P@1), Recall@2/5/10, nDCG@10 and MRR; where questions name the
    modalities they need, how far the first five passages cover them (cov@5), also when they are asked for (asked). A
    search that exceeds its time budget counts as missed, and the end says so. No language model is used.

    With --answers every question that has an `answer` is asked as POST /v1/queries would, and the answer is laid beside
    it: exact match and F1 of the short answer, the gold in the text, refusals, and how often a verdict or a stated
    probability is right. A configured language model writes the answers and also judges them as RAGAS does.
    """
    chosen = runtime.AnswerEvaluation(questions or 0, foreign, asked_in, json_file)
    if answers and run_dir:
        raise click.UsageError("--run-dir is for rankings: leave out --answers.")
    if answers and modes:
        raise click.UsageError("--mode is for rankings: TRIVIUM_MODE is the one that answers rest on.")
    if not answers and chosen != runtime.AnswerEvaluation():
        raise click.UsageError("--questions, --foreign, --asked-in and --json are about answers: add --answers.")
    if answers:
        runtime.evaluation().answers(load_settings(), folder, chosen)
    else:
        runtime.evaluation().retrieval(load_settings(), folder, run_dir, tuple(map(Mode, modes)) or tuple(Mode))

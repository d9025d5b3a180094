"""`trivium eval`: measure retrieval through the product's own flow."""

from __future__ import annotations

from pathlib import Path

import click

from trivium.cli import runtime
from trivium.config import load_settings


@click.command(name="eval")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--run-dir",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write a TREC run file per mode, and the judgements, into this folder.",
)
def evaluate(folder: Path, run_dir: Path | None) -> None:
    """Measure retrieval on FOLDER (corpus*.jsonl.gz and queries.jsonl.gz).

    The documents go through ingest into a throw-away tenant, every mode is run, and a table is printed of how often
    the first document is right (P@1), Recall@2/5/10, nDCG@10 and MRR; where questions name the modalities they need,
    how far the first five passages cover them (cov@5), also when they are asked for (asked). A search that exceeds
    its time budget counts as missed, and the end says how many did. No language model is used.
    """
    runtime.evaluation()(load_settings(), folder, run_dir)

"""`trivium eval` on every set of a folder and on `identifiers`; `--answers` on those with answers, and `PEOPLES`.

Run with `make eval` (DATA=FOLDER, QUESTIONS=100 for a sample of each set); figures are kept in bench/RESULTS.md. Sets
within sets, as XQuAD's languages are, are asked for answers only. The foreign questions of a set are those of the
next one of another family.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from trivium.evaluation.dataset import load_questions

IDENTIFIERS = Path(__file__).with_name("identifiers")
PEOPLES = tuple(Path(__file__).with_name(name) for name in ("everyday", "unseen", "unseen2"))  # as people have them
TRIVIUM = Path(sys.executable).with_name("trivium")
RUNS = Path("runs")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--questions", type=int, default=0, help="a sample of each set; 0: all")
    options = arguments.parse_args()
    sets = sets_in(options.data, "*")
    if not sets:
        raise SystemExit(f"No evaluation sets in {options.data}: name a folder with `make eval DATA=FOLDER`.")
    for folder in (*sets, IDENTIFIERS):
        evaluate(folder, "--run-dir", RUNS)
    answered = [folder for folder in (*sets, *sets_in(options.data, "*/*")) if has_answers(folder)]
    for folder in PEOPLES:
        evaluate(folder, "--answers", "--json", RUNS / f"{folder.name}.answers.jsonl", "--foreign", sets[0])
    sample = ["--questions", options.questions] if options.questions else []
    for folder in answered:
        name = "-".join(folder.relative_to(options.data).parts)
        strange = [option for other in foreign(folder, answered, options.data) for option in ("--foreign", other)]
        evaluate(folder, "--answers", "--json", RUNS / f"{name}.answers.jsonl", *strange, *sample)
    print(f"TREC run files, and a line a question: {RUNS.resolve()}")


def sets_in(root: Path, pattern: str) -> list[Path]:
    found = {queries.parent for queries in root.glob(f"{pattern}/queries.jsonl*")}
    return sorted(folder for folder in found if list(folder.glob("corpus*.jsonl*")))


def has_answers(folder: Path) -> bool:
    return any(query.gold for query in load_questions(folder))


def foreign(folder: Path, others: Sequence[Path], root: Path) -> list[Path]:
    """At most one; a set that is alone has none."""
    start = list(others).index(folder)
    family = folder.relative_to(root).parts[0]
    after = (*others[start:], *others[:start])
    return [other for other in after if other.relative_to(root).parts[0] != family][:1]


def evaluate(folder: Path, *options: object) -> None:
    subprocess.run([TRIVIUM, "eval", folder, *map(str, options)], check=True)


if __name__ == "__main__":
    main()

"""`trivium eval` on every set of a folder, and on `identifiers`.

Run with `make eval` (DATA=FOLDER); figures are kept in bench/RESULTS.md.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

IDENTIFIERS = Path(__file__).with_name("identifiers")
TRIVIUM = Path(sys.executable).with_name("trivium")


def main() -> None:
    root = Path(sys.argv[1])
    sets = sorted(
        queries.parent for queries in root.glob("*/queries.jsonl.gz") if list(queries.parent.glob("corpus*.jsonl.gz"))
    )
    if not sets:
        raise SystemExit(f"No evaluation sets in {root}: name a folder with `make eval DATA=FOLDER`.")
    runs = Path("runs")
    for folder in (*sets, IDENTIFIERS):
        subprocess.run([TRIVIUM, "eval", folder, "--run-dir", runs], check=True)
    print(f"TREC run files: {runs.resolve()}")


if __name__ == "__main__":
    main()

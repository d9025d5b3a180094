"""How many of the planted contradictions are found, and how many of the cards are planted ones: through the product.

    .venv/bin/python bench/contradictions/measure.py [--second | --fourth] [--apart] | --third

Writes the documents into a folder, ingests them into an empty data directory with `trivium ingest`, lists the cards
with the client library over HTTP, and compares both sentences of each with those that were planted. Without
`--apart`: the half to work with; with `--second` or `--fourth`: of that list. Whoever tunes never looks at the
sentences of the half set apart.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from documents import Twins, half
from second_list import fourth_half, second_half, third_list

BIN = Path(sys.executable).parent


def main() -> None:
    """Measure one half."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--apart", action="store_true", help="measure the half that is set apart; tells figures alone")
    parser.add_argument("--second", action="store_true", help="of the second list")
    parser.add_argument("--fourth", action="store_true", help="of the fourth list")
    parser.add_argument("--third", action="store_true", help="the third list, as a whole; tells figures alone")
    arguments = parser.parse_args()
    halves = fourth_half if arguments.fourth else second_half if arguments.second else half
    twins = third_list() if arguments.third else halves(apart=arguments.apart)
    with tempfile.TemporaryDirectory() as work:
        cards = found_in(twins, Path(work))
    report(twins, cards, shown=not (arguments.apart or arguments.third))


def found_in(twins: list[Twins], work: Path) -> list[tuple[str, str, str, float]]:
    """The cards over these documents: kind, both sentences, confidence."""
    folder = work / "documents"
    folder.mkdir()
    for pair in twins:
        for document in (pair.one, pair.other):
            (folder / document.name).write_text(document.text, encoding="utf-8")
    environment = {**os.environ, "TRIVIUM_DATA_DIR": str(work / "data"), "TRIVIUM_LLM": ""}
    subprocess.run([BIN / "trivium", "ingest", str(folder)], check=True, env=environment, capture_output=True)
    os.environ |= environment
    from trivium.cli.session import connected

    found, cursor = [], ""
    with connected() as client:
        while True:
            page = client.contradictions(limit=200, cursor=cursor)
            for card in page.contradictions:
                one, other = (_told(Path(side.citation.source).name, side.citation.quote) for side in card.sides)
                found.append((card.kind, one, other, card.confidence))
            cursor = page.cursor
            if not cursor:
                return found


def report(twins: list[Twins], cards: list[tuple[str, str, str, float]], *, shown: bool) -> None:
    """Precision and recall; with `shown` also what was missed and what was wrong."""
    planted = {_pair(each, pair) for each in twins for pair in each.planted}
    misses = {_pair(each, pair) for each in twins for pair in each.misses}
    told = {frozenset((one, other)) for _, one, other, _ in cards}
    right = planted & told
    documents = 2 * len(twins)
    print(f"documents {documents}, planted {len(planted)}, near misses {len(misses)}, cards {len(told)}")
    print(f"precision {100 * len(right) / max(1, len(told)):.1f} %  recall {100 * len(right) / len(planted):.1f} %")
    print(f"near misses reported {len(misses & told)}, others wrong {len(told - planted - misses)}")
    if shown:
        for kind, one, other, confidence in cards:
            if frozenset((one, other)) not in planted:
                print(f"  wrong  {confidence:.2f} {kind}: {one} | {other}")
        for pair in sorted(map(sorted, planted - told)):
            print("  missed", " | ".join(pair))


def _pair(twins: Twins, sentences: tuple[str, str]) -> frozenset[str]:
    return frozenset((_told(twins.one.name, sentences[0]), _told(twins.other.name, sentences[1])))


def _told(name: str, sentence: str) -> str:
    return f"{name}: {' '.join(sentence.split())}"


if __name__ == "__main__":
    main()

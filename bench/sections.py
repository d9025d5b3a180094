"""Questions about whole sections of our own documents: how many of the first hits are of the section that is meant.

`python bench/sections.py`; the questions were written without the words of the headings, before mode `deep` was tried
on them; how much a passage gains by its section (`retrieve/deep.py`) was chosen on them. No language model.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import statistics
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from trivium.config import load_settings
from trivium.domain.retrieval import Hit, Mode, SearchFilter
from trivium.evaluation.dataset import load_set
from trivium.logs.setup import configure_logging
from trivium_embedded.evaluation.corpus import Ingested, ingested, progress_bars

ROOT = Path(__file__).parents[1]
TOP = 5
MODES = (Mode.VECTOR, Mode.KEYWORD, Mode.HYBRID, Mode.DEEP)
TIMED = 3


class Asked(NamedTuple):
    """A question, the document that it means, and the heading of the section; "" for the whole document."""

    question: str
    document: str
    section: str


_A, _S, _W, _P, _C = "docs/architecture.md", "docs/servers.md", "docs/web.md", "docs/passwords.md", "docs/cli.md"
_N, _G, _D = "bench/retrieval-notes.md", "docs/graph-schema.md", "CONTRIBUTING.md"
QUESTIONS = (
    Asked("How does a file become something that can be searched, step by step?", _A, "Ingest"),
    Asked("Summarise what is said about keeping a parser that was taken over from doing harm.", _A, "Locked in"),
    Asked("What is the part about tables, pictures and formulas about?", _A, "Modalities"),
    Asked("Tell me about the way passages are found for a question.", _A, "Retrieval"),
    Asked("What is the chapter about what a whole collection deals with about?", _A, "Topics"),
    Asked("Give an overview of how replies to questions are made and checked.", _A, "Answers"),
    Asked("What is written about passages that cannot both be right?", _A, "Contradictions"),
    Asked("Where and how is everything kept on the disk and in the databases?", _A, "Stores"),
    Asked("How do people correct names and relations, and take that back?", _A, "Edits of the graph"),
    Asked("How is it found out and mended that an index has gone wrong?", _A, "Upkeep"),
    Asked("Which parts does the program consist of, and where does one start to read?", _A, "Packages"),
    Asked("How do I install everything needed without containers?", _S, "On this machine, without a container engine"),
    Asked("What do I have to do to use databases that I already have?", _S, "Servers of your own"),
    Asked("How is an upgrade done?", _S, "A new version of Trivium"),
    Asked("How is everything under an address read, not one page alone?", _W, "Whole sites"),
    Asked("Which addresses are refused, and why?", _W, "What is never reached"),
    Asked("What happens when a download goes wrong?", _W, "When it fails"),
    Asked("In which ways can I hand over the secret of a locked file?", _P, "Giving a password"),
    Asked("Is what I type to unlock a file seen by anybody else?", _P, "Who can read a password"),
    Asked("How do I find out how good the replies are?", _C, "Measuring answers"),
    Asked("What are archives and mails with attachments called once they are read?", _C, "Names of sources"),
    Asked("How do scripts use the command line?", _C, "For programs"),
    Asked("Which ideas improved the ranking, and by how much?", _N, "What helped, in the order in which it was added"),
    Asked("Which experiments brought nothing?", _N, "What did not help enough to stay"),
    Asked("What was done so that part numbers and addresses are found?", _N, "Exact identifiers"),
    Asked("Why are questions quick?", _N, "Speed"),
    Asked("How are relation types proposed from what was read?", _G, "From graph to schema"),
    Asked("In which folder do I put new code, depending on what it does?", _D, "Where things go"),
    Asked("What is the document about encrypted files about?", _P, ""),
    Asked("Summarise the document about reading pages and sites.", _W, ""),
    Asked("What does the file about the kinds of relations say?", _G, ""),
    Asked("What was learnt about ranking, all in all?", _N, ""),
)
OTHERS = ("docs/formats.md", "docs/ROADMAP.md", "CHANGELOG.md", "README.md")


def main() -> None:
    """Ingest the documents, ask, print a line per mode."""
    console = Console()
    names = [*dict.fromkeys(asked.document for asked in QUESTIONS), *OTHERS]
    with tempfile.TemporaryDirectory() as made, progress_bars(console) as bars:
        folder = Path(made)
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((ROOT / name).read_bytes())
        _write(folder / "corpus.jsonl.gz", ({"id": name, "file": name} for name in names))
        queries = ({"id": str(n), "question": it.question, "evidence": [it.document]} for n, it in enumerate(QUESTIONS))
        _write(folder / "queries.jsonl.gz", queries)
        configure_logging("error", "text")
        with ingested(load_settings({}), load_set(folder), folder, bars, remembered_questions=0) as taken:
            asyncio.run(_measure(taken, console))


def _write(file: Path, rows: Iterable[Mapping[str, object]]) -> None:
    with gzip.open(file, "wt") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)


async def _measure(taken: Ingested, console: Console) -> None:
    sizes = await _sizes(taken)
    for mode in MODES:
        first, shares, spent = 0, [], []
        for asked in QUESTIONS:
            for _ in range(TIMED):
                started = time.perf_counter()
                found = await taken.services.searcher.search(taken.tenant, asked.question, mode, 10, SearchFilter())
                spent.append((time.perf_counter() - started) * 1000)
            right = [_is_of(taken, hit, asked) for hit in found.hits]
            first += bool(right and right[0])
            shares.append(sum(right[:TOP]) / min(TOP, sizes[asked]))
        count, most = len(QUESTIONS), 100 * statistics.mean(shares)
        console.print(
            f"{mode.value:>8}: first hit of the section {100 * first / count:.1f} %,"
            f" of the first {TOP} as many as there can be {most:.1f} %, {statistics.median(spent):.1f} ms a question"
        )


async def _sizes(taken: Ingested) -> dict[Asked, int]:
    """How many passages each section has."""
    ids = {name: identifier for identifier, name in taken.names.items()}
    sizes = {}
    for asked in QUESTIONS:
        record = taken.services.registry.for_tenant(taken.tenant).get(ids[asked.document])
        reader = taken.services.keywords.reader(taken.tenant)
        stored = await reader.document_chunks(record.id, record.active_version)
        sizes[asked] = sum(not asked.section or asked.section in _headings(chunk.section) for chunk in stored)
        if not sizes[asked]:
            raise SystemExit(f"No passage is of {asked.section!r}: its heading was changed.")
    return sizes


def _is_of(taken: Ingested, hit: Hit, asked: Asked) -> bool:
    same = taken.names[hit.chunk.document_id] == asked.document
    return same and (not asked.section or asked.section in _headings(hit.chunk.section))


def _headings(section: Iterable[str]) -> list[str]:
    return [heading.partition(" (")[0] for heading in section]


if __name__ == "__main__":
    main()

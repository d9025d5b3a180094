"""Sums, means, extremes and look-ups over tables of documents, asked over HTTP and compared with answers worked out
apart from the product.

`table_questions_apart.jsonl` was written before any answer was seen, and nothing was changed for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from table_files import table_files

from .conftest import EXAMPLES, Server

HERE = Path(__file__).parent
PUBLIC = Path(__file__).parents[3] / "shared" / "data" / "documents" / "good" / "stanley-cups.csv"
LEAST_RIGHT = 0.85
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")


@pytest.fixture(scope="module")
def toured(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Server:
    folder = tmp_path_factory.mktemp("tables")
    for name, content in table_files().items():
        (folder / name).write_bytes(content)
    if PUBLIC.exists():
        (folder / PUBLIC.name).write_bytes(PUBLIC.read_bytes())
    for each in (EXAMPLES / "files", folder):
        server.cli("ingest", str(each), "--root", str(each))
    return server


def _questions(name: str) -> list[dict[str, Any]]:
    """Those about files that are here."""
    asked = [json.loads(line) for line in (HERE / name).read_text().splitlines()]
    return [each for each in asked if PUBLIC.exists() or each["source"] != PUBLIC.name]


def _is_right(given: dict[str, Any], wanted: Sequence[str]) -> bool:
    """Every value stands in the first line; and there is no answer where none is wanted."""
    if not wanted:
        return str(given["verdict"]) == "NOT_SUPPORTED"
    said: str = _THOUSANDS.sub("", given["text"].splitlines()[0].partition("[Source:")[0])
    values = (re.escape(_THOUSANDS.sub("", value)) for value in wanted)
    return all(re.search(rf"(?<![\w.,]){value}(?![\w]|[.,]\d)", said) for value in values)


@pytest.mark.parametrize("name", ["table_questions.jsonl", "table_questions_apart.jsonl"])
def test_questions_of_tables_are_answered_rightly_or_not_at_all(toured: Server, name: str) -> None:
    asked = _questions(name)
    answers = [(each, toured.ask(each["question"])) for each in asked]
    missed = [(each, given) for each, given in answers if not _is_right(given, each["answer"])]
    told = [f"{given['verdict']}: {each['question']} {given['text'][:200]!r}" for each, given in missed]
    summary = f"{len(missed)} of {len(asked)} missed\n" + "\n".join(told)
    assert len(missed) <= (1 - LEAST_RIGHT) * len(asked), summary
    assert not [each for each, given in missed if given["verdict"] == "SUPPORTED"], summary


def test_a_public_spreadsheet_is_added_up(toured: Server) -> None:
    if not PUBLIC.exists():
        pytest.skip(f"{PUBLIC.name} is absent: this question, and one of table_questions.jsonl, are not asked")
    assert toured.ask("What is the total of the Stanley Cups of all teams?")["text"].startswith("16\n")

"""Sums, means, extremes and look-ups over tables of documents, asked over HTTP and compared with answers worked out
apart from the product.

`table_questions_apart.jsonl` was written before any answer was seen, and nothing was changed for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from table_files import YEARS, rain_mm, table_files

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


@pytest.mark.parametrize(
    ("question", "short", "kind"),
    [
        ("How many salmon were counted at Lower Ford in 2023?", "412", "arithmetic"),
        ("What is the mean level at Lower Ford?", "2.05 m", "fact"),
        ("What is the second highest mean level?", "1.44 m", "arithmetic"),
    ],
)
def test_a_computed_answer_is_said_in_short_with_its_kind(toured: Server, question: str, short: str, kind: str) -> None:
    answer = toured.ask(question)
    assert (answer["short"], answer["kind"], answer["engine"]) == (short, kind, "tables")


@pytest.mark.parametrize(("student", "said"), [("Omar", "yes"), ("Petra", "no")])
def test_a_column_of_yes_and_no_answers_yes_or_no(toured: Server, student: str, said: str) -> None:
    answer = toured.ask(f"Has {student} passed?")
    assert (answer["short"], answer["kind"], answer["engine"]) == (said, "yes_no", "tables")


def test_a_public_spreadsheet_is_added_up(toured: Server) -> None:
    if not PUBLIC.exists():
        pytest.skip(f"{PUBLIC.name} is absent: this question, and one of table_questions.jsonl, are not asked")
    assert toured.ask("What is the total of the Stanley Cups of all teams?")["text"].startswith("16\n")


@pytest.mark.parametrize(
    "question",
    [
        "What is the total length of the River Tamsin?",  # the table has the length that was opened
        "How many salmon were counted last year?",
        "How many salmon died at Lower Ford in 2023?",
        "How much did the salmon of 2023 at Harrow weigh?",  # a row has all the other words
        "What is the second highest temperature?",
        "How many boats are longer than 6 feet?",  # they are measured in metres
        "Which gauge has the highest temperature?",
        "What was the profit in 2022?",  # nearest to it is the income
        "Who is the oldest employee?",  # the nearest dates are of hiring
        "How many salmon per day were counted at Lower Ford in 2023?",
        "What percentage of salmon was counted at Harrow in 2023?",
        "What is the average salary of the staff who were not hired in Oxley?",
        "How many salmon swam past Harrow between May and June 2023?",
        "How many motor boats were there in 2015?",  # one was built then
        "How many salmon were counted from 2021?",  # in that year, or since
        "How many counts are above 100?",
        "What is the total revenue from widgets?",  # of each order, the quantity times the price
        "How many students passed maths?",  # they passed as a whole
        "What was the sum of the orders?",
        "What is the mean level of the oldest gauge?",
        "What is the average number of fish per site?",  # of its rows, or of its years
        "How many salmon and how many sea trout were counted at Harrow?",
        "Which item had the biggest difference between budget and spent?",
        "What are the highest and the lowest mean level?",
    ],
)
def test_what_a_table_only_nearly_holds_is_not_told_as_certain(toured: Server, question: str) -> None:
    given = toured.ask(question)
    assert given["verdict"] != "SUPPORTED", given["text"]


def test_the_rows_and_the_expression_are_shown_and_every_row_is_cited(toured: Server) -> None:
    given = toured.ask("Total salmon at Lower Ford 2021-23?")
    assert (given["engine"], given["verdict"]) == ("tables", "SUPPORTED")
    first, computed, *rows = given["text"].splitlines()
    assert first == "489"
    assert computed.startswith("Computed from 3 rows: sum(Count) where ")
    assert [row.partition(" [Source: fish-counts.csv, chunk 1]")[0] for row in rows] == [
        f"Site: Lower Ford; Species: Salmon; Year: {year}; Count: {count}"
        for year, count in ((2021, 36), (2022, 41), (2023, 412))
    ]
    assert [citation["positions"][0]["rows"] for citation in given["citations"]] == [[2, 2], [3, 3], [4, 4]]


def test_rows_far_from_the_best_passages_count_and_are_cited_where_they_stand(toured: Server) -> None:
    given = toured.ask("Total rain at Alder Bridge")
    wanted = sum(rain_mm(0, year, month) for year in YEARS for month in range(1, 13))
    assert given["text"].splitlines()[0] == f"{wanted:g} mm"
    assert given["text"].splitlines()[-1] == "… and 52 more rows."
    for citation in given["citations"]:
        with toured.http() as client:
            place = f"/v1/sources/{citation['document_id']}/content"
            chunk = client.get(place, params={"chunk": citation["chunk_number"]}).json()
        assert citation["quote"] in chunk["text"]


def test_a_table_is_of_one_tenant_and_of_its_newest_version(start_server: Callable[..., Server]) -> None:
    server = start_server(TRIVIUM_API_KEYS="north:key-of-north,south:key-of-south")
    for key, eggs in (("key-of-north", (3, 4)), ("key-of-south", (30, 40)), ("key-of-north", (5, 6))):
        server.take("nests.csv", f"Nest,Species,Eggs\nA1,Dipper,{eggs[0]}\nB2,Dipper,{eggs[1]}\n", key)
        assert server.ask("How many eggs have the dippers in total?", key)["text"].splitlines()[0] == str(sum(eggs))
    assert server.ask("How many eggs have the dippers in total?", "key-of-south")["text"].startswith("70\n")

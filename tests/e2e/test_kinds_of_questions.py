"""Questions of each kind over a small folder, asked over HTTP: what is said, how sure, and what it cites."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Server

FILES = {
    "bees.md": """# Keeping bees at Hollin Farm

## What a nucleus is

A nucleus is a small colony of bees with a young queen. The Hollin Apiary Trust (HAT) sells thirty of them each spring.

## Inspecting a hive

1. Light the smoker and put on the veil.
2. Lift the lid and the crown board.
3. Close the hive and write down what you saw.

## Losses in winter

In 2022 the farm lost eleven of forty colonies, because the mites bred until December.

## Why we moved

The apiary was moved to the upper orchard in 2021. The lower meadow floods most winters, so that hives stood in water.

## Honey

Heather honey is dark and sets like jelly.
""",
    "museum-report.md": """# Annual report of the Brunnhalde Museum

The museum had 41,200 visitors in 2023. The director, Irma Vogt, put this down to the new wing.

## Theft

In October 2022 two pocket watches were stolen from the hall of clocks. Otters were not involved.
""",
    "otters.txt": "Otters were seen at four sites on the river Orrin in 2021. A holt is the den of an otter.\n",
}


@pytest.fixture(scope="module")
def asked(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Server:
    folder = tmp_path_factory.mktemp("kinds")
    for name, text in FILES.items():
        Path(folder / name).write_text(text)
    server.cli("ingest", str(folder), "--root", str(folder), "--dataset", "kinds")
    return server


@pytest.mark.parametrize("said", ["Thanks!", "hello", "ok", "Auf Wiedersehen"])
def test_small_talk_is_answered_as_such_and_nothing_is_searched_for(asked: Server, said: str) -> None:
    answer = asked.ask(said)
    assert (answer["kind"], answer["found"], answer["hits"], answer["citations"]) == ("not_a_question", False, [], [])
    assert "Not found" not in answer["text"]


@pytest.mark.parametrize(
    ("question", "short", "cited"),
    [
        ("How many documents mention otters?", "2", {"museum-report.md", "otters.txt"}),
        ("Which files mention Irma Vogt?", "museum-report.md", {"museum-report.md"}),
        ("How many documents are there?", "3", set(FILES)),
        ("what's in this collection?", "bees.md, museum-report.md, otters.txt", set(FILES)),
    ],
)
def test_questions_about_the_collection_are_counted_and_the_documents_cited(
    asked: Server, question: str, short: str, cited: set[str]
) -> None:
    answer = asked.ask(question, filters={"dataset": "kinds"})
    assert (answer["kind"], answer["verdict"]) == ("collection", "SUPPORTED")
    assert sorted(answer["short"].split(", ")) == sorted(short.split(", "))
    assert {citation["source"] for citation in answer["citations"]} == cited


def test_what_no_document_mentions_is_not_said_to_be_found(asked: Server) -> None:
    answer = asked.ask("Which documents mention zebras?")
    assert (answer["found"], answer["verdict"], answer["citations"]) == (False, "NOT_SUPPORTED", [])


@pytest.mark.parametrize(
    ("question", "kind", "said"),
    [
        ("What is a nucleus?", "definition", "A nucleus is a small colony of bees with a young queen."),
        ("What is a holt?", "definition", "A holt is the den of an otter."),
        ("What does HAT stand for?", "definition", "Hollin Apiary Trust"),
        ("Why did the farm lose colonies in 2022?", "reason", "because the mites bred until December"),
        ("How do I inspect a hive?", "procedure", "Lift the lid and the crown board."),
        ("What is bees.md about?", "about", "Sections: "),
        ("Summarise museum-report.md", "summary", "41,200 visitors"),
    ],
)
def test_each_kind_is_answered_in_its_form_and_cited(asked: Server, question: str, kind: str, said: str) -> None:
    answer = asked.ask(question, filters={"dataset": "kinds"})
    assert (answer["kind"], answer["found"], answer["verdict"]) == (kind, True, "SUPPORTED"), answer
    assert said in answer["text"], answer["text"]
    assert answer["citations"]


def test_a_reason_without_a_because_is_read(asked: Server, tmp_path: Path) -> None:
    (tmp_path / "rehearsals.txt").write_text(
        "Rehearsals in June\n\nThe Corn Hall's floor is being sanded all that week. We sing in the school instead.\n"
    )
    asked.cli("ingest", str(tmp_path), "--dataset", "reasons")
    answer = asked.ask("Why can't we perform in the Corn Hall?", filters={"dataset": "reasons"})
    assert (answer["kind"], answer["found"]) == ("reason", True)
    assert "floor is being sanded" in answer["text"]


@pytest.mark.parametrize("question", ["Why was Irma Vogt dismissed?", "Why did the Brunnhalde Museum move?"])
def test_a_reason_that_no_document_gives_is_never_supported(asked: Server, question: str) -> None:
    answer = asked.ask(question, filters={"dataset": "kinds"})
    assert answer["verdict"] != "SUPPORTED", answer


def test_who_bears_a_name_is_told_by_no_other_name(asked: Server) -> None:
    answer = asked.ask("Who is Irma Vogt?", filters={"dataset": "kinds"})
    assert (answer["kind"], answer["found"]) == ("definition", True)
    assert answer["short"] == "director"
    assert "The director, Irma Vogt," in answer["text"]

"""`trivium eval --answers`: what the product answers to questions whose answers are known, and how that is told."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest
from doors import TRIVIUM
from embedded_server import WARM
from openai_peer import OpenAiPeer, Reply, Seen

from trivium.domain.answers import Verdict
from trivium.evaluation.judged_answers import JudgedAnswer, Wanted

from .conftest import PATIENCE

T = TypeVar("T")
SET = Path(__file__).with_name("answers")
# How many of each type are right, measured; these figures may only rise, the last one only fall.
RIGHT = {
    "fact": 10,
    "number": 6,
    "date": 3,
    "reason": 2,
    "definition": 1,
    "two-hop": 3,
    "yes_no": 3,
    "choice": 1,
    "table": 3,
    "unanswerable": 4,
}
MOST_FALSE_AND_SUPPORTED = 0


class Typed(msgspec.Struct, frozen=True):
    """What a row of the set says of its question beside the answer."""

    id: str
    type: str


def evaluated(folder: Path, lines: Path, *options: str, **settings: str) -> tuple[list[JudgedAnswer], str]:
    """The lines written, and what was printed."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("TRIVIUM_")} | PATIENCE | settings
    done = WARM.run(["trivium", "eval", str(folder), "--answers", "--json", str(lines), *options], env, 280)
    assert done.returncode == 0, done.stdout + done.stderr
    return read(JudgedAnswer, lines), done.stdout


def read(kind: type[T], path: Path) -> list[T]:
    return msgspec.json.decode(b"[" + b",".join(path.read_bytes().splitlines()) + b"]", type=list[kind])  # type: ignore[valid-type]


def small_set(folder: Path, text: str, *queries: Mapping[str, object]) -> Path:
    folder.mkdir()
    (folder / "corpus.jsonl").write_bytes(msgspec.json.encode({"id": "d", "text": text}))
    (folder / "queries.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, queries)))
    return folder


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[JudgedAnswer], str]:
    return evaluated(SET, tmp_path_factory.mktemp("answers") / "lines.jsonl")


@pytest.fixture(scope="module")
def answers(measured: tuple[list[JudgedAnswer], str]) -> list[JudgedAnswer]:
    return measured[0]


def counts(answers: Iterable[JudgedAnswer]) -> Counter[str]:
    types = {row.id: row.type for row in read(Typed, SET / "queries.jsonl")}
    return Counter(types[one.id] for one in answers)


def told(answers: Iterable[JudgedAnswer]) -> str:
    return "\n".join(f"{one.verdict} {one.question} {one.gold} {one.short!r} {one.text!r}" for one in answers)


def test_no_fewer_answers_of_any_type_are_right(answers: list[JudgedAnswer]) -> None:
    right = counts(one for one in answers if one.right)
    fewer = {kind: (right[kind], floor) for kind, floor in RIGHT.items() if right[kind] < floor}
    assert not fewer, told(one for one in answers if not one.right)


def test_no_more_answers_are_false_and_said_to_be_supported(answers: list[JudgedAnswer]) -> None:
    false = [one for one in answers if one.found and not one.right and one.verdict is Verdict.SUPPORTED]
    assert len(false) <= MOST_FALSE_AND_SUPPORTED, told(false)


def test_every_question_has_a_line_and_ended_with_an_answer(measured: tuple[list[JudgedAnswer], str]) -> None:
    answers, printed = measured
    assert counts(answers) == Counter(row.type for row in read(Typed, SET / "queries.jsonl"))
    assert not [one for one in answers if one.failure or one.ms <= 0]
    assert f"answers: answers to {len(answers)} questions" in printed


def test_questions_of_another_set_are_asked_too_and_counted_apart(tmp_path: Path) -> None:
    asked = {"id": "own", "question": "Who keeps the heron house?", "answer": "Ada Pell", "evidence": ["d"]}
    own = small_set(tmp_path / "own", "The heron house is kept by Ada Pell.", asked)
    strange = {"id": "x", "question": "Which metal do the smelters of Quorn pour at night?", "answer": "tin"}
    other = small_set(tmp_path / "other", "Tin.", strange)
    answers, printed = evaluated(own, tmp_path / "lines.jsonl", "--foreign", str(other))
    assert [(one.id, one.wanted, one.found, one.right) for one in answers] == [
        ("own", Wanted.TEXT, True, True),
        ("x", Wanted.FOREIGN, False, True),
    ]
    assert "1 of 1" in next(line for line in printed.splitlines() if "foreign set refused" in line)


def test_questions_may_be_asked_in_the_words_of_another_folder(tmp_path: Path) -> None:
    asked = {"id": "own", "question": "Who keeps the heron house?", "answer": "Ada Pell"}
    own = small_set(tmp_path / "own", "The heron house is kept by Ada Pell.", asked, {**asked, "id": "lacking"})
    other = small_set(tmp_path / "other", "Tin.", {"id": "own", "question": "Wer pflegt das Heron House?"})
    [answer], _ = evaluated(own, tmp_path / "lines.jsonl", "--asked-in", str(other))
    assert (answer.question, answer.gold) == ("Wer pflegt das Heron House?", ("Ada Pell",))


def test_a_sample_asks_the_same_questions_each_time(tmp_path: Path) -> None:
    rows = [{"id": f"q{number}", "question": f"Who is number {number}?", "answer": "Ada"} for number in range(30)]
    folder = small_set(tmp_path / "many", "Ada is number 3.", *rows)
    samples = [
        [one.id for one in evaluated(folder, tmp_path / f"{run}.jsonl", "--questions", "5")[0]] for run in range(2)
    ]
    assert samples[0] == samples[1]
    assert len(set(samples[0])) == 5


class CriticModel:
    """A language model that answers, and says of two statements that one follows."""

    def __call__(self, seen: Seen) -> Reply:
        if "short statements" in seen.prompt:
            return Reply('{"statements": ["Ada Pell keeps the heron house.", "It is blue."]}')
        if "numbered statement" in seen.prompt:
            return Reply('{"follows": [true, false]}')
        if "noncommittal" in seen.prompt:
            return Reply('{"questions": ["Who keeps the heron house?"], "noncommittal": false}')
        return Reply("Ada Pell keeps the heron house [1].")


def test_a_configured_language_model_judges_faithfulness_and_relevance(tmp_path: Path) -> None:
    asked = {"id": "own", "question": "Who keeps the heron house?", "answer": "Ada Pell", "evidence": ["d"]}
    folder = small_set(tmp_path / "own", "The heron house is kept by Ada Pell.", asked)
    with OpenAiPeer(CriticModel()) as peer:
        settings = {"LLM": "openai", "LLM_URL": peer.url, "LLM_MODEL": "critic", "LLM_API_KEY": "none"}
        prefixed = {f"TRIVIUM_{name}": value for name, value in settings.items()}
        [answer], printed = evaluated(folder, tmp_path / "lines.jsonl", **prefixed)
    assert answer.found
    assert answer.faithful == 0.5
    assert answer.relevant == pytest.approx(1.0, abs=1e-3)
    assert "faithfulness (RAGAS, of 1 judged)" in printed
    assert "answer relevance (RAGAS, of 1 judged)" in printed


def test_a_set_without_answers_is_refused_with_what_to_do(tmp_path: Path) -> None:
    folder = small_set(tmp_path / "bare", "Nothing.", {"id": "q", "question": "What?"})
    command = [str(TRIVIUM), "eval", str(folder), "--answers"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode != 0
    assert "has an answer" in done.stderr
    assert "`answer`" in done.stderr

"""Train the reader (`trivium_inference.reader`) on the sets of DATA, and measure it on sets that it has not seen.

Usage: python bench/train_reader.py DATA WORK      (needs torch: make torch; some three hours on two cores)
       python bench/train_reader.py DATA WORK --from FOLDER      (half an hour)

Questions made of sentences first (of CLOZE's corpora), then the sets' own and those of `bench/written`. Each fold of
FOLDS is left out once: the reader trained on the others answers its questions from the first five passages that the
product finds. Its odds fit the probabilities. Then the last of them goes on with all sets and is written into the
package: reader.weights, reader.json.

With `--from` only the last step is done, from the reader in FOLDER on (a copy of the package's): nothing is left out,
and PEOPLE, which no reader learns from, fit the probabilities. `--new` names the files of `bench/written` that it has
not learnt from, all by default: these are read twice, of all else a share, so that nothing is forgotten (experience
replay: Robins 1995).

WORK keeps what is done (weights after each phase, checkpoints within): the same command goes on where it was ended.
Columns: exact match and F1 (SQuAD's normalisation) of the best span of five passages, over all questions and over those
that a passage answers by a span; share of questions with a right span among each passage's best.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import random
import re
import string
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import torch
from reader_cloze import clozes
from reader_examples import COMPARING, FOLDS, SETS, THREADS, Question, answers_of, load, phase_of, questions_of
from reader_network import Network, loss_of
from reader_passages import Found, find
from reader_reads import Read, batches, prepare, with_one_wrong
from reader_written import written_questions, yes_no_questions
from safetensors.numpy import save

from trivium.evaluation.dataset import load_questions
from trivium.ports.inference import Passage, Reading, ReadSpan
from trivium_inference.model_files import ModelFiles, locate_model
from trivium_inference.openvino_bert import read_bert
from trivium_inference.reader import SpanReader
from trivium_inference.reader_weights import (
    FACTS,
    SHIPPED,
    WEIGHTS,
    ReaderFacts,
    changed,
    differences,
    read_changes,
    read_facts,
)
from trivium_inference.reader_windows import WindowMaker

FIRST_LAYER = 0
SEED = 13
CLOZE = {"musique_train100": 4500, "hotpotqa_train100": 3000, "covid_qa": 2000, "qasper_full10": 500}
WRITTEN = "written"
CLOZE_PASSES, PASSES, LAST_PASSES = 1, 2, 2
RATE, NEW_RATE = 1.5e-4, 1e-3  # of the layers, and of the head and the marks, which begin at random
BATCH_TOKENS = 4096
WARM_UP = 0.1
REPLAYED = 0.25  # of what a reader that goes on has learnt
AGAIN_RATE, AGAIN_NEW_RATE = 1.2e-4, 3e-4  # the same, of a reader that goes on
KEPT = 0.35  # of its weights from before, mixed with those after (WiSE-FT: Wortsman et al. 2022)
PEOPLE = tuple(Path(__file__).with_name(name) for name in ("everyday", "unseen"))
EVERY = 50  # steps between two lines of the log
KEPT_EVERY = 200  # steps between two checkpoints
RIGHT_F1 = 0.5  # a span is right for its probability's sake


State = dict[str, torch.Tensor]


class Judged(NamedTuple):
    """The best span of one passage: its log-odds against none, and how well it answers."""

    odds: float
    f1: float


class Asked(NamedTuple):
    """One question's outcome: how well the best span answers it, and the best span of every passage.

    `reachable`: a right span is among those of some passage. `comparing`: no span of a passage is its answer.
    """

    exact: float
    f1: float
    reachable: bool
    comparing: bool
    spent_ms: float
    judged: tuple[Judged, ...]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("work", type=Path)
    arguments.add_argument("--from", dest="begun", type=Path, help="a reader to go on with")
    arguments.add_argument("--new", default="*", metavar="PATTERN", help="of names of files, as '[f-j]*'")
    options = arguments.parse_args()
    torch.set_num_threads(THREADS)
    options.work.mkdir(parents=True, exist_ok=True)
    files = locate_model()
    training = Training(files, options.data, options.work)
    if options.begun:
        trained = training.gone_on(options.begun, options.new)
        write_fitted(files, trained, [one for folder in PEOPLE for one in training.people(folder, trained)], training)
        return
    begun = training.on_sentences()
    without = [training.left_out(fold, begun) for fold in FOLDS]
    trained = training.on_sets("all", SETS, without[-1], LAST_PASSES)
    judged = [row for fold, state in zip(FOLDS, without, strict=True) for row in training.measured(fold, state)]
    write_fitted(files, trained, judged, training)


def write_fitted(files: ModelFiles, trained: State, judged: Sequence[Judged], training: Training) -> None:
    """Into the package, with the probabilities that these spans say."""
    slope, intercept = fitted(judged)
    print(f"probability = 1 / (1 + exp(-({slope:.3f} x + {intercept:.3f})))\n{reliability(judged, slope, intercept)}")
    write_reader(files, SHIPPED, trained, (slope, intercept), training.counts(SETS))


class Training:
    """The phases over one folder of data; each phase's weights are kept in `work`."""

    def __init__(self, files: ModelFiles, data: Path, work: Path) -> None:
        self._files = files
        self._data = data
        self._work = work
        self._maker = WindowMaker(files)
        self._questions: dict[str, list[Question]] = {}

    def on_sentences(self) -> State:
        questions = []
        for name, count in CLOZE.items():
            corpus, _ = load(self._data / name)
            questions += clozes(corpus, count, random.Random(f"{SEED} {name}"))
        return self._phase("sentences", questions, CLOZE_PASSES, None)

    def on_sets(self, phase: str, sets: Iterable[str], begun: State, passes: int) -> State:
        questions = [one for name in (*sets, WRITTEN) for one in self._of(name)]
        return self._phase(phase, questions, passes, begun)

    def left_out(self, fold: Sequence[str], begun: State) -> State:
        return self.on_sets(phase_of(fold), [name for name in SETS if name not in fold], begun, PASSES)

    def gone_on(self, folder: Path, new: str) -> State:
        """What is `new` twice and a share of all else, from the weights in `folder` on."""
        chance = random.Random(f"{SEED} {new}")
        anew = _written(chance, new)
        asked = {question[0].question for question in anew}
        rest = [one for name in (*SETS, WRITTEN) for one in self._of(name) if one[0].question not in asked]
        questions = [*anew, *chance.sample(rest, int(REPLAYED * len(rest)))]
        begun = state_of(self._files, folder)
        ended = self._phase("gone_on", questions, 1, begun, again=anew, rates=(AGAIN_RATE, AGAIN_NEW_RATE))
        return {name: KEPT * begun[name].float() + (1 - KEPT) * value.float() for name, value in ended.items()}

    def people(self, folder: Path, trained: State) -> list[Judged]:
        """The best span of each passage that the product finds for the folder's questions."""
        own = self._work / "people"
        write_reader(self._files, own, trained, (1.0, 0.0), {})
        reader = SpanReader(self._files, read_facts(own), own, cache_dir=own, threads=THREADS)
        found = {one.query: one.passages for one in find(folder)}
        asked = [one for one in load_questions(folder) if one.gold and one.answerable]
        return [each for one in asked for each in judged_spans(reader, one.question, found[one.id], one.gold)]

    def measured(self, fold: Sequence[str], trained: State) -> list[Judged]:
        """Two lines for each set of the fold, and every judged span."""
        folder = self._work / phase_of(fold)
        write_reader(self._files, folder, trained, (1.0, 0.0), {})
        reader = SpanReader(self._files, read_facts(folder), folder, cache_dir=folder, threads=THREADS)
        return [judged for name in fold for judged in self._measured(name, reader, folder)]

    def counts(self, sets: Iterable[str]) -> dict[str, int]:
        own = {name: len(self._of(name)) for name in (*sets, WRITTEN)}
        return own | {f"{name}, sentences": n for name, n in CLOZE.items()}

    def _of(self, name: str) -> list[Question]:
        if name not in self._questions:
            chance = random.Random(f"{SEED} {name}")
            own = name == WRITTEN
            self._questions[name] = _written(chance) if own else questions_of(self._data / name, chance)
        return self._questions[name]

    def _measured(self, name: str, reader: SpanReader, folder: Path) -> list[Judged]:
        kept = folder / f"{name.replace('/', '_')}.json"
        if not kept.exists():
            kept.write_bytes(msgspec.json.encode(self._outcomes(name, reader)))
        rows = msgspec.json.decode(kept.read_bytes(), type=list[Asked])
        for label, some in (("all", rows), ("spans", [row for row in rows if not row.comparing])):
            print(f"{name:20} {label:6} {len(some):4}  {figures(some)}", flush=True)
        return [one for row in rows for one in row.judged]

    def _outcomes(self, name: str, reader: SpanReader) -> list[Asked]:
        _, queries = load(self._data / name)
        found = {one.query: one.passages for one in self._found(name)}
        return [outcome(query, found[query["id"]], reader) for query in queries]

    def _found(self, name: str) -> list[Found]:
        file = self._work / f"{name.replace('/', '_')}.json"
        if not file.exists():
            file.write_bytes(msgspec.json.encode(find(self._data / name)))
        return msgspec.json.decode(file.read_bytes(), type=list[Found])

    def _phase(
        self,
        phase: str,
        questions: Sequence[Question],
        passes: int,
        begun: State | None,
        *,
        again: Sequence[Question] = (),
        rates: tuple[float, float] = (RATE, NEW_RATE),
    ) -> State:
        """`again` are read once more at the end. `rates` are of the layers, and of the head and the marks."""
        done = self._work / f"{phase}.pt"
        if done.exists():
            return torch.load(done)
        torch.manual_seed(SEED)
        network = Network(self._files.path, FIRST_LAYER)
        if begun:
            network.load_state_dict(begun)
        chance = random.Random(SEED)
        groups = prepare(questions, self._maker, chance)
        last = [prepare(again, self._maker, chance)] if again else []
        drawn = (with_one_wrong(some, chance) for some in [groups] * passes + last)  # another wrong one each time
        plan = [batch for some in drawn for batch in batches(some, BATCH_TOKENS, chance)]
        print(f"{phase}: {len(groups)} questions, {sum(map(len, groups))} windows, {len(plan)} steps", flush=True)
        run(network, plan, self._work / f"{phase}.checkpoint", rates)
        torch.save(network.state_dict(), done)
        return network.state_dict()


def _written(chance: random.Random, names: str = "*") -> list[Question]:
    """What `bench/written` has in the files of these names, with what asks yes or no of them."""
    return [*written_questions(chance, names), *yes_no_questions(names)]


def run(network: Network, plan: Sequence[list[list[Read]]], checkpoint: Path, rates: tuple[float, float]) -> None:
    """Every batch once, from the last checkpoint on."""
    network.train()
    optimiser = torch.optim.AdamW(
        [
            {"params": [p for p in network.encoder.parameters() if p.requires_grad], "lr": rates[0]},
            {"params": [*network.marks.parameters(), *network.head.parameters()], "lr": rates[1]},
        ],
        weight_decay=0.01,
        fused=True,
    )
    warm = max(1, int(WARM_UP * len(plan)))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, (len(plan) - step) / max(1, len(plan) - warm))
    )
    done = resumed(checkpoint, network, optimiser, schedule)
    losses: list[float] = []
    started = time.monotonic()
    for step in range(done, len(plan)):
        loss = loss_of(network, plan[step])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        optimiser.zero_grad()
        losses.append(loss.item())
        if (step + 1) % EVERY == 0:
            spent_s = (time.monotonic() - started) / (step + 1 - done)
            print(
                f"  step {step + 1}/{len(plan)}  loss {np.mean(losses[-EVERY:]):.3f}  {spent_s:.2f} s a step",
                flush=True,
            )
        if (step + 1) % KEPT_EVERY == 0:
            kept = {"step": step + 1, "parts": [one.state_dict() for one in (network, optimiser, schedule)]}
            torch.save(kept, checkpoint)
    checkpoint.unlink(missing_ok=True)


def resumed(checkpoint: Path, *parts: Network | torch.optim.Optimizer | torch.optim.lr_scheduler.LambdaLR) -> int:
    """Steps done; the parts are as they were then."""
    if not checkpoint.exists():
        return 0
    kept = torch.load(checkpoint)
    for part, state in zip(parts, kept["parts"], strict=True):
        part.load_state_dict(state)
    return kept["step"]


def state_of(files: ModelFiles, folder: Path) -> State:
    """The weights of the reader in `folder`, as the network has them."""
    base = read_bert(files.path)
    assert base, "the default embedder is a BERT"
    weights = changed(base[1], read_changes(read_facts(folder), folder))
    state = Network(files.path, FIRST_LAYER).state_dict()
    return {name: torch.tensor(weights[name]) if name in weights else value for name, value in state.items()}


def write_reader(
    files: ModelFiles,
    folder: Path,
    trained: State,
    platt: tuple[float, float],
    counts: dict[str, int],
) -> None:
    base = read_bert(files.path)
    assert base, "the default embedder is a BERT"
    kept = [f"encoder.layer.{layer}." for layer in range(FIRST_LAYER, base[0].num_hidden_layers)]
    weights = {
        name: value.float().numpy() for name, value in trained.items() if name.startswith((*kept, "marks.", "head."))
    }
    content = save(differences(base[1], weights))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / WEIGHTS).write_bytes(content)
    facts = ReaderFacts(files.digest, hashlib.sha256(content).hexdigest(), FIRST_LAYER, *platt, counts)
    (folder / FACTS).write_bytes(msgspec.json.format(msgspec.json.encode(facts), indent=2) + b"\n")
    print(f"{folder / WEIGHTS}: {len(content) / 1e6:.1f} MB", flush=True)


def outcome(query: Mapping[str, Any], passages: Sequence[Passage], reader: SpanReader) -> Asked:
    answers = answers_of(query)
    started = time.perf_counter()
    readings = reader.read_now(query["question"], passages)
    spent_ms = (time.perf_counter() - started) * 1000
    texts = [
        [passage.text[span.start : span.end] for span in reading.spans]
        for passage, reading in zip(passages, readings, strict=True)
    ]
    best = [(odds(reading, reading.spans[0]), some[0]) for reading, some in zip(readings, texts, strict=True) if some]
    chosen = max(best, default=(0.0, ""))[1]
    return Asked(
        exact_of(chosen, answers),
        f1_of(chosen, answers),
        reachable=any(f1_of(text, answers) >= RIGHT_F1 for some in texts for text in some),
        comparing=query["type"] in COMPARING,
        spent_ms=spent_ms,
        judged=tuple(Judged(score, f1_of(text, answers)) for score, text in best),
    )


def judged_spans(
    reader: SpanReader, question: str, passages: Sequence[Passage], answers: Iterable[str]
) -> list[Judged]:
    """The best span of every passage."""
    answers = tuple(answers)
    readings = zip(reader.read_now(question, passages), passages, strict=True)
    best = [(reading, reading.spans[0], passage.text) for reading, passage in readings if reading.spans]
    return [Judged(odds(reading, span), f1_of(text[span.start : span.end], answers)) for reading, span, text in best]


def figures(rows: Sequence[Asked]) -> str:
    exact, f1, reach = (
        100 * float(np.mean(shares))
        for shares in ([row.exact for row in rows], [row.f1 for row in rows], [row.reachable for row in rows])
    )
    spent_ms = float(np.median([row.spent_ms for row in rows]))
    return f"EM {exact:5.1f}  F1 {f1:5.1f}  reach {reach:5.1f}  {spent_ms:.0f} ms a question"


def odds(reading: Reading, span: ReadSpan) -> float:
    return span.score - reading.no_answer


def normalised(text: str) -> list[str]:
    """As SQuAD's evaluation: lower case, no punctuation, no articles."""
    bare = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def exact_of(text: str, answers: Iterable[str]) -> float:
    return float(any(normalised(text) == normalised(answer) for answer in answers))


def f1_of(text: str, answers: Iterable[str]) -> float:
    return max((_f1(Counter(normalised(text)), Counter(normalised(answer))) for answer in answers), default=0.0)


def _f1(found: Counter[str], wanted: Counter[str]) -> float:
    shared = (found & wanted).total()
    return 2 * shared / (found.total() + wanted.total()) if shared else 0.0


def fitted(judged: Sequence[Judged], steps: int = 50) -> tuple[float, float]:
    """Slope and intercept of the logistic curve through (odds, right): Newton's method (Platt 1999)."""
    x = np.array([[one.odds, 1.0] for one in judged])
    y = np.array([one.f1 >= RIGHT_F1 for one in judged], float)
    found = np.zeros(2)
    for _ in range(steps):
        p = 1 / (1 + np.exp(-x @ found))
        curvature = (x * (p * (1 - p))[:, None]).T @ x + 1e-6 * np.eye(2)
        found += np.linalg.solve(curvature, x.T @ (y - p))
    return float(found[0]), float(found[1])


def reliability(judged: Sequence[Judged], slope: float, intercept: float) -> str:
    """For each tenth of the probability: how many, and how many of them right."""
    bins: dict[int, list[bool]] = {}
    for one in judged:
        probability = 1 / (1 + math.exp(-(slope * one.odds + intercept)))
        bins.setdefault(min(9, int(probability * 10)), []).append(one.f1 >= RIGHT_F1)
    return "\n".join(
        f"  {tenth / 10:.1f}-{tenth / 10 + 0.1:.1f}  {len(rows):5}  right {100 * sum(rows) / len(rows):5.1f} %"
        for tenth, rows in sorted(bins.items())
    )


if __name__ == "__main__":
    main()

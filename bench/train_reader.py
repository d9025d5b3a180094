"""Train the reader (`trivium_inference.reader`) on the sets of DATA, and measure it on sets that it has not seen.

Usage: python bench/train_reader.py DATA WORK      (needs torch: make torch; half an hour with a GPU, days without)
       python bench/train_reader.py DATA WORK --from FOLDER [--only ...]    (an hour on two quiet cores)

Questions made of sentences first (of CLOZE's corpora), then the sets' own and those of `bench/written`, these also with
the passages that the product finds for them. It is done once by each of RECIPES, and the weights are averaged (model
soups: Wortsman et al. 2022). Each fold of FOLDS is left out once: the reader trained on the others answers its
questions from the first five passages that the product finds. The reader of all sets is written into the package:
reader.weights, reader.json. PEOPLE, which no reader learns from, fit its probabilities.

With `--from` only the last step is done, from the reader in FOLDER on (a copy of the package's): no fold is left out.
`--new` names the files of `bench/written` that it has not learnt from, all by default, `--apart` those that it shall
not; with `--only` one kind of them counts as new: pairs of statements, what asks yes or no, or what a span answers.
What is new is read once or twice, of all else a share, so that nothing is forgotten (experience replay: Robins 1995).

WORK keeps what is done (weights after each phase, checkpoints within): the same command goes on where it was ended.
Columns: exact match and F1 (SQuAD's normalisation) of the best span of five passages, over all questions and over those
that a passage answers by a span; share of questions with a right span among each passage's best.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import math
import random
import re
import string
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import torch
from reader_cloze import clozes
from reader_examples import COMPARING, FOLDS, SETS, THREADS, Question, answers_of, load, phase_of, questions_of
from reader_network import Network, loss_of
from reader_passages import Found, find
from reader_reads import Batch, Reads, batches, prepare, with_wrong
from reader_statements import statement_questions
from reader_written import with_passages, write_set, written_questions, yes_no_questions
from safetensors.numpy import save
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

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
CLOZE = {
    "2wiki_dev": 16000,
    "musique_train100": 14000,
    "hotpotqa_train100": 8000,
    "covid_qa": 8000,
    "qasper_full10": 4000,
}
WRITTEN = "written"
WARM_UP = 0.1
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
PEOPLE = tuple(Path(__file__).with_name(name) for name in ("everyday", "unseen", "unseen2", "unseen3", "unseen4"))
EVERY = 50  # steps between two lines of the log
KEPT_EVERY = 200  # steps between two checkpoints
RIGHT_F1 = 0.5  # a span is right for its probability's sake


State = dict[str, torch.Tensor]


class Recipe(NamedTuple):
    """One training: `tokens` a batch, rates of the layers and of what begins at random (the head and the marks),
    windows without an answer beside those with it, dropout, and steps on sentences and on questions. Of a reader that
    goes on: how often what is new is read, the shares of what it has learnt, the share of its weights from before that
    are mixed with those after (WiSE-FT: Wortsman et al. 2022), and what each step leaves of the running mean that is
    taken for the weights after (0: the last ones are).
    """

    tokens: int
    rate: float
    new_rate: float
    wrongs: int
    dropout: float
    on_sentences: int = 0
    on_questions: int = 0
    passes: int = 1
    replayed: Mapping[str, float] = {"spans": 0.2, "yes-no": 0.2, "statements": 0.2, "sets": 0.2}
    kept: float = 0.35
    averaged: float = 0.0


RECIPES = (
    Recipe(16384, 3e-4, 1.5e-3, wrongs=2, dropout=0.1, on_sentences=225, on_questions=1815),
    Recipe(16384, 3e-4, 1.5e-3, wrongs=1, dropout=0.1, on_sentences=236, on_questions=1970),
    Recipe(8192, 1.5e-4, 1.5e-3, wrongs=2, dropout=0.0, on_sentences=263, on_questions=2796),
)
# Of a reader that goes on: with pairs of statements alone, with what asks yes or no alone, and otherwise.
STATEMENTS = Recipe(
    2048, 1.4e-4, 3e-4, wrongs=1, dropout=0.1, replayed={"spans": 0.08, "yes-no": 0.51, "sets": 0.25}, kept=0.25
)
YES_OR_NO = Recipe(
    2048, 1.5e-4, 3e-4, wrongs=1, dropout=0.1, passes=2, replayed=dict.fromkeys(("spans", "statements", "sets"), 0.15)
)
AGAIN = Recipe(
    4096,
    1e-4,
    2.5e-4,
    wrongs=1,
    dropout=0.0,
    replayed={"spans": 0.23, "yes-no": 0.27, "statements": 0.07, "sets": 0.63},
    kept=0.25,
    averaged=0.998,
)
ONLY = {"spans": AGAIN, "yes-no": YES_OR_NO, "statements": STATEMENTS}


class Judged(NamedTuple):
    """The best span of one passage: its log-odds against none, and how well it answers."""

    odds: float
    f1: float


class Asked(NamedTuple):
    """One question's outcome: how well the best span answers it.

    `reachable`: a right span is among those of some passage. `comparing`: no span of a passage is its answer.
    """

    exact: float
    f1: float
    reachable: bool
    comparing: bool
    spent_ms: float


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("work", type=Path)
    arguments.add_argument("--from", dest="begun", type=Path, help="a reader to go on with")
    arguments.add_argument("--new", default="*", metavar="PATTERN", help="of names of files, as '[f-j]*'")
    arguments.add_argument("--only", choices=ONLY, help="what of them is new")
    arguments.add_argument("--apart", default="", metavar="PATTERN", help="of names of files that are not learnt from")
    options = arguments.parse_args()
    torch.set_num_threads(THREADS)
    options.work.mkdir(parents=True, exist_ok=True)
    files = locate_model()
    training = Training(files, options.data, options.work, options.apart)
    if options.begun:
        trained = training.gone_on(options.begun, options.new, options.only)
    else:
        for fold in FOLDS:
            training.measure(fold, training.on_sets(phase_of(fold), [name for name in SETS if name not in fold]))
        trained = training.on_sets("all", SETS)
    write_fitted(files, trained, [one for folder in PEOPLE for one in training.people(folder, trained)], training)


def write_fitted(files: ModelFiles, trained: State, judged: Sequence[Judged], training: Training) -> None:
    """Into the package, with the probabilities that these spans say."""
    slope, intercept = fitted(judged)
    print(f"probability = 1 / (1 + exp(-({slope:.3f} x + {intercept:.3f})))\n{reliability(judged, slope, intercept)}")
    write_reader(files, SHIPPED, trained, (slope, intercept), training.counts(SETS))


class Training:
    """The phases over one folder of data; each phase's weights are kept in `work`. Files `apart` are not read."""

    def __init__(self, files: ModelFiles, data: Path, work: Path, apart: str) -> None:
        self._files = files
        self._data = data
        self._work = work
        self._apart = apart
        self._maker = WindowMaker(files)
        self._questions: dict[str, list[Question]] = {}

    def on_sets(self, phase: str, sets: Sequence[str]) -> State:
        """By every recipe, averaged."""
        learnt = [self._by(number, phase, sets) for number in range(len(RECIPES))]
        return {name: torch.stack([state[name].float() for state in learnt]).mean(0) for name in learnt[0]}

    def gone_on(self, folder: Path, new: str, only: str | None) -> State:
        """What is `new` and a share of all else, from the weights in `folder` on."""
        recipe = ONLY.get(only or "", AGAIN)
        chance = random.Random(f"{SEED} {new}")
        anew = [one for kind in ONLY if only in (None, kind) for one in self._written(kind, chance, new)]
        asked = {question[0].question for question in anew}
        questions = list(anew)
        for kind, share in recipe.replayed.items():
            rest = [one for one in self._learnt(kind, chance) if one[0].question not in asked]
            questions += chance.sample(rest, int(share * len(rest)))
        begun = state_of(self._files, folder)

        def plan(chance: random.Random) -> list[Batch]:
            passes = [prepare(some, self._maker, chance) for some in (questions, *[anew] * (recipe.passes - 1))]
            found = [batch for reads in passes for batch in drawn(reads, recipe, chance)]
            chance.shuffle(found)
            return found

        ended = self._phase("gone_on", recipe, plan, begun)
        return {
            name: recipe.kept * begun[name].float() + (1 - recipe.kept) * value.float() for name, value in ended.items()
        }

    def people(self, folder: Path, trained: State) -> list[Judged]:
        """The best span of each passage that the product finds for the folder's questions."""
        own = self._work / "people"
        write_reader(self._files, own, trained, (1.0, 0.0), {})
        reader = SpanReader(self._files, read_facts(own), own, cache_dir=own, threads=THREADS)
        found = {one.query: one.passages for one in find(folder)}
        asked = [one for one in load_questions(folder) if one.gold and one.answerable]
        return [each for one in asked for each in judged_spans(reader, one.question, found[one.id], one.gold)]

    def measure(self, fold: Sequence[str], trained: State) -> None:
        """Two lines for each set of the fold."""
        folder = self._work / phase_of(fold)
        write_reader(self._files, folder, trained, (1.0, 0.0), {})
        reader = SpanReader(self._files, read_facts(folder), folder, cache_dir=folder, threads=THREADS)
        for name in fold:
            self._measure(name, reader, folder)

    def counts(self, sets: Iterable[str]) -> dict[str, int]:
        own = {name: len(self._of(name)) for name in (*sets, WRITTEN)}
        return own | {f"{name}, sentences": n for name, n in CLOZE.items()}

    def _of(self, name: str) -> list[Question]:
        if name not in self._questions:
            chance = random.Random(f"{SEED} {name}")
            self._questions[name] = (
                [one for kind in ONLY for one in self._written(kind, chance)]
                if name == WRITTEN
                else questions_of(self._data / name, chance)
            )
        return self._questions[name]

    def _learnt(self, kind: str, chance: random.Random) -> list[Question]:
        """All of one kind; "sets" are those of DATA."""
        return [one for name in SETS for one in self._of(name)] if kind == "sets" else self._written(kind, chance)

    def _written(self, kind: str, chance: random.Random, names: str = "*") -> list[Question]:
        """What `bench/written` has of one kind in the files of these names."""
        if kind == "yes-no":
            return yes_no_questions(names, self._apart)
        return {"spans": written_questions, "statements": statement_questions}[kind](chance, names, self._apart)

    def _measure(self, name: str, reader: SpanReader, folder: Path) -> None:
        kept = folder / f"{name.replace('/', '_')}.json"
        if not kept.exists():
            kept.write_bytes(msgspec.json.encode(self._outcomes(name, reader)))
        rows = msgspec.json.decode(kept.read_bytes(), type=list[Asked])
        for label, some in (("all", rows), ("spans", [row for row in rows if not row.comparing])):
            print(f"{name:20} {label:6} {len(some):4}  {figures(some)}", flush=True)

    def _outcomes(self, name: str, reader: SpanReader) -> list[Asked]:
        _, queries = load(self._data / name)
        found = {one.query: one.passages for one in self._found(name)}
        return [outcome(query, found[query["id"]], reader) for query in queries]

    def _found(self, name: str) -> list[Found]:
        file = self._work / f"{name.replace('/', '_')}.json"
        if not file.exists():
            file.write_bytes(msgspec.json.encode(find(self._data / name)))
        return msgspec.json.decode(file.read_bytes(), type=list[Found])

    def _by(self, number: int, phase: str, sets: Sequence[str]) -> State:
        """One recipe: on sentences, which all phases share, then on the questions of the sets."""
        recipe = RECIPES[number]
        begun = self._phase(
            f"sentences_{number}",
            recipe,
            lambda chance: drawn_for(self._sentences(), recipe, recipe.on_sentences, chance),
        )
        return self._phase(
            f"{phase}_{number}",
            recipe,
            lambda chance: drawn_for(self._reads(sets), recipe, recipe.on_questions, chance),
            begun,
        )

    def _sentences(self) -> Reads:
        found: Reads = []
        for name, count in CLOZE.items():
            corpus, _ = load(self._data / name)
            chance = random.Random(f"{SEED} {name}")
            found += prepare(list(clozes(corpus, count, chance)), self._maker, chance)
        return found

    def _reads(self, sets: Iterable[str]) -> Reads:
        questions = [one for name in (*sets, WRITTEN) for one in self._of(name)]
        return prepare([*questions, *self._found_again()], self._maker, random.Random(SEED))

    def _found_again(self) -> list[Question]:
        """The written questions with the passages that the product finds for them."""
        folder, file = self._work / WRITTEN, self._work / f"{WRITTEN}.json"
        if not file.exists():
            write_set(folder)
            file.write_bytes(msgspec.json.encode(find(folder)))
        found = msgspec.json.decode(file.read_bytes(), type=list[Found])
        return with_passages({one.query: one.passages for one in found})

    def _phase(
        self, phase: str, recipe: Recipe, plan: Callable[[random.Random], list[Batch]], begun: State | None = None
    ) -> State:
        """The weights after the batches of the plan, kept in `work`."""
        done = self._work / f"{phase}.pt"
        if done.exists():
            return torch.load(done)
        torch.manual_seed(SEED)
        network = Network(self._files.path, FIRST_LAYER, recipe.dropout)
        if begun:
            network.load_state_dict(begun)
        batches = plan(random.Random(SEED))
        print(f"{phase}: {len(batches)} steps", flush=True)
        learnt = run(network.to(DEVICE), batches, self._work / f"{phase}.checkpoint", recipe)
        ended = {name: value.cpu() for name, value in learnt.state_dict().items()}
        torch.save(ended, done)
        return ended


def drawn(reads: Reads, recipe: Recipe, chance: random.Random) -> list[Batch]:
    """Every question once, with other wrong windows each time."""
    return batches(with_wrong(reads, recipe.wrongs, chance), recipe.tokens, chance)


def drawn_for(reads: Reads, recipe: Recipe, steps: int, chance: random.Random) -> list[Batch]:
    """So many batches: every question once before any comes again."""
    endless = (batch for _ in itertools.count() for batch in drawn(reads, recipe, chance))
    return list(itertools.islice(endless, steps))


def run(network: Network, plan: Sequence[Batch], checkpoint: Path, recipe: Recipe) -> torch.nn.Module:
    """Every batch once, from the last checkpoint on; the network, or the mean of what it was."""
    network.train()
    mean = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(recipe.averaged)) if recipe.averaged else None
    optimiser = torch.optim.AdamW(
        [
            {"params": [p for p in network.encoder.parameters() if p.requires_grad], "lr": recipe.rate},
            {"params": [*network.marks.parameters(), *network.head.parameters()], "lr": recipe.new_rate},
        ],
        weight_decay=0.01,
        fused=True,
    )
    warm = max(1, int(WARM_UP * len(plan)))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, (len(plan) - step) / max(1, len(plan) - warm))
    )
    parts = [network, optimiser, schedule, *([mean] if mean else [])]
    done = resumed(checkpoint, *parts)
    losses: list[float] = []
    started = time.monotonic()
    for step in range(done, len(plan)):
        loss = loss_of(network, plan[step])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        optimiser.zero_grad()
        if mean:
            mean.update_parameters(network)
        losses.append(loss.item())
        if (step + 1) % EVERY == 0:
            spent_s = (time.monotonic() - started) / (step + 1 - done)
            print(
                f"  step {step + 1}/{len(plan)}  loss {np.mean(losses[-EVERY:]):.3f}  {spent_s:.2f} s a step",
                flush=True,
            )
        if (step + 1) % KEPT_EVERY == 0:
            kept = {"step": step + 1, "parts": [one.state_dict() for one in parts]}
            torch.save(kept, checkpoint)
    checkpoint.unlink(missing_ok=True)
    return mean.module if mean else network


def resumed(
    checkpoint: Path, *parts: torch.nn.Module | torch.optim.Optimizer | torch.optim.lr_scheduler.LambdaLR
) -> int:
    """Steps done; the parts are as they were then."""
    if not checkpoint.exists():
        return 0
    kept = torch.load(checkpoint, map_location=DEVICE)
    for part, state in zip(parts, kept["parts"], strict=True):
        part.load_state_dict(state)
    return kept["step"]


def state_of(files: ModelFiles, folder: Path) -> State:
    """The weights of the reader in `folder`, as the network has them."""
    base = read_bert(files.path)
    assert base, "the default embedder is a BERT"
    weights = changed(base[1], read_changes(read_facts(folder), folder))
    state = Network(files.path, FIRST_LAYER, dropout=0.0).state_dict()
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

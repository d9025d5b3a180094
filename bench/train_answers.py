"""Fit the weights by which a direct answer is chosen and judged (`trivium_query/answer/direct/weights.json`).

Usage: python bench/train_answers.py DATA WORK      (WORK: where `bench/train_reader.py` kept its weights)
       python bench/train_answers.py DATA --people      (minutes)

Every set of SETS is ingested into a tenant of its own. Its questions, and some of other sets that its corpus cannot
answer, are searched, and read by the reader that saw no question of the set. Three regressions are fitted: which span
is the answer (conditional logit over a question's spans, then Platt 1999), whether the hits hold an answer at all,
whether the answer's text is right. Each set is left out once: the table says what the weights of the others do to it.
The weights of all sets are then written into the package.

With `--people` the last two go on from these, which the package keeps, on the sets of PEOPLE, which no reader has
learnt from, a quarter of them left out each time: what differs from them costs (maximum a posteriori, their values the
mean of a normal prior). The order of
the likeliest spans by what is read in their sentences alone (`read_closely`), a conditional logit, is fitted then too.

Columns: F1 of the short answer (of the text where there is none), gold in the text, words; of the answers that are
SUPPORTED, those that are right; of the right answers, those that are SUPPORTED; unanswerable questions refused;
answerable ones refused whose gold is in the first five passages.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
from reader_examples import FOLDS, THREADS, phase_of
from rich.console import Console

from trivium.config import load_settings
from trivium.domain.retrieval import Hit, Mode, SearchFilter
from trivium.evaluation.dataset import Judged, load_questions, load_set
from trivium.evaluation.judged_answers import Wanted, right_in, wanted_of
from trivium.evaluation.wording import share_of_words, tells, token_f1
from trivium.ports.inference import Passage, Reading, Vector
from trivium_embedded.evaluation.corpus import Ingested, ingested, progress_bars
from trivium_inference.model_files import locate_model
from trivium_inference.reader import SpanReader
from trivium_inference.reader_weights import SHIPPED, read_facts
from trivium_query.answer import extractive
from trivium_query.answer.direct import choose
from trivium_query.answer.direct.answer_directly import ANSWERABLE, SUPPORTED
from trivium_query.answer.direct.choose import Weights
from trivium_query.answer.direct.compose import compose
from trivium_query.answer.direct.confidence import signals_of
from trivium_query.answer.direct.direct import Direct, read_directly
from trivium_query.answering import PipelineAnswerer

SETS = {
    "xquad/en": ("hotpotqa_train100", "covid_qa"),
    "hotpotqa_train100": ("xquad/en", "covid_qa"),
    "2wiki_dev": ("xquad/en", "covid_qa"),
    "musique_train100": ("xquad/en", "covid_qa"),
    "covid_qa": ("xquad/en", "2wiki_dev"),
    "everyday": ("xquad/en", "covid_qa"),
}
"""Each with those whose questions it cannot answer."""
BESIDE = Path(__file__).parent
PEOPLE = ("everyday", "unseen", *(f"unseen{number}" for number in range(2, 26)))
PEOPLE_FOLDS = 4
QUESTIONS, FOREIGN = 400, 60
FOREIGN_TO_PEOPLE = 20  # of each set
SEED = 13
RIGHT_F1 = 0.5  # of a span
SHORT_F1 = 0.3  # of a short answer that does not mislead
RIGHT_WORDS = 0.8  # of a long gold answer's words in the text
RIDGE, STEPS = 1.0, 60
OF_STEPS = frozenset(("steps", "nested", "nested, unstepped", "compares"))
STAYS = 1000.0  # times the ridge of these: people's sets have few questions of several steps
ORDER_RIDGE, CLOSE_RIDGE, AGAIN_RIDGE = 3.0, 3.0, 5.0
HALVINGS = 20
ONE = "one"  # the signal that is always 1
Signals = Mapping[str, float]
T = TypeVar("T")
FLAT = Weights({"odds": 1.0, "rank": 0.5, "fits": 0.5, "misfits": -0.5})  # to begin with; only the signals are kept


class Asked(msgspec.Struct):
    """One question with what the product found for it, and its readings so far."""

    query: Judged
    wanted: Wanted
    hits: tuple[Hit, ...]
    extracted: extractive.Extract
    readings: dict[tuple[str, str, str], Reading]


class Judgement(msgspec.Struct, frozen=True):
    """What was answered, beside its gold."""

    wanted: Wanted
    right: bool
    told: bool
    short_is_right: bool
    shown: bool
    f1: float
    words: int
    signals: Signals


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("work", type=Path, nargs="?")
    arguments.add_argument("--people", action="store_true", help="go on to people's questions")
    options = arguments.parse_args()
    if options.people:
        go_on(options.data)
        return
    if options.work is None:
        arguments.error("WORK is needed: where bench/train_reader.py kept its weights")
    asked = {name: collect(options.data, name) for name in SETS}
    readers = {name: reader_without(options.work, name) for name in SETS}
    spans = {name: [spans_of(each, readers[name]) for each in rows] for name, rows in asked.items()}
    for name in SETS:
        others = [other for other in SETS if other != name]
        weights = fitted(others, asked, readers, spans)
        print(f"{name:18} {figures(judged(asked[name], readers[name], weights), weights)}", flush=True)
    weights = fitted(list(SETS), asked, readers, spans)
    weights = msgspec.structs.replace(weights, before={"answerable": weights.answerable, "right": weights.right})
    for name in SETS:
        print(f"{name:18} {figures(judged(asked[name], readers[name], weights), weights)}  (not left out)", flush=True)
    write(weights, asked)


def go_on(data: Path) -> None:
    """What is fitted on people's questions, from what DATA's sets gave on; a quarter of PEOPLE left out each time."""
    asked = {name: collect(data, name) for name in PEOPLE}
    begun = before_people(choose.shipped())
    with tempfile.TemporaryDirectory() as cache:
        readers = dict.fromkeys(PEOPLE, reader_in(SHIPPED, Path(cache)))
        for first in range(PEOPLE_FOLDS):
            fold = PEOPLE[first::PEOPLE_FOLDS]
            again = with_people(begun, [name for name in PEOPLE if name not in fold], asked, readers)
            for name, (label, weights) in product(fold, (("", begun), ("gone on", again))):
                print(f"{name:18} {figures(judged(asked[name], readers[name], weights), weights)}  {label}", flush=True)
        write(with_people(begun, PEOPLE, asked, readers), asked, begun.trained_on)


def before_people(weights: Weights) -> Weights:
    """The confidence that the sets of DATA gave: who goes on from what people's sets gave counts these twice."""
    return msgspec.structs.replace(weights, answerable=weights.before["answerable"], right=weights.before["right"])


def write(weights: Weights, asked: Mapping[str, Sequence[Asked]], before: Mapping[str, int] | None = None) -> None:
    """Into the package, with how many questions they are of, and `before` of how many."""
    counts = {**(before or {}), **{name: len(rows) for name, rows in asked.items()}}
    content = msgspec.json.encode(msgspec.structs.replace(weights, trained_on=counts))
    Path(choose.__file__).with_name(choose.WEIGHTS).write_bytes(msgspec.json.format(content, indent=2) + b"\n")


def collect(data: Path, name: str) -> list[Asked]:
    """The set's questions and the foreign ones, searched as `trivium ask` does."""
    settings = msgspec.structs.replace(
        load_settings({}), llm="", rerank="none", vector_budget_s=60.0, keyword_budget_s=60.0, graph_budget_s=60.0
    )
    folder = set_in(data, name)
    loaded = load_set(folder)
    own = [(query, wanted_of(query)) for query in loaded.queries if query.gold or not query.answerable]
    foreign = [(query, Wanted.FOREIGN) for query in foreign_to(data, name)]
    with progress_bars(Console()) as bars, ingested(settings, loaded, folder, bars) as taken:
        return asyncio.run(searched(taken, [*sample(own, QUESTIONS), *foreign]))


def foreign_to(data: Path, name: str) -> list[Judged]:
    """Questions of other sets; to those of PEOPLE also what the next of them asks for yes or no."""
    count = FOREIGN_TO_PEOPLE if name in PEOPLE else FOREIGN
    others = [load_questions(set_in(data, other)) for other in SETS.get(name, SETS["everyday"])]
    if name in PEOPLE:
        after = load_questions(set_in(data, PEOPLE[(PEOPLE.index(name) + 1) % len(PEOPLE)]))
        others.append([query for query in after if wanted_of(query) is Wanted.YES_NO])
    return [query for some in others for query in sample(some, count)]


def set_in(data: Path, name: str) -> Path:
    return BESIDE / name if name in PEOPLE else data / name


def sample(rows: Iterable[T], count: int) -> list[T]:
    rows = list(rows)
    return rows if len(rows) <= count else random.Random(SEED).sample(rows, count)


async def searched(taken: Ingested, questions: Sequence[tuple[Judged, Wanted]]) -> list[Asked]:
    answerer, found = taken.services.answerer, []
    assert isinstance(answerer, PipelineAnswerer)
    vectors = taken.services.vectors.reader(taken.tenant)
    for query, wanted in questions:
        result = await answerer.searcher.search(taken.tenant, query.question, Mode.HYBRID, 10, SearchFilter())
        sentences: Mapping[str, Vector] = await vectors.sentence_vectors([hit.chunk.id for hit in result.hits])
        vector = (await answerer.questions.embed([query.question]))[0]
        extracted = extractive.extract(query.question, result.hits, vector, sentences)
        found.append(Asked(query, wanted, result.hits, extracted, {}))
    return found


def reader_without(work: Path, name: str) -> SpanReader:
    """The one that was trained without the set; the shipped one for a set that none was trained on."""
    return reader_in(next((work / phase_of(fold) for fold in FOLDS if name in fold), SHIPPED), work)


def reader_in(folder: Path, cache: Path) -> SpanReader:
    return SpanReader(locate_model(), read_facts(folder), folder, cache_dir=cache, threads=THREADS)


def read(one: Asked, reader: SpanReader, weights: Weights) -> Direct:
    """As the product reads, each passage once for each question."""

    async def remembered(question: str, passages: Sequence[Passage]) -> list[Reading]:
        keys = [(question, passage.prefix, passage.text) for passage in passages]
        missing = [at for at, key in enumerate(keys) if key not in one.readings]
        for at, reading in zip(missing, reader.read_now(question, [passages[at] for at in missing]), strict=True):
            one.readings[keys[at]] = reading
        return [one.readings[key] for key in keys]

    return asyncio.run(read_directly(one.query.question, one.extracted, one.hits, remembered, weights))


def spans_of(one: Asked, reader: SpanReader) -> list[tuple[Signals, float]]:
    """The signals of every span of a question that has an answer, and the span's F1."""
    direct = read(one, reader, FLAT)
    return [(span.signals, token_f1(span.short, one.query.gold)) for span in direct.chosen]


def fitted(
    names: Sequence[str],
    asked: Mapping[str, list[Asked]],
    readers: Mapping[str, SpanReader],
    spans: Mapping[str, list[list[tuple[Signals, float]]]],
) -> Weights:
    """On these sets, each weighing the same."""
    order = fitted_order(
        [(rows, asked[name][at].wanted, name) for name in names for at, rows in enumerate(spans[name])]
    )
    weights = Weights(order, yes_no=choose.shipped().yes_no)
    return with_confidence(weights, names, asked, readers, RIDGE)


def with_people(
    weights: Weights, names: Sequence[str], asked: Mapping[str, list[Asked]], readers: Mapping[str, SpanReader]
) -> Weights:
    """The order of what is read closely, and then the confidence, fitted on these sets."""
    closer = with_close(weights, [(one, readers[name]) for name in names for one in asked[name]])
    return with_confidence(closer, names, asked, readers, AGAIN_RIDGE)


def with_close(weights: Weights, questions: Sequence[tuple[Asked, SpanReader]]) -> Weights:
    """The order of the spans that were read closely; without weights of it they come in the order of before."""
    names = ("likely", "close", "unread")
    before = msgspec.structs.replace(weights, close={})
    groups = []
    for one, reader in questions:
        if one.wanted is not Wanted.TEXT:
            continue
        spans = [span for span in read(one, reader, before).chosen if "close" in span.signals]
        gain = gains([token_f1(span.short, one.query.gold) for span in spans])
        if gain is not None:
            likely = [{**span.signals, "likely": math.log(span.likely)} for span in spans]
            groups.append((np.array([[row[name] for name in names] for row in likely]), gain, 1.0))
    found = conditional_logit(groups, CLOSE_RIDGE, np.array([1.0, 0.0, 0.0]))
    return msgspec.structs.replace(before, close={n: round(float(v), 4) for n, v in zip(names, found, strict=True)})


def gains(f1s: Sequence[float]) -> Vector | None:
    """How much each span is wanted, together 1; None where none is right."""
    if max(f1s, default=0.0) < RIGHT_F1:
        return None
    gain = np.array([max(0.0, f1 - 0.2) for f1 in f1s])
    return gain / gain.sum()


def with_confidence(
    weights: Weights,
    names: Sequence[str],
    asked: Mapping[str, list[Asked]],
    readers: Mapping[str, SpanReader],
    ridge: float,
) -> Weights:
    """The same order; both other regressions fitted, what differs from those given costs `ridge`."""
    answers = {name: judged(asked[name], readers[name], weights) for name in names}
    clear = {name: [row for row in rows if row.shown or not row.wanted.answerable] for name, rows in answers.items()}
    found = regression(
        clear, lambda row: row.wanted.answerable, lambda row: row.wanted.answerable, ridge, weights.answerable
    )
    right = regression(answers, lambda row: row.told and row.short_is_right, lambda _: True, ridge, weights.right)
    return msgspec.structs.replace(weights, answerable=found, right=right)


def fitted_order(questions: Sequence[tuple[list[tuple[Signals, float]], Wanted, str]]) -> dict[str, float]:
    """Conditional logit over each question's spans, scaled so that the best one's score is a log-odds."""
    usable = [(rows, name) for rows, wanted, name in questions if wanted is Wanted.TEXT and rows]
    names = [name for name in usable[0][0][0][0] if name != ONE]
    groups = []
    for rows, name in usable:
        gain = gains([f1 for _, f1 in rows])
        if gain is not None:
            share = QUESTIONS / sum(1 for _, other in usable if other == name)
            groups.append((np.array([[signals[key] for key in names] for signals, _ in rows]), gain, share))
    found = conditional_logit(groups, ORDER_RIDGE, np.zeros(len(names)))
    best = []
    for rows, wanted, name in questions:
        if rows:
            score, f1 = max((float(np.dot([signals[key] for key in names], found)), f1) for signals, f1 in rows)
            right = wanted is Wanted.TEXT and f1 >= RIGHT_F1
            best.append((np.array([score, 1.0]), right, 1.0 / sum(1 for _, _, other in questions if other == name)))
    platt = logistic(best, QUESTIONS, 0.1)
    return {name: round(float(value * platt[0]), 4) for name, value in zip(names, found, strict=True)} | {
        ONE: round(float(platt[1]), 4)
    }


def conditional_logit(groups: Sequence[tuple[Vector, Vector, float]], ridge: float, prior: Vector) -> Vector:
    """Newton's method, its steps halved until they gain; a group has the signals of its spans, how much each is wanted,
    and its weight.
    """

    def cost(weights: Vector) -> float:
        missed = sum(
            share * (np.logaddexp.reduce(signals @ weights) - wanted @ signals @ weights)
            for signals, wanted, share in groups
        )
        return float(missed + ridge * np.sum((weights - prior) ** 2) / 2)

    found = prior.copy()
    for _ in range(STEPS):
        slope, curvature = -ridge * (found - prior), ridge * np.eye(len(found))
        for signals, wanted, share in groups:
            likely = np.exp(signals @ found - (signals @ found).max())
            likely /= likely.sum()
            mean = likely @ signals
            slope += share * (wanted @ signals - mean)
            curvature += share * ((signals * likely[:, None]).T @ signals - np.outer(mean, mean))
        found = gained(found, np.linalg.solve(curvature, slope), cost)
    return found


def gained(found: Vector, step: Vector, cost: Callable[[Vector], float]) -> Vector:
    """After the step, halved until it gains; where it does not, as it was."""
    before = cost(found)
    halves = (found + step / 2**halved for halved in range(HALVINGS))
    return next((each for each in halves if cost(each) < before), found)


def regression(
    rows: Mapping[str, list[Judgement]],
    wanted: Callable[[Judgement], bool],
    group: Callable[[Judgement], bool],
    ridge: float,
    prior: Signals,
) -> dict[str, float]:
    """Over the answers' signals; within each set every group weighs the same."""
    names = sorted({*prior, *(key for some in rows.values() for row in some for key in row.signals)})
    examples = []
    for some in rows.values():
        groups = [group(row) for row in some]
        for row, mine in zip(some, groups, strict=True):
            share = 1.0 / (groups.count(mine) * len(set(groups)))
            examples.append((np.array([row.signals.get(key, 0.0) for key in names]), wanted(row), share))
    strength = np.array([ridge * (STAYS if key in OF_STEPS and key in prior else 1.0) for key in names])
    found = logistic(examples, QUESTIONS, strength, np.array([prior.get(key, 0.0) for key in names]))
    return {name: round(float(value), 4) for name, value in zip(names, found, strict=True)}


def logistic(
    examples: Sequence[tuple[Vector, bool, float]], scale: float, ridge: Vector | float, prior: Vector | float = 0.0
) -> Vector:
    """Newton's method with steps halved until they gain, with a ridge about `prior`."""
    signals = np.array([row for row, _, _ in examples])
    right = np.array([float(value) for _, value, _ in examples])
    share = scale * np.array([value for _, _, value in examples])

    def cost(weights: Vector) -> float:
        margins = (2 * right - 1) * (signals @ weights)
        return float(share @ np.logaddexp(0.0, -margins) + np.sum(ridge * (weights - prior) ** 2) / 2)

    found = np.zeros(signals.shape[1]) + prior
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-signals @ found))
        slope = signals.T @ (share * (right - likely)) - ridge * (found - prior)
        curvature = (signals * (share * likely * (1 - likely))[:, None]).T @ signals + np.diag(
            np.broadcast_to(ridge, len(found))
        )
        found = gained(found, np.linalg.solve(curvature, slope), cost)
    return found


def judged(rows: Sequence[Asked], reader: SpanReader, weights: Weights) -> list[Judgement]:
    return [judgement(one, read(one, reader, weights), weights) for one in rows]


def judgement(one: Asked, direct: Direct, weights: Weights) -> Judgement:
    """Without weights for it no answer is sure, so that the longer text is judged."""
    signals = signals_of(direct, one.extracted, one.hits)
    sure = bool(weights.right) and choose.probability(signals, weights.right) >= SUPPORTED
    draft = compose(direct, one.extracted, one.hits, sure=sure)
    text = " ".join(citation.quote for citation in draft.citations)
    said, gold = draft.short or text, one.query.gold
    right = one.wanted.answerable and right_in(gold, one.wanted, said, text)
    long_enough = one.wanted is Wanted.TEXT and share_of_words(text, gold) >= RIGHT_WORDS
    told = right or long_enough or (one.wanted is Wanted.CHOICE and tells(text, gold))
    first = one.hits[:5]
    shown = one.wanted is not Wanted.TEXT or any(tells(f"{hit.chunk.heading}\n{hit.chunk.text}", gold) for hit in first)
    f1 = token_f1(said, gold) if one.wanted.answerable else 0.0
    fits = not draft.short or f1 >= SHORT_F1
    return Judgement(one.wanted, right, told, fits, shown, f1, len(text.split()), signals)


def figures(rows: Sequence[Judgement], weights: Weights) -> str:
    answered = [row for row in rows if choose.probability(row.signals, weights.answerable) >= ANSWERABLE]
    sure = [row for row in answered if choose.probability(row.signals, weights.right) >= SUPPORTED]
    own = [row for row in rows if row.wanted.answerable]
    shown = [row for row in own if row.shown]
    foreign = [row for row in rows if not row.wanted.answerable]
    told = [row for row in own if row.told]
    return (
        f"F1 {percent(row.f1 for row in own)}  gold {percent(row.right for row in own)}  "
        f"words {np.mean([row.words for row in own]):.0f}  "
        f"SUPPORTED right {percent(row.told for row in sure if row.wanted.answerable)} of {len(sure)}  "
        f"(short too {percent(row.told and row.short_is_right for row in sure if row.wanted.answerable)})  "
        f"right SUPPORTED {percent(row in sure for row in told)}  "
        f"refused: unanswerable {percent(row not in answered for row in foreign)}, "
        f"answerable {percent(row not in answered for row in shown)}"
    )


def percent(shares: Iterable[float]) -> str:
    values = [float(share) for share in shares]
    return f"{100 * sum(values) / len(values):5.1f}" if values else "    -"


if __name__ == "__main__":
    main()

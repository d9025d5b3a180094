"""What the reader learns from: questions, each with passages that hold its answer and passages that do not.

Of the sets in the evaluation format: their questions with their gold passages; 2WikiMultihopQA's triples and MuSiQue's
steps as questions of one passage each; and passages that BM25 finds for a question and that lack its answer.
"""

from __future__ import annotations

import gzip
import json
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from trivium.ports.inference import Passage
from trivium.text.names import fold_name
from trivium.text.sentences import split_sentences

SETS = ("2wiki_dev", "xquad/en", "covid_qa", "hotpotqa_train100", "musique_train100", "qasper_full10")
FOLDS = (("2wiki_dev", "covid_qa"), ("xquad/en", "hotpotqa_train100", "musique_train100", "qasper_full10"))
"""What is left out together, so that a reader that saw none of it answers its questions."""
THREADS = 2
COMPARING = ("comparison", "bridge_comparison")  # of two passages: no span of either is the answer
MIN_ANSWER = 2  # characters
HEADED, STEPPED = 0.4, 0.4  # of the examples: the text under its heading, a step's sentence before it
K1, B = 0.9, 0.4  # BM25 (Robertson), as Pyserini sets it

# How people ask for what Wikidata calls a property; any other is asked for as "property of thing".
ASKED = {
    "director": ("Who directed {}?", "Who is the director of {}?"),
    "date of birth": ("When was {} born?", "What is {}'s date of birth?"),
    "date of death": ("When did {} die?", "On what date did {} die?"),
    "place of birth": ("Where was {} born?", "In which town was {} born?"),
    "place of death": ("Where did {} die?", "In what place did {} die?"),
    "father": ("Who is {}'s father?", "Who was the father of {}?"),
    "mother": ("Who is {}'s mother?", "Who was the mother of {}?"),
    "spouse": ("Who was {} married to?", "Who is {}'s husband or wife?"),
    "country of citizenship": ("What nationality is {}?", "Which country is {} from?"),
    "publication date": ("When was {} released?", "When did {} come out?"),
    "performer": ("Who performed {}?", "Who sang {}?"),
    "educated at": ("Where did {} study?", "What university did {} attend?"),
    "country": ("In which country is {}?",),
    "country of origin": ("Where does {} come from?",),
    "inception": ("When was {} founded?",),
    "employer": ("Who does {} work for?",),
    "award received": ("What prize did {} win?",),
    "cause of death": ("What did {} die of?",),
}


class Example(msgspec.Struct, frozen=True):
    """A question and one passage; `spans` are the characters of the answers in its text, none where it has none."""

    question: str
    passage: Passage
    spans: tuple[tuple[int, int], ...] = ()


Question = tuple[Example, ...]  # the examples of one question


class Corpus:
    """A set's passages, and BM25 over them."""

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self.rows = {row["id"]: row for row in rows}
        words = {name: Counter(words_of(f"{row['title']} {row['text']}")) for name, row in self.rows.items()}
        mean = sum(count.total() for count in words.values()) / max(1, len(words))
        self._holders: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for name, counts in words.items():
            norm = K1 * (1 - B + B * counts.total() / mean)
            for word, count in counts.items():
                self._holders[word].append((name, count * (K1 + 1) / (count + norm)))

    def nearest(self, question: str, count: int) -> list[str]:
        """Ids, best first."""
        scores: Counter[str] = Counter()
        for word in set(words_of(question)):
            holders = self._holders.get(word, [])
            weight = math.log(1 + (len(self.rows) - len(holders) + 0.5) / (len(holders) + 0.5))
            for name, share in holders:
                scores[name] += weight * share
        return [name for name, _ in scores.most_common(count)]

    def example(
        self, question: str, name: str, spans: Iterable[tuple[int, int]], near: Iterable[str], chance: random.Random
    ) -> Example:
        """As the product reads a passage: its title before it, the sentence of a step to it, and its heading, each at
        times: a right passage is known by none of them.
        """
        row = self.rows[name]
        heading = f"{row['title']}\n\n" if row["title"] and chance.random() < HEADED else ""
        step = self._step(name, near, chance) if chance.random() < STEPPED else ""
        moved = tuple((start + len(heading), end + len(heading)) for start, end in spans)
        return Example(question, Passage(heading + row["text"], "\n".join(filter(None, [row["title"], step]))), moved)

    def _step(self, name: str, near: Iterable[str], chance: random.Random) -> str:
        """A sentence of a passage near it, one that says its title if there is any."""
        title = fold_name(self.rows[name]["title"])
        texts = [self.rows[other]["text"] for other in near if other != name]
        said = [text[span.start : span.end] for text in texts for span in split_sentences(text)]
        naming = [sentence for sentence in said if title and f" {title} " in f" {fold_name(sentence)} "]
        return naming[0] if naming else chance.choice(said or [""])


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def read(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def load(folder: Path) -> tuple[Corpus, list[dict[str, Any]]]:
    return Corpus(read(folder / "corpus.jsonl.gz")), read(folder / "queries.jsonl.gz")


def questions_of(folder: Path, chance: random.Random) -> list[Question]:
    """Every question of the set that a passage answers by a span, and those of its triples and steps."""
    corpus, queries = load(folder)
    found = [built for query in queries for built in _of_query(corpus, query, chance)]
    return [question for question in found if any(example.spans for example in question)]


def answers_of(query: Mapping[str, Any]) -> list[str]:
    """Each as the set gives it: the answer, its aliases, those of other annotators."""
    others = [other["answer"] for other in query.get("answers", []) if isinstance(other, dict)]
    given = [query.get("answer"), *query.get("answer_aliases", []), *others]
    return list(dict.fromkeys(one.strip() for one in given if one and one.strip()))


def _of_query(corpus: Corpus, query: Mapping[str, Any], chance: random.Random) -> Iterator[Question]:
    evidence = [name for name in query["evidence"] if name in corpus.rows]
    if query["type"] not in COMPARING:
        yield _asked(corpus, query["question"], answers_of(query), evidence, chance, {**query, "evidence": evidence})
    for question, answer, home in (*_triples(corpus, query, evidence, chance), *_steps(query, evidence)):
        yield _asked(corpus, question, [answer], home, chance, {"evidence": evidence})


def _asked(
    corpus: Corpus,
    question: str,
    answers: list[str],
    home: list[str],
    chance: random.Random,
    query: Mapping[str, Any],
) -> Question:
    """Passages of `home` that hold the answer, the question's others that do not, and the nearest that do not."""
    held = {name: _places(corpus.rows[name]["text"], answers, query) for name in home}
    right = [name for name in home if held[name]]
    others = [name for name in (*query["evidence"], *corpus.nearest(question, 8)) if name not in home]
    wrong = [name for name in dict.fromkeys((*home, *others)) if name not in right and _lacks(corpus, name, answers)]
    near = (*query["evidence"], *others[:3])
    return tuple(corpus.example(question, name, held.get(name, ()), near, chance) for name in (*right, *wrong[:2]))


def _places(text: str, answers: Iterable[str], query: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    """Where the answers stand as whole words; only where the set says, and in its evidence, if it says so."""
    if "answer_start" in query:
        start = query["answer_start"]
        return ((start, start + len(query["answer"])),) if text[start:].startswith(query["answer"]) else ()
    places = [
        match.span()
        for answer in answers
        if len(answer) >= MIN_ANSWER
        for match in re.finditer(rf"(?<!\w){re.escape(answer)}(?!\w)", text, re.IGNORECASE)
    ]
    quoted = [(at, at + len(one)) for one in query.get("evidence_text", []) if (at := text.find(one)) >= 0]
    inside = [(a, b) for a, b in places if any(start <= a and b <= end for start, end in quoted)]
    return tuple(dict.fromkeys(inside or places))


def _lacks(corpus: Corpus, name: str, answers: Iterable[str]) -> bool:
    text = f" {fold_name(corpus.rows[name]['text'])} "
    return not any(f" {fold_name(answer)} " in text for answer in answers)


def _triples(
    corpus: Corpus, query: Mapping[str, Any], evidence: list[str], chance: random.Random
) -> Iterator[tuple[str, str, list[str]]]:
    for subject, relation, answer in query.get("triples", []):
        home = [name for name in evidence if fold_name(subject) in fold_name(corpus.rows[name]["title"])]
        plain = (f"{relation} of {{}}", f"What is the {relation} of {{}}?")
        form = chance.choice((*plain, *ASKED.get(relation, ()) * 2))
        yield form.format(subject), answer, home


def _steps(query: Mapping[str, Any], evidence: list[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Each step's question with the answers of those before it in their places."""
    solved: list[str] = []
    for step in query.get("decomposition", []):
        question = re.sub(r"#(\d)", lambda number: solved[int(number[1]) - 1], step["q"])
        solved.append(step["a"])
        thing, arrow, relation = question.partition(" >> ")
        yield (f"{relation} of {thing}" if arrow else question), step["a"], evidence


def phase_of(fold: Iterable[str]) -> str:
    """The folder of the reader that was trained without these sets."""
    return "without_" + "_".join(fold).replace("/", "-")

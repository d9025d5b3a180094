"""One answer beside its gold: what was asked for, what came, and whether it is right. Pure."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence

import msgspec

from trivium.domain.answers import Answer, Verdict
from trivium.domain.retrieval import Hit
from trivium.evaluation.dataset import Judged
from trivium.evaluation.wording import contains, count_words, exact_match, share_of_words, tells, token_f1, words
from trivium.text.sentences import split_sentences

FIRST_PASSAGES = 5  # where a reader looks, and recall@5 with him
SAME_CHOICE_F1 = 0.8  # "Alien (1979 film)" for "Alien", but not both things of the choice
_YES_NO = frozenset({"yes", "no"})


class Wanted(enum.StrEnum):
    """What a question wants, by its gold answer."""

    TEXT = "text"
    YES_NO = "yes/no"
    CHOICE = "choice"
    REFUSAL = "unanswerable"
    FOREIGN = "foreign"
    """A question of another set: this corpus does not hold its answer."""

    @property
    def answerable(self) -> bool:
        """Whether the corpus holds an answer."""
        return self not in (Wanted.REFUSAL, Wanted.FOREIGN)


class JudgedAnswer(msgspec.Struct, frozen=True):
    """One line of `--json`.

    `text` has no markers of sources. `probability` is the answer's own, None where it states none. `right`: a refusal
    where one is wanted; else the choice, the yes or no in `short`, the gold in `text`. `told` is the same, but lets a
    choice pass whose text names the gold, perhaps beside the other thing. `f1` and `exact` are those of
    `short`, or of `text` where there is no short answer. `gold_words` is the share of the gold's words in the text.
    `shown` says whether a right answer could be seen in the first five passages; `grounded` of `statements` stand in a
    passage that is cited. `faithful` and `relevant` are RAGAS's, None unless measured. `failure` is the code of the
    error that came instead of an answer.
    """

    id: str
    question: str
    gold: tuple[str, ...]
    wanted: Wanted
    kind: str = ""
    short: str = ""
    text: str = ""
    verdict: Verdict = Verdict.NOT_SUPPORTED
    probability: float | None = None
    found: bool = False
    right: bool = False
    told: bool = False
    exact: bool = False
    f1: float = 0.0
    gold_words: float = 0.0
    words: int = 0
    shown: bool = False
    statements: int = 0
    grounded: int = 0
    faithful: float | None = None
    relevant: float | None = None
    ms: float = 0.0
    citations: tuple[str, ...] = ()
    failure: str = ""


def wanted_of(query: Judged) -> Wanted:
    """By the gold: yes or no; a thing that the question names itself, which makes it a choice; any other text."""
    if not query.answerable:
        return Wanted.REFUSAL
    if any(_is_yes_no(gold) for gold in query.gold):
        return Wanted.YES_NO
    named = any(not gold.isdigit() and contains(query.question, [gold]) for gold in query.gold)
    return Wanted.CHOICE if named else Wanted.TEXT


def judge(query: Judged, wanted: Wanted, answer: Answer, ms: float, names: Mapping[str, str]) -> JudgedAnswer:
    """The answer beside the gold of its question; `names` gives a document's id in the set by its id in the product."""
    text = bare_text(answer)
    said = answer.short or text
    standing = _statements(answer, text)
    judged = JudgedAnswer(
        id=query.id,
        question=query.question,
        gold=query.gold,
        wanted=wanted,
        kind=answer.kind,
        short=answer.short,
        text=text,
        verdict=answer.verdict,
        probability=answer.probability,
        found=answer.found,
        words=count_words(text),
        statements=len(standing),
        grounded=sum(standing),
        ms=ms,
        citations=tuple(f"{citation.source}#{citation.chunk_number}" for citation in answer.citations),
    )
    if not wanted.answerable:
        return msgspec.structs.replace(judged, right=not answer.found, told=not answer.found)
    judged = msgspec.structs.replace(judged, shown=_shown(query, wanted, answer.hits, names))
    return _compared(judged, said) if answer.found else judged


def _compared(judged: JudgedAnswer, said: str) -> JudgedAnswer:
    right = right_in(judged.gold, judged.wanted, said, judged.text)
    return msgspec.structs.replace(
        judged,
        right=right,
        told=right or (judged.wanted is Wanted.CHOICE and tells(judged.text, judged.gold)),
        exact=exact_match(said, judged.gold),
        f1=token_f1(said, judged.gold),
        gold_words=share_of_words(judged.text, judged.gold),
    )


def bare_text(answer: Answer) -> str:
    """The answer's text without the markers of its sources."""
    text = answer.text
    for citation in answer.citations:
        text = text.replace(citation.marker, "")
    return "\n".join(line.strip() for line in text.splitlines()).strip()


def _is_yes_no(gold: str) -> bool:
    return " ".join(words(gold)) in _YES_NO


def right_in(golds: Sequence[str], wanted: Wanted, said: str, text: str) -> bool:
    """Whether the choice, the yes or no is `said`, or the `text` holds the gold."""
    match wanted:
        case Wanted.YES_NO:
            return words(said)[:1] in [words(gold) for gold in golds]
        case Wanted.CHOICE:
            return token_f1(said, golds) >= SAME_CHOICE_F1
        case _:
            return tells(text, golds)


def _shown(query: Judged, wanted: Wanted, hits: Sequence[Hit], names: Mapping[str, str]) -> bool:
    """A gold answer in one of the first passages; for what is concluded from passages, all the evidence."""
    first = hits[:FIRST_PASSAGES]
    if wanted is Wanted.TEXT:
        return any(tells(f"{hit.chunk.heading}\n{hit.chunk.text}", query.gold) for hit in first)
    return bool(query.relevant) and query.relevant.keys() <= {names.get(hit.chunk.document_id) for hit in first}


def _statements(answer: Answer, text: str) -> list[bool]:
    """For each sentence, whether it stands in a passage that the answer cites. The short answer alone is none."""
    if not answer.found:
        return []
    cited = {citation.chunk_id for citation in answer.citations}
    passages = [f"{hit.chunk.heading}\n{hit.chunk.text}" for hit in answer.hits if hit.chunk.id in cited]
    sentences = (span.of(line).strip() for line in text.splitlines() for span in split_sentences(line))
    short = words(answer.short)
    return [any(contains(passage, [one]) for passage in passages) for one in sentences if words(one) not in ([], short)]

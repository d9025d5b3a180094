"""Figures over the answers of one set. Shares are 0...1, None where there is nothing to share. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import msgspec

from trivium.domain.answers import Verdict
from trivium.evaluation.judged_answers import JudgedAnswer, Wanted

BINS = 10

Share = float | None
Test = Callable[[JudgedAnswer], bool]


class Bin(msgspec.Struct, frozen=True):
    """How many answers, and how many of them right. `mean` is their mean stated probability, None for a verdict's."""

    name: str
    answers: int
    right: int
    mean: Share = None


class Percentiles(msgspec.Struct, frozen=True):
    """Milliseconds a question."""

    p50: float
    p95: float


class AnswerScores(msgspec.Struct, frozen=True):
    """What a set's answers are worth.

    `exact`, `f1`, `told` (the gold in the text) and `gold_words` are of the questions that want a text or a choice;
    `words` is the median of all answers. `sure_right` is the share of right ones among answers that are SUPPORTED,
    null questions included, `sure_told` the same with choices by their text alone; `right_sure` is the share of
    SUPPORTED among the right. `refused_shown` are refusals where a right answer was among the first five passages.
    `false_sure` answers to unanswerable or foreign questions are SUPPORTED. `faithful` is of `faithful_of` answers
    that a language model judged, `relevant` of `relevant_of`.
    """

    questions: int
    exact: Share
    f1: Share
    told: Share
    gold_words: Share
    words: Share
    yes_no: Bin
    choice: Bin
    sure_right: Share
    sure_told: Share
    right_sure: Share
    refused: Share
    refused_shown: Share
    unanswerable: Bin
    foreign: Bin
    false_sure: int
    grounded: Share
    faithful: Share
    faithful_of: int
    relevant: Share
    relevant_of: int
    verdicts: tuple[Bin, ...]
    bins: tuple[Bin, ...]
    calibration_error: Share
    ms: Percentiles
    failed: int


def scores_of(answers: Sequence[JudgedAnswer]) -> AnswerScores:
    """Questions that failed count as not right and as not refused."""
    own = [one for one in answers if one.wanted is not Wanted.FOREIGN]
    texts = [one for one in own if one.wanted in (Wanted.TEXT, Wanted.CHOICE)]
    answerable = [one for one in own if one.wanted.answerable]
    given = [one for one in own if one.found]
    right = [one for one in given if one.right]
    sure = [one for one in given if _is_sure(one)]
    bins = _bins(given)
    return AnswerScores(
        questions=len(answers),
        exact=_mean(one.exact for one in texts),
        f1=_mean(one.f1 for one in texts),
        told=_mean(one.told for one in texts),
        gold_words=_mean(one.gold_words for one in texts),
        words=_percentile([one.words for one in given], 0.5) if given else None,
        yes_no=_counted("yes/no", own, lambda one: one.wanted is Wanted.YES_NO),
        choice=_counted("choice", own, lambda one: one.wanted is Wanted.CHOICE),
        sure_right=_mean(one.right for one in sure),
        sure_told=_mean(one.told for one in sure),
        right_sure=_mean(_is_sure(one) for one in right),
        refused=_mean(_refused(one) for one in answerable),
        refused_shown=_mean(_refused(one) for one in answerable if one.shown),
        unanswerable=_counted("unanswerable", answers, lambda one: one.wanted is Wanted.REFUSAL),
        foreign=_counted("foreign", answers, lambda one: one.wanted is Wanted.FOREIGN),
        false_sure=sum(_is_sure(one) and not one.wanted.answerable for one in answers),
        grounded=_ratio(sum(one.grounded for one in given), sum(one.statements for one in given)),
        faithful=_mean(one.faithful for one in given if one.faithful is not None),
        faithful_of=sum(one.faithful is not None for one in given),
        relevant=_mean(one.relevant for one in given if one.relevant is not None),
        relevant_of=sum(one.relevant is not None for one in given),
        verdicts=tuple(_of_verdict(given, verdict) for verdict in Verdict),
        bins=bins,
        calibration_error=calibration_error(bins),
        ms=Percentiles(_percentile([one.ms for one in answers], 0.5), _percentile([one.ms for one in answers], 0.95)),
        failed=sum(bool(one.failure) for one in answers),
    )


def calibration_error(bins: Sequence[Bin]) -> Share:
    """Expected calibration error (Naeini et al. 2015): the bins' |right - stated|, weighted by their answers."""
    total = sum(each.answers for each in bins)
    gaps = (abs(each.right - each.mean * each.answers) for each in bins if each.mean is not None)
    return math.fsum(gaps) / total if total else None


def _bins(given: Sequence[JudgedAnswer]) -> tuple[Bin, ...]:
    """Equal widths of the stated probability; 1.0 is in the last one. Answers without one are in none."""
    rows: list[list[JudgedAnswer]] = [[] for _ in range(BINS)]
    for one in given:
        if one.probability is not None:
            rows[min(BINS - 1, int(one.probability * BINS))].append(one)
    return tuple(
        Bin(
            f"{number / BINS:.1f}-{(number + 1) / BINS:.1f}",
            len(row),
            sum(one.right for one in row),
            _mean(one.probability for one in row if one.probability is not None),
        )
        for number, row in enumerate(rows)
    )


def _of_verdict(given: Sequence[JudgedAnswer], verdict: Verdict) -> Bin:
    return _counted(verdict.value, given, lambda one: one.verdict is verdict)


def _counted(name: str, answers: Iterable[JudgedAnswer], belongs: Test) -> Bin:
    members = [one for one in answers if belongs(one)]
    return Bin(name, len(members), sum(one.right for one in members))


def _is_sure(one: JudgedAnswer) -> bool:
    return one.found and one.verdict is Verdict.SUPPORTED


def _refused(one: JudgedAnswer) -> bool:
    return not one.found and not one.failure


def _mean(values: Iterable[float]) -> Share:
    listed = list(values)
    return _ratio(math.fsum(listed), len(listed))


def _ratio(part: float, whole: int) -> Share:
    return part / whole if whole else None


def _percentile(values: Sequence[float], share: float) -> float:
    """The nearest rank; 0 without values."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)] if values else 0.0

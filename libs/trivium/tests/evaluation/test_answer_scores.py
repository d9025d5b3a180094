import msgspec
import pytest

from trivium.domain.answers import Verdict
from trivium.evaluation.answer_scores import scores_of
from trivium.evaluation.judged_answers import JudgedAnswer, Wanted

RIGHT = JudgedAnswer(
    "q", "?", ("x",), Wanted.TEXT, verdict=Verdict.SUPPORTED, found=True, right=True, told=True, f1=1.0, shown=True
)
FALSE = msgspec.structs.replace(RIGHT, right=False, told=False, f1=0.0)
REFUSED = msgspec.structs.replace(FALSE, found=False, verdict=Verdict.NOT_SUPPORTED)
NULL_REFUSED = msgspec.structs.replace(REFUSED, wanted=Wanted.REFUSAL, right=True)
NULL_ANSWERED = msgspec.structs.replace(FALSE, wanted=Wanted.REFUSAL)


def stated(answer: JudgedAnswer, probability: float) -> JudgedAnswer:
    return msgspec.structs.replace(answer, probability=probability)


def test_nothing_asked_is_nothing_measured():
    scores = scores_of([])
    assert (scores.f1, scores.sure_right, scores.refused, scores.calibration_error) == (None, None, None, None)
    assert (scores.ms.p50, scores.unanswerable.answers) == (0, 0)


def test_a_refused_question_counts_in_f1_and_not_among_answers():
    scores = scores_of([RIGHT, FALSE, REFUSED, REFUSED])
    assert (scores.f1, scores.refused, scores.sure_right) == (0.25, 0.5, 0.5)
    assert [(row.name, row.answers, row.right) for row in scores.verdicts if row.answers] == [("SUPPORTED", 2, 1)]


def test_false_answers_to_null_questions_make_supported_less_true():
    scores = scores_of([RIGHT, NULL_ANSWERED, NULL_REFUSED])
    assert (scores.sure_right, scores.unanswerable.right, scores.unanswerable.answers) == (0.5, 1, 2)
    assert scores.refused == 0


def test_questions_of_a_foreign_set_are_in_no_other_figure():
    foreign = msgspec.structs.replace(NULL_ANSWERED, wanted=Wanted.FOREIGN, words=1000)
    alone, beside = scores_of([RIGHT]), scores_of([RIGHT, foreign])
    assert (beside.foreign.answers, beside.foreign.right, beside.false_sure) == (1, 0, 1)
    assert (beside.sure_right, beside.f1, beside.words) == (alone.sure_right, alone.f1, alone.words)


def test_only_refusals_of_what_the_first_passages_show_count_as_such():
    hidden = msgspec.structs.replace(REFUSED, shown=False)
    assert scores_of([RIGHT, hidden]).refused_shown == 0
    assert scores_of([RIGHT, REFUSED]).refused_shown == 0.5


def test_right_answers_that_are_not_sure_are_seen():
    timid = msgspec.structs.replace(RIGHT, verdict=Verdict.PARTIALLY_SUPPORTED)
    assert scores_of([RIGHT, timid, timid, timid, FALSE]).right_sure == 0.25


def test_calibration_error_is_the_mean_distance_of_what_is_stated_and_what_is_right():
    scores = scores_of([stated(RIGHT, 0.95), stated(FALSE, 0.95), stated(FALSE, 0.1), stated(RIGHT, 1.0)])
    assert [(row.name, row.answers, row.right) for row in scores.bins if row.answers] == [
        ("0.1-0.2", 1, 0),
        ("0.9-1.0", 3, 2),
    ]
    assert scores.calibration_error == pytest.approx((0.1 + abs(2 - 2.9)) / 4)


def test_faithfulness_and_relevance_are_each_of_the_answers_that_have_one():
    judged = msgspec.structs.replace(RIGHT, faithful=1.0, relevant=0.5)
    scores = scores_of([judged, *[msgspec.structs.replace(judged, faithful=None)] * 9, RIGHT])
    assert (scores.faithful, scores.faithful_of) == (1.0, 1)
    assert (scores.relevant, scores.relevant_of) == (0.5, 10)


def test_a_question_that_failed_is_neither_right_nor_a_refusal():
    failed = msgspec.structs.replace(REFUSED, failure="deadline_passed")
    scores = scores_of([RIGHT, failed])
    assert (scores.failed, scores.refused, scores.f1) == (1, 0, 0.5)


def test_percentiles_are_of_questions_asked():
    scores = scores_of([msgspec.structs.replace(RIGHT, ms=float(ms)) for ms in range(1, 101)])
    assert (scores.ms.p50, scores.ms.p95) == (50, 95)

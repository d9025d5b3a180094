"""How likely the whole answer is right, from few signals, by the same regression as `choose`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from trivium.domain.retrieval import Hit
from trivium_query.answer.direct.choose import Chosen, Weights, probability
from trivium_query.answer.direct.compose import short_of
from trivium_query.answer.direct.direct import Direct
from trivium_query.answer.direct.short import fits_wanted
from trivium_query.answer.direct.things import is_about
from trivium_query.answer.extractive import Extract
from trivium_query.words import content_words


class Confidence(msgspec.Struct, frozen=True):
    """Probabilities: that the hits hold an answer at all, and that the answer's text is right."""

    answerable: float
    right: float


def confidence(direct: Direct, extracted: Extract, hits: Sequence[Hit], weights: Weights) -> Confidence:
    """By the shipped regressions over `signals_of`."""
    signals = signals_of(direct, extracted, hits)
    return Confidence(probability(signals, weights.answerable), probability(signals, weights.right))


def signals_of(direct: Direct, extracted: Extract, hits: Sequence[Hit]) -> dict[str, float]:
    """Each about 0 to 1; those of a comparison are apart from those of a span."""
    support, asked = extracted.support, extracted.asked
    compared = direct.compared
    if compared is not None:
        return {
            "compared": 1.0,
            "compared odds": min(1.0, compared.odds / 10.0),
            "compared, yes or no": float(compared.short in ("yes", "no")),
            "compared, steps": float(any(value.steps for value in compared.values)),
        }
    best = direct.span
    second = next((one for one in direct.chosen if best is not None and _differs(one, best)), None)
    return {
        "one": 1.0,
        "compares": float(direct.compares),
        "cosine": support.cosine or 0.0,
        "no vectors": float(support.cosine is None),
        "coverage": support.coverage,
        "unknown names": float(support.names == 0.0),
        "names": support.names,
        "short": best.probability if best else 0.0,
        "no short": float(not short_of(direct)),
        "predicate": best.signals["predicate"] if best else 0.0,
        "predicate untold": float(best is not None and not best.signals["predicate"] and not best.signals["life"]),
        "margin": best.probability - (second.probability if second else 0.0) if best else 0.0,
        "odds": max(-1.5, min(1.5, best.found.odds / 10.0)) if best else -1.5,
        "steps": float(bool(best and best.found.steps)),
        "missing": min(1.0, len(support.missing) / 4.0),
        "held": asked.coverage(_words_of([extracted.chosen[0].hit] if extracted.chosen else [])),
        "held, read": asked.coverage(_words_of([best.found.hit] if best else [])),
        "held, best": max((asked.coverage(_words_of([hit])) for hit in hits[:5]), default=0.0),
        "same passage": float(
            bool(best and extracted.chosen and best.found.hit.chunk.id == extracted.chosen[0].hit.chunk.id)
        ),
        "passage cosine": max(
            (rank.score for hit in hits for rank in hit.sources if rank.source == "vector"), default=0.0
        ),
        "named": float(any(is_about(hit, name) for hit in hits for name in asked.names)),
        "nameless": float(not asked.names),
        "nested": float(direct.nested),
        "nested, unstepped": float(direct.nested and not (best and best.found.steps)),
        "question words": min(1.0, len(asked.weights) / 12.0),
        "unclear": float(best is not None and not best.signals["clear"]),
        "close": best.signals.get("close", 0.0) if best else 0.0,
        "unread": best.signals.get("unread", 0.0) if best else 0.0,
        "close, ahead": _ahead(best, second),
        "fits": float(best is not None and fits_wanted(asked.wants, best.short) is True),
        **_of_yes_or_no(direct),
    }


def _ahead(best: Chosen | None, second: Chosen | None) -> float:
    """How much likelier the best is, as a logarithm."""
    if best is None or second is None:
        return float(best is not None)
    return max(0.0, min(1.0, math.log(best.likely / second.likely) / 4.0))


def _of_yes_or_no(direct: Direct) -> dict[str, float]:
    """Whether a sentence decides, which needs no span, and how clearly."""
    decided = direct.decided
    odds, ahead, likely = (decided.odds, decided.ahead, decided.likely) if decided else (0.0, 0.0, 0.0)
    return {
        "yes or no": float(direct.asks_yes_or_no),
        "yes or no, decided": float(decided is not None),
        "yes or no, odds": max(-1.5, min(1.5, odds / 10.0)),
        "yes or no, ahead": min(1.5, ahead / 5.0),
        "yes or no, likely": likely,
    }


def _differs(one: Chosen, best: Chosen) -> bool:
    """Whether it says something else, that is no step to it either."""
    return one.short.lower() not in {best.short.lower(), *(step.text.lower() for step in best.found.steps)}


def _words_of(hits: Sequence[Hit]) -> frozenset[str]:
    return frozenset(word for hit in hits for word in content_words(f"{hit.chunk.heading} {hit.chunk.text}"))

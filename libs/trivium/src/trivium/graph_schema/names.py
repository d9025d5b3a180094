"""Names of relation types: which are well made, and which say the same."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trivium.domain.errors import Refused
from trivium.domain.graph import CO_OCCURS, LINKS_TO, StepType
from trivium.text.similarity import similarity
from trivium.text.stemming import stem_english

MAX_NAME_CHARS = 40
MIN_LIKE = 0.65  # of letter trigrams; WORKS_FOR and WORKS_FRO have 0.67, BORN_IN and BORN_ON 0.57

RESERVED = frozenset({CO_OCCURS, LINKS_TO, *StepType})
"""What the graph itself says of names and chunks; no dataset's schema has a say in it."""

_NAME = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
_NO_WORD = re.compile(r"[^A-Za-z0-9]+")
_INNER_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_EMPTY_WORDS = frozenset({"a", "an", "the", "is", "was", "are", "were", "be", "been", "being", "has", "had", "have"})
_IRREGULAR = {
    "wrote": "write", "written": "write", "built": "build", "led": "lead", "made": "make", "held": "hold",
    "taught": "teach", "won": "win", "sold": "sell", "bought": "buy", "ran": "run", "gave": "give", "given": "give",
    "drew": "draw", "drawn": "draw", "grew": "grow", "grown": "grow", "knew": "know", "known": "know",
    "chose": "choose", "chosen": "choose", "spoke": "speak", "spoken": "speak", "met": "meet", "sang": "sing",
    "sung": "sing", "fought": "fight", "beat": "beat", "beaten": "beat", "kept": "keep", "lost": "lose",
    "paid": "pay", "said": "say", "sent": "send", "took": "take", "taken": "take", "married": "marry",
}  # fmt: skip


def is_name(name: str) -> bool:
    """UPPER_SNAKE_CASE of at most `MAX_NAME_CHARS`, beginning with a letter."""
    return len(name) <= MAX_NAME_CHARS and _NAME.fullmatch(name) is not None


def named(text: str) -> str:
    """The name that `text` means ("works for", "worksFor"), "" where it means none."""
    name = _NO_WORD.sub("_", _INNER_CAPITAL.sub("_", text[: 4 * MAX_NAME_CHARS])).strip("_").upper()
    return name if is_name(name) else ""


def require_name(name: str) -> str:
    """The name itself. Raises `Refused` (`bad_relation_type`) for one that is not well made, or that is reserved."""
    if name in RESERVED:
        raise Refused("bad_relation_type", f"{name} is the graph's own and in no schema.", "Choose another name.")
    if not is_name(name):
        meant = named(name)
        raise Refused(
            "bad_relation_type",
            f"{name[:80]!r} is no name of a relation type.",
            f"Write it as {meant}." if meant else "Use UPPER_SNAKE_CASE, as in WORKS_FOR, of at most 40 characters.",
        )
    return name


def said_by(name: str) -> str:
    """What a name says, whatever the tense: WORKS_FOR, WORKED_FOR and HAS_WORKED_FOR say the same."""
    words = [word for word in name.lower().split("_") if word not in _EMPTY_WORDS] or name.lower().split("_")
    return "_".join(stem_english(_IRREGULAR.get(word, word)) for word in words)


def most_like(name: str, others: Iterable[str]) -> str:
    """That of the other names which is spelt nearly so, "" where none is."""
    spelt = name.lower().replace("_", " ")
    scored = ((similarity(spelt, other.lower().replace("_", " ")), other) for other in others if other != name)
    best = max(scored, default=(0.0, ""), key=lambda pair: (pair[0], pair[1]))
    return best[1] if best[0] >= MIN_LIKE else ""

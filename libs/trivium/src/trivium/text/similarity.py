"""How alike two folded names are, by their letter trigrams."""

from __future__ import annotations

MIN_SIMILARITY = 0.5
CONTAINED = 0.6  # similarity of "rivera" and "ana rivera" begins here and grows with the share of the name
TRIGRAM = 3


def similarity(left: str, right: str) -> float:
    """Dice's coefficient of the letter trigrams; at least `CONTAINED` when one has all the words of the other."""
    if left == right:
        return 1.0
    ours, theirs = trigrams(f" {left} "), trigrams(f" {right} ")
    dice = 2 * len(ours & theirs) / (len(ours) + len(theirs))
    shorter, longer = sorted((left, right), key=len)
    if set(shorter.split()) <= set(longer.split()):
        return max(dice, CONTAINED + (1 - CONTAINED) * len(shorter) / len(longer) * 0.9)
    return dice


def trigrams(text: str) -> set[str]:
    """Every run of three characters."""
    return {text[at : at + TRIGRAM] for at in range(len(text) - TRIGRAM + 1)}


def most_similar(key: str, candidates: dict[str, str], limit: int) -> list[tuple[str, float]]:
    """The entities (values) with a name (keys) like `key`, each once, best first; ties by entity."""
    best: dict[str, float] = {}
    for name, entity in candidates.items():
        score = similarity(key, name)
        if score >= MIN_SIMILARITY and score > best.get(entity, 0.0):
            best[entity] = score
    return sorted(best.items(), key=lambda item: (-item[1], item[0]))[:limit]

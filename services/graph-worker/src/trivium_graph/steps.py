"""How the chunks of a document lie beside each other: which text has which table, picture or formula, what is next.

MAHA's modality-aware edges (arXiv 2510.14592): HAS_* from text to what is not text, NEXT_* along the chunks
of one modality. A text has what it names ("see Table 3"); what no text names belongs to the text before it in its
section, else after it, else anywhere before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from trivium.domain.chunks import Chunk
from trivium.domain.graph import Step, StepType
from trivium.domain.parsed import UnitKind

MAX_REFERRERS = 5  # texts that name one table or picture; the first ones explain it
MAX_LABEL_AT = 200  # a caption's label stands at its beginning, after at most a heading

HAS: Mapping[UnitKind, StepType] = {
    UnitKind.TABLE: StepType.HAS_TABLE,
    UnitKind.IMAGE: StepType.HAS_IMAGE,
    UnitKind.CHART: StepType.HAS_IMAGE,
    UnitKind.EQUATION: StepType.HAS_FORMULA,
}
_NEXT: Mapping[StepType | None, StepType] = {
    None: StepType.NEXT_TEXT,
    StepType.HAS_TABLE: StepType.NEXT_TABLE,
    StepType.HAS_IMAGE: StepType.NEXT_IMAGE,
    StepType.HAS_FORMULA: StepType.NEXT_FORMULA,
}
_LABEL = re.compile(
    r"\b(?P<noun>table|tab\.|figure|fig\.|chart|exhibit|equation|eq\.|formula)\s*\(?(?P<number>\d+(?:\.\d+)*[a-z]?|[IVX]+)\b",
    re.IGNORECASE,
)
_NOUNS = {"tab.": "table", "fig.": "figure", "chart": "figure", "exhibit": "figure", "eq.": "equation"}
_LABELLED = {"table": StepType.HAS_TABLE, "figure": StepType.HAS_IMAGE, "equation": StepType.HAS_FORMULA}


def steps_of(chunks: Sequence[Chunk]) -> dict[str, tuple[Step, ...]]:
    """The steps that leave each chunk, by its id; `chunks` are all of one version in reading order."""
    leaving: dict[str, list[Step]] = {chunk.id: [] for chunk in chunks}
    for text, other in _belongings(chunks):
        leaving[text.id].append(Step(HAS[other.kind], other.id))
    for modality in (None, *_LABELLED.values()):
        for before, after in pairwise(chunk for chunk in chunks if HAS.get(chunk.kind) is modality):
            leaving[before.id].append(Step(_NEXT[modality], after.id))
    return {chunk_id: tuple(dict.fromkeys(steps)) for chunk_id, steps in leaving.items()}


def _belongings(chunks: Sequence[Chunk]) -> Iterator[tuple[Chunk, Chunk]]:
    """(text, what it has)."""
    referring = _referring(chunks) if any(chunk.kind in HAS for chunk in chunks) else {}
    for place, chunk in enumerate(chunks):
        if chunk.kind not in HAS:
            continue
        label = _own_label(chunk)
        named_by = [text for text in referring.get(label, ()) if text.id != chunk.id] if label else []
        near = _nearest_text(chunks, place)
        yield from ((text, chunk) for text in dict.fromkeys([*named_by[:MAX_REFERRERS], *([near] if near else [])]))


def _referring(chunks: Sequence[Chunk]) -> dict[tuple[StepType, str], list[Chunk]]:
    """The texts that name each label, in order."""
    found: dict[tuple[StepType, str], list[Chunk]] = {}
    for chunk in chunks:
        if chunk.kind not in HAS:
            for label in dict.fromkeys(_labels(chunk.text)):
                found.setdefault(label, []).append(chunk)
    return found


def _own_label(chunk: Chunk) -> tuple[StepType, str] | None:
    """What a table or picture is called; None where its text does not begin with a label of its kind."""
    return next((label for label in _labels(chunk.text[:MAX_LABEL_AT]) if label[0] is HAS[chunk.kind]), None)


def _labels(text: str) -> Iterator[tuple[StepType, str]]:
    for match in _LABEL.finditer(text):
        noun = match["noun"].lower()
        kind = _LABELLED.get(_NOUNS.get(noun, noun))
        if kind is not None:
            yield kind, match["number"].upper()


def _nearest_text(chunks: Sequence[Chunk], place: int) -> Chunk | None:
    here = chunks[place].section
    before = [chunk for chunk in chunks[max(0, place - 20) : place] if chunk.kind not in HAS]
    after = [chunk for chunk in chunks[place + 1 : place + 20] if chunk.kind not in HAS]
    together = next((chunk for chunk in reversed(before) if chunk.section == here), None)
    following = next((chunk for chunk in after if chunk.section == here), None)
    return together or following or (before[-1] if before else after[0] if after else None)

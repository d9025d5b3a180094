"""Speech with its times, from subtitles or a transcriber: repetitions removed, and put together into passages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from trivium.ports.inference import Segment
from trivium_ingest.parse.text.clean import one_line

PASSAGE_CHARS = 280  # a few sentences: the times of a citation are those of its passages
MAX_PASSAGE_CHARS = 600
MAX_PASSAGE_S = 45.0
PAUSE_S = 4.0  # of silence: what follows is something else
_ROLLING_S = 0.5  # between cues that repeat each other
_SENTENCE_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f]['\"\u201d\u2019\u00bb)\]]*$")


class Cue(msgspec.Struct, frozen=True):
    """What is shown or said between two times, in seconds; `speaker` is "" where nobody is named."""

    start_s: float
    end_s: float
    text: str
    speaker: str = ""


def heard(segments: Iterable[Segment]) -> list[Cue]:
    """A transcript's segments."""
    return [Cue(one.start_s, one.end_s, one.text) for one in segments]


def passages(cues: Iterable[Cue]) -> Iterator[Cue]:
    """Neighbouring cues of one speaker as passages of a few whole sentences, in order of time."""
    held: list[Cue] = []
    for cue in cues:
        if held and _ends(held, cue):
            yield _joined(held)
            held = []
        held.append(cue)
    if held:
        yield _joined(held)


def unrolled(cues: Iterable[Cue]) -> list[Cue]:
    """Cues without the lines that the one before them shows too (roll-up captions); text without lines is dropped.

    A cue that only adds words to the one before it takes its place.
    """
    kept: list[Cue] = []
    shown: list[str] = []
    last_end_s = 0.0
    for cue in sorted(cues, key=lambda one: (one.start_s, one.end_s)):
        lines = [line for line in map(one_line, cue.text.splitlines()) if line]
        close = bool(kept) and cue.start_s - last_end_s < _ROLLING_S
        new = lines[_repeated(shown, lines) :] if close else lines
        last_end_s = max(cue.end_s, last_end_s) if close else cue.end_s
        if close and new and kept[-1].text and _grows(kept[-1], cue, new):
            kept[-1] = msgspec.structs.replace(kept[-1], end_s=cue.end_s, text=" ".join(new))
        elif new:
            kept.append(msgspec.structs.replace(cue, text=" ".join(new)))
        elif close and lines:
            kept[-1] = msgspec.structs.replace(kept[-1], end_s=max(cue.end_s, kept[-1].end_s))
        if lines:
            shown = lines
    return kept


def _repeated(shown: list[str], lines: list[str]) -> int:
    """How many of the first lines are the last of those shown before."""
    return next((n for n in range(min(len(shown), len(lines)), 0, -1) if shown[-n:] == lines[:n]), 0)


def _grows(last: Cue, cue: Cue, new: list[str]) -> bool:
    text = " ".join(new)
    return last.speaker == cue.speaker and len(text) > len(last.text) and text.startswith(last.text)


def _ends(held: list[Cue], cue: Cue) -> bool:
    """Whether the passage ends before `cue`."""
    first, last = held[0], held[-1]
    size = sum(len(one.text) + 1 for one in held)
    over = size + len(cue.text) > MAX_PASSAGE_CHARS or cue.end_s - first.start_s > MAX_PASSAGE_S
    parted = cue.start_s - last.end_s >= PAUSE_S or cue.speaker != first.speaker
    return over or parted or (size >= PASSAGE_CHARS and bool(_SENTENCE_END.search(last.text)))


def _joined(held: list[Cue]) -> Cue:
    text = " ".join(one.text for one in held)
    speaker = held[0].speaker
    return Cue(held[0].start_s, max(one.end_s for one in held), f"{speaker}: {text}" if speaker else text, speaker)

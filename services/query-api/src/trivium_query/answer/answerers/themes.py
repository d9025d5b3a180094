"""What a whole collection is about: its largest topics, each by the sentence that says most of it, cited."""

from __future__ import annotations

from typing import Protocol

import msgspec

from trivium.domain.answers import Verdict
from trivium.domain.retrieval import Hit
from trivium.domain.topics import Topic
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.closest import cited
from trivium_query.answer.citations import Draft

SHORT = 3  # topics of the short answer


class Theme(msgspec.Struct, frozen=True):
    """A topic, its best passage, and the sentence of it that says most of the topic."""

    topic: Topic
    hit: Hit
    quote: str


class Themes(msgspec.Struct, frozen=True):
    """The largest topics of a collection of `documents`, and how many there are."""

    shown: tuple[Theme, ...]
    topics: int
    documents: int
    stale: bool = False

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The passages, in order."""
        return tuple(theme.hit for theme in self.shown)


class Collected(Protocol):
    """What one caller's collection is about. Raises `TryLater` while that is being found out."""

    async def themes(self, count: int, limit_s: float) -> Themes:
        """At most `count` topics, the largest first, none whose passages queries do not see.

        Of `limit_s` enough is kept to tell old ones, where new ones are not made in time.
        """
        ...


def answer_of_themes(themes: Themes) -> Answered | None:
    """A line for each topic; None where there are none."""
    if not themes.shown:
        return None
    hits = themes.hits
    lines, citations = cited([(theme.hit, theme.quote) for theme in themes.shown], hits)
    numbered = enumerate(zip(themes.shown, lines, strict=True), start=1)
    told = [f"{number}. {_called(theme)}\n   {line}" for number, (theme, line) in numbered]
    more = themes.topics - len(themes.shown)
    end = [f"… and {more:,} smaller topics: trivium graph topics"] if more > 0 else []
    lead = f"What the {_counted(themes.documents, 'document')} {_are(themes.documents)} about, the largest topic first:"
    short = "; ".join(theme.topic.name for theme in themes.shown[:SHORT])
    draft = Draft("\n".join([lead, *told, *end]), True, citations, short=short)
    return Answered(draft, Verdict.SUPPORTED, hits)


def _called(theme: Theme) -> str:
    return f"{theme.topic.name} ({_counted(theme.topic.passages, 'passage')})"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"


def _are(count: int) -> str:
    return "are" if count != 1 else "is"

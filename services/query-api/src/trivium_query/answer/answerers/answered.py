"""What an answerer gives."""

from __future__ import annotations

import msgspec

from trivium.domain.answers import Verdict
from trivium.domain.retrieval import Hit
from trivium_query.answer.citations import Draft


class Answered(msgspec.Struct, frozen=True):
    """A draft with the verdict that its making gives; `hits` are what it was made of where nothing was searched for."""

    draft: Draft
    verdict: Verdict
    hits: tuple[Hit, ...] = ()

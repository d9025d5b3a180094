# ruff: noqa: SIM905  (word lists read best as words)
"""What asks for nothing: a greeting, thanks, a farewell, a remark. Nothing is retrieved, nothing is claimed."""

from __future__ import annotations

from trivium.domain.answers import Verdict
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.citations import Draft
from trivium_query.words import tokens

_THANKS = frozenset("thanks thank cheers danke dank merci gracias grazie obrigado".split())
_BYE = frozenset("bye goodbye tschuss wiedersehen revoir adios luego tomorrow manana ciao".split())
_GREETING = frozenset(
    "hello hi hey morning evening afternoon hallo bonjour bonsoir salut hola guten buenos buenas".split()
)
_REPLIES = (
    (_THANKS, "You are welcome."),
    (_BYE, "Goodbye."),
    (_GREETING, "Hello. Ask a question about the documents."),
)
_OTHER = "All right. Ask a question about the documents."


def reply(said: str) -> Answered:
    """A line that fits. It says nothing of the documents, so it counts as no answer found in them."""
    words = set(tokens(said))
    text = next((answer for cues, answer in _REPLIES if words & cues), _OTHER)
    return Answered(Draft(text, found=False), Verdict.NOT_SUPPORTED)

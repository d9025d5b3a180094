"""The languages of a question and of the passages found for it, beside those that the embedding model knows. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from trivium.domain.retrieval import Hit
from trivium.text.languages import ENGLISH, language_name, language_of, listed
from trivium.text.spaceless import RUN
from trivium_query.words import is_stop_word, tokens

PASSAGES = 5
PASSAGE_CHARS = 200
MIN_WORDS = 4  # fewer are names as often as words, and belong to no language


class Spoken(msgspec.Struct, frozen=True):
    """ISO 639-1 codes; empty where a text is too short or too mixed to tell."""

    question: str
    passages: str

    def beyond(self, known: frozenset[str]) -> bool:
        """Whether question and passages share a language that the model does not know (`known` empty: it knows all).

        Its vectors then say little, and the words decide.
        """
        return bool(known and self.passages) and self.passages not in known and self.question in ("", self.passages)

    def note(self, known: frozenset[str]) -> str:
        """What a reader is told where the languages differ and the model does not know both; else nothing."""
        differ = self.question and self.passages and self.question != self.passages
        if not known or not differ or known.issuperset((self.question, self.passages)):
            return ""
        return (
            f"The question is in {language_name(self.question)}, what was found is in {language_name(self.passages)},"
            f" and the embedding model knows {listed(sorted(known))} alone, so better passages may be missed. Name a"
            " multilingual model in TRIVIUM_EMBED_MODEL and run trivium reembed."
        )


def language_of_question(question: str) -> str:
    """Its ISO 639-1 code; empty where it is too short to tell.

    Few words are easily taken for another language than English; that half of them are common in it tells better.
    """
    code = language_of(question)
    if RUN.search(question):
        return code
    if len(question.split()) < MIN_WORDS:
        return ""
    english, other = (_common(question, language) for language in (ENGLISH, code))
    return ENGLISH if english > other and 2 * english >= len(question.split()) else code


def _common(question: str, language: str) -> int:
    return sum(is_stop_word(word, language) for word in tokens(question))


def spoken(question: str, hits: Sequence[Hit]) -> Spoken:
    """The languages of a question and of the best passages: the question's own where one of them is in it."""
    asked = language_of_question(question)
    found = Counter(filter(None, (language_of(hit.chunk.text[:PASSAGE_CHARS]) for hit in hits[:PASSAGES])))
    return Spoken(asked, asked if asked in found else max(found, key=found.__getitem__, default=""))

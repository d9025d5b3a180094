# ruff: noqa: SIM905  (word lists read best as words)
"""What is being asked: cleaned, bounded, and standing on its own although it follows other questions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Annotated

import msgspec

from trivium.api import MAX_QUESTION_CHARS
from trivium.domain.answers import Kind, Turn
from trivium.domain.errors import Refused
from trivium.llm.prompt_files import prompt_named
from trivium.ports.llm import Completion, Llm, Message
from trivium.text.names import NameSpan, name_tokens, names_in
from trivium_query.answer.follow_up import completed, continued, is_question_word, is_remark, stands_for_more
from trivium_query.words import content_words, fold, is_function_word

MAX_CARRIED_NAMES = 3
HISTORY_TURNS = 10  # the newest of a conversation that take part in a question
_SHOWN_CHARS = 600  # of an earlier answer, when a model rewrites the follow-up
_FEW_WORDS = 3  # a question of no more content words and no name leans on the one before, if a word ties it to that
_DEFINITE_WORDS = 2  # or of so few, if it asks for the one thing of its kind ("What colour is the lantern?")
_DEFINITE = frozenset("the der die das dem den le la les el los las il lo gli i".split())

# Words that point back to something said before.
_POINTERS = frozenset(
    """he she it they him her them his hers its their theirs this that these those there former latter one ones same
    er sie es ihn ihm ihr ihre sein seine dieser diese dieses dort il elle ils elles lui leur leurs son sa ses ce cette
    ces el ella ellos ellas su sus este esta estos estas ese esa lei loro suo sua questo questa ele eles seu""".split()
)
_WORD = re.compile(r"\w+")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_JOINERS = frozenset({"\u200c", "\u200d"})  # they carry meaning in Persian, Indic scripts and emoji
PROMPT = prompt_named("rewrite")


class Question(msgspec.Struct, frozen=True):
    """`text` is what was asked, `standalone` what is searched for, `carried` the names taken from earlier turns.

    `kind` is what it asks for.
    """

    text: str
    standalone: str
    carried: tuple[str, ...] = ()
    kind: Kind = Kind.FACT


class Rewritten(msgspec.Struct, frozen=True):
    """The last question on its own."""

    question: Annotated[str, msgspec.Meta(description="The question, understandable on its own.")]


def clean_question(text: str) -> str:
    """The question in one line of visible characters.

    Raises `Refused` (`question_empty`) without a letter or digit.
    """
    normal = unicodedata.normalize("NFC", text)
    visible = (" " if unicodedata.category(char) in _INVISIBLE and char not in _JOINERS else char for char in normal)
    cleaned = " ".join("".join(visible).split())
    if not any(char.isalnum() for char in cleaned):
        raise Refused("question_empty", "There is no question.", "Ask with at least one word.")
    return cleaned


def understand(text: str, history: Sequence[Turn] = ()) -> Question:
    """A follow-up with what it leaves out, or with the names that it points to, taken from the turns before it."""
    told: list[Turn] = []
    for turn in history[-HISTORY_TURNS:]:
        with suppress(Refused):  # a turn of an older version need not be a question as we take them
            told.append(Turn(_understood(clean_question(turn.question), told).standalone, turn.answer))
    return _understood(clean_question(text), told)


def _understood(cleaned: str, told: Sequence[Turn]) -> Question:
    """`told` are the turns before, each question on its own."""
    if not told or is_remark(cleaned):
        return Question(cleaned, cleaned)
    replaces = stands_for_more(cleaned) or not _points_back(cleaned)
    if replaces and (whole := completed(cleaned, told[-1].question)):
        taken = (span.surface for span in names_in(whole) if span.surface not in cleaned)
        return Question(cleaned, whole[:MAX_QUESTION_CHARS], tuple(dict.fromkeys(taken)))
    if not _leans_back(cleaned, told[-1].question):
        return Question(cleaned, cleaned)
    carried = _carried_names(cleaned, told, also_answers=_points_back(cleaned))
    if not carried:
        return Question(cleaned, cleaned)
    return Question(cleaned, f"{cleaned} ({', '.join(carried)})", carried)


async def understand_with_llm(
    text: str, history: Sequence[Turn], llm: Llm, timeout_s: float
) -> tuple[Question, Completion]:
    """The follow-up rewritten by the model. Raises what the client raises; then use `understand`."""
    cleaned = clean_question(text)
    told = "\n".join(
        f"User: {turn.question}\nAssistant: {turn.answer[:_SHOWN_CHARS]}" for turn in history[-HISTORY_TURNS:]
    )
    messages = [Message("system", PROMPT.text), Message("user", f"{told}\n\nLast question: {cleaned}")]
    rewritten, completion = await llm.complete_json(messages, Rewritten, max_tokens=256, timeout_s=timeout_s)
    standalone = " ".join(rewritten.question.split())[:MAX_QUESTION_CHARS] or cleaned
    return Question(cleaned, standalone), completion


def _leans_back(question: str, before: str) -> bool:
    words = _WORD.findall(fold(question))
    if _names(question):
        return any(word in _POINTERS for word in words[:-1]) and not _has_antecedent(question, words)
    few = len(content_words(question))
    tied = bool(continued(question)) and few <= _FEW_WORDS
    spoken_of = frozenset(content_words(before))
    return _points_back(question) or tied or any(_is_known_thing(*pair, few, spoken_of) for pair in pairwise(words))


def _is_known_thing(word: str, following: str, few: int, spoken_of: frozenset[str]) -> bool:
    """Whether it is "the board", in a question of few words or after one that has a board in it."""
    return word in _DEFINITE and (few <= _DEFINITE_WORDS or not spoken_of.isdisjoint(content_words(following)))


def _points_back(question: str) -> bool:
    """Whether a word points to something that the question does not name before it ("bees find their way" does)."""
    words = _WORD.findall(fold(question))
    return any(word in _POINTERS and not _has_plural(words[:place], word) for place, word in enumerate(words))


def _has_plural(before: Sequence[str], pointer: str) -> bool:
    return pointer == "their" and any(word.endswith("s") and not is_function_word(word) for word in before)


def _has_antecedent(question: str, words: Sequence[str]) -> bool:
    """Whether a name stands before the first pointer: "Did Ada Lovelace publish her notes?"."""
    first_pointer = next(word for word in words if word in _POINTERS)
    pointer = re.search(rf"\b{re.escape(first_pointer)}\b", fold(question))
    return pointer is not None and any(span.start < pointer.start() for span in _names(question))


def _names(question: str) -> list[NameSpan]:
    """The names in it; a capitalised question word is none in any language."""
    return [span for span in names_in(question) if not is_question_word(span.key)]


def _carried_names(question: str, history: Sequence[Turn], *, also_answers: bool) -> tuple[str, ...]:
    """Names of the nearest turn that has any: those asked about first, then those answered with.

    Without `also_answers` these only where none was asked about: "the botanist" is not who was just found.
    """
    known = set(name_tokens(question))
    for turn in reversed(history):
        names: dict[str, str] = {}
        for source in (turn.question, _without_markers(turn.answer)):
            if names and not also_answers:
                break
            for span in names_in(source):
                inside = any(span.key in key or key in span.key for key in names)
                if not inside and not known.issuperset(span.key.split()):
                    names[span.key] = span.surface
        if names:
            return tuple(names.values())[:MAX_CARRIED_NAMES]
    return ()


def _without_markers(answer: str) -> str:
    return re.sub(r"\[Source: [^\]]*\]", " ", answer)[:_SHOWN_CHARS]

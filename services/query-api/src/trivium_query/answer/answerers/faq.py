"""What stands under a question that asks the same: lists of frequently asked questions, and headings that ask.

Questions are compared with questions, which is surer than with what answers them (question-question similarity:
Sakata et al., "FAQ Retrieval using Query-Question Similarity and BERT-Based Query-Answer Relevance", SIGIR 2019).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from trivium.domain.answers import Kind, Verdict
from trivium.domain.chunks import Span
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.blocks import is_heading, words_of_file, words_of_name
from trivium_query.answer.answerers.closest import cited
from trivium_query.answer.citations import Draft
from trivium_query.answer.direct.polarity import denies
from trivium_query.answer.direct.questions_apart import is_opposite, is_turned_round, thing_replaced
from trivium_query.answer.kinds import kind_of
from trivium_query.words import content_words

MAX_HITS = 10  # that are looked through
MAX_QUESTIONS = 12  # that are compared
MAX_QUESTION_CHARS = 250
MAX_SENTENCES = 4  # of what stands under it
MAX_STEPS = 8  # of a way of doing something
LEAST_WORDS = 3  # "Check here." answers nothing
LEAST = 0.66  # cosine of two questions that ask the same
MOST = 0.6  # of the question's words
NEAR = 0.8  # sure where no word of the question is told nowhere
SAME = 0.9  # asks the same in whatever form
_WORDED = frozenset({Kind.FACT, Kind.KEYWORDS, Kind.CHOICE, Kind.ORDER, Kind.COUNT})
_TELLING = frozenset({Kind.FACT, Kind.LIST, Kind.DEFINITION, Kind.ARITHMETIC})  # ask "what" of something
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\w)")
_LABEL = r"[A-Z][A-Z-]{2,}:"
_MARKER = (
    rf"(?:(?:Q|Question|Frage|Pregunta)\s?\d*\s?[.:)]|{_LABEL}"
    r"|\d+(?:\.\d+)+[.:)]?\s|\(?\d+[.:)]|\[[\w.]+\]|[-*+•‣\u2013])"
)
_BEFORE = re.compile(rf"(?:^|\n)[ \t]*(?:{_MARKER}\s*)*$")
_LEADS = re.compile(rf"^(?:{_MARKER}\s*)+")
_SAYS_QUESTION = re.compile(r"^(?:Q|Question|Frage|Pregunta)\s?\d*\s?[.:)]")
_ANSWER = r"(?:A|Answer|Antwort|Respuesta|R[ée]ponse)\s?\d*\s?[.:)]\s*"
_SAYS_ANSWER = re.compile(f"^{_ANSWER}")
_ANSWER_LINE = re.compile(f"^{_ANSWER}", re.M)
_CLOSING = re.compile(
    r"(?:\w+ ){0,3}(?:regards|wishes|thanks|cheers|sincerely|yours|faithfully)[,!]?$", re.I
)  # of a mail
_BLANK = "____"  # to be filled in
_SPEECH = re.compile(r"^([\"“„«]).*[\"”“»]$", re.S)
_CHOICES = re.compile(r"\W*[Aa][.)]\s.+?(?<!\w)[Bb][.)]\s", re.S)
_ASKS = re.compile(r"\?[\s\"'”’»)\]¶]*$")  # noqa: RUF001
_YES_OR_NO = re.compile(
    r"^[-*+•‣\u2013>|_\"'“‘\s]*(?P<said>"  # noqa: RUF001
    r"yes\b(?![\s/|]*(?:(?:and|or)\s)?no\b|:?\s*\(?\d)"
    r"|no(?=\s*$|[,;:!\u2013\u2014*_]|\s+[-\u2013\u2014]|\.(?!\s*\d)"
    r"|\s(?:it|they|you|we|I|he|she|this|that|there)\b)(?![\s/|]*(?:(?:and|or)\s)?yes\b|:?\s*\(?\d))",
    re.I,
)
_SPECIFIC = re.compile(r"\d|^.+[A-Z]|^[A-Z]")
_WORD = re.compile(r"[^\W_]+")
_BLANK_LINES = re.compile(r"\n\s*\n")
_STATED = re.compile(rf"(?:\d+[.)]|{_LABEL})\s+(?P<stated>(?:[^\s?]+\s+){{2,14}}[^\s?]+[.!])")


class Faq(msgspec.Struct, frozen=True):
    """A question of a passage, and the sentences that stand under it."""

    hit: Hit
    question: str
    sentences: tuple[str, ...]
    is_stated: bool = False  # "4. The bees fly away.": the question is why


def faqs_in(question: str, kind: Kind, hits: Sequence[Hit]) -> list[Faq]:
    """The questions of the first passages with an answer, those of a table of contents have none.

    Where it is asked why, also what is stated in a heading with a number or label. At most `MAX_QUESTIONS`: those with
    the most words of the question, of equals the first.
    """
    asked = {*content_words(question)}
    found = [one for hit in hits[:MAX_HITS] for one in _faqs_of(hit)]
    if kind is Kind.REASON:
        found += [one for hit in hits[:MAX_HITS] for one in _stated_in(hit)]
    return sorted(found, key=lambda one: -len(asked.intersection(content_words(one.question))))[:MAX_QUESTIONS]


def _faqs_of(hit: Hit) -> Iterator[Faq]:
    text = hit.chunk.text
    asked, told = list[str](), list[str]()
    marked, listed, end = False, False, 0
    for span in hit.chunk.sentences:
        sentence, between = span.of(text), text[end : span.start]
        end = span.end
        if asked and not told and _goes_on(sentence, between, marked=marked):
            asked.append(sentence)
        elif _opens(text, span.start, sentence):
            yield from _whole(hit, asked, () if listed else told)
            listed = bool(asked) and not told and "\n\n" not in between  # what is under it answers no one of them
            asked, told = [_LEADS.sub("", sentence)], []
            marked = bool(
                _SAYS_QUESTION.match(sentence) and _ANSWER_LINE.search(text[span.end : span.end + MAX_QUESTION_CHARS])
            )
        elif asked and (_CLOSING.match(sentence) or _heads_more(text, span, told)):
            yield from _whole(hit, asked, () if listed else told)
            asked, told = [], []
        elif asked:
            told.append(sentence)
    yield from _whole(hit, asked, () if listed else told)


def _stated_in(hit: Hit) -> Iterator[Faq]:
    """What a line with a number or label states, alone in its paragraph or before its text, with what is below."""
    paragraphs = [*_BLANK_LINES.split(hit.chunk.text), ""]
    for paragraph, following in pairwise(paragraphs):
        line, _, text = paragraph.strip().partition("\n")
        stated = _STATED.fullmatch(line)
        below = text or following
        if stated and not _STATED.match(below):
            yield Faq(hit, stated["stated"], tuple(span.of(below) for span in split_sentences(below)), is_stated=True)


def _opens(text: str, start: int, sentence: str) -> bool:
    """Whether a question begins a line here, by its mark ("Q:") or because it ends with one before the line does."""
    if not _BEFORE.search(text[max(0, start - 20) : start]) or _SPEECH.match(sentence):
        return False
    return bool(_SAYS_QUESTION.match(sentence) or _ASKS.search(sentence) or _asks_further(text, start, sentence))


def _asks_further(text: str, start: int, sentence: str) -> bool:
    """Whether the rest of its line asks: "I have never programmed before. Is there a tutorial?"."""
    rest = text[start : start + MAX_QUESTION_CHARS].split("\n\n", 1)[0]
    return rest.startswith(sentence) and "\n" not in rest and bool(_ASKS.search(rest))


def _goes_on(sentence: str, between: str, *, marked: bool) -> bool:
    """Whether it is still the question: in its line it asks too, or stands in brackets; or no answer ("A:") began."""
    if marked:
        ends = "\n\n" in between or _SAYS_QUESTION.match(sentence) or _SAYS_ANSWER.match(sentence)
        return not ends
    return "\n" not in between and (bool(_ASKS.search(sentence)) or sentence.startswith("("))


def _heads_more(text: str, span: Span, told: Sequence[str]) -> bool:
    """Whether it is the next heading: alone in its paragraph, behind a sentence that has ended, and no code."""
    sentence = span.of(text)
    alone = text[max(0, span.start - 2) : span.start] == "\n\n" and text[span.end : span.end + 2] in ("\n\n", "")
    ended = bool(told) and told[-1].rstrip().endswith((".", "!", "?", ")"))
    return alone and ended and is_heading(sentence) and (sentence[0].isupper() or sentence[0].isdigit())


def _whole(hit: Hit, asked: Sequence[str], told: Sequence[str]) -> Iterator[Faq]:
    question = " ".join(" ".join(asked).split()).rstrip(" ¶")
    said = " ".join(told)
    answers = _YES_OR_NO.match(_SAYS_ANSWER.sub("", said)) or len(_WORD.findall(said)) > LEAST_WORDS
    if asked and answers and _BLANK not in said:
        yield Faq(hit, question, tuple(told))


def answer_by_faq(
    question: str, kind: Kind, found: Sequence[tuple[Faq, float]], hits: Sequence[Hit]
) -> Answered | None:
    """What stands under the question nearest to the one that is asked, of cosines with it; None where none is near.

    Yes or no is said where its first word does.
    """
    one, cosine = max(found, key=lambda pair: pair[1], default=(None, 0.0))
    if one is None or cosine < LEAST or not _may_be_same(question, kind, one, cosine):
        return None
    says = _says(one) if kind is Kind.YES_NO else ""
    if kind is Kind.YES_NO and not (says and _may_be(kind, one.question)):
        return None
    sentences = one.sentences[: MAX_STEPS if kind is Kind.PROCEDURE else MAX_SENTENCES]
    lines, citations = cited([(one.hit, sentence) for sentence in sentences], hits)
    verdict = Verdict.SUPPORTED if _is_sure(question, kind, one, cosine) else Verdict.PARTIALLY_SUPPORTED
    return Answered(Draft("\n".join(lines), True, citations, short=says), verdict)


def _says(one: Faq) -> str:
    """Yes or no, as what stands under the question begins; "" where it begins with neither or has both to choose."""
    said = [match["said"].lower() for line in one.sentences if (match := _YES_OR_NO.match(_SAYS_ANSWER.sub("", line)))]
    begins = _YES_OR_NO.match(_SAYS_ANSWER.sub("", one.sentences[0]))
    return said[0] if begins and len({*said}) == 1 else ""


def _is_sure(question: str, kind: Kind, one: Faq, cosine: float) -> bool:
    """Not below what is stated, where the other question names what this one does not, or an answer is to be chosen."""
    if one.is_stated or cosine < NEAR or (cosine < SAME and _untold(question, one)):
        return False
    if _unnamed(one.question, question, one):
        return False
    return kind in (Kind.LIST, Kind.PROCEDURE) or not _CHOICES.match("\n".join(one.sentences))


def is_worded(kind: Kind) -> bool:
    """Whether a few words answer such a question, which may be read in what stands under the question."""
    return kind in _WORDED


def is_from(draft: Draft, told: Draft) -> bool:
    """Whether a short answer is read in what stands under the question."""
    quotes = {(one.chunk_id, one.quote) for one in told.citations}
    read = draft.found and draft.short != "" and draft.short in told.text
    return read and any((one.chunk_id, one.quote) in quotes for one in draft.citations)


def _may_be_same(question: str, kind: Kind, one: Faq, cosine: float) -> bool:
    """Not where one denies what the other does not, asks for something else, or names what the other does not."""
    if denies(question) != denies(one.question) or not (cosine >= NEAR or _is_told(question, one)):
        return False
    if _is_apart(question, kind, one):
        return False
    if not (one.is_stated or _may_be(kind, one.question)) and (cosine < SAME or kind is Kind.REASON):
        return False
    return not _unnamed(question, one.question, one)


def _is_apart(question: str, kind: Kind, one: Faq) -> bool:
    """Whether a word tells that another thing is asked for, or the opposite."""
    yes_or_no = kind is Kind.YES_NO
    if is_opposite(question, one.question) or is_turned_round(question, one.question, yes_or_no=yes_or_no):
        return True
    thing = thing_replaced(question, one.question)
    return bool(thing) and (yes_or_no or thing not in content_words(" ".join(one.sentences)))


def _is_told(question: str, one: Faq) -> bool:
    """Whether most words of the question are told there, one by the question; those of the document's name apart."""
    asked = {*content_words(question)} - words_of_file(one.hit.chunk)
    told = asked - _untold(question, one)
    return bool(asked & {*content_words(one.question)}) and len(told) >= MOST * len(asked)


def _may_be(kind: Kind, question: str) -> bool:
    """Whether a question asks for that; or its last sentence does, behind what leads to it."""
    kinds = {kind_of(question), kind_of(_SENTENCE_END.split(question)[-1])}
    return kind in kinds or (kind in _TELLING and not kinds.isdisjoint(_TELLING))


def _unnamed(question: str, other: str, one: Faq) -> list[str]:
    """The names and numbers of a question, not its first word, that neither the other nor its document's name has."""
    chunk = one.hit.chunk
    known = {*_WORD.findall(" ".join((other, chunk.heading, chunk.title, chunk.source)).lower())}
    names = (word for word in _WORD.findall(question)[1:] if word != "I" and _SPECIFIC.search(word))
    return [name for name in names if known.isdisjoint((name.lower(), name.lower().removesuffix("s")))]


def _untold(question: str, one: Faq) -> set[str]:
    """The question's words that neither that question, what stands under it nor the passage's names have."""
    told = content_words(" ".join((one.question, *one.sentences)))
    return {*content_words(question)} - {*told} - words_of_name(one.hit.chunk)

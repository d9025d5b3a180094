"""Questions about the collection itself: which documents there are, which of them mention something, and how many."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trivium.domain.answers import Citation, Verdict
from trivium.domain.documents import Document
from trivium.domain.retrieval import Hit
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.closest import cited
from trivium_query.answer.answerers.listing import Collection, Documents, Listing
from trivium_query.answer.citations import Draft, Shelf
from trivium_query.words import content_words, fold

MAX_NAMED = 3  # more documents than so are no short answer
_CUE = (
    r"mention\w*|discuss\w*|about|(?:talk|speak)\w* (?:about|of)|deal\w* with|cover\w*|contain\w*|refer\w* to|über"
    r"|erwähn\w*|handel\w* von|zu|parl\w+ d(?:es|e la|e|u)|parl\w+ d\W|trait\w+ d(?:es|e|u)|sur|sobre"
    r"|(?:hablan?|tratan?) de|mencionan?"
)
_TOPIC = re.compile(
    rf"\b(?:{_CUE})\s*(?:the|an?|die|der|das|den|les?|la|los|las|el)?\s+(?:l\W)?(?P<topic>\S.*)"
    r"|kommt? (?P<inside>.+) vor\b",
    re.IGNORECASE,
)
_OF_A_FORMAT = re.compile(r"\b(?P<suffix>pdf|csv|xlsx|docx|pptx|html|txt|md)s?\b", re.IGNORECASE)
_HOW_MANY = re.compile(r"how many|number of|wie ?viele|combien|cuant[ao]s|anzahl")
_WHETHER = re.compile(r"^(?:is|are|do|does|have|has|gibt|hat|y a-t-il|hay|any)\b")


def topic_of(question: str) -> str:
    """What documents are asked for that mention it, "" where all are meant."""
    found = _TOPIC.search(question)
    said = (found["topic"] or found["inside"]).strip(" ?!.\"'“”„«»") if found else ""
    return said if content_words(said) else ""


async def answer_of_collection(question: str, collection: Collection) -> Answered:
    """Counted, where they are not too many exactly, the documents listed and cited."""
    topic = topic_of(question)
    if topic:
        return _mentioning(question, topic, await collection.mentioning(topic))
    listed = await collection.documents()
    documents = Documents(_of_a_format(question, listed.found), listed.exact)
    return _all_of(question, await collection.first_passages(documents))


def _mentioning(question: str, topic: str, listing: Listing) -> Answered:
    if not listing.total:
        return Answered(Draft(f"No document mentions “{topic}”.", found=False), Verdict.NOT_SUPPORTED)
    words = set(content_words(topic))
    lines, citations = cited([(hit, _mention(words, hit)) for hit in listing.hits], listing.hits)
    lead = f"{_counted(listing)} mention{'s' * (listing.total == 1)} “{topic}”:"
    text = "\n".join([lead, *lines, *_more(listing.total - len(listing.hits))])
    return _answered(question, listing, text, citations)


def _all_of(question: str, listing: Listing) -> Answered:
    if not listing.total:
        where = "" if listing.exact else " among the newest"
        return Answered(Draft(f"There is no such document{where}.", found=False), Verdict.NOT_SUPPORTED)
    lines, citations = cited([(hit, _title(hit)) for hit in listing.hits], listing.hits)
    lead = f"There {'are' if listing.total > 1 else 'is'} {_counted(listing)}:"
    text = "\n".join([lead, *lines, *_more(listing.total - len(listing.hits))])
    return _answered(question, listing, text, citations)


def _answered(question: str, listing: Listing, text: str, citations: tuple[Citation, ...]) -> Answered:
    verdict = Verdict.SUPPORTED if listing.exact else Verdict.PARTIALLY_SUPPORTED
    return Answered(Draft(text, True, citations, short=_short(question, listing)), verdict, listing.hits)


def _of_a_format(question: str, documents: Sequence[Document]) -> Sequence[Document]:
    """Those whose names end as the question says ("how many PDFs")."""
    found = _OF_A_FORMAT.search(question)
    ending = f".{found['suffix'].lower()}" if found else ""
    return [each for each in documents if each.source.lower().endswith(ending)]


def _counted(listing: Listing) -> str:
    return f"{_at_least(listing)}{listing.total:,} document{'s' * (listing.total != 1)}"


def _at_least(listing: Listing) -> str:
    return "" if listing.exact else "at least "


def _more(more: int) -> list[str]:
    return [f"… and {more:,} more."] if more > 0 else []


def _short(question: str, listing: Listing) -> str:
    """The number, yes, or the few names, as the question wants it."""
    folded = fold(question)
    if _WHETHER.search(folded):
        return "yes"
    if _HOW_MANY.search(folded) or listing.total > min(MAX_NAMED, len(listing.hits)):
        return f"{_at_least(listing)}{listing.total}"
    shelf = Shelf(listing.hits)
    return ", ".join(shelf.name(hit) for hit in listing.hits)


def _mention(words: set[str], hit: Hit) -> str:
    """The sentence with the most of the words; the first where only the heading has them."""
    sentences = [span.of(hit.chunk.text) for span in hit.chunk.sentences] or [hit.chunk.text]
    return max(sentences, key=lambda sentence: len(words & set(content_words(sentence))))


def _title(hit: Hit) -> str:
    return hit.chunk.title or next((span.of(hit.chunk.text) for span in hit.chunk.sentences), hit.chunk.source)

"""What the part of a document says that a question names by its number: "clause 4.2 of the lease", "step 4"."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

import msgspec

from trivium.domain.answers import Verdict
from trivium.domain.chunks import Chunk, Span
from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import Hit
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.closest import cited
from trivium_query.answer.answerers.listing import Collection
from trivium_query.answer.answerers.outline import (
    APPENDIX,
    INNER,
    KIND,
    LETTER,
    NUMBER,
    Document,
    Part,
    document_of,
    key_of,
    kind_of_word,
    parts_in,
)
from trivium_query.answer.citations import Draft
from trivium_query.answer.extractive import NOT_FOUND
from trivium_query.words import content_words, fold

MAX_DOCUMENTS = 10  # that are read whole
MAX_LINES = 20
MAX_LINE_WORDS = 4  # of one that may tell what a list below is of
MAX_PARTS = 3  # that are shown where several are called so
_PART = re.compile(
    rf"(?:the\s)?(?:(?P<word>(?:{KIND})\b\.?|§§?|number|no\.|nr\.?)\s*"
    rf"(?:(?P<number>{NUMBER}|{LETTER}\b|{INNER})|(?<=x\s|e\s)(?P<letter>[a-z])\b)|(?P<bare>\d+(?:\.\d+)+|{INNER}))"
    rf"(?P<inners>(?:\s?{INNER})*)(?![\w.]*\w)",
    re.I,
)
_JOINS = re.compile(r"\s*,\s*|\s+(?P<of>(?:of|in|von|des|der|de|del|du)\s+)?(?:the\s|l['\u2019])?", re.I)
_TAIL = re.compile(r"(?:\s+(?:of|in|from|for|to|under|by|des|der|de|del|du|im|vom|von)\s+(?P<of>.+))?\W*", re.I)
_ASKS = re.compile(
    r"^\W*(?:what\s(?:does|do|did)\s(?P<says>.+?)\s(?P<verb>\w+)(?:\s(?:with|down|out|me|us))?"
    r"|what(?:['\u2019]s|\s(?:is|stands|does\sit\ssay))\s(?:(?P<done>\w+)\s)?(?:in|under|by)\s(?P<in>.+?)"
    r"|what(?:['\u2019]s|\sis)\s(?P<is>.+?)(?:\sabout)?"
    r"|(?:please\s)?(?:show|read|quote|cite|recite|print|give|tell|summari[sz]e|explain)(?:\sme)?"
    r"(?:\s(?:out|the\stext\sof))?\s(?P<show>.+?)"
    r"|was\s(?:sagt|regelt|besagt|bestimmt|steht\s(?:in|unter|im))\s(?P<was>.+?)"
    r"|(?:que\sdit|qu[eé]\sdice)\s(?:l['\u2019]|la\s|le\s|el\s)?(?P<que>.+?)|(?P<alone>.+?))$",
    re.I,
)
_WITHIN = re.compile(
    rf"\b(?:under|according\sto|pursuant\sto|by|in|within)\s(?:the\sterms\sof\s)?(?=(?:the\s)?(?:{KIND})\b)", re.I
)
MIN_ASKED = 2  # words that are asked of the part
_ENDS = ' \t\n?.!"\u201d'
_REWORDED = re.compile(r"(?:simple|plain|other|your|short|brief|detail|full|english|german|french|spanish)\b", re.I)
_PLACES = [name for name in _ASKS.groupindex if name not in ("verb", "done")]
_SAYS = frozenset(
    content_words(
        "say write state provide require contain mean cover regulate stipulate prescribe lay set deal allow forbid"
        " prohibit"
    )
)  # beside words that ask, as "say"
_PAPER = frozenset(content_words("agreement contract document text paper file book guide manual rules"))


_ANY = ("number", "no", "nr")  # of what is no part of a text too, as a house
_CARDINALS = "one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()  # noqa: SIM905


class Asked(msgspec.Struct, frozen=True):
    """Word (or "") and number of each part, the outermost first, how the question writes it, the words for where it is.

    `does` is the verb, where not all that it says is asked for: "What does clause 6.2 limit?"
    """

    path: tuple[tuple[str, str], ...]
    written: str
    words: frozenset[str]
    does: frozenset[str] = frozenset()


class _Found(msgspec.Struct, frozen=True):
    document: Document
    part: Part
    path: tuple[Part, ...]
    told: int
    sort: tuple[int, bool, int]


def part_asked(question: str) -> Asked | None:
    """The part that all is asked for that it says; None for any other question."""
    asks = _ASKS.match(question.rstrip(_ENDS))
    said = next(filter(None, (asks[name] for name in _PLACES)), "") if asks else ""
    found = _PART.match(said)
    if asks is None or found is None:
        return None
    path: list[tuple[str, str]] = []
    end, outer, named = 0, False, False
    while found is not None:
        steps = _steps(found)
        path = [*steps, *path] if outer else [*path, *steps]
        named, end = named or bool(found["word"]), found.end()
        join = _JOINS.match(said, end)
        found = _PART.match(said, join.end()) if join else None
        outer = bool(join and join["of"])
    tail = _TAIL.fullmatch(said, end)
    reworded = tail and tail["of"] and _REWORDED.match(tail["of"])
    if tail is None or reworded or not (named or asks["says"] or asks["in"]):
        return None
    does = frozenset(content_words(asks["verb"] or asks["done"] or "")) - _SAYS
    return Asked(tuple(path), said[:end].removeprefix("the "), frozenset(content_words(tail["of"] or "")), does)


def part_within(question: str) -> Asked | None:
    """The part in which something is asked: "May the carrier wait under clause 4.2?"; None where none is named so."""
    place = _WITHIN.search(question)
    asked = part_asked(f"What is in {question[place.end() :]}") if place and part_asked(question) is None else None
    named = asked is not None and asked.path[-1][0] not in ("", *_ANY)
    return asked if named and place and len(content_words(question[: place.start()])) >= MIN_ASKED else None


def within_part(asked: Asked, read: Sequence[Sequence[Chunk]], hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The one part's passages with nothing but it, every character in its place.

    The hits where none is called so or several are, or it is of a document that is not there.
    """
    each = [(_is_named(asked, chunks[0]), one) for chunks in read for one in _found(asked, document_of(chunks))]
    found = [one for named, one in each if named]
    found = _likeliest(found or [one for _, one in each if one.told or not asked.words])
    if len(found) != 1:
        return tuple(hits)
    document, part = found[0].document, found[0].part
    held = {hit.chunk.id: hit for hit in hits}
    cut = [
        (chunk, max(0, part.start - start), min(len(chunk.text), part.end - start))
        for chunk, start in zip(document.chunks, document.starts, strict=True)
        if start < part.end and part.start < start + len(chunk.text)
    ]
    return tuple(
        Hit(_only(chunk, start, end), rank, held[chunk.id].score if chunk.id in held else 0.0)
        for rank, (chunk, start, end) in enumerate(cut, 1)
    )


def _only(chunk: Chunk, start: int, end: int) -> Chunk:
    """With blanks for all else."""
    text = " " * start + chunk.text[start:end] + " " * (len(chunk.text) - end)
    cut = (Span(max(start, one.start), min(end, one.end)) for one in chunk.sentences)
    sentences = tuple(one.trimmed(text) for one in cut if one.start < one.end)
    return msgspec.structs.replace(chunk, text=text, sentences=sentences)


def _steps(found: re.Match[str]) -> list[tuple[str, str]]:
    number = found["number"] or found["letter"] or found["bare"]
    word = (found["word"] or "").lower().rstrip(".")
    inner = [("", key_of(one, named=False)) for one in re.findall(INNER, found["inners"])]
    return [(word, key_of(number, named=bool(found["number"]) and kind_of_word(word) != APPENDIX)), *inner]


def answer_by_number(asked: Asked, read: Sequence[Sequence[Chunk]], hits: Sequence[Hit]) -> Answered | None:
    """What it says in the document that is meant, or that there is none; `read` are the passages of each, in order.

    None where it is mentioned, or a table may have it: others may answer. Not sure where not all words for the document
    are of the part, its document's name or a short line of it, such as "Agenda:".
    """
    named = [one for one in read if _is_named(asked, one[0])]
    found = [one for chunks in named or read for one in _found(asked, document_of(chunks))]
    most = max((one.told for one in found), default=0)
    near: list[_Found] = []
    told = bool(named) or most == len(asked.words - _PAPER)
    if not told and not most:
        near = found  # of a document that is not there
        found = [one for one in found if asked.words & _words_of_lines(one.document)]
        near = [] if found else near
    found = [one for one in found if asked.does <= _words(one.document, one.part)]
    found = _likeliest([one for one in found if one.told == most])
    if found:
        return _told(asked, found, hits, told=told)
    if asked.does or asked.path[-1][0] in _ANY:
        return None
    mention = re.compile(rf"(?<!\w)(?:{re.escape(asked.written)}{_spelt(*asked.path[-1])})(?![\w(]|\.\d)", re.I)
    number = re.compile(rf"(?<![\w.]){re.escape(asked.path[-1][1])}(?![\w]|\.\d)", re.I)
    line = re.compile(rf"^\W*{re.escape(asked.path[-1][1])}(?![\w]|\.\d)", re.I | re.M)  # "7 saws"
    line = line if asked.path[-1][1].isdigit() else mention
    for chunk in (chunk for chunks in read for chunk in chunks):
        wanted = number if chunk.holds(UnitKind.TABLE) else line
        if mention.search(chunk.text) or wanted.search(chunk.text):
            return None
    return _refused(asked, near, hits)


def _spelt(word: str, number: str) -> str:
    """As "|chapter three|third" for a small number."""
    at = int(number) - 1 if number.isdigit() else -1
    if not word or not 0 <= at < len(_CARDINALS):
        return ""
    return rf"|{word}\s+{_CARDINALS[at]}|{_ORDINALS[at]}"


async def whole_documents(hits: Sequence[Hit], collection: Collection) -> list[list[Chunk]]:
    """The passages of the hits' documents, those that follow each other together; raises `TryLater`."""
    first = list({hit.chunk.document_id: hit.chunk for hit in reversed(hits)}.values())[-MAX_DOCUMENTS:]
    read = await asyncio.gather(*(collection.passages(one.document_id, one.version) for one in reversed(first)))
    known = {chunk.id: chunk for chunks in read for chunk in chunks}
    known |= {hit.chunk.id: hit.chunk for hit in hits}  # of a very long one also what stands far behind
    runs: list[list[Chunk]] = []
    places = {document: place for place, document in enumerate(dict.fromkeys(hit.chunk.document_id for hit in hits))}
    for chunk in sorted(known.values(), key=lambda one: (places[one.document_id], one.ordinal)):
        last = runs[-1][-1] if runs else None
        if last and (last.document_id, last.ordinal + 1) == (chunk.document_id, chunk.ordinal):
            runs[-1].append(chunk)
        else:
            runs.append([chunk])
    return runs


def _is_named(asked: Asked, chunk: Chunk) -> bool:
    """Whether the question's words for the document are all in its title, first line or the name of its file."""
    words = asked.words - _PAPER or asked.words
    return bool(words) and words <= words_of_title(chunk)


def words_of_title(chunk: Chunk) -> set[str]:
    """Of its document's title, first line and the name of its file."""
    begins = chunk.text.partition("\n")[0] if chunk.ordinal == 0 else ""
    return {*content_words(f"{chunk.title} {begins} {chunk.source.rpartition('/')[2]}")}


def _found(asked: Asked, document: Document) -> list[_Found]:
    """Those that may be called so in it."""
    fitting = [(part, path) for part in parts_in(document.text) if (path := _path(asked, part))]
    return [
        _Found(document, part, path, len(asked.words & _words(document, part) - _PAPER), _sort(asked, part))
        for part, path in fitting
    ]


def _path(asked: Asked, part: Part) -> tuple[Part, ...]:
    """The parts that bear the names asked for, the outermost first; none where one is missing."""
    if not _fits(asked.path[-1], part):
        return ()
    found, others = [part], list(part.within)
    for wanted in reversed(asked.path[:-1]):
        while others and not _fits(wanted, others[-1]):
            others.pop()
        if not others:
            return ()
        found.insert(0, others.pop())
    return tuple(found)


def _fits(wanted: tuple[str, str], part: Part) -> bool:
    word, key = wanted
    kind, called = kind_of_word(word), kind_of_word(part.word)
    by_letter = not key[0].isdigit()
    alike = kind == called if word and part.word else APPENDIX not in (kind, called)
    return key == part.key and (alike or (not word and by_letter))


def _sort(asked: Asked, part: Part) -> tuple[int, bool, int]:
    """Rather what is called so than what is called by no word or another; a step is no heading, else rather one."""
    word = asked.path[-1][0]
    same = fold(word)[:3] == fold(part.word)[:3]  # "Art. 3", "Artikel 3", "Article 3"
    step = kind_of_word(word) == "step"
    outermost = 0 if part.heads or step else -len(part.within)
    return (2 if same else 0 if part.word else 1), part.heads != step, outermost


def _words(document: Document, part: Part) -> frozenset[str]:
    chunk = document.chunks[0]
    lines = " ".join(one.line for one in part.within)
    section = " ".join(
        " ".join(one.section)
        for one, start in zip(document.chunks, document.starts, strict=True)
        if start <= part.start < start + len(one.text)
    )
    return frozenset(
        content_words(f"{chunk.title} {chunk.source} {lines} {section} {document.text[part.start : part.end]}")
    )


def _words_of_lines(document: Document) -> set[str]:
    lines = (line for line in document.text.splitlines() if len(line.split()) <= MAX_LINE_WORDS)
    return {*content_words("\n".join(lines))} - _PAPER


def _likeliest(found: Sequence[_Found]) -> list[_Found]:
    best = max((one.sort for one in found), default=None)
    return _longest([one for one in found if one.sort == best])


def _longest(found: Sequence[_Found]) -> list[_Found]:
    """Of each document the longest of those under a heading or with a number of their own; of others all."""
    best: dict[tuple[str, int], _Found] = {}
    for one in found:
        own = one.part.heads or "." in one.part.key
        place = (one.document.chunks[0].document_id, -1 if own else one.part.start)
        held = best.get(place)
        if held is None or one.part.end - one.part.start > held.part.end - held.part.start:
            best[place] = one
    return list(best.values())


def _told(asked: Asked, found: Sequence[_Found], hits: Sequence[Hit], *, told: bool) -> Answered:
    """Sure where it is one, and whole, and `told` to be of what is asked about."""
    lines = [line for one in found[:MAX_PARTS] for line in _lines(one)]
    hits, said = as_hits(lines[:MAX_LINES], hits)
    text, citations = cited(said, hits)
    sure = told and len(found) == 1 and len(lines) <= MAX_LINES
    several = (f"{len(found)} parts are called {asked.written}: say of which document or part.",)
    draft = Draft("\n".join(text), True, citations, several if len(found) > 1 else ())
    return Answered(draft, Verdict.SUPPORTED if sure else Verdict.PARTIALLY_SUPPORTED, hits)


def _refused(asked: Asked, near: Sequence[_Found], hits: Sequence[Hit]) -> Answered:
    """That it is not there; `near` are those called so of other documents, whose first lines are offered."""
    hits, said = as_hits([_lines(one)[0] for one in near[:MAX_PARTS]], hits)
    lines, citations = cited(said, hits)
    text = f"{NOT_FOUND} There is no {asked.written} in those looked through."
    text = "\n".join([f"{text} The closest passages:", *lines]) if lines else text
    return Answered(Draft(text, found=False, citations=citations), Verdict.NOT_SUPPORTED, hits)


def as_hits(lines: Sequence[tuple[Chunk, str]], hits: Sequence[Hit]) -> tuple[tuple[Hit, ...], list[tuple[Hit, str]]]:
    """The hits with the passages of the lines behind them, and the hit of each line."""
    held = {hit.chunk.id: hit for hit in hits}
    for chunk, _ in lines:
        held.setdefault(chunk.id, Hit(chunk, len(held) + 1, 0.0))
    return tuple(held.values()), [(held[chunk.id], line) for chunk, line in lines]


def _lines(found: _Found) -> list[tuple[Chunk, str]]:
    """Its sentences, below the line of the part that it is of, where that leads to it: "3.1 Each lorry shall:"."""
    part = found.part
    outer = [one for one in part.within if one.line.endswith((":", "\u2014", "\u2013")) or one in found.path]
    places = [(one.start, one.start + len(one.line)) for one in outer if one.start < part.start]
    lines: list[tuple[Chunk, str]] = []
    for start, end in (*places, (part.start, part.end)):
        for chunk, begin in zip(found.document.chunks, found.document.starts, strict=True):
            for span in chunk.sentences:
                first, last = max(start, begin + span.start), min(end, begin + span.end)
                if first < last and (quote := found.document.text[first:last].strip()):
                    lines.append((chunk, quote))
    return lines

"""What an entry of a list of terms says: an option of a manual, a user of a system, a term of a glossary. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile

import msgspec

from trivium.domain.answers import Verdict
from trivium.domain.parsed import UnitKind
from trivium.domain.retrieval import Hit
from trivium.text.sentences import split_sentences
from trivium_query.answer.answerers.answered import Answered
from trivium_query.answer.answerers.blocks import is_heading, words_of_name
from trivium_query.answer.answerers.closest import cited
from trivium_query.answer.citations import Draft
from trivium_query.words import content_words

MAX_SENTENCES = 3  # of an entry that are shown
MAX_ENTRIES = 2  # that are shown, where several documents have one
MAX_TERM_WORDS = 5
MAX_NAMES = 3  # lines of one option's names, and no more
MIN_TERMS = 3  # of a list of words of every day
MIN_DESCRIBED = 2  # words that an option is told by
_KIND = (
    r"(?:accounts?|arguments?|attributes?|codes?|columns?|commands?|directives?|entry|errors?|events?|fields?|flags?"
    r"|functions?|groups?|keys?|keywords?|modes?|options?|parameters?|properties|property|roles?|rules?|settings?|states?"
    r"|status(?:es)?|subcommands?|switch(?:es)?|tags?|targets?|terms?|tools?|types?|users?|values?|variables?|words?)"
)
_ASKS = re.compile(
    rf"^[^\w-]*(?:what(?:['\u2019]s|\sis|\sare)\s(?P<for>.+?)\s(?:used\s|good\s|meant\s|there\s)?for"
    r"|what\s(?:do|does)\s(?P<does>.+?)\s(?:do|mean|stand\sfor)(?:\s(?:in|for|to|with)\s(?P<where>\S+(?:\s\S+)?))?"
    r"|what\s(?:do|does)\s(?P<acts>(?:\S+\s){0,3}-{1,2}[a-z?]\S*)\s[a-z]+"
    rf"|what(?:['\u2019]s|\sis|\sare)\s(?:the\s)?(?:meaning|purpose|use|effect)\sof\s(?P<of>.+?)"
    rf"|what(?:['\u2019]s|\sis|\sare)\s(?P<kind>(?:the\s|an?\s)?{_KIND}\s.+?|.+?\s{_KIND}|\S*--?[a-z]\S*)"
    r"|(?:explain|describe)\s(?P<explain>.+?)"
    r"|(?P<bare>-{1,2}[a-z][\w-]*))\W*$",
    re.I,
)
_ASKS_OPTION = re.compile(
    r"^\W*(?:(?:which|what)\s(?:command[ -]line\s)?(?P<kind>option|flag|switch|parameter|argument)s?\b"
    r"(?!\s(?:did|was|were|had)\b)"
    r"|how\s(?:(?:do|can|could|should|would)\s(?:i|you|we|one)|to)\b)",
    re.I,
)
_ASKS_DEFAULT = re.compile(
    r"^\W*what(?:['\u2019]s|\sis)\s(?:the\s)?default(?:\svalue)?\s(?:of|for)\s(?P<term>.+?)\W*$", re.I
)
_ASKS_AMOUNT = re.compile(
    r"^\W*(?:how\s(?:many|much|long|often|large|big)|what|which)\b(?=.*\bdefaults?\b)(?P<term>.*?\s-{1,2}[A-Za-z]\S*)",
    re.I,
)
_DEFAULT = re.compile(r"\bdefaults?\b", re.I)
_DEFAULT_IS = re.compile(
    r"\bdefaults?(?:\svalue)?\s(?:is|to|=|:)\s?"
    r"(?P<value>[^\s,;][^,;]*?)(?=[,;]|\.?\s*$|\s(?:and|but|if|unless|when|which)\b)",
    re.I,
)
_OPTION = re.compile(r"(?<![\w-])-{1,2}[A-Za-z?][\w-]*")
_QUOTED = re.compile(r"[\"'`\u2018\u201c](?P<term>[^\"'`\u2019\u201d]+)[\"'`\u2019\u201d]")
_ARTICLE = re.compile(r"\b(?:the|an?)\b", re.I)
_BESIDE = re.compile(rf"{_ARTICLE.pattern}|\b{_KIND}\b", re.I)
# As "--user, -u=user[:group]" or "-x, --extract, --get".
_OPTIONS_LINE = re.compile(
    r"\s*-{1,2}[A-Za-z?][^\s,]*(?:(?:,|\sor|\s\|)\s-{1,2}[A-Za-z?][^\s,]*)*(?:\s<[^<>\n]{1,60}>|(?:\s[^\s.]{1,30}){0,3})\s*"
)
_SAME_LINE = re.compile(r"[\s*\u2022-]*?(?P<term>[^\s:][^:\n]{0,60}?)(?::|\s[\u2013\u2014-])\s+\S.*")
# As "-xdev Don't descend", where a paragraph begins; not "-bring a towel".
_LED = r"(?:--[A-Za-z?][\w-]*|-[A-Za-z?](?![\w-])|-\d(?=\s[A-Z])|-[a-z][\w-]+(?=,|\s{2}|\s[A-Z]))"
_OPTIONS_LED = re.compile(rf"\s*(?P<term>{_LED}(?:,\s{_LED})*)\s+[^\W_]\S*\s+\S.*")
_ITEM = re.compile(r"-[A-Z][a-z]+\s")  # "-Take the tram"
_ASSIGNED = re.compile(r"[A-Za-z][\w.-]*=(?:,\s[A-Za-z][\w.-]*=)*")  # "RestartSec="
_OF_PLACEHOLDERS = re.compile(r"(?P<term>[a-z][\w.-]*)(?:\s\S{1,30}){1,4}")  # "makestep threshold limit"
# As "query | Prints the inputs", or of an option under labels: "Name: --rm; Meaning: Removes it".
_ROW = re.compile(r"(?:(?P<term>[^|:;\n]{1,60}?)\s\||[^:;\n]{1,40}: (?P<option>-{1,2}[A-Za-z?][^;\n]*);)\s\S[^|\n]*")
_NAME = re.compile(r"-{0,2}\w[\w.+-]*")
_SPEAKS = re.compile(r"\b(?:I|[Ww]e|[Uu]s|[Mm][ey]|[Oo]ur)\b")
_NOT = re.compile(r"\b(?:not|never)\b|n['\u2019]t\b", re.I)
_NEVER = re.compile(r"(?:do not|don['\u2019]t|never|no)\b", re.I)
_BLANK = re.compile(r"\n[ \t]*\n")
_MARKS = " \t*`\"'\u2022"


class Entry(msgspec.Struct, frozen=True):
    """Its names, and its text with the line that holds them."""

    hit: Hit
    names: frozenset[str]
    term: str
    told: str

    @property
    def is_option(self) -> bool:
        """Whether it is of an option, or of a setting as "RestartSec="."""
        marked = self.term.startswith("-") and _ITEM.match(self.term) is None
        return marked or _ASSIGNED.fullmatch(self.term) is not None


def options_in(question: str) -> frozenset[str]:
    """The options that it names: "-d", "--keep-old"."""
    return frozenset(_OPTION.findall(question))


def answer_by_entry(question: str, hits: Sequence[Hit]) -> Answered | None:
    """What the entry says that the question names and asks the meaning, use or default of; None where there is none.

    The question's other words stand in the entry, or its document's name: "What does tar --append do?". Where several
    documents have such an entry, the first are shown, without saying which is meant.
    """
    asks_default = _ASKS_DEFAULT.match(question) or _ASKS_AMOUNT.match(question)
    asked = asks_default or _ASKS.match(question)
    if asked is None:
        return None
    phrase = next(filter(None, asked.groups()))
    named = _terms(phrase)
    plain = not _OPTION.search(phrase) and named == {" ".join(_ARTICLE.sub("", phrase).split()).casefold()}
    beside = {*content_words(_BESIDE.sub(" ", phrase))} - {*content_words(" ".join(named))}
    beside |= {*content_words(asked.groupdict().get("where") or "")}
    first = each_once(
        one for hit in hits for one in entries_in(hit) if one.names & named and _is_of(beside, one, one.told)
    )
    if asks_default:
        return _default(first, hits)
    first = [one for one in first if not plain or _is_listed(one)]
    if not first:
        return None
    alone = len(first) == 1
    said = [(one.hit, text) for one in first[:MAX_ENTRIES] for text in shown(one, MAX_SENTENCES if alone else 1)]
    lines, citations = cited(said, hits)
    sure = alone and (beside or not (_OPTION.search(phrase) and _is_beside_manuals(first[0], hits)))
    verdict = Verdict.SUPPORTED if sure else Verdict.PARTIALLY_SUPPORTED
    return Answered(Draft("\n".join(lines), True, citations), verdict)


def _is_beside_manuals(one: Entry, hits: Sequence[Hit]) -> bool:
    """Whether other documents of the hits have options too: one of them may be meant."""
    others = (hit for hit in hits if hit.chunk.document_id != one.hit.chunk.document_id)
    return any(other.is_option for hit in others for other in entries_in(hit))


def answer_by_described_option(question: str, hits: Sequence[Hit]) -> Answered | None:
    """The option whose first sentence has all that is asked: "How do I append files with tar?"; None where none does.

    Of several the one that says the least beside it; where that does not decide, none is the answer.
    """
    asks = _ASKS_OPTION.match(question)
    asked = {*content_words(question[asks.end() :])} if asks else set()
    if asks is None or len(asked) < MIN_DESCRIBED:
        return None
    entries = (one for hit in hits for one in entries_in(hit) if _OPTIONS_LINE.fullmatch(one.term))
    found = [(one, {*content_words(told_by(one))}) for one in each_once(entries)]
    denied = _NOT.search(question) is not None
    found = [(one, words) for one, words in found if denied == (_NOT.search(told_by(one)) is not None)]
    near = [
        (len(words - asked), one)
        for one, words in found
        if _is_of(asked - words, one, "") and len(words & asked) >= MIN_DESCRIBED
    ]
    least = min((more for more, _ in near), default=0)
    best = [one for more, one in near if more == least]
    if len(best) != 1:
        return None
    lines, citations = cited([(best[0].hit, text) for text in shown(best[0], 1)], hits)
    sure = (asks["kind"] is not None or len(near) == 1) and denied == begins_not(best[0])
    verdict = Verdict.SUPPORTED if sure else Verdict.PARTIALLY_SUPPORTED
    return Answered(Draft(lines[0], True, citations, short=best[0].term), verdict)


def _is_listed(one: Entry) -> bool:
    """Whether a list of terms, each once, tells of it in a sentence; none is what somebody says, or below a heading."""
    said = told_by(one)
    if not said.rstrip().endswith(".") or _SPEAKS.search(said):
        return False
    if _ASSIGNED.fullmatch(one.term):
        return True
    near = [] if one.hit.chunk.kind is UnitKind.TABLE else _BLANK.split(one.hit.chunk.text)
    block = next((block for block in near if one.told in block), "")
    terms = [other.term for other in entries_in(one.hit) if other.told in block]
    return not block or (len({*terms}) >= MIN_TERMS and terms.count(one.term) == 1)


def told_by(one: Entry) -> str:
    """Its first sentence, without its names."""
    return next(iter(shown(one, 1)), "").removeprefix(one.term).strip()


def begins_not(one: Entry) -> bool:
    """Whether its first sentence begins with what is not done: "Never overwrite"."""
    return _NEVER.match(told_by(one)) is not None


def each_once(found: Iterable[Entry]) -> list[Entry]:
    """Each once, in order: of those that begin alike, as in passages that overlap, the longest."""
    first: dict[str, Entry] = {}
    for one in found:
        begins = shown(one, 1)[0]
        if begins not in first or len(one.told) > len(first[begins].told):
            first[begins] = one
    return [*first.values()]


def _default(found: Sequence[Entry], hits: Sequence[Hit]) -> Answered | None:
    """The sentence of the one entry that tells its default."""
    told = [(one, text) for one in found for text in shown(one, len(one.told)) if _DEFAULT.search(text)]
    if len(found) != 1 or not told:
        return None
    value = _DEFAULT_IS.search(told[0][1])
    lines, citations = cited([(one.hit, text) for one, text in told[:1]], hits)
    short = value["value"].strip(_MARKS) if value else ""
    return Answered(Draft(lines[0], True, citations, short=short), Verdict.SUPPORTED)


def _terms(phrase: str) -> frozenset[str]:
    """What is asked about: the options, else what stands in quotes, else the words without their kind."""
    if options := _OPTION.findall(phrase):
        return frozenset(options)
    if quoted := [match["term"].casefold() for match in _QUOTED.finditer(phrase)]:
        return frozenset(quoted)
    bare = _BESIDE.sub(" ", phrase).split() or _ARTICLE.sub("", phrase).split()
    return frozenset({" ".join(bare).casefold()})


def _is_of(beside: set[str], one: Entry, told: str) -> bool:
    """Whether the document's name, its headings or what is `told` have the words."""
    return beside <= words_of_name(one.hit.chunk) | {*content_words(told)}


def entries_in(hit: Hit) -> Iterator[Entry]:
    """A line of names with the text below it up to the next, or a name and its text in one line.

    Of a name that is no option without what stands behind an empty line.
    """
    lines = hit.chunk.text.split("\n")
    if is_heading(lines[-1]) and not _is_option(lines, len(lines) - 1):  # what it is of stands in the next passage
        lines = lines[:-1]
    starts = [at for at in range(len(lines)) if _begins(lines, at)]
    for at, end in pairwise([*starts, len(lines)]):
        names = 1 + _options_below(lines, at)
        below = lines[at + names : end]
        term = "\n".join([*lines[at : at + names - 1], _term(lines[at + names - 1])]).strip()
        first = _first_name(term, below)
        if first or _ASSIGNED.fullmatch(term) or _is_option(lines, at):  # paragraphs may follow
            below = below[: _up_to_heading(below)]
        else:
            below = [*takewhile(lambda line: line.strip() and not _SAME_LINE.fullmatch(line), below)]
        told = "\n".join([*lines[at : at + names], *below]).strip()
        if told != term:
            yield Entry(hit, _names(term) | first, term, told)
    row = _ROW if hit.chunk.kind is UnitKind.TABLE else _SAME_LINE
    for match in filter(None, map(row.fullmatch, lines)):
        term = next(filter(None, match.groups()))
        if term.startswith("-") or not _OPTION.search(term):  # no command line
            yield Entry(hit, _names(term), term, match[0].strip())


def _up_to_heading(lines: Sequence[str]) -> int:
    """How many lines stand above the first heading behind an empty line."""
    behind = (at for at in range(1, len(lines)) if not lines[at - 1].strip() and _stands_as_heading(lines[at : at + 2]))
    return next(behind, len(lines))


def _stands_as_heading(lines: Sequence[str]) -> bool:
    """Whether the first is a heading, and no line of a paragraph."""
    below = lines[1] if len(lines) > 1 else ""
    alone = not below.strip() or lines[0].isupper() or _OPTIONS_LINE.fullmatch(below) is not None
    return alone and is_heading(lines[0])


def _is_option(lines: Sequence[str], at: int) -> bool:
    """Whether the line holds options, or a paragraph begins with them; "OPTIONS" may stand above it."""
    before = lines[at - 1].strip() if at else ""
    led = _OPTIONS_LED.fullmatch(lines[at]) and (not before or before.isupper())
    return bool(led or _OPTIONS_LINE.fullmatch(lines[at]))


def _term(line: str) -> str:
    """What the line names; all of it, unless its text follows."""
    led = None if _OPTIONS_LINE.fullmatch(line) else _OPTIONS_LED.fullmatch(line)
    return led["term"] if led else line.strip()


def _first_name(term: str, below: Sequence[str]) -> frozenset[str]:
    """The name before placeholders: where the text below says "The makestep directive" or "This directive"."""
    found = _OF_PLACEHOLDERS.fullmatch(term)
    if found is None:
        return frozenset()
    told = re.search(rf"\b(?:this|the\s{re.escape(found['term'])})\s{_KIND}\b", "\n".join(below), re.I)
    return frozenset({found["term"].casefold()}) if told else frozenset()


def _options_below(lines: Sequence[str], at: int) -> int:
    """How many lines below one of options are of the same: "-N", "--timestamping"; none of a mere list of options."""
    behind = takewhile(_OPTIONS_LINE.fullmatch, lines[at + 1 : at + 1 + MAX_NAMES])
    more = sum(1 for _ in behind) if _OPTIONS_LINE.fullmatch(lines[at]) else 0
    text = lines[at + 1 + more].strip() if at + 1 + more < len(lines) else ""
    return more if more < MAX_NAMES and text else 0


def _begins(lines: Sequence[str], at: int) -> bool:
    """Whether the line holds only names, and text is below it: a sentence, where they are no options."""
    below = lines[at + 1].strip() if at + 1 < len(lines) else ""
    if _is_option(lines, at) and not _OPTIONS_LINE.fullmatch(lines[at]):
        return True
    more = _options_below(lines, at)
    if more:
        return not (at and _OPTIONS_LINE.fullmatch(lines[at - 1]))
    if not below or _OPTIONS_LINE.fullmatch(below) or _SAME_LINE.fullmatch(below):
        return False
    if at and _OPTIONS_LINE.fullmatch(lines[at]) and _options_below(lines, at - 1):
        return False
    if _OPTIONS_LINE.fullmatch(lines[at]):
        return True
    begins = (below[0].isupper() or below[0] == "/") and not lines[at].strip().startswith("(")
    named = is_heading(lines[at]) and len(lines[at].split()) <= MAX_TERM_WORDS and not _SAME_LINE.fullmatch(lines[at])
    goes_on = at + 2 < len(lines) and bool(lines[at + 2].strip())  # a line of a paragraph looks like a heading
    return named and begins and (goes_on or not is_heading(below))


def _names(line: str) -> frozenset[str]:
    """Each with its own case where it is an option."""
    parts = [part.strip(_MARKS).removesuffix("=") for part in re.split(r",|\||\sor\s|\s(?=-)", line)]
    options = [match[0] for part in parts if part.startswith("-") and (match := _NAME.match(part))]
    words = [part.casefold() for part in (*parts, line.strip(_MARKS)) if part and not part.startswith("-")]
    return frozenset([*options, *words])


def shown(one: Entry, count: int) -> list[str]:
    """Its first sentences, with its names before the first; none ends within quotes."""
    lead = len(one.term) if one.told.startswith(one.term) else 0
    texts: list[str] = []
    start = 0
    for span in split_sentences(one.told[lead:]):
        end = lead + span.end
        if one.told.count('"', start, end) % 2 == 0 or end == len(one.told.rstrip()):
            texts.append(one.told[start:end].strip())
            start = end
    return texts[:count]

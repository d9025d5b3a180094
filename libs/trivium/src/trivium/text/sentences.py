# ruff: noqa: RUF001, SIM905  (other scripts' marks are the subject; word lists read best as words)
"""Sentences of a text, as spans: rules only, for any language that ends its sentences with a mark.

Breaks are blank lines, list items, lines (unless the block is hard-wrapped prose) and sentence ends
that are no abbreviation, initial, ordinal or decimal point. Scripts that write no space after a
sentence end (Chinese, Japanese) are covered too; those with no mark at all (Thai, Lao) end at a space between clauses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trivium.domain.chunks import Span

MAX_SENTENCE_CHARS: Final = 1000
_WRAP_MIN_CHARS: Final = 40  # narrower lines are verse, addresses or table rows, not wrapped prose
_TOKEN_CHARS: Final = 24  # as far back as an abbreviation can reach

# Quantifiers are possessive (`*+`) and runs begin at their first character, so that no input, however
# hostile, is scanned more than once.
_BLOCK_BREAK = re.compile(
    r"\n[^\S\n]*+\n\s*+"  # blank line
    r"|\n\s*+(?=(?:[-*+•‣◦▪–—]|\#{1,6}|\d{1,3}[.)]|[A-Za-z][)])\s)"  # list item
    r"|(?:\r(?!\n)|[\v\f\x1c-\x1e\x85\u2028\u2029])\s*+"
)
_CLOSERS = r"[\"'”’»›)\]）」』】〉》]*+(?:\[\d{1,3}\])*+"  # quotes, brackets and footnote marks
_UNENDED = "\u0e01-\u0e4e\u0e81-\u0ece"  # Thai and Lao
_CLAUSE_CHARS = 80  # nearer spaces are taken to stand within a clause, two at once from half of it on
_END = re.compile(
    rf"[。！？｡．।॥۔؟]++{_CLOSERS}"  # these need no space after them
    rf"|(?<![.!?…])[.!?…]++{_CLOSERS}(?=\s)"
    r"|\n"
    # Two spaces, or one between two longer runs, neither of them a part of a name.
    rf"|(?<=[{_UNENDED}])[ ]{{2,}}+|(?<=[{_UNENDED}]{{12}})[ ](?=[{_UNENDED}]{{12}})"
)
_OPENERS = "\"'“‘«‹([（「『¿¡*_ \t\n"
_LIST_NUMBER = re.compile(r"\s*(?:- )?(?:[\[(]?\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxIVX]{1,4})\.\Z")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]\Z")  # "J", "U.S", "e.g"
_SOFT_BREAK = re.compile(r"[;:；：]\s|[,،、，]\s?|\s")
_VISIBLE = re.compile(r"\S")
_FIRST_WORD = re.compile(r"\w+")
_LABEL = re.compile(r"\s*[^\W\d_][\w.\[\]/-]*:\s")  # "weir.height: 2.4"
_NUMBERED = re.compile(r"([^\W\d_]+[ #-]?)(\d+)\b")  # "lift 3", "P3"
_NAME_IN_CODE = re.compile(r"[a-z][a-z\d]*(?:[A-Z]|_[A-Za-z\d])\w*")  # "retryDelay", "max_size"

_LEADS_ON = frozenset("a an the and or his its their our my".split())
_LEADS_TO_NUMBER = frozenset(  # no name: "What it is used for" is a heading
    """of in at to from for by with until since January February March April May June July August September October
    November December""".split()
)
_DAY_OR_YEAR = re.compile(r"(?:\d{1,2}[,.;:)]?(?!\s[a-z])|(?:1[5-9]|20)\d\d[,.;:)]?)(?=\s|\Z)")
_QUOTE_CHARS: Final = 120
_QUOTED = re.compile(r"(?:^|[\s(])[\"“](?=\S)[^\"“”]*\Z")
_QUOTED_ON = re.compile(rf'[^"“”\n]{{0,{_QUOTE_CHARS}}}(?<=\S)["”],?\s+[a-z]')
_WHO_SAID = re.compile(r"(?<=[\"”])\s+[A-Z][\w'’-]+\s(?:said|asked|cried|shouted|replied)\b")

# A full stop after these does not end a sentence.
_ABBREVIATIONS = frozenset(
    """mr mrs ms messrs mme mlle dr drs prof rev st ste mt gen col capt cpt lt sgt maj adm gov supt cmdr vs cf viz
    approx ca fig figs eq eqs sect chap vol vols eds no nos nr pp refs resp incl excl dept univ assn e.g i.e
    sr.a sra srta dña bzw z.b d.h u.a vgl bd hrsg abb bspw evtl ggf inkl zzgl p.ex г ул им см рис стр т.е""".split()
)
# After these it does when a usual sentence beginning follows.
_MAYBE_ABBREVIATIONS = frozenset(
    """inc ltd co corp llc bros jr sr esq etc al p v ch ed est sec para tab abs ref min max vers hr hrs ft hon sen rep
    pres ave blvd rd usw jh str tel n° т.д jan feb apr jun jul aug sept sep oct nov dec tue thu fri gmbh
    a.m p.m u.s u.k u.n ph.d m.d b.a m.a d.c b.c a.d""".split()
)
_BEGINNINGS = frozenset(
    """the a an it its he his she her they their we our i you your my this that these those there here in on at
    for from to of with by as if but and or so yet not no when while where who what why how after before
    since although though however because during under over then thus also one some many most all both
    each such der die das ein eine er sie es wir ich und aber im le la les un une il elle ils nous je
    mais et el los las una pero y en o os as um uma он она они это в и но""".split()
)
_TIMES = frozenset(("a.m", "p.m"))
_AFTER_TIME = frozenset(  # "at 5 p.m. Monday", "3 p.m. Eastern time"
    """monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december eastern central mountain pacific local gmt utc bst est edt cst cdt mst mdt pst
    pdt cet cest""".split()
)
_LED_WORDS = 3  # "At 5 p.m. Anna left" is one sentence
_LED_CHARS = 200  # as far back as its words are counted
_AFTER_ORDINAL = frozenset(  # "am 3. Oktober": languages that write ordinals with a full stop
    """januar februar märz april mai juni juli august september oktober november dezember jahrhundert
    jahrhunderts januára ledna leden januari februari mars maj juli tammikuuta""".split()
)


def split_sentences(text: str) -> tuple[Span, ...]:
    """Spans of the sentences of `text`, in order, not overlapping, without surrounding space.

    Every character that is not white space lies in exactly one span, and no span is longer than
    `MAX_SENTENCE_CHARS`. Text without such a character has no sentences. Takes linear time.
    """
    spans: list[Span] = []
    for start, end in _blocks(text):
        at = start
        for cut in _cuts(text, start, end):
            _add(spans, text, at, cut)
            at = cut
        _add(spans, text, at, end)
    return tuple(spans)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for match in _BLOCK_BREAK.finditer(text):
        yield at, match.start()
        at = match.end()
    yield at, len(text)


def _cuts(text: str, start: int, end: int) -> Iterator[int]:
    """Positions in [start, end) after which a new sentence begins."""
    wrapped = below = rows = False
    line_start = sentence_start = start
    for match in _END.finditer(text, start, end):
        cut = match.end()
        mark = text[match.start()]
        if mark == "\n":
            if line_start == start:
                rows = _are_rows(text[start:end])
                wrapped = not rows and _is_wrapped(text[start:end])
                narrow = cut - start <= _WRAP_MIN_CHARS  # a term, its text below
                begins = text[cut : cut + 1].isupper()  # as code does not
                below = not (rows or wrapped) and narrow and begins and _is_wrapped(text[cut:end])
            if rows or not (wrapped or _line_continues(text, line_start, cut, end)):
                sentence_start = cut
                yield cut
            wrapped = wrapped or below
            line_start = cut
        elif mark == " ":
            if (cut - match.start()) * (match.start() - sentence_start) > _CLAUSE_CHARS:
                sentence_start = cut
                yield cut
        elif mark not in ".!?…" or _ends_sentence(text, line_start, sentence_start, match.start(), cut):
            sentence_start = cut
            yield cut


def _are_rows(block: str) -> bool:
    """Whether each line of `block` begins with the same word and another number: "lift 1 ...", "lift 2 ..."."""
    lines = block.strip().split("\n")
    begun = [found.groups() for line in lines if (found := _NUMBERED.match(line.strip()))]
    same = len({word for word, _ in begun}) == 1 and len({number for _, number in begun}) == len(begun)
    return same and len(begun) == len(lines)


def _is_wrapped(block: str) -> bool:
    """True when the lines of `block` were broken by width: long, alike, going on in lower case, and few a label's."""
    lines = [line.strip() for line in block.split("\n")]
    if 2 * sum(bool(_LABEL.match(line)) for line in lines) > len(lines):
        return False
    lengths = [len(line) for line in lines[:-1] if line]
    if len(lengths) < 2 or max(lengths) < _WRAP_MIN_CHARS:
        return False
    going_on = sum(line[:1].islower() for line in lines[1:])
    return min(lengths) >= 0.6 * max(lengths) and going_on >= 0.3 * len(lengths)


def _line_continues(text: str, line_start: int, next_start: int, end: int) -> bool:
    """True when the line before `next_start` runs on: it is long and the next one begins in lower case.

    Or it ends with a word that leads on, as "the" or, before a number, a month. Not where both begin with a label.
    """
    line = text[line_start:next_start].rstrip()
    if len(line) < _WRAP_MIN_CHARS or line[-1] in ".!?:;|。！？":
        return False
    if _LABEL.match(line) and _LABEL.match(text, next_start, end):
        return False
    following = text[next_start : min(next_start + 64, end)].lstrip()
    last = line[-_TOKEN_CHARS:].split()[-1]
    dated = last in _LEADS_TO_NUMBER and _DAY_OR_YEAR.match(following) is not None
    return following[:1].islower() or last in _LEADS_ON or dated


def _ends_sentence(text: str, line_start: int, sentence_start: int, mark: int, cut: int) -> bool:
    """Whether the mark at `mark`, with its closing quotes up to `cut`, ends a sentence."""
    following = text[cut : cut + 40].lstrip(_OPENERS)
    if following[:1].islower() and not (text[mark:cut] == "." and _NAME_IN_CODE.match(following)):
        return False
    if _is_within_quotes(text, sentence_start, mark, cut):
        return False
    if text[mark] != "." or cut - mark > 1:
        return True
    before = text[max(line_start, mark - _TOKEN_CHARS) : mark]
    words = before.split()
    if not words:
        return True
    token = words[-1].strip("\"'“‘«([")
    if len(token) > 6 and "." not in token:
        return True
    return not _is_abbreviation(text, line_start, sentence_start, mark, token, following)


def _is_within_quotes(text: str, sentence_start: int, mark: int, cut: int) -> bool:
    """Whether a quotation goes on behind the mark and its sentence behind that: "Stop! Thief!" he cried.

    Or who asked or called stands behind it: "Who is it?" Tom asked.
    """
    if text[mark] in "!?" and _WHO_SAID.match(text, cut):
        return True
    before = text[max(sentence_start, mark - _QUOTE_CHARS) : cut]
    return _QUOTED.search(before) is not None and _QUOTED_ON.match(text, cut) is not None


def _is_abbreviation(text: str, line_start: int, sentence_start: int, mark: int, token: str, following: str) -> bool:
    folded = token.lower()
    if folded in _ABBREVIATIONS:
        # "no" is a word too: "No. 5" goes on, "He said no. Then" does not.
        return folded not in ("no", "nos") or following[:1].isdigit()
    if mark - line_start < 12 and _LIST_NUMBER.match(text, line_start, mark + 1):
        return True
    word = _FIRST_WORD.match(following)
    next_word = word.group().lower() if word else ""
    if token.isdigit():
        return len(token) <= 2 and next_word in _AFTER_ORDINAL
    if folded in _TIMES and _words_before(text, sentence_start, mark) > _LED_WORDS:
        return next_word in _AFTER_TIME or next_word.isdigit()
    if folded in _MAYBE_ABBREVIATIONS or _INITIALS.match(token):
        return bool(next_word) and next_word not in _BEGINNINGS
    return False


def _words_before(text: str, sentence_start: int, mark: int) -> int:
    """Words of the sentence up to `mark`, counted to one more than `_LED_WORDS`."""
    return len(text[max(sentence_start, mark - _LED_CHARS) : mark].split(maxsplit=_LED_WORDS))


def _add(spans: list[Span], text: str, start: int, end: int) -> None:
    """Append [start, end) without its outer space, in pieces of at most MAX_SENTENCE_CHARS."""
    whole = Span(start, end).trimmed(text)
    start, end = whole.start, whole.end
    while end - start > MAX_SENTENCE_CHARS:
        cut = _soft_cut(text, start)
        spans.append(Span(start, start + len(text[start:cut].rstrip())))
        visible = _VISIBLE.search(text, cut, end)
        start = visible.start() if visible else end
    if start < end:
        spans.append(Span(start, end))


def _soft_cut(text: str, start: int) -> int:
    """Where to cut an endless sentence: after the last clause, else word, of the second half of the limit."""
    limit = start + MAX_SENTENCE_CHARS
    best, best_rank = limit, 3
    for match in _SOFT_BREAK.finditer(text, start + MAX_SENTENCE_CHARS // 2, limit):
        rank = 0 if match.group()[0] in ";:；：" else 1 if match.group()[0] in ",،、，" else 2
        if rank <= best_rank:
            best, best_rank = match.end(), rank
    return best
